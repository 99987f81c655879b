/* @slow */
import type { DataSource } from 'typeorm';
import { TypeormKeyFinder } from '../../src/adapters/typeorm/access/api-key.repository.js';
import { TypeormRateWindowStore } from '../../src/adapters/typeorm/access/rate-window.repository.js';
import { TypeormAuditLog } from '../../src/adapters/typeorm/audit/audit.repository.js';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { TypeormDeliveryKeyFinder } from '../../src/adapters/typeorm/delivery/delivery-key.repository.js';
import { TypeormIdempotencyStore } from '../../src/adapters/typeorm/idempotency/idempotency.repository.js';
import { TypeormJobQueue } from '../../src/adapters/typeorm/jobs/job.repository.js';
import { TypeormOperatorTokenStore } from '../../src/adapters/typeorm/operators/operator-token.repository.js';
import { TypeormRenditionLeases } from '../../src/adapters/typeorm/photos/rendition-leases.repository.js';
import { TypeormShareFinder } from '../../src/adapters/typeorm/shares/share.repository.js';
import { TypeormTrafficStore } from '../../src/adapters/typeorm/traffic/traffic.repository.js';
import { TypeormSessionStore, TypeormUserStore } from '../../src/adapters/typeorm/users/user.repository.js';
import { TypeormDeliveryLog } from '../../src/adapters/typeorm/webhooks/webhook.repository.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import type { Id } from '../../src/core/shared/ids.js';
import { Planner } from '../support/bound-scans.js';
import { ofAllCustomers, onOneLine } from '../support/of-all-customers.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { arranging, RecordedStatements } from '../support/statements.js';
import { Tenant } from '../support/tenant.js';
import { bulkTagsContract } from './bulk-tags.contract.js';
import { customerDirectoryContract } from './customer-directory.contract.js';
import { customerStoreContract } from './customer-store.contract.js';
import { deliveryKeyFinderContract } from './delivery-key-finder.contract.js';
import { idempotencyStoreContract } from './idempotency-store.contract.js';
import { jobQueueContract } from './job-queue.contract.js';
import { keysContract } from './keys.contract.js';
import { limitsContract } from './limits.contract.js';
import { operatorTokenStoreContract } from './operator-token-store.contract.js';
import { orphanRowsContract } from './orphan-rows.contract.js';
import { rateWindowStoreContract } from './rate-window-store.contract.js';
import { renditionLeasesContract } from './rendition-maker.contract.js';
import { shareFinderContract } from './share-finder.contract.js';
import { sourceFetchesContract } from './source-fetches.contract.js';
import { tagCountsContract } from './tag-counts.contract.js';
import { tombstonesContract } from './tag-tombstones.contract.js';
import { tracesContract } from './traces.contract.js';
import { transactionsContract } from './transactions.contract.js';
import { usersContract } from './users.contract.js';
import { webhooksContract } from './webhooks.contract.js';

/** Keeps the server running between the suites. */
let server: TestDatabase;
/** What the adapters ask the database while they run all contracts below. */
const statements = new RecordedStatements();
beforeAll(async () => {
  server = await testDatabase();
  statements.start();
});
afterAll(async () => {
  statements.stop();
  await server.close();
});

async function openDatabase() {
  const [database, source] = await arranging(async () => {
    const made = await testDatabase();
    return [made, await openDataSource(made)] as const;
  });
  const close = () =>
    arranging(async () => {
      await source.destroy();
      await database.close();
    });
  const customers = new TypeormCustomerDirectory(source);
  return { source, store: new TypeormCustomerStore(source), customers, close };
}

/** Runs statements of a test's own. */
function arrange(source: DataSource) {
  return (sql: string, parameters: unknown[] = []) => arranging(() => source.query(sql, parameters));
}

/** How many milliseconds the database counts from 1970. */
async function databaseTime(source: DataSource): Promise<number> {
  return (await arrange(source)('SELECT rate_now() AS now'))[0].now;
}

customerStoreContract('TypeORM', openDatabase);

describe('tags of many photos in TypeORM', () => bulkTagsContract(openDatabase));

describe('deleted tags with photos in TypeORM', () => tombstonesContract(openDatabase));

