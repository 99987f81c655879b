import { TypeormKeyStore } from '../../../src/adapters/typeorm/api-key.repository.js';
import { TypeormCustomerDirectory } from '../../../src/adapters/typeorm/customer.repository.js';
import { TypeormCustomerStore } from '../../../src/adapters/typeorm/customer-store.js';
import { openDataSource } from '../../../src/adapters/typeorm/data-source.js';
import { TypeormJobQueue } from '../../../src/adapters/typeorm/job.repository.js';
import type { Ports } from '../../../src/core/ports.js';
import { testDatabase } from '../../support/postgres.js';

export interface PostgresPorts {
  readonly ports: Pick<Ports, 'store' | 'customers' | 'keys' | 'jobs'>;
  close(): Promise<void>;
}

/** Rows in an empty Postgres database of its own; whatever else there is stays in memory. */
export async function postgresPorts(): Promise<PostgresPorts> {
  const database = await testDatabase();
  const source = await openDataSource(database);
  const ports = {
    store: new TypeormCustomerStore(source),
    customers: new TypeormCustomerDirectory(source),
    keys: new TypeormKeyStore(source),
    jobs: new TypeormJobQueue(source),
  };
  const close = async () => {
    await source.destroy();
    await database.close();
  };
  return { ports, close };
}
