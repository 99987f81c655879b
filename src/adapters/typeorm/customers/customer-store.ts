import type { DataSource, EntityManager } from 'typeorm';
import type { CustomerStore } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Reads, Repositories } from '../../../core/shared/transactional.js';
import { TypeormAuditTrail } from '../audit/audit.repository.js';
import { TypeormBlobOwnership } from '../blobs/blob-owners.repository.js';
import { inCustomerTransaction, withoutTransaction } from '../database/transaction.js';
import { TypeormOutbox } from '../events/outbox.repository.js';
import { TypeormResponseStore } from '../idempotency/idempotency.repository.js';
import { TypeormImportRepository } from '../imports/import.repository.js';
import { TypeormImportPhotoRepository } from '../imports/import-photo.repository.js';
import { TypeormOrphanRows } from '../integrity/orphan-rows.js';
import { TypeormJobAdder } from '../jobs/job.repository.js';
import { TypeormPhotoRepository } from '../photos/photo.repository.js';
import { PhotosReadTogether } from '../photos/photo-reads.js';
import { TypeormUsageRepository } from '../photos/photo-totals.js';
import { TypeormTagRepository } from '../tags/tag.repository.js';
import { TypeormUnpublishedTags } from '../tags/unpublished-tags.js';
import { TypeormTrafficReads } from '../traffic/traffic.repository.js';
import { TypeormUserRepository } from '../users/user.repository.js';
import { TypeormDeliveryRepository, TypeormWebhookEndpointRepository } from '../webhooks/webhook.repository.js';
import { TypeormCustomerRepository } from './customer.repository.js';

/**
 * Transactions are READ COMMITTED, with row locks. Rows are locked in this order, within a kind by id ascending: customer, import, item,
 * photo, tag, webhook endpoint, delivery, user. Code that breaks it can deadlock; Postgres then aborts one of the two transactions, which
 * is run again.
 */
export class TypeormCustomerStore implements CustomerStore {
  private readonly photosTogether: PhotosReadTogether;

  constructor(private readonly dataSource: DataSource) {
    this.photosTogether = new PhotosReadTogether(dataSource);
  }

  transaction<T>(customerId: Id, work: (transaction: Repositories) => Promise<T>): Promise<T> {
    return inCustomerTransaction(this.dataSource, customerId, (manager) => work(everythingOf(manager, customerId)));
  }

  query<T>(customerId: Id, work: (reader: Reads) => Promise<T>): Promise<T> {
    return withoutTransaction(this.dataSource, (manager, isConnected) =>
      work(everythingOf(manager, customerId, () => (isConnected() ? null : this.photosTogether))),
    );
  }
}

function everythingOf(
  manager: EntityManager,
  customerId: Id,
  together: () => PhotosReadTogether | null = () => null,
): Repositories {
  const photos = new TypeormPhotoRepository(manager, customerId, together);
  return {
    customer: new TypeormCustomerRepository(manager, customerId),
    usage: new TypeormUsageRepository(manager, customerId),
    orphanRows: new TypeormOrphanRows(manager, customerId),
    photos,
    taggedPhotos: photos,
    tags: new TypeormTagRepository(manager, customerId),
    imports: new TypeormImportRepository(manager, customerId),
    unpublishedTags: new TypeormUnpublishedTags(manager, customerId),
    importPhotos: new TypeormImportPhotoRepository(manager, customerId),
    blobOwners: new TypeormBlobOwnership(manager, customerId),
    webhookEndpoints: new TypeormWebhookEndpointRepository(manager, customerId),
    deliveries: new TypeormDeliveryRepository(manager, customerId),
    users: new TypeormUserRepository(manager, customerId),
    audit: new TypeormAuditTrail(manager, customerId),
    traffic: new TypeormTrafficReads(manager, customerId),
    outbox: new TypeormOutbox(manager, customerId),
    jobs: new TypeormJobAdder(manager, customerId),
    responses: new TypeormResponseStore(manager, customerId),
  };
}
