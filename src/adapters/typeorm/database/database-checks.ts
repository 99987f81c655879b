import type { DataSource } from 'typeorm';
import { migrations } from '../registry.js';
import { migrationsRun } from './migrations-run.js';
import { select } from './rows.js';
import { withoutTransaction } from './transaction.js';

/** Checks that the database answers, over a connection of the pool. Errors: `service_unavailable`. */
export async function requireAnswer(dataSource: DataSource): Promise<void> {
  await withoutTransaction(dataSource, (manager) => select(manager, 'SELECT 1'));
}

/** Checks that its tables are at least as new as this program: not those of an older backup that was restored meanwhile. */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const names = migrations.map(({ name }) => name);
  const done = new Set(await withoutTransaction(dataSource, (manager) => migrationsRun((sql) => select(manager, sql))));
  const missing = names.filter((name) => !done.has(name));
  if (missing.length > 0)
    throw new Error(`The database lacks ${missing.join(', ')}: run phs migrate, or restart the service.`);
}
