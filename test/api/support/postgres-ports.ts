import type { RenditionLeases } from '../../../src/adapters/decorators/shared-rendition-maker.js';
import { TypeormKeyFinder } from '../../../src/adapters/typeorm/access/api-key.repository.js';
import { TypeormCustomerStore } from '../../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../../src/adapters/typeorm/data-source.js';
import { TypeormIdempotencyStore } from '../../../src/adapters/typeorm/idempotency/idempotency.repository.js';
import { TypeormJobQueue } from '../../../src/adapters/typeorm/jobs/job.repository.js';
import { TypeormRenditionLeases } from '../../../src/adapters/typeorm/photos/rendition-leases.repository.js';
import type { Ports } from '../../../src/core/ports.js';
import { testDatabase } from '../../support/postgres.js';

export interface PostgresPorts {
  readonly ports: Pick<Ports, 'store' | 'customers' | 'keys' | 'jobs' | 'idempotency'>;
  readonly leases: RenditionLeases;
  /** Every row there is, by table; but for jobs and turns. */
  rows(): Promise<Record<string, unknown>>;
  /** Runs a statement of a test's own. */
  query(sql: string): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Rows in an empty Postgres database of its own; whatever else there is stays in memory. @param poolSize Connections at most. */
export async function postgresPorts(poolSize = 10): Promise<PostgresPorts> {
  const database = await testDatabase();
  const source = await openDataSource({ ...database, poolSize });
  const ports = {
    store: new TypeormCustomerStore(source),
    customers: new TypeormCustomerDirectory(source),
    keys: new TypeormKeyFinder(source),
    jobs: new TypeormJobQueue(source),
    idempotency: new TypeormIdempotencyStore(source),
  };
  const rows = async () => {
    const tables: { name: string }[] = await source.query(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
       AND relname NOT IN ('job_queue', 'job_turns', 'migrations') ORDER BY relname`,
    );
    const found: Record<string, unknown> = {};
    for (const { name } of tables) {
      const [all] = await source.query(`SELECT json_agg(t ORDER BY t::text) AS rows FROM ${name} t`);
      found[name] = all.rows;
    }
    return found;
  };
  const close = async () => {
    await source.destroy();
    await database.close();
  };
  return { ports, leases: new TypeormRenditionLeases(source), rows, query: (sql) => source.query(sql), close };
}
