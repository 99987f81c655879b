import pg from 'pg';
import type { DataSource } from 'typeorm';
import { tablesByReference } from '../../src/adapters/typeorm/catalogue.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { collectGarbage } from '../../src/core/blobs/collect-garbage.js';
import { eraseCustomer } from '../../src/core/customers/erase-customer.js';
import type { Ports } from '../../src/core/ports.js';
import { verify } from '../../src/core/soundness/verify.js';
import { upkeep } from '../../src/worker/upkeep.js';
import { postgresPorts } from '../http/support/postgres-ports.js';
import { Account, picture, runJobsTwice, world } from '../support/core-world.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';

/** Tables that are nobody's: the customers themselves, what the schema is, and counters whose names are keys or addresses. */
const nobodys = ['customers', 'migrations', 'rate_window'];

describe('DESIGN.md §4: what lets the database be divided by customer', () => {
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
      [nobodys],
    );
    expect(indexes.length).toBeGreaterThan(15);
    expect(indexes.filter(({ first }) => first !== 'customer_id')).toEqual([]);
    const keyless = await source.query(
      `SELECT c.relname AS table FROM pg_class c
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> ALL ($1)
         AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
      [nobodys],
    );
    expect(keyless).toEqual([]);
  });

  it("every table says whose its rows are, but for those that are nobody's", async () => {
    const tables = await tablesByReference((sql) => source.query(sql));
    expect(
      tables
        .filter(({ isTenants }) => !isTenants)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(nobodys);
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

/** What is asked of all customers at once, and why. Each begins with the named statement. */
const ofAll: readonly (readonly [string, RegExp])[] = [
  [
    'a key is looked up before its customer is known',
    /FROM api_keys k JOIN customers c ON c\.id = k\.customer_id WHERE k\.(token_hash|id) = \$1/,
  ],
  ['a key is deleted by the operator', /^UPDATE api_keys SET deleted_at = \$2 WHERE id = \$1/],
  ['who has something due', /^SELECT DISTINCT customer_id AS id FROM /],
  ['the next job of whoever waited longest, and whose jobs are free again', /^\s*WITH (RECURSIVE waiting|holders) AS/],
  ['the operator erases', /^SELECT c\.relname AS name/],
];

describe('statements', () => {
  it('of everything that a customer does name the customer, as a parameter', async () => {
    const postgres = await postgresPorts();
    const asked = new Set<string>();
    const query = pg.Client.prototype.query as (this: pg.Client, ...given: unknown[]) => unknown;
    pg.Client.prototype.query = function record(this: pg.Client, ...given: unknown[]) {
      const [first] = given;
      asked.add(typeof first === 'string' ? first : String((first as { text?: string }).text));
      return query.apply(this, given);
    } as typeof pg.Client.prototype.query;
    try {
      await live({ ...world(), ...postgres.ports });
    } finally {
      pg.Client.prototype.query = query as typeof pg.Client.prototype.query;
      await postgres.close();
    }
    const tenants =
      /\b(photos|photo_exif|photo_tags|tags|tag_counts|imports|import_photos|dropped_uploads|forgotten_items|api_keys|jobs)\b/;
    const about = [...asked].filter(
      (sql) => tenants.test(sql) && /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|\()/i.test(sql),
    );
    expect(about.length).toBeGreaterThan(40);
    expect(about.filter((sql) => !isBound(sql) && !ofAll.some(([, form]) => form.test(sql)))).toEqual([]);
  });
});

/** One customer is bound: compared with a parameter, or part of the rows that are stored. */
function isBound(sql: string): boolean {
  const compared = /"?customer_?id"? ?= ?\$\d|customer_id = given\.customer_id|customer_id = ANY/i.test(sql);
  const stored = /^\s*(WITH \w+ AS \(\s*)?INSERT INTO \w+ (AS stored )?\((customer_id|[^)]*\bcustomer_id\b)/.test(sql);
  return compared || stored;
}

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
  await verify(ports, { repair: true, fast: false, graceSeconds: 0, onProgress: nothing, onProblem: nothing });
  await collectGarbage(ports, { graceSeconds: 0 });
  for (const { run } of upkeep(ports)) await run(new AbortController().signal);
  await eraseCustomer(ports, account.id);
}
