import pg from 'pg';
import type { DataSource } from 'typeorm';
import { FallbackRateWindowStore } from '../../src/adapters/decorators/fallback-rate-window-store.js';
import { MemoryRateWindowStore } from '../../src/adapters/memory/memory-rate-window-store.js';
import { TypeormRateWindowStore } from '../../src/adapters/typeorm/access/rate-window.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import type { Budget, RateWindowStore, WindowState } from '../../src/core/access/rolling-window.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { rateWindowStoreContract } from '../contracts/rate-window-store.contract.js';
import { pgConfig, type TestDatabase, testDatabase } from '../support/postgres.js';
import { atOnce } from '../support/tenant.js';
import { until } from '../support/until.js';

const NEVER = 3_600_000;
const budget = { name: 'read:1', limit: 3 };

/** A store that is sometimes away, before it has counted anything, and counts how often it was asked. */
class Unsteady implements RateWindowStore {
  state: 'fine' | 'refuses' | 'hangs' = 'fine';
  asked = 0;
  private readonly hung: (() => void)[] = [];

  constructor(private readonly inner: RateWindowStore) {}

  hit(of: Budget): Promise<WindowState> {
    return this.ask(() => this.inner.hit(of));
  }

  peek(of: Budget): Promise<WindowState> {
    return this.ask(() => this.inner.peek(of));
  }

  sweep(): Promise<number> {
    return this.ask(() => this.inner.sweep());
  }

  /** Lets those that hang have their answers after all. */
  release(): void {
    for (const go of this.hung.splice(0)) go();
  }

  private async ask<T>(call: () => Promise<T>): Promise<T> {
    this.asked += 1;
    if (this.state === 'refuses') throw new Error('connection refused');
    if (this.state === 'hangs') await new Promise<void>((go) => this.hung.push(go));
    return call();
  }
}

function open(times: { waitMs: number; retryMs: number }) {
  const clock = new SettableClock();
  const stores = [new MemoryRateWindowStore(clock), new MemoryRateWindowStore(clock)] as const;
  const first = new Unsteady(stores[0]);
  const changes: (string | undefined)[] = [];
  const store = new FallbackRateWindowStore(
    first,
    stores[1],
    (away, reason) => changes.push(away ? String(reason) : 'back'),
    times,
  );
  const hits = async (count: number) => {
    const states: WindowState[] = [];
    for (let hit = 0; hit < count; hit += 1) states.push(await store.hit(budget));
    return states.map(({ allowed }) => allowed);
  };
  const remembered = async () => stores[0].size + stores[1].size;
  return { clock, first, store, changes, hits, remembered };
}

for (const state of ['fine', 'refuses'] as const) {
  rateWindowStoreContract(`fallback whose first store ${state === 'fine' ? 'is there' : 'is away'}`, async () => {
    const { clock, first, store, remembered } = open({ waitMs: NEVER, retryMs: NEVER });
    first.state = state;
    return {
      store,
      passTime: async (seconds) => clock.pass(seconds * 1000),
      now: async () => clock.now().getTime(),
      remembered,
      close: async () => {},
    };
  });
}

describe('while the first rate window store is unavailable', () => {
  test('the limit holds, because the other store counts from nothing', async () => {
    const { first, hits } = open({ waitMs: NEVER, retryMs: NEVER });
    expect(await hits(1)).toEqual([true]);
    first.state = 'refuses';
    expect(await hits(5)).toEqual([true, true, true, false, false]);
  });

  test('the outage is detected once and reported once, however many calls meet it', async () => {
    const { first, store, changes, hits } = open({ waitMs: NEVER, retryMs: NEVER });
    first.state = 'refuses';
    await atOnce(20, () => store.peek(budget));
    const asked = first.asked;
    await hits(50);
    await store.sweep();
    expect(first.asked).toBe(asked);
    expect(changes).toEqual(['Error: connection refused']);
  });

  test('a hanging store is detected after a bounded wait, and no call waits again', async () => {
    const { first, changes, hits } = open({ waitMs: 20, retryMs: NEVER });
    first.state = 'hangs';
    expect(await hits(5)).toEqual([true, true, true, false, false]);
    expect(first.asked).toBe(1);
    expect(changes).toEqual(['Error: The rate limit store did not respond within 20 ms.']);
  });

  test('an answer that comes too late changes nothing', async () => {
    const { first, changes, hits } = open({ waitMs: 20, retryMs: NEVER });
    first.state = 'hangs';
    expect(await hits(2)).toEqual([true, true]);
    first.state = 'fine';
    first.release();
    expect(await hits(2)).toEqual([true, false]);
    expect(changes).toHaveLength(1);
  });
});

describe('when the first rate window store is available again', () => {
  test('that is noticed beside a call, without counting, and the store is used again', async () => {
    const { first, store, changes, hits } = open({ waitMs: NEVER, retryMs: 0 });
    expect(await hits(1)).toEqual([true]);
    first.state = 'refuses';
    expect(await hits(4)).toEqual([true, true, true, false]);
    first.state = 'fine';
    await until(async () => {
      await store.peek(budget);
      return changes.at(-1) === 'back';
    });
    expect(changes).toEqual(['Error: connection refused', 'back']);
    expect(await hits(3)).toEqual([true, true, false]);
  });

  test('one call checks at a time, and a check that hangs does not delay that call', async () => {
    const { first, changes, hits } = open({ waitMs: NEVER, retryMs: 0 });
    first.state = 'refuses';
    await hits(1);
    first.state = 'hangs';
    const asked = first.asked;
    await hits(10);
    expect(first.asked).toBe(asked + 1);
    first.state = 'fine';
    first.release();
    await until(() => changes.at(-1) === 'back');
  });

  test('a second outage is reported again', async () => {
    const { first, changes, hits } = open({ waitMs: NEVER, retryMs: 0 });
    for (let outage = 1; outage <= 2; outage += 1) {
      first.state = 'refuses';
      await until(async () => {
        await hits(1);
        return changes.length === 2 * outage - 1;
      });
      first.state = 'fine';
      await until(async () => {
        await hits(1);
        return changes.length === 2 * outage;
      });
    }
    expect(changes).toEqual(['Error: connection refused', 'back', 'Error: connection refused', 'back']);
  });
});

describe('on the database', () => {
  let database: TestDatabase;
  let source: DataSource;
  let other: pg.Client;
  beforeAll(async () => {
    database = await testDatabase();
    source = await openDataSource(database);
    other = new pg.Client(pgConfig(database));
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await source.destroy();
    await database.close();
  });

  test('a table that is locked away means counting in memory, until it is free', async () => {
    const changes: boolean[] = [];
    const memory = new MemoryRateWindowStore(new SettableClock());
    const store = new FallbackRateWindowStore(new TypeormRateWindowStore(source), memory, (away) => changes.push(away));
    expect(await store.hit(budget)).toMatchObject({ allowed: true, remaining: 2 });
    await other.query('BEGIN; LOCK TABLE rate_window IN ACCESS EXCLUSIVE MODE');
    const states = [];
    for (let hit = 0; hit < 4; hit += 1) states.push(await store.hit(budget));
    expect(states.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
    expect(changes).toEqual([true]);
    await other.query('COMMIT');
    await until(async () => {
      await store.peek(budget);
      return changes.length === 2;
    });
    expect(changes).toEqual([true, false]);
    // What the database had counted still counts, and the call that nobody waited for to its end.
    expect((await store.peek(budget)).remaining).toBeLessThanOrEqual(2);
  });
});
