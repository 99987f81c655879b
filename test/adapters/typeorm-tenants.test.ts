import type { DataSource } from 'typeorm';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { tablesByReference } from '../../src/adapters/typeorm/database/catalogue.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { eraseCustomer } from '../../src/core/customers/erase-customer.js';
import { collectGarbage } from '../../src/core/integrity/collect-garbage.js';
import { verify } from '../../src/core/integrity/verify.js';
import type { Ports } from '../../src/core/ports.js';
import { sealedRows } from '../../src/ports.module.js';
import { upkeep } from '../../src/worker/upkeep.js';
import { type PostgresPorts, postgresPorts } from '../api/support/postgres-ports.js';
import { Planner } from '../support/bound-scans.js';
import { Account, picture, runJobsTwice, world } from '../support/core-world.js';
import { asInProduction } from '../support/in-process.js';
import { ofAllCustomers, onOneLine } from '../support/of-all-customers.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { arranging, RecordedStatements } from '../support/statements.js';
import { withoutCustomerId } from '../support/tables-of-nobody.js';

describe('the division of the database by customer', () => {
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await testDatabase();
    source = await openDataSource(database);
  });
  afterAll(async () => {
    await source.destroy();
    await database.close();
  });

  it('"every tenant table\'s primary key and every unique index begins with customer_id"', async () => {
    const indexes: { table: string; index: string; first: string }[] = await source.query(
      `SELECT c.relname AS table, x.relname AS index, pg_get_indexdef(i.indexrelid, 1, true) AS first
       FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
       WHERE i.indisunique AND c.relnamespace = current_schema()::regnamespace AND c.relname <> ALL ($1)`,
      [withoutCustomerId],
    );
    expect(indexes.length).toBeGreaterThan(15);
    expect(indexes.filter(({ first }) => first !== 'customer_id')).toEqual([]);
    const keyless = await source.query(
      `SELECT c.relname AS table FROM pg_class c
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> ALL ($1)
         AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
      [withoutCustomerId],
    );
    expect(keyless).toEqual([]);
  });

  it('every table names the customer of its rows, except those that belong to no customer', async () => {
    const tables = await tablesByReference((sql) => source.query(sql));
    expect(
      tables
        .filter(({ isTenants }) => !isTenants)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(withoutCustomerId);
  });

  it("every foreign key between tenants' tables takes the customer along", async () => {
    const keys: { name: string; definition: string }[] = await source.query(
      `SELECT conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
       WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
    );
    const between = keys.filter(({ definition }) => !definition.includes('REFERENCES customers(id)'));
    expect(between.length).toBeGreaterThan(5);
    const apart = /FOREIGN KEY \(customer_id, .*\) REFERENCES \w+\(customer_id, /;
    expect(between.filter(({ definition }) => !apart.test(definition))).toEqual([]);
  });
});

/** Of a customer's whole life, by the use cases; those of the contracts are looked at in test/contracts/typeorm.test.ts. */
describe('statements', () => {
  const statements = new RecordedStatements();
  let postgres: PostgresPorts;
  let planner: Planner;
  beforeAll(async () => {
    postgres = await arranging(() => postgresPorts());
    planner = await Planner.of(postgres.query);
    statements.start();
  });
  afterAll(async () => {
    statements.stop();
    await arranging(() => postgres.close());
  });

  it('of everything that a customer does are confined to that customer, as the server runs them', async () => {
    await live(asInProduction({ ...world(), ...postgres.ports }, postgres.leases));
    const asked = statements.aboutRows();
    expect(asked.length).toBeGreaterThan(60);
    const unbound: string[] = [];
    for (const sql of asked) {
      const tables = await arranging(() => planner.unbound(sql));
      const isNamed = ofAllCustomers.some((form) => form.test(onOneLine(sql)));
      if (tables.length > 0 && !isNamed) unbound.push(`${tables.join(', ')}: ${onOneLine(sql)}`);
    }
    expect(unbound).toEqual([]);
  });
});

async function live(ports: Ports): Promise<void> {
  const account = await Account.open(ports);
  await account.tag('kept');
  await account.bring([picture('a.jpg'), picture('b.jpg'), picture('c.jpg')]);
  const open = await account.start();
  await account.send(open.id, [picture('on its way.jpg')]);
  await runJobsTwice(ports);
  await account.list(open.id);
  await account.finalize(open.id);
  await runJobsTwice(ports);
  const [photo] = await account.photos();
  if (photo !== undefined) await account.photo(photo.id);
  await account.tags();
  const nothing = () => undefined;
  await verify(ports, { repair: true, fast: false, graceSeconds: 0, onProgress: nothing, onFinding: nothing });
  await collectGarbage(ports, { graceSeconds: 0 });
  for (const { run } of upkeep(ports, sealedRows)) await run(new AbortController().signal);
  await eraseCustomer(ports, commandLine, account.id);
}
