import type { DataSource, EntityManager } from 'typeorm';
import type { CustomerStore } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Reads, Repositories } from '../../../core/shared/transactional.js';
import { inCustomerTransaction, withoutTransaction } from '../database/transaction.js';
import { PhotosReadTogether } from '../photos/photo-reads.js';
import { repositories } from '../registry.js';

const classes = Object.entries(repositories);

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
  const made: Record<string, unknown> = {};
  for (const [name, Repository] of classes) made[name] = new Repository(manager, customerId, together);
  return made as unknown as Repositories;
}
