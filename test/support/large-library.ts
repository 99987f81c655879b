import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { fillLibrary, filtersOf } from '../../bench/scale/rows-read.mjs';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import type { PhotoFilters } from '../../src/core/photos/photo-query.js';
import type { Id } from '../../src/core/shared/ids.js';
import { pgConfig, type TestDatabase, testDatabase } from './postgres.js';
import { sampleCustomer } from './samples.js';
import { present } from './tenant.js';

export interface LargeLibrary {
  readonly database: TestDatabase;
  readonly source: DataSource;
  readonly customerId: Id;
  /** The filters of a case by its name. */
  filters(name: string): PhotoFilters;
}

/** A customer with so many photos (bench/scale/library.sql), beside another with a fifth of them; the planner knows both. */
export async function largeLibrary(photos: number, cases: Readonly<Record<string, object>>): Promise<LargeLibrary> {
  const database = await testDatabase();
  const source = await openDataSource(database);
  const customers = new TypeormCustomerDirectory(source);
  const sql = readFileSync(join(__dirname, '../../bench/scale/library.sql'), 'utf8');
  const newCustomer = () => customers.transaction((transaction) => transaction.insert(sampleCustomer()));
  const [{ id: customerId }, { id: other }] = [await newCustomer(), await newCustomer()];
  // On a connection that has no limits of time.
  const client = new pg.Client(pgConfig(database));
  await client.connect();
  try {
    await fillLibrary((text) => client.query(text), sql, customerId, photos);
    await fillLibrary((text) => client.query(text), sql, other, photos / 5);
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
  const byName = new Map<string, PhotoFilters>();
  for (const [name, given] of Object.entries(cases)) {
    byName.set(name, await filtersOf(source.manager, customerId, given));
  }
  return { database, source, customerId, filters: (name) => present(byName.get(name)) };
}
