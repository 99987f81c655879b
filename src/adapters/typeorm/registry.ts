import type { EntityManager } from 'typeorm';
import type { Id } from '../../core/shared/ids.js';
import type { Repositories } from '../../core/shared/transactional.js';
import { apiKeyTable, keyAddressTable, TypeormKeyRepository } from './access/api-key.repository.js';
import { auditTable, operatorEntryTable, TypeormAuditTrail } from './audit/audit.repository.js';
import { droppedUploadTable, TypeormBlobOwnership } from './blobs/blob-owners.repository.js';
import { bulkChangeTable, bulkEditTable, TypeormBulkEditRepository } from './bulk-edits/bulk-edit.repository.js';
import {
  creationTable,
  customerTable,
  erasureTable,
  TypeormCustomerRepository,
} from './customers/customer.repository.js';
import {
  deliveryKeyTable,
  presetTable,
  TypeormDeliveryKeyRepository,
  TypeormPresetRepository,
} from './delivery/delivery-key.repository.js';
import { deliveryTable, TypeormOutbox } from './events/outbox.repository.js';
import { idempotencyKeyTable, TypeormResponseStore } from './idempotency/idempotency.repository.js';
import { importTable, TypeormImportRepository } from './imports/import.repository.js';
import { importPhotoTable, TypeormImportPhotoRepository } from './imports/import-photo.repository.js';
import { resumableUploadTable, TypeormResumableUploadRepository } from './imports/resumable-upload.repository.js';
import { sourceFetchTable, TypeormSourceFetchRepository } from './imports/source-fetch.repository.js';
import { TypeormOrphanRows } from './integrity/orphan-rows.js';
import { jobTable, TypeormJobRepository } from './jobs/job.repository.js';
import { TypeormPhotoClusters } from './map/photo-clusters.js';
import { CustomersAndKeys1764000000001 } from './migrations/1764000000001-customers-and-keys.js';
import { Requests1764000000002 } from './migrations/1764000000002-requests.js';
import { Imports1764000000003 } from './migrations/1764000000003-imports.js';
import { Photos1764000000004 } from './migrations/1764000000004-photos.js';
import { TagStamps1764000000016, Tags1764000000005 } from './migrations/1764000000005-tags.js';
import { Jobs1764000000006 } from './migrations/1764000000006-jobs.js';
import { Users1764000000007 } from './migrations/1764000000007-users.js';
import { Webhooks1764000000008 } from './migrations/1764000000008-webhooks.js';
import { Sharing1764000000009 } from './migrations/1764000000009-sharing.js';
import { SearchesAndBulkEdits1764000000010 } from './migrations/1764000000010-searches-and-bulk-edits.js';
import { AuditAndOperators1764000000011 } from './migrations/1764000000011-audit-and-operators.js';
import { Traffic1764000000012 } from './migrations/1764000000012-traffic.js';
import { OneQueue1764000000013 } from './migrations/1764000000013-one-queue.js';
import {
  PhotoCreators1764000000015,
  PhotoFields1764000000014,
  PhotosStoredWhole1764000000018,
  PhotoThumbs1764000000017,
} from './migrations/1764000000014-photo-fields.js';
import { operatorTokenTable } from './operators/operator-token.repository.js';
import { TypeormPhotoRepository } from './photos/photo.repository.js';
import type { SharedReads } from './photos/photo-cache.js';
import { TypeormUsageRepository } from './photos/photo-counts.js';
import { photoExifTable, photoTable } from './photos/photo-rows.js';
import { tombstoneTable } from './photos/tag-tombstones.js';
import { savedSearchTable, TypeormSavedSearchRepository } from './searches/saved-search.repository.js';
import { shareTable, TypeormShareRepository } from './shares/share.repository.js';
import { separatedPhotosTable, TypeormSimilarPhotoRepository } from './similar/similar-photo.repository.js';
import { TypeormTagRepository, TypeormUnpublishedTags, tagTable } from './tags/tag.repository.js';
import { TypeormTrafficReads, trafficTables } from './traffic/traffic.repository.js';
import { factorTables, TypeormFactorRepository } from './users/factor.repository.js';
import {
  identityTable,
  sessionTable,
  TypeormIdentityRepository,
  TypeormUserRepository,
  userTable,
} from './users/user.repository.js';
import {
  TypeormDeliveryRepository,
  TypeormWebhookEndpointRepository,
  webhookEndpointTable,
} from './webhooks/webhook.repository.js';

/**
 * The tables that Postgres has for each concept. A new concept has its lines here, and nowhere else in the adapter: whatever must cover every table
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

/**
 * Oldest first: one for each concept of 0.1.0, then what later releases add. Released migrations are never changed. Those that are `online` follow
 * the others (docs/decisions/0075).
 */
export const migrations = [
  CustomersAndKeys1764000000001,
  Requests1764000000002,
  Imports1764000000003,
  Photos1764000000004,
  Tags1764000000005,
  Jobs1764000000006,
  Users1764000000007,
  Webhooks1764000000008,
  Sharing1764000000009,
  SearchesAndBulkEdits1764000000010,
  AuditAndOperators1764000000011,
  Traffic1764000000012,
  OneQueue1764000000013,
  PhotoFields1764000000014,
  TagStamps1764000000016,
  PhotoThumbs1764000000017,
  PhotosStoredWhole1764000000018,
  PhotoCreators1764000000015,
];

/** @param shared Null in a transaction. */
type RepositoryClass<Repository> = new (
  manager: EntityManager,
  customerId: Id,
  shared: () => SharedReads | null,
) => Repository;

/** The repositories of one customer, on one connection. */
export const repositories: { readonly [Name in keyof Repositories]: RepositoryClass<Repositories[Name]> } = {
  customer: TypeormCustomerRepository,
  usage: TypeormUsageRepository,
  keys: TypeormKeyRepository,
  orphanRows: TypeormOrphanRows,
  photos: TypeormPhotoRepository,
  taggedPhotos: TypeormPhotoRepository,
  clusters: TypeormPhotoClusters,
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
  jobs: TypeormJobRepository,
  responses: TypeormResponseStore,
};
