import type { EntityManager } from 'typeorm';
import type { Id } from '../../core/shared/ids.js';
import type { Repositories } from '../../core/shared/transactional.js';
import { apiKeyTable, keyAddressTable } from './access/api-key.table.js';
import { TypeormAuditTrail } from './audit/audit.repository.js';
import { auditTable } from './audit/audit.table.js';
import { operatorEntryTable } from './audit/operator-entry.table.js';
import { TypeormBlobOwnership } from './blobs/blob-owners.repository.js';
import { droppedUploadTable } from './blobs/dropped-upload.table.js';
import { TypeormBulkEditRepository } from './bulk-edits/bulk-edit.repository.js';
import { bulkChangeTable, bulkEditTable } from './bulk-edits/bulk-edit.table.js';
import { TypeormCustomerRepository } from './customers/customer.repository.js';
import { creationTable, customerTable, erasureTable } from './customers/customer.table.js';
import { deliveryKeyTable, presetTable } from './delivery/delivery.table.js';
import { TypeormDeliveryKeyRepository } from './delivery/delivery-key.repository.js';
import { TypeormPresetRepository } from './delivery/preset.repository.js';
import { TypeormOutbox } from './events/outbox.repository.js';
import { TypeormResponseStore } from './idempotency/idempotency.repository.js';
import { idempotencyKeyTable } from './idempotency/idempotency-key.table.js';
import { TypeormImportRepository } from './imports/import.repository.js';
import { importTable } from './imports/import.table.js';
import { TypeormImportPhotoRepository } from './imports/import-photo.repository.js';
import { importPhotoTable } from './imports/import-photo.table.js';
import { TypeormResumableUploadRepository } from './imports/resumable-upload.repository.js';
import { resumableUploadTable } from './imports/resumable-upload.table.js';
import { TypeormSourceFetchRepository } from './imports/source-fetch.repository.js';
import { sourceFetchTable } from './imports/source-fetch.table.js';
import { TypeormOrphanRows } from './integrity/orphan-rows.js';
import { TypeormJobAdder } from './jobs/job.repository.js';
import { jobTable } from './jobs/job.table.js';
import { Customers1763700000001 } from './migrations/1763700000001-customers.js';
import { Imports1763700000002 } from './migrations/1763700000002-imports.js';
import { Photos1763700000003 } from './migrations/1763700000003-photos.js';
import { Jobs1763700000004 } from './migrations/1763700000004-jobs.js';
import { RateWindows1763700000005 } from './migrations/1763700000005-rate-windows.js';
import { IdempotencyKeys1763700000006 } from './migrations/1763700000006-idempotency-keys.js';
import { Upkeep1763700000007 } from './migrations/1763700000007-upkeep.js';
import { PhotoLists1763700000008 } from './migrations/1763700000008-photo-lists.js';
import { TagsOfMany1763700000009 } from './migrations/1763700000009-tags-of-many.js';
import { Outages1763700000010 } from './migrations/1763700000010-outages.js';
import { Webhooks1763700000011 } from './migrations/1763700000011-webhooks.js';
import { BlobOwners1763700000012 } from './migrations/1763700000012-blob-owners.js';
import { Users1763700000013 } from './migrations/1763700000013-users.js';
import { Sessions1763700000014 } from './migrations/1763700000014-sessions.js';
import { ForgottenImports1763700000015 } from './migrations/1763700000015-forgotten-imports.js';
import { Traces1763700000016 } from './migrations/1763700000016-traces.js';
import { DepartedTags1763700000018 } from './migrations/1763700000018-departed-tags.js';
import { CausesOfJobs1763700000019 } from './migrations/1763700000019-causes-of-jobs.js';
import { JobFailures1763700000020 } from './migrations/1763700000020-job-failures.js';
import { KeyAddresses1763700000030 } from './migrations/1763700000030-key-addresses.js';
import { PhotoTotals1763700000031 } from './migrations/1763700000031-photo-totals.js';
import { CountedPhotos1763700000032 } from './migrations/1763700000032-counted-photos.js';
import { ClaimLeases1763700000040 } from './migrations/1763700000040-claim-leases.js';
import { SessionsByLink1763700000041 } from './migrations/1763700000041-sessions-by-link.js';
import { AuditOfMany1763700000061 } from './migrations/1763700000061-audit-of-many.js';
import { Delivery1763700000070 } from './migrations/1763700000070-delivery.js';
import { Focus1763700000071 } from './migrations/1763700000071-focus.js';
import { RenditionLeases1763700000072 } from './migrations/1763700000072-rendition-leases.js';
import { PictureCounts1763700000073 } from './migrations/1763700000073-picture-counts.js';
import { RenditionTotals1763700000074 } from './migrations/1763700000074-rendition-totals.js';
import { Places1763700000075 } from './migrations/1763700000075-places.js';
import { PlaceIndexes1763700000076 } from './migrations/1763700000076-place-indexes.js';
import { ResumableUploads1763700000080 } from './migrations/1763700000080-resumable-uploads.js';
import { PerceptualHashes1763700000090 } from './migrations/1763700000090-perceptual-hashes.js';
import { SeparatedPhotos1763700000100 } from './migrations/1763700000100-separated-photos.js';
import { SourceFetches1763700000110 } from './migrations/1763700000110-source-fetches.js';
import { Companions1763700000120 } from './migrations/1763700000120-companions.js';
import { OperatorTokens1763700000130 } from './migrations/1763700000130-operator-tokens.js';
import { StorageDays1763700000131 } from './migrations/1763700000131-storage-days.js';
import { Shares1763700000140 } from './migrations/1763700000140-shares.js';
import { VisitorUploads1763700000141 } from './migrations/1763700000141-visitor-uploads.js';
import { BulkEdits1763700000150 } from './migrations/1763700000150-bulk-edits.js';
import { PhotoValues1763700000160 } from './migrations/1763700000160-photo-values.js';
import { SavedSearches1763700000161 } from './migrations/1763700000161-saved-searches.js';
import { MapCells1763700000162 } from './migrations/1763700000162-map-cells.js';
import { MapIndex1763700000163 } from './migrations/1763700000163-map-index.js';
import { DeprecatedRequests1763700000170 } from './migrations/1763700000170-deprecated-requests.js';
import { ConfirmedSessions1763700000180 } from './migrations/1763700000180-confirmed-sessions.js';
import { FourRoles1763700000181 } from './migrations/1763700000181-four-roles.js';
import { SecondFactors1763700000190 } from './migrations/1763700000190-second-factors.js';
import { RequiredFactors1763700000191 } from './migrations/1763700000191-required-factors.js';
import { Passkeys1763700000200 } from './migrations/1763700000200-passkeys.js';
import { Identities1763700000210 } from './migrations/1763700000210-identities.js';
import { WebhookBodies1763700000230 } from './migrations/1763700000230-webhook-bodies.js';
import { WebhookListeners1763700000231 } from './migrations/1763700000231-webhook-listeners.js';
import { SettingsAddresses1763700000240 } from './migrations/1763700000240-settings-addresses.js';
import { UploadReservations1763700000250 } from './migrations/1763700000250-upload-reservations.js';
import { TransferCounts1763700000260 } from './migrations/1763700000260-transfer-counts.js';
import { OperatorEntries1763700000270 } from './migrations/1763700000270-operator-entries.js';
import { RequestHours1763700000280 } from './migrations/1763700000280-request-hours.js';
import { ImportsOfShares1763700000281 } from './migrations/1763700000281-imports-of-shares.js';
import { PhotoLenses1763700000282 } from './migrations/1763700000282-photo-lenses.js';
import { NewPeople1763700000290 } from './migrations/1763700000290-new-people.js';
import { operatorTokenTable } from './operators/operator-token.table.js';
import { TypeormPhotoRepository } from './photos/photo.repository.js';
import { photoExifTable, photoTable } from './photos/photo.table.js';
import type { PhotosReadTogether } from './photos/photo-reads.js';
import { TypeormUsageRepository } from './photos/photo-totals.js';
import { separatedPhotosTable } from './photos/separated-photo.table.js';
import { TypeormSimilarPhotoRepository } from './photos/similar-photo.repository.js';
import { TypeormSavedSearchRepository } from './searches/saved-search.repository.js';
import { savedSearchTable } from './searches/saved-search.table.js';
import { TypeormShareRepository } from './shares/share.repository.js';
import { shareTable } from './shares/share.table.js';
import { TypeormTagRepository } from './tags/tag.repository.js';
import { tagTable } from './tags/tag.table.js';
import { tombstoneTable } from './tags/tombstone.table.js';
import { TypeormUnpublishedTags } from './tags/unpublished-tags.js';
import { TypeormTrafficReads } from './traffic/traffic.repository.js';
import { trafficTables } from './traffic/traffic.table.js';
import { TypeormFactorRepository } from './users/factor.repository.js';
import { factorTables } from './users/factor.table.js';
import { TypeormIdentityRepository } from './users/identity.repository.js';
import { identityTable } from './users/identity.table.js';
import { TypeormUserRepository } from './users/user.repository.js';
import { sessionTable, userTable } from './users/user.table.js';
import { TypeormDeliveryRepository, TypeormWebhookEndpointRepository } from './webhooks/webhook.repository.js';
import { deliveryTable, webhookEndpointTable } from './webhooks/webhook.table.js';

