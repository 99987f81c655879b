import type { DataSource, EntityManager } from 'typeorm';
import type { CustomerReader, CustomerStore, CustomerTransaction } from '../../../core/customers/customer-store.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormAuditTrail } from '../audit/audit.repository.js';
import { TypeormBlobOwnership } from '../blobs/blob-owners.repository.js';
import { update } from '../database/rows.js';
import { inCustomerTransaction, withoutTransaction } from '../database/transaction.js';
import { TypeormOutbox } from '../events/outbox.repository.js';
import { TypeormDeliveryRepository, TypeormWebhookEndpointRepository } from '../events/webhook.repository.js';
import { TypeormResponseStore } from '../idempotency/idempotency.repository.js';
import { TypeormImportRepository } from '../imports/import.repository.js';
import { TypeormImportPhotoRepository } from '../imports/import-photo.repository.js';
import { findOrphanRows } from '../integrity/orphan-rows.js';
import { TypeormJobAdder } from '../jobs/job.repository.js';
import { TypeormPhotoRepository } from '../photos/photo.repository.js';
import { PhotosReadTogether } from '../photos/photo-reads.js';
import { readQuotaUse, readTotals, readUsage, recountTotals } from '../photos/photo-totals.js';
import { TypeormTagRepository } from '../tags/tag.repository.js';
import { TypeormTrafficReads } from '../traffic/traffic.repository.js';
import { TypeormUserRepository } from '../users/user.repository.js';
import { lockCustomer, readCustomer } from './customer.repository.js';
import { customerTable } from './customer.table.js';

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

  transaction<T>(customerId: Id, work: (transaction: CustomerTransaction) => Promise<T>): Promise<T> {
    return inCustomerTransaction(this.dataSource, customerId, (manager) => work(everythingOf(manager, customerId)));
  }

  query<T>(customerId: Id, work: (reader: CustomerReader) => Promise<T>): Promise<T> {
    return withoutTransaction(this.dataSource, (manager, isConnected) =>
      work(everythingOf(manager, customerId, () => (isConnected() ? null : this.photosTogether))),
    );
  }
}

function everythingOf(
  manager: EntityManager,
  customerId: Id,
  together: () => PhotosReadTogether | null = () => null,
): CustomerTransaction {
  return {
    customer: () => readCustomer(manager, customerId),
    updateCustomer: (customer) => update(manager, customerTable, { ...customer, id: customerId }),
    lockCustomer: () => lockCustomer(manager, customerId),
    usage: () => readUsage(manager, customerId),
    photoTotals: () => readTotals(manager.dataSource, customerId),
    recountPhotos: () => recountTotals(manager, customerId),
    quotaUse: () => readQuotaUse(manager, customerId),
    orphanRows: (after, limit) => findOrphanRows(manager, customerId, after, limit),
    photos: new TypeormPhotoRepository(manager, customerId, together),
    tags: new TypeormTagRepository(manager, customerId),
    imports: new TypeormImportRepository(manager, customerId),
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
