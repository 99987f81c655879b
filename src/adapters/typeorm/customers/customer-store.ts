import type { DataSource, EntityManager } from 'typeorm';
import type { CustomerStore } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Reads, Repositories } from '../../../core/shared/transactional.js';
import { inCustomerTransaction, withoutTransaction } from '../database/transaction.js';
import { PhotosReadTogether } from '../photos/photo-reads.js';
import { repositories } from '../registry.js';

/**
 * Transactions are READ COMMITTED, with row locks. Rows are locked in this order, within a kind by id ascending: customer, import, item,
 * photo, tag, webhook endpoint, delivery, delivery key, share, user. Code that breaks it can deadlock; Postgres then aborts one of the two
 * transactions, which is run again.
 */
export class TypeormCustomerStore implements CustomerStore {
  private readonly photosTogether: PhotosReadTogether;

  constructor(private readonly dataSource: DataSource) {
    this.photosTogether = new PhotosReadTogether(dataSource);
  }

  transaction<T>(customerId: Id, work: (transaction: Repositories) => Promise<T>): Promise<T> {
    return inCustomerTransaction(this.dataSource, customerId, (manager) =>
      work(everythingOf(manager, customerId, () => null)),
    );
  }

  query<T>(customerId: Id, work: (reader: Reads) => Promise<T>): Promise<T> {
    return withoutTransaction(this.dataSource, (manager, isConnected) =>
      work(everythingOf(manager, customerId, () => (isConnected() ? null : this.photosTogether))),
    );
  }
}

type Everything = (manager: EntityManager, customerId: Id, together: () => PhotosReadTogether | null) => Repositories;

/** Written once, as one would by hand: a loop over thirty names took a twentieth of the time of a small request. */
const everythingOf: Everything = new Function(
  'classes',
  `return (manager, customerId, together) => ({ ${Object.keys(repositories)
    .map((name) => `${name}: new classes.${name}(manager, customerId, together)`)
    .join(', ')} });`,
)(repositories);