describe('transactions in TypeORM', () => transactionsContract(openDatabase));

customerDirectoryContract('TypeORM', openDatabase);

keysContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  return {
    ...rest,
    keys: new TypeormKeyFinder(source),
    setStatus: (id, status) => arrange(source)('UPDATE customers SET status = $2 WHERE id = $1', [id, status]),
  };
});

operatorTokenStoreContract('TypeORM', async () => {
  const { source, close } = await openDatabase();
  return { operatorTokens: new TypeormOperatorTokenStore(source), auditLog: new TypeormAuditLog(source), close };
});

idempotencyStoreContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  const sql = 'UPDATE idempotency_keys SET lease_until = lease_until - make_interval(secs => $1)';
  return {
    ...rest,
    idempotency: new TypeormIdempotencyStore(source),
    otherProcess: () => new TypeormIdempotencyStore(source),
    passTime: (seconds) => arrange(source)(sql, [seconds]),
  };
});

jobQueueContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  return {
    ...rest,
    jobs: new TypeormJobQueue(source),
    passTime: (seconds) =>
      arrange(source)('UPDATE job_queue SET due_at = due_at - make_interval(secs => $1)', [seconds]),
    deadReason: async ({ id }) => {
      const [dead] = await arrange(source)('SELECT reason FROM job_queue WHERE id = $1 AND dead_at IS NOT NULL', [id]);
      return dead?.reason ?? null;
    },
  };
});

rateWindowStoreContract('TypeORM', async () => {
  const { source, close } = await openDatabase();
  return {
    store: new TypeormRateWindowStore(source),
    passTime: (seconds) =>
      arrange(source)('UPDATE rate_window SET hits = ARRAY(SELECT hit - $1::bigint FROM unnest(hits) AS hit)', [
        seconds * 1000,
      ]),
    now: () => databaseTime(source),
    remembered: async () => (await arrange(source)('SELECT count(*) AS budgets FROM rate_window'))[0].budgets,
    close,
  };
});

limitsContract('TypeORM', openDatabase);

renditionLeasesContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  const sql = 'UPDATE rendition_leases SET lease_until = lease_until - make_interval(secs => $1)';
  return {
    ...rest,
    leases: () => new TypeormRenditionLeases(source),
    passTime: (seconds) => arrange(source)(sql, [seconds]),
  };
});

tagCountsContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  const sql = 'UPDATE tag_counts SET photos = $3 WHERE customer_id = $1 AND tag_id = $2';
  return { ...rest, setCount: (...given) => arrange(source)(sql, given) };
});

orphanRowsContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  const keys: { table: string; name: string }[] = await arrange(source)(
    `SELECT conrelid::regclass::text AS table, conname AS name FROM pg_constraint
     WHERE contype = 'f' AND conrelid::regclass::text IN ('photos', 'import_photos', 'photo_tags', 'photo_exif')`,
  );
  for (const { table, name } of keys) await arrange(source)(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  const change = (table: string, column: string) => (id: Id, value: unknown) =>
    arrange(source)(`UPDATE ${table} SET ${column} = $2 WHERE id = $1`, [id, value]);
  const spoil = {
    importOf: (what: 'photo' | 'item', id: Id, importId: Id) =>
      change(what === 'photo' ? 'photos' : 'import_photos', 'import_id')(id, importId),
    blobKeyOf: change('photos', 'blob_key'),
    tagOf: (...row: readonly Id[]) =>
      arrange(source)('INSERT INTO photo_tags SELECT $1, $2, $3, false, now()', [...row]),
    rowOf: (id: Id) => arrange(source)('DELETE FROM photos WHERE id = $1', [id]),
  };
  return { ...rest, spoil };
});

webhooksContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  return {
    ...rest,
    deliveryLog: new TypeormDeliveryLog(source),
    jobs: new TypeormJobQueue(source),
    async passTime(seconds) {
      const older = 'make_interval(secs => $1)';
      await arrange(source)(`UPDATE webhook_deliveries SET created_at = created_at - ${older}`, [seconds]);
      await arrange(source)(`UPDATE job_queue SET due_at = due_at - ${older}`, [seconds]);
    },
    now: () => databaseTime(source),
  };
});

sourceFetchesContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  const older = 'UPDATE job_queue SET due_at = due_at - make_interval(secs => $1)';
  return {
    ...rest,
    jobs: new TypeormJobQueue(source),
    setStatus: (id, status) => arrange(source)('UPDATE customers SET status = $2 WHERE id = $1', [id, status]),
    passTime: (seconds) => arrange(source)(older, [seconds]),
  };
});

deliveryKeyFinderContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  return {
    ...rest,
    deliveryKeys: new TypeormDeliveryKeyFinder(source),
    setStatus: (id, status) => arrange(source)('UPDATE customers SET status = $2 WHERE id = $1', [id, status]),
  };
});

shareFinderContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  return {
    ...rest,
    shares: new TypeormShareFinder(source),
    setStatus: (id, status) => arrange(source)('UPDATE customers SET status = $2 WHERE id = $1', [id, status]),
  };
});

usersContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  return {
    ...rest,
    users: new TypeormUserStore(source),
    sessions: new TypeormSessionStore(source),
    setStatus: (id, status) => arrange(source)('UPDATE customers SET status = $2 WHERE id = $1', [id, status]),
  };
});

tracesContract('TypeORM', async () => {
  const { source, ...rest } = await openDatabase();
  return {
    ...rest,
    auditLog: new TypeormAuditLog(source),
    traffic: new TypeormTrafficStore(source),
  };
});

test('no statement changes an entry of the audit log', async () => {
  const { source, customers, close } = await openDatabase();
  const tenant = await Tenant.of({ store: new TypeormCustomerStore(source), customers });
  const exported = { action: 'customer.exported', at: new Date(0), subject: { id: tenant.id, name: null } } as const;
  await tenant.transaction(({ audit }) => audit.add(commandLine, exported));
  await expect(arrange(source)(`UPDATE audit_entries SET actor_name = 'somebody else'`)).rejects.toThrow(
    'never changed',
  );
  const erased = { action: 'customer.erased', at: new Date(0), subject: { id: 1, name: null } } as const;
  await new TypeormAuditLog(source).addOperatorEntry(commandLine, erased);
  await expect(arrange(source)(`UPDATE operator_entries SET actor_name = 'somebody else'`)).rejects.toThrow(
    'never changed',
  );
  await close();
});

describe('the wall between customers', () => {
  let database: Awaited<ReturnType<typeof openDatabase>>;
  beforeAll(async () => {
    database = await openDatabase();
  });
  afterAll(() => database.close());

  test('every statement of these contracts is confined to one customer, except for those that are listed', async () => {
    const planner = await Planner.of(arrange(database.source));
    const asked = statements.aboutRows();
    expect(asked.length).toBeGreaterThan(500);
    const unbound: string[] = [];
    const used = new Set<RegExp>();
    for (const sql of asked) {
      const tables = await planner.unbound(sql);
      if (tables.length === 0) continue;
      const form = ofAllCustomers.find((each) => each.test(onOneLine(sql)));
      if (form === undefined) unbound.push(`${tables.join(', ')}: ${onOneLine(sql)}`);
      else used.add(form);
    }
    expect(unbound).toEqual([]);
    expect(ofAllCustomers.filter((form) => !used.has(form))).toEqual([]);
  });

  test.each([
    ['SELECT * FROM photos WHERE id = $1', ['photos']],
    ['SELECT * FROM photos WHERE customer_id > $1', ['photos']],
    ['SELECT * FROM photos WHERE customer_id = $1 OR id = $2', ['photos']],
    ['SELECT * FROM photos p JOIN photo_tags l ON l.photo_id = p.id WHERE p.customer_id = $1', ['photo_tags']],
    ['SELECT * FROM tags WHERE customer_id = $1 AND id IN (SELECT tag_id FROM photo_tags)', ['photo_tags']],
    ['UPDATE tags SET color = $2 WHERE name_key = $1', ['tags']],
    ['DELETE FROM tags', ['tags']],
    ['SELECT * FROM customers WHERE name = $1', ['customers']],
  ])('a statement without that wall would be noticed: %s', async (sql, tables) => {
    const planner = await Planner.of(arrange(database.source));
    expect(await planner.unbound(sql)).toEqual(tables);
  });
});
