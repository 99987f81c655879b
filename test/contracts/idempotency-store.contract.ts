import { randomUUID } from 'node:crypto';
import type { CustomerDirectory } from '../../src/core/customers/customer-directory.js';
import type {
  Claim,
  ClaimRequest,
  IdempotencyStore,
  StoredResponse,
} from '../../src/core/idempotency/idempotency-store.js';
import type { CustomerStore } from '../../src/core/ports.js';
import { DAY, HOUR } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { later, sampleCustomer, sampleTag } from '../support/samples.js';
import { atOnce, Gate } from '../support/tenant.js';
import { until } from '../support/until.js';

export interface OpenIdempotency {
  readonly idempotency: IdempotencyStore;
  readonly store: CustomerStore;
  readonly customers: CustomerDirectory;
  /** The store of another process, on the same data. */
  otherProcess(): IdempotencyStore;
  /** For leases. */
  passTime(seconds: number): Promise<void>;
  close(): Promise<void>;
}

const LEASE = 25;
const answer: StoredResponse = {
  status: 201,
  headers: { Location: '/x' },
  body: { name: 'É "q" \\ \u0000 📷', b: null, a: [1] },
};

/** What `IdempotencyStore` and `ResponseStore` promise. They are opened once: every test has customers of its own. */
export function idempotencyStoreContract(name: string, open: () => Promise<OpenIdempotency>): void {
  describe(`IdempotencyStore: ${name}`, () => {
    let opened: OpenIdempotency;
    let store: IdempotencyStore;
    let customerId: Id;

    beforeAll(async () => {
      opened = await open();
      store = opened.idempotency;
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      customerId = await newCustomer();
    });

    const newCustomer = async () =>
      (await opened.customers.transaction((transaction) => transaction.insert(sampleCustomer()))).id;

    /** An attempt of an equal request, unless it says otherwise; `ms` after the first. */
    function attempt(ms = 0, values: Partial<ClaimRequest> = {}): ClaimRequest {
      const at = later(ms);
      return {
        customerId,
        key: 'order-17',
        token: randomUUID(),
        fingerprint: 'one',
        at,
        leaseSeconds: LEASE,
        expiredBefore: later(ms - DAY),
        ...values,
      };
    }

    const keep = (claim: Claim, kept = answer) =>
      opened.store.transaction(claim.customerId, (transaction) => transaction.responses.store(claim, kept));
    const claimed = { outcome: 'claimed' };

    async function begun(ms = 0, values: Partial<ClaimRequest> = {}): Promise<ClaimRequest> {
      const first = attempt(ms, values);
      expect(await store.claim(first)).toEqual(claimed);
      return first;
    }

    it('claims an unused key for one run', async () => {
      await begun();
      expect(await store.claim(attempt(1))).toEqual({ outcome: 'running' });
      expect(await store.claim(attempt(1, { fingerprint: 'two' }))).toEqual({ outcome: 'taken' });
    });

    it('gives a key to exactly one of many requests at once', async () => {
      const outcomes = (await atOnce(20, () => store.claim(attempt()))).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'running')).toHaveLength(19);
    });

    it('distinguishes keys by letter case, and by customer', async () => {
      await begun();
      await begun(0, { key: 'Order-17' });
      await begun(0, { key: `'"%_\\;--` });
      await begun(0, { customerId: await newCustomer() });
    });

    it('returns the stored response unchanged, to equal requests only', async () => {
      expect(await keep(await begun())).toBe(true);
      const again = await store.claim(attempt(1));
      expect(again).toEqual({ outcome: 'answered', answer });
      expect(again.outcome === 'answered' && JSON.stringify(again.answer)).toBe(JSON.stringify(answer));
      expect(await store.claim(attempt(1, { fingerprint: 'two' }))).toEqual({ outcome: 'taken' });
    });

    it('stores one response, of the run that holds the claim', async () => {
      const first = await begun();
      expect(await keep({ ...first, token: randomUUID() })).toBe(false);
      expect(await keep({ ...first, key: 'another' })).toBe(false);
      expect(await keep(first)).toBe(true);
      expect(await keep(first, { status: 500 })).toBe(false);
      expect(await store.claim(attempt(1))).toEqual({ outcome: 'answered', answer });
    });

    it('stores responses of the bound customer only', async () => {
      const first = await begun();
      const stranger = await newCustomer();
      expect(
        await opened.store.transaction(stranger, (transaction) => transaction.responses.store(first, answer)),
      ).toBe(false);
      expect(await store.claim(attempt(1))).toEqual({ outcome: 'running' });
    });

    it('stores the response if and only if the transaction commits', async () => {
      const first = await begun();
      const undone = opened.store.transaction(customerId, async (transaction) => {
        await transaction.tags.insert(sampleTag('Paris'));
        await transaction.responses.store(first, answer);
        throw new Error('after all not');
      });
      await expect(undone).rejects.toThrow('after all not');
      expect(await store.claim(attempt(1))).toEqual({ outcome: 'running' });
      await opened.store.transaction(customerId, async (transaction) => {
        await transaction.tags.insert(sampleTag('Paris'));
        await transaction.responses.store(first, answer);
      });
      expect(await store.claim(attempt(1))).toMatchObject({ outcome: 'answered' });
    });

    it('reports a response that is being committed, however late the run is', async () => {
      const first = await begun();
      await opened.passTime(LEASE);
      const [kept, commit] = [new Gate(), new Gate()];
      const slow = opened.store.transaction(customerId, async (transaction) => {
        await transaction.responses.store(first, answer);
        kept.open();
        await commit.opened;
      });
      await kept.opened;
      const meanwhile = store.claim(attempt(1));
      commit.open();
      await slow;
      expect(await meanwhile).toEqual({ outcome: 'answered', answer });
    });

    it('gives a key with an expired lease to an equal request, and its earlier run cannot change it any longer', async () => {
      const first = await begun();
      await opened.passTime(LEASE - 5);
      expect(await store.claim(attempt(1))).toEqual({ outcome: 'running' });
      await opened.passTime(5);
      expect(await store.claim(attempt(1, { fingerprint: 'two' }))).toEqual({ outcome: 'taken' });
      const second = await begun(1);
      expect(await keep(first)).toBe(false);
      await store.release(first);
      expect(await store.claim(attempt(2))).toEqual({ outcome: 'running' });
      await opened.passTime(LEASE);
      await store.renew([first], LEASE);
      const third = await begun(3);
      expect(await keep(second)).toBe(false);
      expect(await keep(third)).toBe(true);
    });

    it('gives a key with an expired lease to one of many requests', async () => {
      await begun();
      await opened.passTime(LEASE);
      const outcomes = (await atOnce(10, () => store.claim(attempt(1)))).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
    });

    it('decides by the lease alone, however much the clocks of two processes differ', async () => {
      await begun(-HOUR);
      expect(await store.claim(attempt(HOUR))).toEqual({ outcome: 'running' });
    });

    it('lets a run with an expired lease store its response, as long as no other has claimed the key', async () => {
      const first = await begun();
      await opened.passTime(LEASE);
      expect(await keep(first)).toBe(true);
    });

    describe('renew', () => {
      it('extends the leases of many claims, of all customers', async () => {
        const claims = [
          await begun(),
          await begun(0, { key: 'b' }),
          await begun(0, { customerId: await newCustomer() }),
        ];
        await opened.passTime(LEASE - 5);
        await store.renew(claims, LEASE);
        await opened.passTime(LEASE - 5);
        for (const { customerId: id, key } of claims) {
          expect(await store.claim(attempt(1, { customerId: id, key }))).toEqual({ outcome: 'running' });
        }
        await opened.passTime(5);
        await begun(1);
      });

      it('restores a lease that has expired and was not claimed by another', async () => {
        const first = await begun();
        await opened.passTime(LEASE);
        await store.renew([first], LEASE);
        expect(await store.claim(attempt(1))).toEqual({ outcome: 'running' });
      });

      it('leaves keys alone that were released or answered', async () => {
        const [released, answered] = [await begun(), await begun(0, { key: 'b' })];
        await store.release(released);
        await keep(answered);
        await store.renew([released, answered], LEASE);
        expect(await store.claim(attempt(1, { key: 'b' }))).toEqual({ outcome: 'answered', answer });
        await begun(1, { fingerprint: 'two' });
      });

      it('accepts an empty list of claims', async () => {
        await store.renew([], LEASE);
      });
    });

    describe('reclaim', () => {
      const since = later(-HOUR);

      it('releases the keys of a process that has died, for equal requests', async () => {
        const other = opened.otherProcess();
        const die = await other.showAlive();
        const first = attempt();
        expect(await other.claim(first)).toEqual(claimed);
        await store.reclaim(since);
        expect(await store.claim(attempt(1))).toEqual({ outcome: 'running' });
        await die();
        await until(async () => {
          await store.reclaim(since);
          return (await store.claim(attempt(1))).outcome === 'claimed';
        });
        expect(await keep(first)).toBe(false);
      });

      it('gives the keys of a dead process to no other request', async () => {
        expect(await opened.otherProcess().claim(attempt())).toEqual(claimed);
        await store.reclaim(since);
        expect(await store.claim(attempt(1, { fingerprint: 'two' }))).toEqual({ outcome: 'taken' });
      });

      it('leaves keys alone that this process has claimed', async () => {
        await begun();
        await store.reclaim(since);
        expect(await store.claim(attempt(1))).toEqual({ outcome: 'running' });
      });

      it('leaves stored responses alone', async () => {
        const first = attempt();
        await opened.otherProcess().claim(first);
        await keep(first);
        await store.reclaim(since);
        expect(await store.claim(attempt(1))).toEqual({ outcome: 'answered', answer });
      });

      it('leaves claims alone that began before the given time', async () => {
        expect(await opened.otherProcess().claim(attempt())).toEqual(claimed);
        await store.reclaim(later(0));
        expect(await store.claim(attempt(1))).toEqual({ outcome: 'running' });
      });
    });

    it('forgets', async () => {
      expect(await keep(await begun())).toBe(true);
      expect(await store.claim(attempt(DAY))).toMatchObject({ outcome: 'answered' });
      expect(await store.claim(attempt(DAY, { fingerprint: 'two' }))).toEqual({ outcome: 'taken' });
      await begun(DAY + 1, { fingerprint: 'two' });
      expect(await store.claim(attempt(DAY + 2))).toEqual({ outcome: 'taken' });
    });

    describe('release', () => {
      it('makes the key available, for other requests too', async () => {
        const first = await begun();
        await store.release(first);
        await begun(1, { fingerprint: 'two' });
        await store.release(first);
        expect(await store.claim(attempt(2, { fingerprint: 'two' }))).toEqual({ outcome: 'running' });
      });

      it('leaves a stored response alone', async () => {
        const first = await begun();
        await keep(first);
        await store.release(first);
        expect(await store.claim(attempt(1))).toMatchObject({ outcome: 'answered' });
      });
    });

    it('sweeps claims that began before a time, as many as it is asked to, of all customers', async () => {
      const old = -1000 * DAY;
      const other = await newCustomer();
      for (const key of ['a', 'b', 'c']) await begun(old, { key });
      await begun(old, { key: 'd', customerId: other });
      const young = await begun(old + 1, { key: 'young' });
      await keep(young);
      expect(await store.sweep(later(old), 10)).toBe(0);
      expect(await store.sweep(later(old + 1), 3)).toBe(3);
      expect(await store.sweep(later(old + 1), 10)).toBe(1);
      expect(await store.claim(attempt(old + 2, { key: 'young' }))).toMatchObject({ outcome: 'answered' });
      for (const key of ['a', 'b', 'c']) await begun(old + 2, { key, fingerprint: 'two' });
    });
  });
}
