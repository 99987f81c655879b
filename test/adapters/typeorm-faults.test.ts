/* @rest */
import { createServer, type Server } from 'node:net';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { WAITING_PER_CONNECTION } from '../../src/adapters/typeorm/database/connection.js';
import { prepared, select } from '../../src/adapters/typeorm/database/sql.js';
import { inTransaction, MAX_VARIANTS, withoutTransaction } from '../../src/adapters/typeorm/database/transaction.js';
import { TypeormJobQueue } from '../../src/adapters/typeorm/jobs/job.repository.js';
import type { Customer } from '../../src/core/customers/customer.js';
import { interruptionSeconds } from '../../src/core/jobs/job.js';
import { claimJob } from '../support/claim.js';
import { PausableRelay } from '../support/pausable-relay.js';
import { pgConfig, type TestDatabase, testDatabase } from '../support/postgres.js';
import { sampleCustomer } from '../support/samples.js';

const createdAt = new Date('2026-11-21T03:04:05.123Z');
const unavailable = expect.objectContaining({ name: 'DomainError', code: 'service_unavailable' });

let database: TestDatabase;
let source: DataSource;
let store: TypeormCustomerStore;
let customer: Customer;
/** A connection beside the service's, to do harm with. */
let other: pg.Client;

beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource({ ...database, poolSize: 3 });
  store = new TypeormCustomerStore(source);
  const values = sampleCustomer({ name: 'A' });
  customer = await new TypeormCustomerDirectory(source).transaction((creation) => creation.insert(values));
  other = new pg.Client(pgConfig(database));
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await source.destroy();
  await database.close();
});

const newTag = (name: string) => ({ name, nameKey: name, color: null, description: null, createdAt });
const tagCount = () => store.query(customer.id, (reader) => reader.tags.count());
const backendPid = 'SELECT pg_backend_pid() AS pid';

