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
import { deliveryTable } from './events/delivery.table.js';
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
import { CustomersAndKeys1764000000001 } from './migrations/1764000000001-customers-and-keys.js';
import { Requests1764000000002 } from './migrations/1764000000002-requests.js';
import { Imports1764000000003 } from './migrations/1764000000003-imports.js';
import { Photos1764000000004 } from './migrations/1764000000004-photos.js';
import { Tags1764000000005 } from './migrations/1764000000005-tags.js';
import { Jobs1764000000006 } from './migrations/1764000000006-jobs.js';
import { Users1764000000007 } from './migrations/1764000000007-users.js';
import { Webhooks1764000000008 } from './migrations/1764000000008-webhooks.js';
import { Sharing1764000000009 } from './migrations/1764000000009-sharing.js';
import { SearchesAndBulkEdits1764000000010 } from './migrations/1764000000010-searches-and-bulk-edits.js';
import { AuditAndOperators1764000000011 } from './migrations/1764000000011-audit-and-operators.js';
import { Traffic1764000000012 } from './migrations/1764000000012-traffic.js';
import { operatorTokenTable } from './operators/operator-token.table.js';
import { TypeormPhotoRepository } from './photos/photo.repository.js';
import { photoExifTable, photoTable } from './photos/photo.table.js';
import type { PhotosReadTogether } from './photos/photo-reads.js';
import { TypeormUsageRepository } from './photos/photo-totals.js';
import { separatedPhotosTable } from './photos/separated-photo.table.js';
import { TypeormSimilarPhotoRepository } from './photos/similar-photo.repository.js';
import { tombstoneTable } from './photos/tombstone.table.js';
import { TypeormSavedSearchRepository } from './searches/saved-search.repository.js';
import { savedSearchTable } from './searches/saved-search.table.js';
import { TypeormShareRepository } from './shares/share.repository.js';
import { shareTable } from './shares/share.table.js';
import { TypeormTagRepository } from './tags/tag.repository.js';
import { tagTable } from './tags/tag.table.js';
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
import { webhookEndpointTable } from './webhooks/webhook.table.js';

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
