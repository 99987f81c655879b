import type { Job, JobQueue, JobWork } from '../../src/core/jobs/job.js';
import type { Id } from '../../src/core/shared/ids.js';
import { claimJob } from '../support/claim.js';
import { sampleTag } from '../support/samples.js';
import { atOnce, type CustomerPorts, present, Tenant } from '../support/tenant.js';
import { until } from '../support/until.js';

export interface OpenJobs extends CustomerPorts {
  readonly jobs: JobQueue;
  /** Lets so many seconds pass for leases and waiting jobs, without waiting. */
  passTime(seconds: number): Promise<void>;
  /** Why a job is dead; null when it is not. */
  deadReason(job: Pick<Job, 'id'>): Promise<string | null>;
  close(): Promise<void>;
}

const LEASE = 300;
const inspect = (photoId: Id): JobWork => ({ kind: 'inspect', importId: 1, photoId });
const publish: JobWork = { kind: 'publish', importId: 1 };

/** What `JobQueue` and `JobAdder` promise. It is opened once; every test has customers of its own and begins with nothing due. */
export function jobQueueContract(name: string, open: () => Promise<OpenJobs>): void {
  describe(`JobQueue: ${name}`, () => {
    let opened: OpenJobs;
    let jobs: JobQueue;
    let tenant: Tenant;

    beforeAll(async () => {
      opened = await open();
      jobs = opened.jobs;
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      await opened.passTime(10 * LEASE);
      for (let left = await claimJob(jobs, LEASE); left !== null; left = await claimJob(jobs, LEASE))
        await jobs.complete(left);
      tenant = await Tenant.of(opened);
    });

    const add = (work: JobWork, to = tenant) => to.transaction((transaction) => transaction.jobs.add(work));
    const claim = async (): Promise<Job> => present(await claimJob(jobs, LEASE));

    /** Everything that is due, in the order in which it is given out. Each is held from then on. */
    async function claimAll(): Promise<Job[]> {
      const all: Job[] = [];
      for (let job = await claimJob(jobs, LEASE); job !== null; job = await claimJob(jobs, LEASE)) all.push(job);
      return all;
    }

    describe('add', () => {
      it('creates the job with the change, and not without it', async () => {
        await tenant.transaction(async (transaction) => {
          await transaction.tags.insert(sampleTag('a'));
          await transaction.jobs.add(publish);
        });
        const undone = tenant.transaction(async (transaction) => {
          await transaction.jobs.add(inspect(1));
          throw new Error('on purpose');
        });
        await expect(undone).rejects.toThrow('on purpose');
        expect((await claimAll()).map((job) => job.work)).toEqual([publish]);
      });

      it('stores the trace context of the change that added it', async () => {
        const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
        const addTraced = (traceContext: string) =>
          tenant.transaction((transaction) => transaction.jobs.addTraced(traceContext, inspect(1)));
        await addTraced(traceparent);
        await addTraced('00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-01');
        await add(inspect(2));
        expect((await claimAll()).map(({ traceContext }) => traceContext)).toEqual([traceparent, null]);
      });

      it('of work that is waiting already changes nothing', async () => {
        await add(publish);
        await add(publish);
        await tenant.transaction(async (transaction) => {
          await transaction.jobs.add(publish);
          await transaction.jobs.add(publish);
        });
        expect(await claimAll()).toHaveLength(1);
      });

      it('of work that waits for its next attempt changes neither its time nor its content', async () => {
        await add(publish);
        await jobs.release(await claim(), 'not yet', 60);
        await add(publish);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        await opened.passTime(61);
        expect((await claimAll()).map((job) => job.attempt)).toEqual([2]);
      });

      it('distinguishes kinds of work, and customers', async () => {
        const other = await Tenant.of(opened);
        const works = [inspect(1), inspect(2), publish, { ...publish, importId: 2 }];
        for (const work of works) await add(work);
        await add(publish, other);
        const all = await claimAll();
        const mine = all.filter((job) => job.customerId === tenant.id).map((job) => job.work);
        expect(mine).toHaveLength(works.length);
        expect(mine).toEqual(expect.arrayContaining(works));
        expect(all.filter((job) => job.customerId === other.id).map((job) => job.work)).toEqual([publish]);
        expect(new Set(all.map((job) => job.id)).size).toBe(works.length + 1);
      });

      it('accepts several works, also if some are waiting already or are named twice', async () => {
        await add(inspect(2));
        await tenant.transaction((transaction) => transaction.jobs.add(inspect(3), inspect(2), publish, inspect(3)));
        await tenant.transaction((transaction) => transaction.jobs.add());
        const all = (await claimAll()).map((job) => job.work);
        expect(all).toHaveLength(3);
        expect(all).toEqual(expect.arrayContaining([inspect(2), inspect(3), publish]));
      });

      it('of several works by many callers at once makes each one job', async () => {
        const works = Array.from({ length: 20 }, (_, photo) => inspect(photo + 1));
        await atOnce(8, (side) =>
          tenant.transaction((transaction) => transaction.jobs.add(...(side % 2 === 0 ? works : works.toReversed()))),
        );
        expect(await claimAll()).toHaveLength(20);
      });

      it('of the same work by many callers at once makes one job', async () => {
        await atOnce(10, () => add(publish));
        expect(await claimAll()).toHaveLength(1);
      });
    });

    describe('claim', () => {
      it('returns null when nothing is due', async () => {
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });

      it('returns the job with its first attempt and a lease', async () => {
        await add(inspect(7));
        const job = await claim();
        expect(job).toEqual({
          id: expect.any(Number),
          customerId: tenant.id,
          work: inspect(7),
          attempt: 1,
          failures: 0,
          outages: 0,
          traceContext: null,
          lease: expect.any(String),
        });
        expect(job.lease).not.toBe('');
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });

      it('never returns one job to two callers at the same time', async () => {
        await tenant.transaction(async (transaction) => {
          for (let photo = 1; photo <= 20; photo += 1) await transaction.jobs.add(inspect(photo));
        });
        const atOnceClaimed = (await atOnce(20, () => claimJob(jobs, LEASE))).flatMap((job) => job ?? []);
        const all = [...atOnceClaimed, ...(await claimAll())];
        expect(all).toHaveLength(20);
        expect(new Set(all.map((job) => job.id)).size).toBe(20);
        expect(new Set(all.map((job) => job.lease)).size).toBe(20);
      });

      it('returns a job again once its lease expired, with the next attempt and another lease', async () => {
        await add(publish);
        const first = await claim();
        await opened.passTime(LEASE - 60);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        await opened.passTime(61);
        const second = await claim();
        expect(second).toEqual({ ...first, attempt: 2, lease: second.lease });
        expect(second.lease).not.toBe(first.lease);
      });

      it('returns the job that has been due for longest first', async () => {
        await add(inspect(1));
        await opened.passTime(5);
        await add(inspect(2));
        await opened.passTime(5);
        await add(inspect(3));
        expect((await claimAll()).map((job) => job.work)).toEqual([inspect(1), inspect(2), inspect(3)]);
      });

      it('orders a postponed job by its new due time', async () => {
        await add(inspect(1));
        await jobs.release(await claim(), 'on purpose', 60);
        await add(inspect(2));
        await opened.passTime(61);
        expect((await claimAll()).map((job) => job.work)).toEqual([inspect(2), inspect(1)]);
      });

      it('returns as many jobs as requested, of one turn first', async () => {
        const other = await Tenant.of(opened);
        for (const each of [tenant, other]) {
          await each.transaction((transaction) => transaction.jobs.add(inspect(1), inspect(2), inspect(3)));
        }
        const many = (count: number) => jobs.claim('jobs', { leaseSeconds: LEASE, count });
        const [first, second] = [await many(4), await many(4)];
        const of = (some: readonly Job[], id: Id) => some.filter(({ customerId }) => customerId === id).length;
        expect([of(first, tenant.id), of(first, other.id)].sort()).toEqual([1, 3]);
        expect(second).toHaveLength(2);
        expect(new Set([...first, ...second].map(({ lease }) => lease)).size).toBe(6);
      });

      it('takes customers in turns, whichever came first and with however much', async () => {
        const tenants = [tenant, await Tenant.of(opened), await Tenant.of(opened)];
        for (const [number, each] of tenants.entries()) {
          await each.transaction(async (transaction) => {
            for (let photo = 1; photo <= 4 + number; photo += 1) await transaction.jobs.add(inspect(photo));
          });
        }
        const turns = (await claimAll()).map((job) => job.customerId);
        expect(turns).toHaveLength(4 + 5 + 6);
        for (let round = 0; round < 4; round += 1) {
          expect(new Set(turns.slice(round * 3, round * 3 + 3)).size).toBe(3);
        }
      });

      it('does not let thousands of jobs of one customer delay one of another', async () => {
        await tenant.transaction(async (transaction) => {
          for (let photo = 1; photo <= 1000; photo += 1) await transaction.jobs.add(inspect(photo));
        });
        await jobs.complete(await claim());
        await jobs.complete(await claim());
        const other = await Tenant.of(opened);
        await add(publish, other);
        const next = [await claim(), await claim()];
        // One turn of the first, at most, goes before it.
        expect(next.map((job) => job.customerId)).toContain(other.id);
        // Whoever waits all the time has every second turn from then on.
        await other.transaction(async (transaction) => {
          for (let photo = 1; photo <= 3; photo += 1) await transaction.jobs.add(inspect(photo));
        });
        const turns = [await claim(), await claim(), await claim(), await claim()].map((job) => job.customerId);
        expect(turns.filter((customerId) => customerId === other.id)).toHaveLength(2);
      });
    });

    describe('extend', () => {
      it('extends the lease of the job', async () => {
        await add(publish);
        const job = await claim();
        await opened.passTime(LEASE - 60);
        expect(await jobs.extend(job, LEASE)).toBe(true);
        await opened.passTime(LEASE - 60);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        await opened.passTime(61);
        expect(await claimJob(jobs, LEASE)).toMatchObject({ attempt: 2 });
      });

      it('returns false once another run has the job, and once it is done', async () => {
        await add(publish);
        const lost = await claim();
        await opened.passTime(LEASE + 1);
        const held = await claim();
        expect(await jobs.extend(lost, LEASE)).toBe(false);
        expect(await jobs.extend(held, LEASE)).toBe(true);
        await jobs.complete(held);
        expect(await jobs.extend(held, LEASE)).toBe(false);
      });

      it('returns false for a job that was released', async () => {
        await add(publish);
        const job = await claim();
        await jobs.release(job, 'on purpose', 0);
        expect(await jobs.extend(job, LEASE)).toBe(false);
        expect(await claimJob(jobs, LEASE)).toMatchObject({ attempt: 2 });
      });
    });

    describe('complete', () => {
      it('ends the job', async () => {
        await add(publish);
        await jobs.complete(await claim());
        await opened.passTime(10 * LEASE);
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });

      it('lets the same work be added again, from its first attempt', async () => {
        await add(publish);
        await jobs.release(await claim(), 'on purpose', 0);
        await jobs.complete(await claim());
        await add(publish);
        expect(await claim()).toMatchObject({ work: publish, attempt: 1 });
      });

      it('makes work that was added during the run due at once, once, from its first attempt', async () => {
        await add(publish);
        const job = await claim();
        await add(publish);
        await add(publish);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        await jobs.complete(job);
        const again = await claim();
        expect(again).toMatchObject({ work: publish, attempt: 1 });
        await jobs.complete(again);
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });

      it('does not repeat work that was added before its last run began', async () => {
        await add(publish);
        await claim();
        await add(publish);
        await opened.passTime(LEASE + 1);
        await jobs.complete(await claim());
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });

      it('does nothing when the lease was lost', async () => {
        await add(publish);
        const lost = await claim();
        await opened.passTime(LEASE + 1);
        const held = await claim();
        expect(await jobs.complete(lost)).toBe(false);
        expect(await jobs.extend(held, LEASE)).toBe(true);
        expect(await jobs.complete(held)).toBe(true);
        expect(await jobs.complete(held)).toBe(false);
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });
    });

    describe('release', () => {
      it('makes the job due again after the given seconds, with the next attempt', async () => {
        await add(publish);
        await jobs.release(await claim(), 'on purpose', 120);
        await opened.passTime(60);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        await opened.passTime(61);
        expect(await claim()).toMatchObject({ work: publish, attempt: 2 });
      });

      it('counts as a failure, while an interrupted run does not', async () => {
        await add(publish);
        await claim();
        await opened.passTime(LEASE + 1);
        await jobs.release(await claim(), 'on purpose', 0);
        const third = await claim();
        expect(third).toMatchObject({ attempt: 3, failures: 1 });
        await jobs.postpone(third, 'on purpose', 0);
        expect(await claim()).toMatchObject({ attempt: 3, failures: 1 });
      });

      it('starts counting again with work that was added during the run, or after it died', async () => {
        await add(publish);
        await jobs.release(await claim(), 'on purpose', 0);
        const second = await claim();
        await add(publish);
        await jobs.release(second, 'on purpose', null);
        const anew = await claim();
        expect(anew).toMatchObject({ attempt: 1, failures: 0 });
        await jobs.release(anew, 'on purpose', 0);
        await jobs.release(await claim(), 'on purpose', null);
        await add(publish);
        expect(await claim()).toMatchObject({ attempt: 1, failures: 0 });
      });

      it('with null makes the job never due again, and stores the reason', async () => {
        await add(publish);
        const job = await claim();
        expect(await opened.deadReason(job)).toBeNull();
        await jobs.release(job, 'É: on purpose', null);
        await opened.passTime(1_000_000);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        expect(await opened.deadReason(job)).toBe('É: on purpose');
      });

      it('with null lets the same work be added again', async () => {
        await add(publish);
        await jobs.release(await claim(), 'on purpose', null);
        await add(publish);
        const anew = await claim();
        expect(anew).toMatchObject({ work: publish, attempt: 1 });
        expect(await opened.deadReason(anew)).toBeNull();
      });

      it.each([0, null])('with %s runs work once more that was added during the run', async (seconds) => {
        await add(publish);
        const job = await claim();
        await add(publish);
        await jobs.release(job, 'on purpose', seconds);
        const again = await claim();
        expect(again.work).toEqual(publish);
        await jobs.complete(again);
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });

      it('does nothing when the lease was lost', async () => {
        await add(publish);
        const lost = await claim();
        await opened.passTime(LEASE + 1);
        const held = await claim();
        expect(await jobs.release(lost, 'on purpose', 0)).toBe(false);
        expect(await jobs.release(lost, 'on purpose', null)).toBe(false);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        expect(await jobs.extend(held, LEASE)).toBe(true);
      });
    });

    describe('postpone', () => {
      it('counts consecutive outages, up to any other outcome', async () => {
        const again = async () => {
          await opened.passTime(61);
          return claim();
        };
        await add(publish);
        let job = await claim();
        expect(job).toMatchObject({ attempt: 1, outages: 0 });
        for (let outage = 1; outage <= 2; outage += 1) {
          await jobs.postpone(job, 'the store is away', 60);
          job = await again();
          expect(job).toMatchObject({ attempt: 1, outages: outage });
        }
        await jobs.release(job, 'on purpose', 60);
        job = await again();
        expect(job).toMatchObject({ attempt: 2, outages: 0 });
        await jobs.postpone(job, 'the store is away', 60);
        job = await again();
        await add(publish);
        await jobs.complete(job);
        job = await claim();
        expect(job).toMatchObject({ attempt: 1, outages: 0 });
        await jobs.postpone(job, 'the store is away', 60);
        await jobs.release(await again(), 'on purpose', null);
        await add(publish);
        expect(await claim()).toMatchObject({ attempt: 1, outages: 0 });
      });

      it('keeps the count when the next run is interrupted', async () => {
        await add(publish);
        await jobs.postpone(await claim(), 'the store is away', 60);
        await opened.passTime(61);
        await claim();
        await opened.passTime(LEASE + 1);
        expect(await claim()).toMatchObject({ attempt: 2, outages: 1 });
      });

      it('makes the job due again after the given seconds, with the same attempt', async () => {
        await add(publish);
        await jobs.release(await claim(), 'on purpose', 0);
        await jobs.postpone(await claim(), 'the store is away', 120);
        await opened.passTime(60);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        await opened.passTime(61);
        expect(await claim()).toMatchObject({ work: publish, attempt: 2 });
      });

      it('does nothing when the lease was lost', async () => {
        await add(publish);
        const lost = await claim();
        await opened.passTime(LEASE + 1);
        const held = await claim();
        expect(await jobs.postpone(lost, 'the store is away', 0)).toBe(false);
        expect(await claimJob(jobs, LEASE)).toBeNull();
        expect(await jobs.extend(held, LEASE)).toBe(true);
        await opened.passTime(LEASE + 1);
        expect(await claim()).toMatchObject({ attempt: 3 });
      });
    });

    describe('restart', () => {
      const restart = (work: JobWork) => tenant.transaction((transaction) => transaction.jobs.restart(work));

      it('makes work due that is unknown, waiting or dead, from its first attempt', async () => {
        await restart(publish);
        await jobs.release(await claim(), 'on purpose', 60);
        await restart(publish);
        const again = await claim();
        expect(again).toMatchObject({ work: publish, attempt: 1, failures: 0 });
        await jobs.release(again, 'on purpose', null);
        await restart(publish);
        expect(await claim()).toMatchObject({ attempt: 1, failures: 0 });
      });

      it('takes a job away from the run that holds it', async () => {
        await add(publish);
        const lost = await claim();
        await restart(publish);
        const held = await claim();
        expect(held).toMatchObject({ id: lost.id, attempt: 1 });
        expect([await jobs.extend(lost, LEASE), await jobs.complete(lost)]).toEqual([false, false]);
        expect(await jobs.complete(held)).toBe(true);
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });
    });

    describe('a job inside a transaction', () => {
      it('is completed with the change, and not without it', async () => {
        await add(publish);
        const job = await claim();
        const undone = tenant.transaction(async (transaction) => {
          expect(await transaction.jobs.complete(job)).toBe(true);
          throw new Error('on purpose');
        });
        await expect(undone).rejects.toThrow('on purpose');
        expect(await jobs.extend(job, LEASE)).toBe(true);
        expect(await tenant.transaction((transaction) => transaction.jobs.complete(job))).toBe(true);
        expect(await jobs.extend(job, LEASE)).toBe(false);
      });

      it('fails, is put off, and runs once more as it does outside', async () => {
        await add(publish);
        const first = await claim();
        expect(await tenant.transaction(({ jobs }) => jobs.release(first, 'on purpose', 0))).toBe(true);
        const second = await claim();
        expect(second).toMatchObject({ attempt: 2, failures: 1 });
        expect(await tenant.transaction(({ jobs }) => jobs.postpone(second, 'the store is away', 0))).toBe(true);
        const third = await claim();
        expect(third).toMatchObject({ attempt: 2, failures: 1, outages: 1 });
        await add(publish);
        expect(await tenant.transaction(({ jobs }) => jobs.complete(third))).toBe(true);
        expect(await claim()).toMatchObject({ work: publish, attempt: 1 });
      });

      it('reports whether its lease is still valid', async () => {
        await add(publish);
        const lost = await claim();
        await opened.passTime(LEASE + 1);
        const held = await claim();
        const holds = (job: Job) => tenant.transaction((transaction) => transaction.jobs.hold(job));
        expect([await holds(lost), await holds(held)]).toEqual([false, true]);
        await jobs.complete(held);
        expect(await holds(held)).toBe(false);
      });
    });

    describe('reclaim', () => {
      it('leaves jobs alone whose worker is listening', async () => {
        const stop = await jobs.listen(() => {});
        await add(publish);
        const job = await claim();
        await jobs.reclaim();
        expect(await claimJob(jobs, LEASE)).toBeNull();
        expect(await jobs.extend(job, LEASE)).toBe(true);
        await jobs.complete(job);
        await stop();
      });

      it('makes no job due that is waiting or dead', async () => {
        await add(inspect(1));
        await add(inspect(2));
        await jobs.release(await claim(), 'on purpose', 60);
        await jobs.release(await claim(), 'on purpose', null);
        await jobs.reclaim();
        expect(await claimJob(jobs, LEASE)).toBeNull();
      });
    });

    describe('listen', () => {
      /** Takes jobs on being woken, and never else. */
      async function sleeper() {
        const taken: Job[] = [];
        const stop = await jobs.listen(() => void claimJob(jobs, LEASE).then((job) => job !== null && taken.push(job)));
        return { taken, stop };
      }

      it('wakes for a job that was added', async () => {
        const { taken, stop } = await sleeper();
        await add(publish);
        await until(() => taken.length === 1);
        await stop();
      });

      it('wakes for a job that was released', async () => {
        await add(publish);
        const job = await claim();
        const { taken, stop } = await sleeper();
        await jobs.release(job, 'on purpose', 0);
        await until(() => taken.length === 1);
        expect(taken[0]).toMatchObject({ attempt: 2 });
        await stop();
      });

      it('wakes for work that was added during its run', async () => {
        await add(publish);
        const job = await claim();
        await add(publish);
        const { taken, stop } = await sleeper();
        await jobs.complete(job);
        await until(() => taken.length === 1);
        await stop();
      });

      it('wakes for a job that has become due', async () => {
        await add(publish);
        await jobs.release(await claim(), 'on purpose', 100);
        const { taken, stop } = await sleeper();
        await opened.passTime(101);
        await until(() => taken.length === 1);
        await stop();
      });

      it('wakes all who listen, and none who have stopped', async () => {
        const woken = { first: 0, second: 0, stopped: 0 };
        const listen = (name: keyof typeof woken) =>
          jobs.listen(() => {
            woken[name] += 1;
          });
        const stops = [await listen('first'), await listen('second')];
        const stop = await listen('stopped');
        await stop();
        const before = { ...woken };
        await add(publish);
        await until(() => woken.first > before.first && woken.second > before.second);
        expect(woken.stopped).toBe(before.stopped);
        for (const each of stops) await each();
      });
    });
  });
}
