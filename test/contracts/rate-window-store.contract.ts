import { randomUUID } from 'node:crypto';
import type { Budget, RateWindowStore, WindowState } from '../../src/core/access/rolling-window.js';
import { atOnce } from '../support/tenant.js';

export interface OpenRateWindows {
  readonly store: RateWindowStore;
  /** Lets so many seconds pass for the windows, without waiting. */
  passTime(seconds: number): Promise<void>;
  /** The store's wall clock, in milliseconds since 1970. */
  now(): Promise<number>;
  /** How many budgets the store has something of. */
  remembered(): Promise<number>;
  close(): Promise<void>;
}

/**
 * What `RateWindowStore` promises. It is opened once: every test has budgets of its own. Of the seconds that are asked for,
 * tens are left over, so that a store whose clock goes on by itself passes too.
 */
export function rateWindowStoreContract(name: string, open: () => Promise<OpenRateWindows>): void {
  describe(`RateWindowStore: ${name}`, () => {
    let opened: OpenRateWindows;
    let store: RateWindowStore;
    let budgetName: string;

    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());
    beforeEach(() => {
      budgetName = `read:${randomUUID()}`;
    });

    const budget = (limit: number): Budget => ({ name: budgetName, limit });
    const hits = async (count: number, limit: number) => {
      const states: WindowState[] = [];
      for (let hit = 0; hit < count; hit += 1) states.push(await store.hit(budget(limit)));
      return states;
    };
    const allowed = (states: readonly WindowState[]) => states.map((state) => state.allowed);

    it('admits exactly the limit, counts down, and then refuses', async () => {
      const states = await hits(5, 3);
      expect(allowed(states)).toEqual([true, true, true, false, false]);
      expect(states.map((state) => state.remaining)).toEqual([2, 1, 0, 0, 0]);
      expect(states.map((state) => state.limit)).toEqual([3, 3, 3, 3, 3]);
      expect(states.slice(0, 3).map((state) => state.retryAfter)).toEqual([null, null, null]);
    });

    it('reports when the full budget is available: 60 seconds after the newest admission, rounded up', async () => {
      const before = await opened.now();
      const first = await store.hit(budget(1));
      const after = await opened.now();
      expect(first.reset).toBeGreaterThanOrEqual(Math.ceil((before + 60_000) / 1000));
      expect(first.reset).toBeLessThanOrEqual(Math.ceil((after + 60_000) / 1000));
      expect((await store.hit(budget(1))).reset).toBe(first.reset);
      expect((await store.peek(budget(1))).reset).toBe(first.reset);
    });

    it('admits again after Retry-After, and not long before', async () => {
      await hits(3, 3);
      const [refused] = await hits(1, 3);
      expect(refused?.retryAfter).toBeGreaterThan(30);
      expect(refused?.retryAfter).toBeLessThanOrEqual(60);
      await opened.passTime(30);
      const [still] = await hits(1, 3);
      expect(still).toMatchObject({ allowed: false, remaining: 0 });
      await opened.passTime(still?.retryAfter ?? 0);
      expect(allowed(await hits(1, 3))).toEqual([true]);
    });

    it('does not count refused requests', async () => {
      await hits(2, 2);
      await opened.passTime(30);
      expect(allowed(await hits(10, 2))).toEqual(Array(10).fill(false));
      await opened.passTime(31);
      expect(allowed(await hits(3, 2))).toEqual([true, true, false]);
    });

    it('rolls: admitted requests expire one by one, not all at the turn of a minute', async () => {
      await hits(1, 2);
      await opened.passTime(40);
      await hits(1, 2);
      expect(allowed(await hits(1, 2))).toEqual([false]);
      await opened.passTime(21);
      expect(allowed(await hits(2, 2))).toEqual([true, false]);
      await opened.passTime(40);
      expect(allowed(await hits(2, 2))).toEqual([true, false]);
    });

    it('handles concurrent calls as if they came one after another', async () => {
      const states = await atOnce(50, () => store.hit(budget(30)));
      const admitted = states.filter((state) => state.allowed);
      expect(admitted).toHaveLength(30);
      expect(admitted.map((state) => state.remaining).sort((a, b) => a - b)).toEqual([...Array(30).keys()]);
    });

    it('separates budgets', async () => {
      await hits(2, 2);
      expect(allowed(await hits(1, 2))).toEqual([false]);
      const other = await store.hit({ name: `${budgetName}'"; --`, limit: 2 });
      expect(other).toMatchObject({ allowed: true, remaining: 1 });
    });

    describe('peek', () => {
      it('shows an untouched budget as full, with its reset now', async () => {
        const before = await opened.now();
        const state = await store.peek(budget(30));
        const after = await opened.now();
        expect(state).toMatchObject({ allowed: true, limit: 30, remaining: 30, retryAfter: null });
        expect(state.reset).toBeGreaterThanOrEqual(Math.ceil(before / 1000));
        expect(state.reset).toBeLessThanOrEqual(Math.ceil(after / 1000));
      });

      it('reports what a hit would get, and counts nothing', async () => {
        await hits(1, 2);
        for (let look = 0; look < 5; look += 1) {
          expect(await store.peek(budget(2))).toMatchObject({ allowed: true, remaining: 1, retryAfter: null });
        }
        await hits(1, 2);
        const full = await store.peek(budget(2));
        expect(full).toMatchObject({ allowed: false, remaining: 0 });
        expect(full.retryAfter).toBeGreaterThan(30);
        await opened.passTime(61);
        expect(await store.peek(budget(2))).toMatchObject({ allowed: true, remaining: 2 });
      });
    });

    it('deletes budgets in a sweep that count nothing any longer', async () => {
      await hits(3, 3);
      expect(await opened.remembered()).toBeGreaterThanOrEqual(1);
      await opened.passTime(700);
      await store.sweep();
      expect(await opened.remembered()).toBe(0);
      expect(await store.sweep()).toBe(0);
      expect(await store.peek(budget(3))).toMatchObject({ allowed: true, remaining: 3 });
    });

    it('keeps budgets in a sweep that still count', async () => {
      await hits(2, 2);
      await opened.passTime(30);
      await store.sweep();
      expect(allowed(await hits(1, 2))).toEqual([false]);
    });

    it('blocks a limit of 0', async () => {
      const refused = { allowed: false, limit: 0, remaining: 0, retryAfter: 60 };
      expect(await store.hit(budget(0))).toMatchObject(refused);
      expect(await store.peek(budget(0))).toMatchObject(refused);
    });

    it('applies a limit that was raised or lowered with the next call', async () => {
      await hits(3, 3);
      expect(await store.hit(budget(5))).toMatchObject({ allowed: true, limit: 5, remaining: 1 });
      expect(await store.hit(budget(2))).toMatchObject({ allowed: false, limit: 2, remaining: 0 });
      await opened.passTime(61);
      expect(allowed(await hits(3, 2))).toEqual([true, true, false]);
    });
  });
}
