import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { TypeormRateWindowStore } from '../../src/adapters/typeorm/access/rate-window.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { AdmissionLog, WINDOW_MS } from '../../src/core/access/rolling-window.js';
import { MINUTE } from '../../src/core/shared/clock.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { atOnce } from '../support/tenant.js';

let database: TestDatabase;
let source: DataSource;
let windows: TypeormRateWindowStore;

beforeAll(async () => {
  database = await testDatabase();
  source = await openDataSource(database);
  windows = new TypeormRateWindowStore(source);
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

it('the rate windows in Postgres follow the clock of the database', async () => {
  const now = async () => Number((await source.query('SELECT extract(epoch FROM clock_timestamp()) AS s'))[0].s);
  const earliest = await now();
  const { reset } = await windows.hit({ name: 'read:1', limit: 300 });
  const latest = await now();
  // Whole milliseconds are kept, so it can be just below.
  expect(reset).toBeGreaterThanOrEqual(Math.ceil(earliest - 0.001 + 60));
  expect(reset).toBeLessThanOrEqual(Math.ceil(latest + 60));
});

it('the rate windows in Postgres forget only budgets that were unused for ten minutes', async () => {
  await source.query('TRUNCATE rate_window');
  for (const name of ['idle', 'busy']) await windows.hit({ name, limit: 2 });
  const age = 'UPDATE rate_window SET hits = ARRAY(SELECT hit - $2 FROM unnest(hits) hit) WHERE name = $1';
  await source.query(age, ['idle', 10 * MINUTE + 1]);
  await source.query(age, ['busy', 9 * MINUTE]);
  expect(await windows.sweep()).toBe(1);
  expect(await source.query('SELECT name FROM rate_window')).toEqual([{ name: 'busy' }]);
});

describe('by a clock that the test sets', () => {
  const clock = new SettableClock();
  const tick = async (milliseconds: number) => {
    clock.pass(milliseconds);
    await source.query('UPDATE stopped_clock SET moment = $1', [clock.now().getTime()]);
  };

  beforeAll(async () => {
    // The store asks this function for the time, and nothing else.
    await source.query('CREATE TABLE stopped_clock AS SELECT 0::bigint AS moment');
    await source.query(`CREATE OR REPLACE FUNCTION rate_now() RETURNS bigint LANGUAGE sql VOLATILE AS
      $$ SELECT moment FROM stopped_clock $$`);
    await tick(0);
  });

  it('answers what the rule of core answers, whatever is asked and however the clock jumps', async () => {
    const step = fc.record({
      pass: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 0, max: 25_000 }) },
        { weight: 2, arbitrary: fc.constantFrom(0, 1, 59_999, 60_000, 60_001, 120_000) },
        { weight: 1, arbitrary: fc.integer({ min: -90_000, max: -1 }) },
      ),
      call: fc.constantFrom('hit' as const, 'hit' as const, 'peek' as const),
      limit: fc.integer({ min: 0, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const name = randomUUID();
        let kept: readonly number[] = [];
        // The table is written when a call is counted, and when the clock was set back; a refusal leaves it as it is.
        const rule = (call: 'hit' | 'peek', limit: number) => {
          const now = clock.now().getTime();
          const state = new AdmissionLog(kept)[call](limit, now);
          if (call === 'peek') return state;
          const current = kept.filter((at) => at > now - WINDOW_MS).map((at) => Math.min(at, now));
          if (state.allowed) kept = [...current, now];
          else if (current.at(-1) === now) kept = current;
          return state;
        };
        for (const { pass, call, limit } of steps) {
          await tick(pass);
          expect(await windows[call]({ name, limit })).toEqual(rule(call, limit));
        }
      }),
      { numRuns: 100 },
    );
  });

  it.each([1, 30, 300])(
    'admits exactly %i of more that come at once, and tells each how many are left',
    async (limit) => {
      const budget = { name: randomUUID(), limit };
      const states = await atOnce(limit + 100, () => windows.hit(budget));
      const left = states.filter(({ allowed }) => allowed).map(({ remaining }) => remaining);
      expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, rest) => rest));
      const reset = clock.now().getTime() / 1000 + 60;
      const refused = { allowed: false, limit, remaining: 0, reset: Math.ceil(reset), retryAfter: 60 };
      expect(states.filter(({ allowed }) => !allowed)).toEqual(Array(100).fill(refused));
    },
  );
});