describe('a transaction', () => {
  test('that swallowed the error of a statement is not committed in part', async () => {
    const before = await tagCount();
    const work = inTransaction(source, async (manager) => {
      await manager.query(
        `INSERT INTO tags (customer_id, name, name_key, search_key, created_at, updated_at)
        VALUES ($1, 'x', 'x', 'x', now(), now())`,
        [customer.id],
      );
      await manager.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(work).rejects.toThrow('division by zero');
    expect(await tagCount()).toBe(before);
  });

  test('lets nothing through once it has ended', async () => {
    const before = await tagCount();
    let late: Promise<unknown> = Promise.resolve();
    const work = store.transaction(customer.id, async ({ tags }) => {
      await tags.insert(newTag('in time'));
      // A branch that goes on although the work has failed.
      late = new Promise((resolve) => setImmediate(resolve)).then(() => tags.insert(newTag('late')));
      late.catch(() => undefined);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    await expect(late).rejects.toThrow();
    expect(await tagCount()).toBe(before);
  });

  test('F9: that got into a deadlock is run again, and both go through', async () => {
    const ids = await store.transaction(customer.id, async ({ tags }) => [
      (await tags.insert(newTag('left')))?.id ?? 0,
      (await tags.insert(newTag('right')))?.id ?? 0,
    ]);
    let waiting = 2;
    let go = () => {};
    const both = new Promise<void>((resolve) => {
      go = resolve;
    });
    const runs = [0, 0];
    const lockInTurn = (name: number, [first = 0, second = 0]: readonly number[]) =>
      store.transaction(customer.id, async ({ tags }) => {
        runs[name] = (runs[name] ?? 0) + 1;
        await tags.lock([first]);
        waiting -= 1;
        if (waiting <= 0) go();
        await both;
        await tags.lock([second]);
        return 'through';
      });
    const results = await Promise.all([lockInTurn(0, ids), lockInTurn(1, [...ids].reverse())]);
    expect(results).toEqual(['through', 'through']);
    expect(runs.reduce((sum, run) => sum + run)).toBe(3);
  });
});

describe('F6, F7, F8: the database is not available when', () => {
  test('a statement takes longer than five seconds, and afterwards it is', async () => {
    await other.query('BEGIN; LOCK TABLE tags IN ACCESS EXCLUSIVE MODE');
    await expect(tagCount()).rejects.toEqual(unavailable);
    await other.query('ROLLBACK');
    await expect(tagCount()).resolves.toBeGreaterThanOrEqual(0);
  });

  test('no connection is free for five seconds', async () => {
    let finish = () => {};
    const enough = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const holding: Promise<void>[] = [];
    const holders = [1, 2, 3].map(() => {
      let holds = () => {};
      holding.push(
        new Promise((resolve) => {
          holds = resolve;
        }),
      );
      return store.transaction(customer.id, async (transaction) => {
        await transaction.customer.read();
        holds();
        await enough;
      });
    });
    await Promise.all(holding);
    await expect(tagCount()).rejects.toEqual(unavailable);
    finish();
    await Promise.all(holders);
    await expect(tagCount()).resolves.toBeGreaterThanOrEqual(0);
  });

  test('too many calls wait for a connection: further ones fail at once, and the others are served', async () => {
    const one = await openDataSource({ ...database, poolSize: 1 });
    try {
      const narrow = new TypeormCustomerStore(one);
      const read = () => narrow.query(customer.id, (reader) => reader.customer.read());
      const waiters: Promise<Customer>[] = [];
      await narrow.transaction(customer.id, async (transaction) => {
        await transaction.customer.read();
        for (let waiting = 0; waiting < WAITING_PER_CONNECTION; waiting += 1) waiters.push(read());
        // As long as this transaction holds the only connection nobody else can be answered.
        await expect(read()).rejects.toEqual(unavailable);
      });
      expect(new Set(await Promise.all(waiters.map(async (waiter) => (await waiter).id)))).toEqual(
        new Set([customer.id]),
      );
    } finally {
      await one.destroy();
    }
  });

  test('it ends the connection in the middle of a transaction, busy or idle', async () => {
    for (const harm of [`SELECT pg_terminate_backend(pg_backend_pid())`, null]) {
      const work = inTransaction(source, async (manager) => {
        const [{ pid }] = await manager.query(backendPid);
        if (harm !== null) await manager.query(harm);
        await other.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
        await manager.query('SELECT 1');
      });
      await expect(work).rejects.toEqual(unavailable);
      await expect(tagCount()).resolves.toBeGreaterThanOrEqual(0);
    }
  });

  test('it is read-only; reads go on', async () => {
    const { database: name } = (await other.query('SELECT current_database() AS database')).rows[0];
    await other.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const readOnly = await openDataSource({ ...database, poolSize: 1 });
    try {
      const inReadOnly = new TypeormCustomerStore(readOnly);
      await expect(inReadOnly.transaction(customer.id, ({ tags }) => tags.insert(newTag('no')))).rejects.toEqual(
        unavailable,
      );
      await expect(inReadOnly.query(customer.id, (reader) => reader.customer.read())).resolves.toEqual(customer);
    } finally {
      await readOnly.destroy();
      await other.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    }
  });

  test('no server listens at its address, or one that never answers', async () => {
    const silent = await silentServer();
    const { port } = silent.address() as { port: number };
    const nobody = { host: '127.0.0.1', port: 1, user: 'u', password: 'p', database: 'd' };
    await expect(openDataSource({ connection: nobody })).rejects.toEqual(unavailable);
    await expect(openDataSource({ connection: { ...nobody, port } })).rejects.toEqual(unavailable);
    silent.close();
  });
});

test('a connection that falls silent is given up after eight seconds, and not used again', async () => {
  const relay = await PausableRelay.to(database);
  const relayed = await openDataSource({ connection: relay.connection, poolSize: 1 });
  const throughRelay = new TypeormCustomerStore(relayed);
  const work = throughRelay.transaction(customer.id, async ({ tags }) => {
    await tags.count();
    relay.pause();
    await tags.count();
  });
  await expect(work).rejects.toEqual(unavailable);
  // What was paused stays so: only a new connection gets through.
  await expect(throughRelay.query(customer.id, ({ tags }) => tags.count())).resolves.toBeGreaterThanOrEqual(0);
  await relayed.destroy();
  relay.close();
});

test('idle connections that the database ends cause no failure', async () => {
  await Promise.all([1, 2, 3].map(() => tagCount()));
  await other.query(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'photo-service'`,
  );
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => tagCount()));
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toEqual(unavailable);
  await expect(tagCount()).resolves.toBeGreaterThanOrEqual(0);
});

test('a process that listens for jobs is woken again after its connection was lost', async () => {
  const queue = new TypeormJobQueue(source);
  let wake = () => {};
  const stop = await queue.listen(() => wake());
  await other.query(
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'`,
  );
  const listening = () =>
    other.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`);
  while ((await listening()).rowCount === 0);
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await store.transaction(customer.id, ({ jobs }) => jobs.add({ kind: 'publish', importId: 1 }));
  await woken;
  await stop();
});

test('a job whose process died is due at once, but not when that has happened to it again and again', async () => {
  const takenOver = async () => {
    const mortal = new TypeormJobQueue(source);
    const die = await mortal.listen(() => {});
    const held = await claimJob(mortal, 60);
    await die();
    await new TypeormJobQueue(source).reclaim();
    return held;
  };
  await source.query('DELETE FROM job_queue');
  await store.transaction(customer.id, ({ jobs }) => jobs.add({ kind: 'publish', importId: 2 }));
  expect(await takenOver()).toMatchObject({ attempt: 1 });
  expect(await takenOver()).toMatchObject({ attempt: 2, failures: 0 });
  await source.query('UPDATE job_queue SET attempt = 8');
  expect(await takenOver()).toMatchObject({ attempt: 9 });
  const seconds = await secondsUntilDue();
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(interruptionSeconds(9));
  await source.query('UPDATE job_queue SET attempt = 50, due_at = clock_timestamp()');
  expect(await takenOver()).toMatchObject({ attempt: 51 });
  expect(await takenOver()).toBeNull();
  await source.query('DELETE FROM job_queue');
});

test('a fetch whose processes died again and again waits no longer than its lease', async () => {
  await source.query('DELETE FROM job_queue');
  await store.transaction(customer.id, ({ jobs }) => jobs.add({ kind: 'publish', importId: 3 }));
  await source.query('UPDATE job_queue SET attempt = 8');
  const mortal = new TypeormJobQueue(source);
  const die = await mortal.listen(() => {});
  await claimJob(mortal, 60);
  expect(interruptionSeconds(9)).toBeGreaterThan(60);
  await source.query("UPDATE job_queue SET pool = 'fetches'");
  await die();
  await new TypeormJobQueue(source).reclaim();
  expect(await secondsUntilDue()).toBeLessThanOrEqual(60);
  await source.query('DELETE FROM job_queue');
});

async function secondsUntilDue(): Promise<number> {
  const [{ seconds }] = await source.query(
    'SELECT extract(epoch FROM due_at - clock_timestamp()) AS seconds FROM job_queue',
  );
  return Number(seconds);
}

test('a job that failed without a dying process keeps its error', async () => {
  const error = new TypeError('a mistake of ours');
  await expect(withoutTransaction(source, () => Promise.reject(error))).rejects.toBe(error);
  await expect(inTransaction(source, (manager) => manager.query('SELECT nothing'))).rejects.toThrow('"nothing"');
});

test.each([
  [true, MAX_VARIANTS + 1],
  [false, 0],
])('with prepare: %s, a connection prepares %i statements, and runs all others as well', async (prepare, number) => {
  const one = await openDataSource({ ...database, poolSize: 1, prepare });
  try {
    const found = await withoutTransaction(one, async (manager) => {
      for (let repeat = 0; repeat < 2; repeat += 1) {
        for (let value = 0; value <= MAX_VARIANTS; value += 1) {
          const rows = await select(manager, prepared(`SELECT $1::integer + ${value} AS value`, true), [1000]);
          expect(rows).toEqual([{ value: 1000 + value }]);
        }
      }
      // However many variants there were, it is prepared.
      await select(manager, prepared('SELECT 1'));
      return select(manager, 'SELECT name FROM pg_prepared_statements');
    });
    expect(found).toHaveLength(number);
  } finally {
    await one.destroy();
  }
});

describe('a connection is usable afterwards', () => {
  let one: DataSource;
  beforeEach(async () => {
    one = await openDataSource({ ...database, poolSize: 1 });
  });
  afterEach(() => one.destroy());
  const show = () => withoutTransaction(one, (manager) => select(manager, 'SHOW statement_timeout'));

  test('when work ends while a transaction inside of its own is open', async () => {
    const [begun, end] = [new Signal(), new Signal()];
    let inner: Promise<unknown> = Promise.resolve();
    const work = inTransaction(one, async (manager) => {
      await select(manager, `SELECT set_config('statement_timeout', '1234ms', true)`);
      inner = manager.transaction(async () => {
        begun.give();
        await end.given;
      });
      inner.catch(() => undefined);
      await begun.given;
    });
    await work.catch(() => undefined);
    expect(await show()).toEqual([{ statement_timeout: '5s' }]);
    end.give();
    await inner.catch(() => undefined);
  });

  test('when work ends while its first statement waits for it', async () => {
    const [holding, free] = [new Signal(), new Signal()];
    const held = withoutTransaction(one, async (manager) => {
      await select(manager, 'SELECT 1');
      holding.give();
      await free.given;
    });
    await holding.given;
    const work = withoutTransaction(one, (manager) =>
      Promise.all([select(manager, 'SELECT 2'), Promise.reject(new Error('changed my mind'))]),
    );
    work.catch(() => undefined);
    free.give();
    await expect(work).rejects.toThrow('changed my mind');
    await held;
    expect(await show()).toEqual([{ statement_timeout: '5s' }]);
  });
});

class Signal {
  give: () => void = () => undefined;
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}

function silentServer(): Promise<Server> {
  const sockets = createServer((socket) => socket.on('error', () => undefined));
  return new Promise((resolve) => {
    sockets.listen(0, '127.0.0.1', () => resolve(sockets));
  });
}
