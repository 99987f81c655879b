import { Customers1763700000001 } from './1763700000001-customers.js';
import { Imports1763700000002 } from './1763700000002-imports.js';
import { Photos1763700000003 } from './1763700000003-photos.js';
import { Jobs1763700000004 } from './1763700000004-jobs.js';
import { RateWindows1763700000005 } from './1763700000005-rate-windows.js';
import { IdempotencyKeys1763700000006 } from './1763700000006-idempotency-keys.js';
import { Upkeep1763700000007 } from './1763700000007-upkeep.js';
import { PhotoLists1763700000008 } from './1763700000008-photo-lists.js';
import { TagsOfMany1763700000009 } from './1763700000009-tags-of-many.js';
import { Outages1763700000010 } from './1763700000010-outages.js';
import { Webhooks1763700000011 } from './1763700000011-webhooks.js';
import { BlobOwners1763700000012 } from './1763700000012-blob-owners.js';
import { Users1763700000013 } from './1763700000013-users.js';
import { Sessions1763700000014 } from './1763700000014-sessions.js';
import { ForgottenImports1763700000015 } from './1763700000015-forgotten-imports.js';
import { Traces1763700000016 } from './1763700000016-traces.js';
import { DepartedTags1763700000018 } from './1763700000018-departed-tags.js';
import { CausesOfJobs1763700000019 } from './1763700000019-causes-of-jobs.js';
import { JobFailures1763700000020 } from './1763700000020-job-failures.js';
import { KeyAddresses1763700000030 } from './1763700000030-key-addresses.js';
import { PhotoTotals1763700000031 } from './1763700000031-photo-totals.js';
import { CountedPhotos1763700000032 } from './1763700000032-counted-photos.js';
import { ClaimLeases1763700000040 } from './1763700000040-claim-leases.js';
import { SessionsByLink1763700000041 } from './1763700000041-sessions-by-link.js';
import { AuditOfMany1763700000061 } from './1763700000061-audit-of-many.js';
import { Delivery1763700000070 } from './1763700000070-delivery.js';
import { Focus1763700000071 } from './1763700000071-focus.js';
import { RenditionLeases1763700000072 } from './1763700000072-rendition-leases.js';
import { PictureCounts1763700000073 } from './1763700000073-picture-counts.js';
import { RenditionTotals1763700000074 } from './1763700000074-rendition-totals.js';
import { Places1763700000075 } from './1763700000075-places.js';
import { PlaceIndexes1763700000076 } from './1763700000076-place-indexes.js';
import { ResumableUploads1763700000080 } from './1763700000080-resumable-uploads.js';
import { PerceptualHashes1763700000090 } from './1763700000090-perceptual-hashes.js';
import { SeparatedPhotos1763700000100 } from './1763700000100-separated-photos.js';
import { SourceFetches1763700000110 } from './1763700000110-source-fetches.js';
import { Companions1763700000120 } from './1763700000120-companions.js';
import { OperatorTokens1763700000130 } from './1763700000130-operator-tokens.js';
import { StorageDays1763700000131 } from './1763700000131-storage-days.js';
import { Shares1763700000140 } from './1763700000140-shares.js';
import { VisitorUploads1763700000141 } from './1763700000141-visitor-uploads.js';
import { BulkEdits1763700000150 } from './1763700000150-bulk-edits.js';
import { PhotoValues1763700000160 } from './1763700000160-photo-values.js';
import { SavedSearches1763700000161 } from './1763700000161-saved-searches.js';
import { MapCells1763700000162 } from './1763700000162-map-cells.js';
import { MapIndex1763700000163 } from './1763700000163-map-index.js';
import { ConfirmedSessions1763700000180 } from './1763700000180-confirmed-sessions.js';
import { FourRoles1763700000181 } from './1763700000181-four-roles.js';
import { SecondFactors1763700000190 } from './1763700000190-second-factors.js';
import { RequiredFactors1763700000191 } from './1763700000191-required-factors.js';
import { Passkeys1763700000200 } from './1763700000200-passkeys.js';
import { Identities1763700000210 } from './1763700000210-identities.js';
import { WebhookBodies1763700000230 } from './1763700000230-webhook-bodies.js';
import { WebhookListeners1763700000231 } from './1763700000231-webhook-listeners.js';
import { SettingsAddresses1763700000240 } from './1763700000240-settings-addresses.js';
import { UploadReservations1763700000250 } from './1763700000250-upload-reservations.js';
import { TransferCounts1763700000260 } from './1763700000260-transfer-counts.js';
import { OperatorEntries1763700000270 } from './1763700000270-operator-entries.js';
import { RequestHours1763700000280 } from './1763700000280-request-hours.js';
import { ImportsOfShares1763700000281 } from './1763700000281-imports-of-shares.js';
import { PhotoLenses1763700000282 } from './1763700000282-photo-lenses.js';
import { NewPeople1763700000290 } from './1763700000290-new-people.js';
import { WordsAnywhere1763700000300 } from './1763700000300-words-anywhere.js';

/** Those of 0.1.0, oldest first. Later ones are named in the registry. */
export const migrationsOfFirstRelease = [
  Customers1763700000001,
  Imports1763700000002,
  Photos1763700000003,
  Jobs1763700000004,
  RateWindows1763700000005,
  IdempotencyKeys1763700000006,
  Upkeep1763700000007,
  PhotoLists1763700000008,
  Outages1763700000010,
  Webhooks1763700000011,
  BlobOwners1763700000012,
  TagsOfMany1763700000009,
  Users1763700000013,
  Sessions1763700000014,
  ForgottenImports1763700000015,
  Traces1763700000016,
  DepartedTags1763700000018,
  JobFailures1763700000020,
  CausesOfJobs1763700000019,
  KeyAddresses1763700000030,
  PhotoTotals1763700000031,
  CountedPhotos1763700000032,
  ClaimLeases1763700000040,
  SessionsByLink1763700000041,
  AuditOfMany1763700000061,
  Delivery1763700000070,
  Focus1763700000071,
  RenditionLeases1763700000072,
  PictureCounts1763700000073,
  RenditionTotals1763700000074,
  Places1763700000075,
  PlaceIndexes1763700000076,
  PerceptualHashes1763700000090,
  SeparatedPhotos1763700000100,
  ResumableUploads1763700000080,
  SourceFetches1763700000110,
  Companions1763700000120,
  OperatorTokens1763700000130,
  StorageDays1763700000131,
  Shares1763700000140,
  VisitorUploads1763700000141,
  BulkEdits1763700000150,
  PhotoValues1763700000160,
  SavedSearches1763700000161,
  MapCells1763700000162,
  MapIndex1763700000163,
  ConfirmedSessions1763700000180,
  FourRoles1763700000181,
  SecondFactors1763700000190,
  RequiredFactors1763700000191,
  Passkeys1763700000200,
  Identities1763700000210,
  WebhookBodies1763700000230,
  WebhookListeners1763700000231,
  SettingsAddresses1763700000240,
  UploadReservations1763700000250,
  TransferCounts1763700000260,
  OperatorEntries1763700000270,
  RequestHours1763700000280,
  ImportsOfShares1763700000281,
  PhotoLenses1763700000282,
  NewPeople1763700000290,
  WordsAnywhere1763700000300,
];
