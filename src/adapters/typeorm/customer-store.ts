import type { DataSource, EntityManager } from 'typeorm';
import type { CustomerStore } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import type { Reads, Repositories } from '../../core/shared/transactional.js';
import { inCustomerTransaction, withoutTransaction } from './database/transaction.js';
import { PhotoCache, PhotosReadTogether, type SharedReads } from './photos/photo-cache.js';
import { repositories } from './registry.js';

/**
 * Transactions are READ COMMITTED, with row locks. Rows are locked in this order, within a kind by id ascending: bulk edit, customer, import, item,
 * fetch, photo, tag, webhook endpoint, delivery, API key, delivery key, share, user; a fetch and a delivery before their jobs; the stamp of tags
 * last. Code that breaks it can deadlock; Postgres then aborts one of the two transactions, which is run again.
 */
export class TypeormCustomerStore implements CustomerStore {
  private readonly cache = new PhotoCache();
  private readonly together: PhotosReadTogether;

  constructor(private readonly dataSource: DataSource) {
    this.together = new PhotosReadTogether(dataSource, this.cache);
  }

  transaction<T>(customerId: Id, work: (transaction: Repositories) => Promise<T>): Promise<T> {
    return inCustomerTransaction(this.dataSource, customerId, (manager) =>
      work(everythingOf(manager, customerId, () => null)),
    );
  }

  query<T>(customerId: Id, work: (reader: Reads) => Promise<T>): Promise<T> {
    return withoutTransaction(this.dataSource, (manager, isConnected) =>
      work(
        everythingOf(manager, customerId, () => ({
          cache: this.cache,
          together: isConnected() ? null : this.together,
        })),
      ),
    );
  }
}

/** The repositories of one customer on one connection, each made when it is asked for: of thirty a use case takes a few. */
class RepositoriesOfCustomer {
  constructor(
    readonly manager: EntityManager,
    readonly customerId: Id,
    readonly shared: () => SharedReads | null,
  ) {}
}

for (const [name, Repository] of Object.entries(repositories)) {
  Object.defineProperty(RepositoriesOfCustomer.prototype, name, {
    get(this: RepositoriesOfCustomer) {
      return new Repository(this.manager, this.customerId, this.shared);
    },
  });
}

function everythingOf(...of: ConstructorParameters<typeof RepositoriesOfCustomer>): Repositories {
  return new RepositoriesOfCustomer(...of) as unknown as Repositories;
}