/**
 * What Postgres stores for each concept. A new concept has its lines here, and nowhere else in the adapter: whatever must cover every table
 * (policies, erasing, backup, integrity) reads the database's catalogue.
 */
export const tables = [
  customerTable,
  creationTable,
  erasureTable,
  apiKeyTable,
  keyAddressTable,
  photoTable,
  photoExifTable,
  separatedPhotosTable,
  tagTable,
  tombstoneTable,
  importTable,
  importPhotoTable,
  droppedUploadTable,
  resumableUploadTable,
  sourceFetchTable,
  jobTable,
  idempotencyKeyTable,
  webhookEndpointTable,
  deliveryTable,
  deliveryKeyTable,
  presetTable,
  shareTable,
  savedSearchTable,
  bulkEditTable,
  bulkChangeTable,
  userTable,
  sessionTable,
  ...factorTables,
  identityTable,
  auditTable,
  ...trafficTables,
  operatorTokenTable,
  operatorEntryTable,
];

/** Oldest first. Released migrations are never changed. Those that are `online` follow the others (docs/decisions/0075). */
export const migrations = [
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
  DeprecatedRequests1763700000170,
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
];

/** @param together Batches concurrent reads of single photos; null: there is nothing to batch. */
type RepositoryClass<Repository> = new (
  manager: EntityManager,
  customerId: Id,
  together: () => PhotosReadTogether | null,
) => Repository;

