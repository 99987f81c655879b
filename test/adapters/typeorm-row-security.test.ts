import type { DataSource } from 'typeorm';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { migrate, openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { rowSecurityOf } from '../../src/adapters/typeorm/database/row-security.js';
import { inCustomerTransaction } from '../../src/adapters/typeorm/database/transaction.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { RecordedStatements } from '../support/statements.js';
import { tablesOfNobody } from '../support/tables-of-nobody.js';
import { Tenant } from '../support/tenant.js';

let database: TestDatabase;
let source: DataSource;
let tenants: readonly [Tenant, Tenant];
beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource(database);
  const ports = { store: new TypeormCustomerStore(source), customers: new TypeormCustomerDirectory(source) };
  tenants = [await Tenant.of(ports), await Tenant.of(ports)];
  for (const tenant of tenants) await tenant.addTag('sea');
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

async function unsecured(): Promise<readonly string[]> {
  const tables: { name: string }[] = await source.query(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
       AND NOT (c.relrowsecurity AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)) ORDER BY 1`,
  );
  return tables.map(({ name }) => name);
}

test('every table has a policy, except those that belong to no customer', async () => {
  expect(await unsecured()).toEqual(Object.keys(tablesOfNobody));
});

test('a table that is added has one after the migrations, and the role may use it', async () => {
  await source.query('CREATE TABLE added (customer_id bigint NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY)');
  expect(await unsecured()).toContain('added');
  await migrate(database);
  expect(await unsecured()).toEqual(Object.keys(tablesOfNobody));
  const [one, other] = tenants;
  await source.query('INSERT INTO added (customer_id) VALUES ($1), ($2)', [one.id, other.id]);
  const deleted = await inCustomerTransaction(source, one.id, (manager) => manager.query('DELETE FROM added'));
  expect(deleted[1]).toBe(1);
  await source.query('DROP TABLE added');
});

test('the role of a transaction is no superuser, does not bypass policies, owns nothing and cannot log in', async () => {
  const { role } = rowSecurityOf(source);
  const roles = await inCustomerTransaction(source, tenants[0].id, (manager) =>
    manager.query(
      `SELECT rolname, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolcreatedb,
         (SELECT count(*) FROM pg_class WHERE relowner = r.oid) AS owned, pg_has_role(r.oid, session_user, 'MEMBER') AS "isOwner"
       FROM pg_roles r WHERE rolname = current_user`,
    ),
  );
  const nothing = {
    rolsuper: false,
    rolbypassrls: false,
    rolcanlogin: false,
    rolcreaterole: false,
    rolcreatedb: false,
  };
  expect(roles).toEqual([{ rolname: role, ...nothing, owned: 0, isOwner: false }]);
});

test('the role of a transaction may only add to the audit log, and neither create nor remove a customer', async () => {
  const privileges = await source.query(
    `SELECT t AS table, array_agg(p ORDER BY p) FILTER (WHERE has_table_privilege($1, t, p)) AS granted
     FROM unnest('{audit_entries,customers,erasures,operator_tokens,photos,rate_window,migrations}'::text[]) t,
       unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) p GROUP BY t ORDER BY t`,
    [rowSecurityOf(source).role],
  );
  expect(privileges).toEqual([
    { table: 'audit_entries', granted: ['INSERT', 'SELECT'] },
    { table: 'customers', granted: ['SELECT', 'UPDATE'] },
    { table: 'erasures', granted: null },
    { table: 'migrations', granted: null },
    { table: 'operator_tokens', granted: null },
    { table: 'photos', granted: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'] },
    { table: 'rate_window', granted: null },
  ]);
});

test('a transaction sees and changes rows of its customer alone, whatever its SQL says', async () => {
  const [one, other] = tenants;
  await inCustomerTransaction(source, one.id, async (manager) => {
    expect(await manager.query('SELECT customer_id AS id FROM tags')).toEqual([{ id: one.id }]);
    expect(await manager.query('SELECT id FROM customers')).toEqual([{ id: one.id }]);
    expect((await manager.query('UPDATE tags SET color = NULL WHERE customer_id = $1', [other.id]))[1]).toBe(0);
  });
  const steal = inCustomerTransaction(source, one.id, (manager) =>
    manager.query('UPDATE tags SET customer_id = $1', [other.id]),
  );
  await expect(steal).rejects.toThrow('row-level security');
});

test('the next use of the connection is bound to no customer', async () => {
  const narrow = await openDataSource({ ...database, poolSize: 1 });
  await inCustomerTransaction(narrow, tenants[0].id, (manager) => manager.query('SELECT'));
  const state = `SELECT current_user = session_user AS "isOwner", current_setting('photo_service.customer', true) AS customer`;
  expect(await narrow.query(state)).toEqual([{ isOwner: true, customer: '' }]);
  await narrow.destroy();
});

test('a transaction names its customer in the message that begins it, without a further round trip', async () => {
  const statements = new RecordedStatements();
  statements.start();
  await inCustomerTransaction(source, tenants[0].id, (manager) => manager.query('SELECT 1 AS one'));
  statements.stop();
  expect(statements.all()).toEqual([expect.stringMatching(/^START TRANSACTION; /), 'SELECT 1 AS one', 'COMMIT']);
});
