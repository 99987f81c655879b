import { FallbackRateWindowStore } from '../../src/adapters/decorators/fallback-rate-window-store.js';
import { MemoryRateWindowStore } from '../../src/adapters/memory/memory-rate-window-store.js';
import { RedisRateWindowStore } from '../../src/adapters/redis/redis-rate-window-store.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { rateWindowStoreContract } from '../contracts/rate-window-store.contract.js';
import { atOnce } from '../support/tenant.js';
import { until } from '../support/until.js';
import { RedisServer } from './support/redis-server.js';

/** Far beyond what any call here takes on a busy machine. */
const PATIENT = 30_000;

/** Moves every admission into the past, and the end of the lists with it: what so many seconds do. */
const PASS_TIME = `
  for _, log in ipairs(redis.call('KEYS', '*')) do
    for place = 0, redis.call('LLEN', log) - 1 do
      redis.call('LSET', log, place, string.format('%.0f', redis.call('LINDEX', log, place) - ARGV[1]))
    end
    redis.call('PEXPIRE', log, redis.call('PTTL', log) - ARGV[1])
  end`;

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server?.stop());

const passTime = async (seconds: number) => {
  await server.command('EVAL', PASS_TIME, '0', String(seconds * 1000));
};
const now = async () => {
  const [seconds, microseconds] = (await server.command('TIME')) as [string, string];
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
};
const remembered = async () => Number(await server.command('DBSIZE'));

rateWindowStoreContract('Redis', async () => {
  await server.command('FLUSHALL');
  const store = new RedisRateWindowStore(server.url, PATIENT);
  return { store, passTime, now, remembered, close: async () => store.close() };
});

describe('admissions in Redis', () => {
  const budget = { name: 'read:1', limit: 30 };
  let nodes: readonly RedisRateWindowStore[];
  beforeEach(async () => {
    await server.command('FLUSHALL');
    nodes = [new RedisRateWindowStore(server.url, PATIENT), new RedisRateWindowStore(server.url, PATIENT)];
  });
  afterEach(() => {
    for (const node of nodes) node.close();
  });
  const node = (number: number): RedisRateWindowStore => nodes[number % nodes.length] as RedisRateWindowStore;

  test('are exact over two processes', async () => {
    const states = await atOnce(100, (number) => node(number).hit(budget));
    const left = states.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
    expect(left.sort((a, b) => a - b)).toEqual([...Array(30).keys()]);
    expect(await node(1).peek(budget)).toMatchObject({ allowed: false, remaining: 0 });
  });

  test('expire a second after they no longer count, and are not created by reading', async () => {
    await node(0).peek(budget);
    expect(await remembered()).toBe(0);
    await node(0).hit(budget);
    const left = Number(await server.command('PTTL', 'photo-service:rate:read:1'));
    expect(left).toBeGreaterThan(30_000);
    expect(left).toBeLessThanOrEqual(61_000);
  });

  test('cause no lockout after a clock jump of more than one window', async () => {
    const small = { name: 'read:2', limit: 3 };
    for (let hit = 0; hit < 3; hit += 1) await node(0).hit(small);
    // The clock was an hour ahead, and is right again.
    await passTime(-3600);
    const refused = await node(0).hit(small);
    expect(refused.allowed).toBe(false);
    expect(refused.retryAfter).toBeLessThanOrEqual(60);
    await passTime(61);
    expect(await node(1).hit(small)).toMatchObject({ allowed: true, remaining: 2 });
  });

  test('continue when Redis has lost the script', async () => {
    await node(0).hit(budget);
    await server.command('SCRIPT', 'FLUSH');
    expect(await node(0).hit(budget)).toMatchObject({ allowed: true, remaining: 28 });
  });

  test('store nothing but admissions', async () => {
    await node(0).hit({ ...budget, name: "read:1'\r\nFLUSHALL\r\n" });
    expect(await server.command('KEYS', '*')).toEqual(["photo-service:rate:read:1'\r\nFLUSHALL\r\n"]);
  });
});

describe('F10: when Redis is not there', () => {
  const budget = { name: 'read:1', limit: 2 };
  const open = (deadlineMs: number) => new RedisRateWindowStore(server.url, deadlineMs);
  const answers = (store: RedisRateWindowStore) =>
    store.peek(budget).then(
      () => true,
      () => false,
    );

  test('a call that gets no answer ends by itself, and later calls find Redis again', async () => {
    const store = open(200);
    server.hang();
    try {
      await expect(store.hit(budget)).rejects.toMatchObject({ code: 'service_unavailable' });
      await expect(store.peek(budget)).rejects.toThrow('no response within 200 ms');
    } finally {
      server.goOn();
    }
    await until(() => answers(store));
    store.close();
  });

  test('a connection that hangs in the middle of its use is given up', async () => {
    const store = open(1000);
    await until(() => answers(store));
    server.hang();
    try {
      const outcomes = await Promise.allSettled([store.hit(budget), store.hit(budget), store.peek(budget)]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    } finally {
      server.goOn();
    }
    await until(() => answers(store));
    store.close();
  });

  test('a Redis that was killed is used again once it is back, and says nothing of passwords meanwhile', async () => {
    const store = new RedisRateWindowStore(server.url.replace('redis://', 'redis://:a-password@'), PATIENT);
    await expect(store.hit(budget)).rejects.toThrow(/AUTH|password/);
    const plain = open(PATIENT);
    await plain.hit(budget);
    await server.kill();
    for (const each of [plain, plain, store]) {
      const refusal = await each.hit(budget).catch((error: Error) => error.message);
      expect(refusal).toContain('Redis is unavailable');
      expect(refusal).not.toContain('a-password');
    }
    await server.startAgain();
    expect(await plain.hit(budget)).toMatchObject({ allowed: true, remaining: 1 });
    plain.close();
    store.close();
  });

  test('the limit holds: this process counts by itself until Redis is back', async () => {
    const changes: boolean[] = [];
    const memory = new MemoryRateWindowStore(new SettableClock());
    const redis = open(3000);
    const store = new FallbackRateWindowStore(redis, memory, (away) => changes.push(away), {
      waitMs: PATIENT,
      retryMs: 0,
    });
    await server.command('FLUSHALL');
    await store.hit(budget);
    server.hang();
    const states = [];
    try {
      for (let hit = 0; hit < 4; hit += 1) states.push(await store.hit(budget));
    } finally {
      server.goOn();
    }
    expect(states.map(({ allowed }) => allowed)).toEqual([true, true, false, false]);
    expect([changes[0], store.isAway]).toEqual([true, true]);
    await until(async () => {
      await store.peek(budget);
      return !store.isAway;
    });
    expect(changes.at(-1)).toBe(false);
    redis.close();
  });
});