/** The repositories of one customer, on one connection. */
export const repositories: { readonly [Name in keyof Repositories]: RepositoryClass<Repositories[Name]> } = {
  customer: TypeormCustomerRepository,
  usage: TypeormUsageRepository,
  orphanRows: TypeormOrphanRows,
  photos: TypeormPhotoRepository,
  taggedPhotos: TypeormPhotoRepository,
  similarPhotos: TypeormSimilarPhotoRepository,
  tags: TypeormTagRepository,
  imports: TypeormImportRepository,
  unpublishedTags: TypeormUnpublishedTags,
  importPhotos: TypeormImportPhotoRepository,
  resumableUploads: TypeormResumableUploadRepository,
  sourceFetches: TypeormSourceFetchRepository,
  blobOwners: TypeormBlobOwnership,
  webhookEndpoints: TypeormWebhookEndpointRepository,
  deliveries: TypeormDeliveryRepository,
  deliveryKeys: TypeormDeliveryKeyRepository,
  presets: TypeormPresetRepository,
  shares: TypeormShareRepository,
  savedSearches: TypeormSavedSearchRepository,
  bulkEdits: TypeormBulkEditRepository,
  users: TypeormUserRepository,
  factors: TypeormFactorRepository,
  identities: TypeormIdentityRepository,
  audit: TypeormAuditTrail,
  traffic: TypeormTrafficReads,
  outbox: TypeormOutbox,
  jobs: TypeormJobAdder,
  responses: TypeormResponseStore,
};
