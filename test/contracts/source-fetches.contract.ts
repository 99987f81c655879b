import type { CustomerStatus } from '../../src/core/customers/customer.js';
import { isFetchAwaited } from '../../src/core/imports/fetch/fetch.js';
import { type SourceFetch, startFetches } from '../../src/core/imports/fetch/source-fetch.js';
import type { ImportPhoto } from '../../src/core/imports/import-photo.js';
import type { Job, JobClaim, JobQueue } from '../../src/core/jobs/job.js';
import type { Id } from '../../src/core/shared/ids.js';
import { claimFrom } from '../support/claim.js';
import { later } from '../support/samples.js';
import { atOnce, type CustomerPorts, present, Tenant } from '../support/tenant.js';
import { until } from '../support/until.js';

export interface OpenFetches extends CustomerPorts {
  readonly jobs: JobQueue;
  setStatus(id: Id, status: CustomerStatus): Promise<void>;
  /** Lets so many seconds pass for leases and waiting fetches, without waiting. */
  passTime(seconds: number): Promise<void>;
  close(): Promise<void>;
}

const LEASE = 300;

/** What `JobQueue` promises of fetches, and their repository. Opened once; every test begins with nothing due. */
export function sourceFetchesContract(name: string, open: () => Promise<OpenFetches>): void {
  describe(`Fetches: ${name}`, () => {
    let opened: OpenFetches;
    let queue: JobQueue;
    let tenant: Tenant;

    beforeAll(async () => {
      opened = await open();
      queue = opened.jobs;
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

    const next = (busy?: JobClaim['busy']) => claimFrom(queue, 'fetches', LEASE, busy && { busy });
    const claim = async (busy?: JobClaim['busy']) => present(await next(busy));
    const get = (itemId: Id, as = tenant) => as.query((reader) => reader.sourceFetches.get(itemId));
    const remove = ({ customerId, work }: Job<'fetches'>) =>
      opened.store.transaction(customerId, ({ sourceFetches }) => sourceFetches.delete(work.itemId));
    async function claimAll(): Promise<Job<'fetches'>[]> {
      const all: Job<'fetches'>[] = [];
      for (let job = await next(); job !== null; job = await next()) all.push(job);
      return all;
    }

    function fetchOf({ customerId, importId, id: itemId, uploadId }: ImportPhoto, values: Partial<SourceFetch> = {}) {
      const url = 'v1.sealed.00';
      const names = { customerId, importId, itemId, uploadId };
      const none = { apiKeyId: null, declaredBytes: null, validator: null };
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
      return of.transaction(async (transaction) => {
        for (const { importId } of fetches) await transaction.imports.lock(importId);
        await startFetches(transaction, fetches);
      });
    }

    it('are stored with every value, for their customer only', async () => {
      const values = { apiKeyId: 7, declaredBytes: 2 ** 40, validator: '"é"', uploadId: 2 ** 47 - 1 };
      const [one] = await add(['a.example.com:8443'], tenant, values);
      expect(await get(present(one).itemId)).toEqual(one);
      expect(await get(present(one).itemId, await Tenant.of(opened))).toBeNull();
      expect(await get(present(one).itemId + 1_000_000)).toBeNull();
      await put([]);
    });

    it('are claimed once, in the order in which they became due', async () => {
      const fetches = await add(['a', 'b', 'c']);
      const claimed = await claimAll();
      const works = fetches.map(({ importId, itemId, uploadId, host }) => ({ importId, itemId, uploadId, host }));
      expect(claimed.map(({ work }) => work)).toEqual(works.map((work) => ({ kind: 'fetch', ...work })));
      expect(new Set(claimed.map(({ lease }) => lease)).size).toBe(3);
      expect(await next()).toBeNull();
    });

    it('are claimed once by many callers at the same time', async () => {
      await add(Array.from({ length: 20 }, () => 'a'));
      const claimed = (await atOnce(30, () => next())).flatMap((each) => each ?? []);
      const rest = await claimAll();
      expect(new Set([...claimed, ...rest].map(({ work }) => work.itemId)).size).toBe(20);
      expect(claimed.length + rest.length).toBe(20);
    });

    it('are claimed by customers in turns', async () => {
      const other = await Tenant.of(opened);
      await add(['a', 'a', 'a', 'a']);
      await add(['a', 'a'], other);
      const owners = (await claimAll()).map(({ customerId }) => customerId);
      expect(owners).toEqual([tenant.id, other.id, tenant.id, other.id, tenant.id, tenant.id]);
    });

    it('are not claimed for busy customers, nor from busy hosts of a customer', async () => {
      const other = await Tenant.of(opened);
      const mine = await add(['a', 'b']);
      const theirs = await add(['a'], other);
      const busy = { customerIds: [], lanes: [{ customerId: tenant.id, lane: 'a' }] };
      expect((await claim(busy)).work.itemId).toBe(mine[1]?.itemId);
      expect((await claim(busy)).work.itemId).toBe(theirs[0]?.itemId);
      expect(await next(busy)).toBeNull();
      expect(await next({ customerIds: [tenant.id], lanes: [] })).toBeNull();
      expect((await claim()).work.itemId).toBe(mine[0]?.itemId);
    });

    it('are not claimed while their customer is not active', async () => {
      const [one] = await add(['a']);
      await opened.setStatus(tenant.id, 'suspended');
      expect(await next()).toBeNull();
      await opened.setStatus(tenant.id, 'active');
      expect((await claim()).work.itemId).toBe(one?.itemId);
    });

    it('are due again when their lease has expired, and its former holder changes nothing', async () => {
      await add(['a']);
      const first = await claim();
      await opened.passTime(LEASE + 1);
      const second = await claim();
      expect(second).toEqual({ ...first, attempt: 2, lease: second.lease });
      expect(second.lease).not.toBe(first.lease);
      const changes = await tenant.transaction(async ({ jobs }) => [
        await jobs.hold(first),
        await jobs.release(first, 'on purpose', 0),
        await jobs.postpone(first, 'on purpose', 0),
        await jobs.complete(first),
      ]);
      expect([...changes, await queue.extend(first, LEASE)]).toEqual([false, false, false, false, false]);
      expect(await tenant.transaction(({ jobs }) => jobs.hold(second))).toBe(true);
    });

    it('are not due while their lease is extended', async () => {
      await add(['a']);
      const leased = await claim();
      await opened.passTime(LEASE - 100);
      expect(await queue.extend(leased, LEASE)).toBe(true);
      await opened.passTime(LEASE - 100);
      expect(await next()).toBeNull();
    });

    it('are not awaited once the item no longer waits for them', async () => {
      const [one, two] = await add(['a', 'a']);
      const [first, second] = [await claim(), await claim()];
      const change = (itemId: Id, values: Partial<ImportPhoto>) =>
        tenant.transaction(async ({ importPhotos }) => {
          const item = present(await importPhotos.lock(first.work.importId, itemId));
          await importPhotos.update({ ...item, ...values });
        });
      const awaited = async () => [await isFetchAwaited(opened, first), await isFetchAwaited(opened, second)];
      expect(await awaited()).toEqual([true, true]);
      await change(present(one).itemId, { status: 'cancelled' });
      await change(present(two).itemId, { uploadId: 99 });
      expect(await awaited()).toEqual([false, false]);
    });

    it('are due again at the delay of their release', async () => {
      const [one] = await add(['a']);
      const leased = await claim();
      await tenant.transaction(async ({ sourceFetches, jobs }) => {
        await sourceFetches.lock(leased.work.itemId);
        await sourceFetches.setValidator(leased.work.itemId, '"1"');
        expect(await jobs.release(leased, 'on purpose', 60)).toBe(true);
      });
      expect(await next()).toBeNull();
      await opened.passTime(61);
      const { lease, ...again } = await claim();
      expect(again).toMatchObject({ work: leased.work, failures: 1 });
      expect(lease).not.toBe(leased.lease);
      expect(await get(leased.work.itemId)).toEqual({ ...one, validator: '"1"' });
    });

    it('are replaced by later ones, which ends the lease of the former', async () => {
      const [one] = await add(['a']);
      const leased = await claim();
      const other = { ...present(one), uploadId: 2, host: 'b', url: 'v1.other.00' };
      await put([other]);
      expect(await get(other.itemId)).toEqual(other);
      expect(await queue.complete(leased)).toBe(false);
      expect(await claim()).toMatchObject({ work: { itemId: other.itemId, uploadId: 2, host: 'b' }, attempt: 1 });
    });

    it('are deleted, alone or with their items', async () => {
      await add(['a']);
      const leased = await claim();
      await remove(leased);
      await remove(leased);
      expect(await queue.extend(leased, LEASE)).toBe(false);
      expect(await get(leased.work.itemId)).toBeNull();
      const ended = { status: 'completed', expiresAt: null, completedAt: later(-1) } as const;
      const subject = await tenant.addImport(ended);
      const item = await tenant.addItem(subject);
      await put([fetchOf(item)]);
      await tenant.transaction(async ({ imports }) => {
        await imports.lock(subject.id);
        await imports.forgetItems(subject.id, 10);
      });
      expect(await get(item.id)).toBeNull();
      expect(await next()).toBeNull();
    });

    it('wake listeners when they are put, and when they become due', async () => {
      let woken = 0;
      const stop = await queue.listen((pool) => {
        if (pool === 'fetches') woken += 1;
      });
      await add(['a']);
      await until(async () => woken > 0);
      const leased = await claim();
      await queue.release(leased, 'on purpose', 60);
      await opened.passTime(61);
      const before = woken;
      await until(async () => woken > before);
      await stop();
    });
  });
}
