import type { CustomerStatus } from '../../src/core/customers/customer.js';
import type { BusySources, FetchQueue, LeasedFetch, SourceFetch } from '../../src/core/imports/fetch/source-fetch.js';
import type { ImportPhoto } from '../../src/core/imports/import-photo.js';
import type { Id } from '../../src/core/shared/ids.js';
import { later } from '../support/samples.js';
import { atOnce, type CustomerPorts, present, Tenant } from '../support/tenant.js';
import { until } from '../support/until.js';

export interface OpenFetches extends CustomerPorts {
  readonly fetches: FetchQueue;
  setStatus(id: Id, status: CustomerStatus): Promise<void>;
  /** Lets so many seconds pass for leases and waiting fetches, without waiting. */
  passTime(seconds: number): Promise<void>;
  close(): Promise<void>;
}

const LEASE = 300;
const nobody: BusySources = { customerIds: [], hosts: [] };

/** What `FetchQueue` and the repository of fetches promise. Opened once; every test begins with nothing due. */
export function sourceFetchesContract(name: string, open: () => Promise<OpenFetches>): void {
  describe(`Fetches: ${name}`, () => {
    let opened: OpenFetches;
    let queue: FetchQueue;
    let tenant: Tenant;

    beforeAll(async () => {
      opened = await open();
      queue = opened.fetches;
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      for (const leased of await claimAll()) await remove(leased);
      tenant = await Tenant.of(opened);
    });
    afterEach(async () => {
      // Leases of a test do not outlast it.
      await opened.passTime(10_000);
      for (const leased of await claimAll()) await remove(leased);
    });

    const claim = async (busy = nobody): Promise<LeasedFetch> => present(await queue.claim(LEASE, busy));
    const get = (itemId: Id, as = tenant) => as.query((reader) => reader.sourceFetches.get(itemId));
    const remove = (leased: LeasedFetch) =>
      opened.store.transaction(leased.customerId, ({ sourceFetches }) => sourceFetches.delete(leased));
    async function claimAll(): Promise<LeasedFetch[]> {
      const all: LeasedFetch[] = [];
      for (let next = await queue.claim(LEASE, nobody); next !== null; next = await queue.claim(LEASE, nobody))
        all.push(next);
      return all;
    }

    function fetchOf({ customerId, importId, id: itemId, uploadId }: ImportPhoto, values: Partial<SourceFetch> = {}) {
      const url = 'v1.sealed.00';
      const names = { customerId, importId, itemId, uploadId };
      const none = { apiKeyId: null, declaredBytes: null, validator: null, failures: 0 };
      return { ...names, ...none, url, host: 'a.example.com', ...values };
    }

    /** Items that are fetched from these hosts, in order. */
    async function add(hosts: readonly string[], of = tenant, values: Partial<SourceFetch> = {}) {
      const items = await of.addItems(await of.addImport(), ...hosts.map(() => ({ status: 'fetching' as const })));
      const fetches = items.map((item, at) => fetchOf(item, { host: present(hosts[at]), ...values }));
      await put(fetches, of);
      return fetches;
    }

    function put(fetches: readonly SourceFetch[], of = tenant): Promise<void> {
      return of.transaction(async ({ imports, sourceFetches }) => {
        for (const { importId } of fetches) await imports.lock(importId);
        await sourceFetches.put(fetches);
      });
    }

    it('are stored with every value, for their customer only', async () => {
      const values = { apiKeyId: 7, declaredBytes: 2 ** 40, validator: '"é"', failures: 3, uploadId: 2 ** 47 - 1 };
      const [one] = await add(['a.example.com:8443'], tenant, values);
      expect(await get(present(one).itemId)).toEqual(one);
      expect(await get(present(one).itemId, await Tenant.of(opened))).toBeNull();
      expect(await get(present(one).itemId + 1_000_000)).toBeNull();
      await tenant.transaction(({ sourceFetches }) => sourceFetches.put([]));
    });

    it('are claimed once, in the order in which they became due', async () => {
      const fetches = await add(['a', 'b', 'c']);
      const claimed = await claimAll();
      expect(claimed.map(({ lease: _, ...fetch }) => fetch)).toEqual(fetches);
      expect(new Set(claimed.map(({ lease }) => lease)).size).toBe(3);
      expect(await queue.claim(LEASE, nobody)).toBeNull();
    });

    it('are claimed once by many at the same time', async () => {
      await add(Array.from({ length: 20 }, () => 'a'));
      const claimed = (await atOnce(30, () => queue.claim(LEASE, nobody))).flatMap((each) => each ?? []);
      const rest = await claimAll();
      expect(new Set([...claimed, ...rest].map(({ itemId }) => itemId)).size).toBe(20);
      expect(claimed.length + rest.length).toBe(20);
    });

    it('are claimed by customers in turns', async () => {
      const other = await Tenant.of(opened);
      await add(['a', 'a', 'a', 'a']);
      await add(['a', 'a'], other);
      const owners = (await claimAll()).map(({ customerId }) => customerId);
      expect(owners).toEqual([tenant.id, other.id, tenant.id, other.id, tenant.id, tenant.id]);
    });

    it('are not claimed for busy customers, nor from busy hosts of one', async () => {
      const other = await Tenant.of(opened);
      const mine = await add(['a', 'b']);
      const theirs = await add(['a'], other);
      const busy = { customerIds: [], hosts: [{ customerId: tenant.id, host: 'a' }] };
      expect((await claim(busy)).itemId).toBe(mine[1]?.itemId);
      expect((await claim(busy)).itemId).toBe(theirs[0]?.itemId);
      expect(await queue.claim(LEASE, busy)).toBeNull();
      expect(await queue.claim(LEASE, { customerIds: [tenant.id], hosts: [] })).toBeNull();
      expect((await claim()).itemId).toBe(mine[0]?.itemId);
    });

    it('are not claimed while their customer is not active', async () => {
      const [one] = await add(['a']);
      await opened.setStatus(tenant.id, 'suspended');
      expect(await queue.claim(LEASE, nobody)).toBeNull();
      await opened.setStatus(tenant.id, 'active');
      expect((await claim()).itemId).toBe(one?.itemId);
    });

    it('are due again when their lease has expired, and the lost lease changes nothing', async () => {
      await add(['a']);
      const first = await claim();
      await opened.passTime(LEASE + 1);
      const second = await claim();
      expect(second).toEqual({ ...first, lease: second.lease });
      expect(second.lease).not.toBe(first.lease);
      const changes = await tenant.transaction(async ({ sourceFetches }) => [
        await sourceFetches.setValidator(first, '"x"'),
        await sourceFetches.release(first, 4, 0),
        await sourceFetches.delete(first),
      ]);
      expect([...changes, await queue.extend(first, LEASE)]).toEqual([false, false, false, false]);
      const { lease: _, ...fetch } = second;
      expect(await get(second.itemId)).toEqual(fetch);
    });

    it('keep an extended lease', async () => {
      await add(['a']);
      const leased = await claim();
      await opened.passTime(LEASE - 100);
      expect(await queue.extend(leased, LEASE)).toBe(true);
      await opened.passTime(LEASE - 100);
      expect(await queue.claim(LEASE, nobody)).toBeNull();
    });

    it('lose their lease when the item does not wait for them any more', async () => {
      const [one, two] = await add(['a', 'a']);
      const [first, second] = [await claim(), await claim()];
      const change = (itemId: Id, values: Partial<ImportPhoto>) =>
        tenant.transaction(async ({ importPhotos }) => {
          const item = present(await importPhotos.lock(first.importId, itemId));
          await importPhotos.update({ ...item, ...values });
        });
      await change(present(one).itemId, { status: 'cancelled' });
      await change(present(two).itemId, { uploadId: 99 });
      expect([await queue.extend(first, LEASE), await queue.extend(second, LEASE)]).toEqual([false, false]);
    });

    it('are due again after the seconds of their release', async () => {
      const [one] = await add(['a']);
      const leased = await claim();
      await tenant.transaction(async ({ sourceFetches }) => {
        expect(await sourceFetches.setValidator(leased, '"1"')).toBe(true);
        expect(await sourceFetches.release(leased, 2, 60)).toBe(true);
      });
      expect(await queue.claim(LEASE, nobody)).toBeNull();
      await opened.passTime(61);
      const { lease, ...again } = await claim();
      expect(again).toEqual({ ...one, validator: '"1"', failures: 2 });
      expect(lease).not.toBe(leased.lease);
    });

    it('are replaced by those that are put later, and whoever had them leased has lost them', async () => {
      const [one] = await add(['a']);
      const leased = await claim();
      const next = { ...present(one), uploadId: 2, host: 'b', failures: 0, url: 'v1.other.00' };
      await put([next]);
      expect(await get(next.itemId)).toEqual(next);
      expect(await remove(leased)).toBe(false);
      expect(await claim()).toMatchObject(next);
    });

    it('are deleted, also with their items', async () => {
      await add(['a']);
      const leased = await claim();
      expect([await remove(leased), await remove(leased)]).toEqual([true, false]);
      expect(await get(leased.itemId)).toBeNull();
      const ended = { status: 'completed', expiresAt: null, completedAt: later(-1) } as const;
      const subject = await tenant.addImport(ended);
      const item = await tenant.addItem(subject);
      await put([fetchOf(item)]);
      await tenant.transaction(async ({ imports }) => {
        await imports.lock(subject.id);
        await imports.forgetItems(subject.id, 10);
      });
      expect(await get(item.id)).toBeNull();
      expect(await queue.claim(LEASE, nobody)).toBeNull();
    });

    it('wake listeners when they are put, and when they become due', async () => {
      let woken = 0;
      const stop = await queue.listen(() => {
        woken += 1;
      });
      await add(['a']);
      await until(async () => woken > 0);
      const leased = await claim();
      await tenant.transaction(({ sourceFetches }) => sourceFetches.release(leased, 1, 60));
      await opened.passTime(61);
      const before = woken;
      await until(async () => woken > before);
      await stop();
    });
  });
}
