import type { DataSource } from 'typeorm';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { oldEnoughImports } from '../../src/adapters/typeorm/imports/import.repository.js';
import type { Id } from '../../src/core/shared/ids.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { later } from '../support/samples.js';
import { present, Tenant } from '../support/tenant.js';

let database: TestDatabase;
let source: DataSource;
let tenant: Tenant;

beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource(database);
  const ports = { store: new TypeormCustomerStore(source), customers: new TypeormCustomerDirectory(source) };
  tenant = await Tenant.of(ports);
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

const words = {
  name: 'Wedding of Ada',
  source: 'phs-cli/1.2',
  clientRef: 'laptop:/ada',
  defaultTimeZone: 'Asia/Tokyo',
};
const ended = { status: 'completed', expiresAt: null, finalizedAt: later(1), completedAt: later(2), ...words } as const;

/** An import with forgotten items and others, and an attempt that was given up; forgotten as a whole. */
async function forgotten(withPhoto: boolean): Promise<Id> {
  const tagIds = [present(await tenant.addTag(`tag ${withPhoto}`)).id];
  const { id, customerId } = await tenant.addImport({ ...ended, tagIds });
  await tenant.addItems({ id, customerId }, { status: 'imported' }, { status: 'failed' });
  if (withPhoto) await tenant.addPhoto({ importId: id });
  await tenant.transaction(async ({ imports, blobOwners }) => {
    await imports.lock(id);
    await blobOwners.drop(id, 7);
    await imports.forgetItems(id, 1);
    await imports.forget(id);
  });
  return id;
}

/** Every row of an import in the tables about imports, as JSON. */
async function rowsOf(id: Id): Promise<string[]> {
  const tables = ['import_photos', 'forgotten_items', 'dropped_uploads'];
  const parts = tables.map((table) => `SELECT row_to_json(t)::text AS row FROM ${table} t WHERE import_id = $1`);
  const own = 'SELECT row_to_json(t)::text AS row FROM imports t WHERE id = $1';
  const rows: { row: string }[] = await source.query([own, ...parts].join(' UNION ALL '), [id]);
  return rows.map(({ row }) => row);
}

test('no row is left of an import that no photo names', async () => {
  expect(await rowsOf(await forgotten(false))).toEqual([]);
});

test('one row is left of an import that photos name, and contains nothing that a person wrote', async () => {
  const rows = await rowsOf(await forgotten(true));
  expect(rows).toHaveLength(1);
  const row = JSON.parse(present(rows[0]));
  const empty = { name: null, source: null, client_ref: null, default_time_zone: null, tag_ids: [], api_key_id: null };
  const times = { expires_at: null, finalized_at: null, completed_at: null };
  expect(row).toMatchObject({ forgotten: true, ...empty, ...times });
  for (const word of Object.values(words)) expect(JSON.stringify(row)).not.toContain(word);
});

test('imports that are old enough are found among many by indexes, for one customer and for all', async () => {
  // One an hour of more than a year; the items of those older than 90 days are forgotten.
  await source.query(
    `INSERT INTO imports (customer_id, status, duplicate_policy, restore_trashed, tag_ids, created_at, updated_at, completed_at,
       version, items_forgotten)
     SELECT $1, 'completed', 'skip', true, '{}', ended, ended, ended, 1, hours > 90 * 24
     FROM generate_series(1, 370 * 24) hours, LATERAL (SELECT timestamptz '2026-11-21' - hours * interval '1 hour') t (ended)`,
    [tenant.id],
  );
  await source.query('ANALYZE imports');
  const due = oldEnoughImports(`'2026-08-22'`, `'2025-11-20'`);
  const planOf = async (sql: string) => {
    const lines: { 'QUERY PLAN': string }[] = await source.query(`EXPLAIN ${sql}`);
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  };
  for (const plan of [
    await planOf(
      `SELECT id FROM imports WHERE customer_id = ${tenant.id} AND ${due} ORDER BY completed_at, id LIMIT 100`,
    ),
    await planOf(`SELECT DISTINCT customer_id FROM "imports" WHERE customer_id > 0 AND (
      "items_forgotten" = false AND "completed_at" <= '2026-08-22' OR "items_forgotten" = true AND "completed_at" <= '2025-11-20'
    ) ORDER BY 1 LIMIT 100`),
  ]) {
    expect(plan).toMatch(/Index Cond: .*completed_at/);
    expect(plan).not.toContain('Seq Scan');
  }
});
