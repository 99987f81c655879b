/* @slow @rest */
import { TypeormKeyFinder } from '../../src/adapters/typeorm/access/api-key.repository.js';
import { TypeormAuditLog } from '../../src/adapters/typeorm/audit/audit.repository.js';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { TypeormRepository } from '../../src/adapters/typeorm/database/repository.js';
import { TypeormIdempotencyStore } from '../../src/adapters/typeorm/idempotency/idempotency.repository.js';
import { TypeormJobQueue } from '../../src/adapters/typeorm/jobs/job.repository.js';
import { repositories } from '../../src/adapters/typeorm/registry.js';
import { TypeormTrafficStore } from '../../src/adapters/typeorm/traffic/traffic.repository.js';
import { TypeormSessionStore, TypeormUserStore } from '../../src/adapters/typeorm/users/user.repository.js';
import { TypeormDeliveryLog } from '../../src/adapters/typeorm/webhooks/webhook.repository.js';
import type { CustomerStore } from '../../src/core/ports.js';
import { bulkTagsContract } from '../contracts/bulk-tags.contract.js';
import { customerStoreContract } from '../contracts/customer-store.contract.js';
import { idempotencyStoreContract } from '../contracts/idempotency-store.contract.js';
import { jobQueueContract } from '../contracts/job-queue.contract.js';
import { keysContract } from '../contracts/keys.contract.js';
import { sourceFetchesContract } from '../contracts/source-fetches.contract.js';
import { tagCountsContract } from '../contracts/tag-counts.contract.js';
import { tombstonesContract } from '../contracts/tag-tombstones.contract.js';
import { tracesContract } from '../contracts/traces.contract.js';
import { usersContract } from '../contracts/users.contract.js';
import { webhooksContract } from '../contracts/webhooks.contract.js';
import { ForgottenCustomer } from '../support/forgotten-customer.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';

const classes = [...new Set(Object.values(repositories))];

const forgotten = new ForgottenCustomer();
const called = new Set<string>();
/** Keeps the server running between the contracts. */
let server: TestDatabase;
beforeAll(async () => {
  for (const { prototype, name } of classes) {
    for (const method of methodsOf(prototype)) {
      const own: unknown = Reflect.get(prototype, method);
      if (typeof own !== 'function') continue;
      Reflect.set(prototype, method, function recorded(this: unknown, ...given: unknown[]) {
        called.add(`${name}.${method}`);
        return own.apply(this, given);
      });
    }
  }
  server = await testDatabase();
  const source = await openDataSource(server);
  await forgotten.start((sql) => source.query(sql));
  await source.destroy();
});
afterAll(async () => {
  forgotten.stop();
  await server.close();
});

/** The methods of a class, and of those that it extends, but for the steps of which all repositories are made. */
function methodsOf(prototype: object): readonly string[] {
  if (prototype === Object.prototype || prototype === TypeormRepository.prototype) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...new Set([...own, ...methodsOf(Object.getPrototypeOf(prototype))])];
}

/** What only reads does so in a transaction, too, which is where policies hold. */
function transactional(store: CustomerStore): CustomerStore {
  const within: CustomerStore['transaction'] = (customerId, work) => store.transaction(customerId, work);
  return { transaction: within, query: within };
}

async function open() {
  const database = await testDatabase();
  const source = await openDataSource(database);
  const close = async () => {
    await source.destroy();
    await database.close();
  };
  const customers = new TypeormCustomerDirectory(source);
  return { source, store: transactional(new TypeormCustomerStore(source)), customers, close };
}

customerStoreContract('policies', open);

describe('tags of many photos under policies', () => bulkTagsContract(open));

describe('tags that depart under policies', () => tombstonesContract(open));

keysContract('policies', async () => {
  const { source, ...rest } = await open();
  return {
    ...rest,
    keys: new TypeormKeyFinder(source),
    setStatus: (id, status) => source.query('UPDATE customers SET status = $2 WHERE id = $1', [id, status]),
  };
});

usersContract('policies', async () => {
  const { source, ...rest } = await open();
  return {
    ...rest,
    users: new TypeormUserStore(source),
    sessions: new TypeormSessionStore(source),
    setStatus: (id, status) => source.query('UPDATE customers SET status = $2 WHERE id = $1', [id, status]),
  };
});

webhooksContract('policies', async () => {
  const { source, ...rest } = await open();
  return {
    ...rest,
    deliveryLog: new TypeormDeliveryLog(source),
    jobs: new TypeormJobQueue(source),
    async passTime(seconds) {
      const older = 'make_interval(secs => $1)';
      await source.query(`UPDATE webhook_deliveries SET created_at = created_at - ${older}`, [seconds]);
      await source.query(`UPDATE job_queue SET due_at = due_at - ${older}`, [seconds]);
    },
    now: async () => (await source.query('SELECT rate_now() AS now'))[0].now,
  };
});

sourceFetchesContract('policies', async () => {
  const { source, ...rest } = await open();
  return {
    ...rest,
    jobs: new TypeormJobQueue(source),
    setStatus: (id, status) => source.query('UPDATE customers SET status = $2 WHERE id = $1', [id, status]),
    passTime: (seconds) => source.query('UPDATE job_queue SET due_at = due_at - make_interval(secs => $1)', [seconds]),
  };
});

tagCountsContract('policies', async () => {
  const { source, ...rest } = await open();
  const sql = 'UPDATE tag_counts SET photos = $3 WHERE customer_id = $1 AND tag_id = $2';
  return { ...rest, setCount: (...given) => source.query(sql, given) };
});

idempotencyStoreContract('policies', async () => {
  const { source, ...rest } = await open();
  const sql = 'UPDATE idempotency_keys SET lease_until = lease_until - make_interval(secs => $1)';
  return {
    ...rest,
    idempotency: new TypeormIdempotencyStore(source),
    otherProcess: () => new TypeormIdempotencyStore(source),
    passTime: (seconds) => source.query(sql, [seconds]),
  };
});

jobQueueContract('policies', async () => {
  const { source, ...rest } = await open();
  const dead = 'SELECT reason FROM job_queue WHERE id = $1 AND dead_at IS NOT NULL';
  return {
    ...rest,
    jobs: new TypeormJobQueue(source),
    passTime: (seconds) => source.query('UPDATE job_queue SET due_at = due_at - make_interval(secs => $1)', [seconds]),
    deadReason: async ({ id }) => (await source.query(dead, [id]))[0]?.reason ?? null,
  };
});

tracesContract('policies', async () => {
  const { source, ...rest } = await open();
  return {
    ...rest,
    auditLog: new TypeormAuditLog(source),
    traffic: new TypeormTrafficStore(source),
  };
});

describe('the SQL of every repository method without its customer', () => {
  test('is called for each method', () => {
    const all = classes.flatMap(({ prototype, name }) => methodsOf(prototype).map((method) => `${name}.${method}`));
    expect(all.filter((method) => !called.has(method))).toEqual([]);
  });

  test('changes no row of another customer, as it would without the policies', () => {
    expect([...forgotten.changed.asRole]).toEqual([]);
    expect(forgotten.changed.asOwner.size).toBeGreaterThan(15);
  });

  test('reads no row of another customer either', () => {
    expect([...forgotten.read.asRole]).toEqual([]);
    expect(forgotten.read.asOwner.size).toBeGreaterThan(50);
  });
});
