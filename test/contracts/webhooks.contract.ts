import type { ChangeType } from '../../src/core/events/event.js';
import type { Job, JobClaim, JobQueue } from '../../src/core/jobs/job.js';
import { DAY } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import type { Delivery, DeliveryChange, DeliveryFilters, DeliveryLog } from '../../src/core/webhooks/delivery.js';
import type { NewWebhookEndpoint, WebhookEndpoint } from '../../src/core/webhooks/webhook-endpoint.js';
import { claimFrom } from '../support/claim.js';
import { later, sampleEndpoint, sampleInstant, sampleTag } from '../support/samples.js';
import { atOnce, type CustomerPorts, Gate, present, Tenant } from '../support/tenant.js';
import { until } from '../support/until.js';

export interface OpenWebhooks extends CustomerPorts {
  readonly jobs: JobQueue;
  readonly deliveryLog: DeliveryLog;
  /** Lets so many seconds pass for leases, waiting deliveries and the log, without waiting. */
  passTime(seconds: number): Promise<void>;
  /** What the database's clock says. */
  now(): Promise<number>;
  close(): Promise<void>;
}

const LEASE = 300;
const nobody = { customerIds: [], lanes: [] };
interface Outcome extends DeliveryChange {
  /** Seconds; null: it has ended. */
  readonly retryAfter: number | null;
}

const succeeded: Outcome = {
  status: 'delivered',
  retryAfter: null,
  responseStatus: 204,
  reason: null,
  attemptedAt: later(5),
  endedAt: later(5),
  requestBody: '{"é":1}',
  responseBody: 'thanks',
};
const retried = (seconds: number): Outcome => ({
  status: 'pending',
  retryAfter: seconds,
  responseStatus: 500,
  reason: null,
  attemptedAt: later(6),
  requestBody: '{}',
  responseBody: null,
});

/**
 * What `Outbox`, the repositories of endpoints and deliveries promise, and `JobQueue` of deliveries. Opened once; every
 * test has customers of its own and begins with nothing due.
 */
export function webhooksContract(name: string, open: () => Promise<OpenWebhooks>): void {
  describe(`Webhooks: ${name}`, () => {
    let opened: OpenWebhooks;
    let queue: JobQueue;
    let tenant: Tenant;

    beforeAll(async () => {
      opened = await open();
      queue = opened.jobs;
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      await opened.deliveryLog.sweep(new Date(8.64e15), 100_000);
      tenant = await Tenant.of(opened);
    });

    const endpoint = (values: Partial<NewWebhookEndpoint> = {}, of = tenant) =>
      of.transaction((transaction) => transaction.webhookEndpoints.insert(sampleEndpoint(of.id, values)));
    const change = (one: WebhookEndpoint, values: Partial<WebhookEndpoint>) =>
      tenant.transaction(async ({ webhookEndpoints }) => {
        await webhookEndpoints.lock(one.id);
        await webhookEndpoints.update({ ...one, ...values });
      });
    const add = (type: ChangeType, subjectIds: readonly Id[], to = tenant, at = sampleInstant) =>
      to.transaction((transaction) => transaction.outbox.add(type, subjectIds, at));
    const log = (of: WebhookEndpoint) => tenant.query((reader) => reader.deliveries.list(of.id, null, 10_000));
    const next = (claim: Pick<JobClaim, 'busy' | 'only'> = {}) => claimFrom(queue, 'deliveries', LEASE, claim);
    const claim = async (busy: JobClaim['busy'] = nobody) => present(await next({ busy }));
    const readOne = (job: Job<'deliveries'>) =>
      opened.store.query(job.customerId, ({ deliveries }) => deliveries.get(job.work.deliveryId)).then(present);
    const subjects = async (jobs: readonly Job<'deliveries'>[]) =>
      Promise.all(jobs.map(async (job) => (await readOne(job)).subjectId));
    /** As an attempt ends. False when its lease was lost. */
    const settle = (job: Job<'deliveries'>, { retryAfter, ...change }: Outcome, as = tenant) =>
      as.transaction(async ({ deliveries, jobs }) => {
        await deliveries.lock(job.work.deliveryId);
        const end = retryAfter === null ? jobs.complete(job) : jobs.release(job, 'on purpose', retryAfter);
        if (!(await end)) return false;
        await deliveries.update(job.work.deliveryId, { attempt: job.attempt, ...change });
        return true;
      });
    const renew = (job: Job<'deliveries'>) =>
      tenant.transaction(async ({ deliveries, jobs }) => {
        await deliveries.lock(job.work.deliveryId);
        await deliveries.update(job.work.deliveryId, { status: 'pending', attempt: 0, endedAt: null });
        await jobs.restart(job.work);
      });

    /** Everything that is due, in the order in which it is given out. Each is held from then on. */
    async function claimAll(): Promise<Job<'deliveries'>[]> {
      const all: Job<'deliveries'>[] = [];
      for (let job = await next(); job !== null; job = await next()) all.push(job);
      return all;
    }

    describe('webhook endpoints', () => {
      it('are stored with every value under a new id, found and listed by age', async () => {
        const first = await endpoint();
        const second = await endpoint({
          url: 'https://example.com/é?a=1',
          description: '“Sync” 📷',
          events: ['photo.created', 'import.completed'],
          status: 'disabled',
          disabledAt: later(1),
          disabledReason: 'failing',
          secret: 'v1.a.b',
          previousSecret: 'v1.c.d',
          previousSecretUntil: later(2),
          failingSince: later(3),
          listeningUntil: later(7),
          createdAt: later(4),
          updatedAt: later(5),
        });
        expect(first).toEqual({ ...sampleEndpoint(tenant.id), id: first.id });
        expect(await tenant.query((reader) => reader.webhookEndpoints.get(second.id))).toEqual(second);
        expect(await tenant.query((reader) => reader.webhookEndpoints.list())).toEqual([first, second]);
      });

      it('are changed in every field once they are locked', async () => {
        const one = await endpoint({ events: ['tag.created'], description: 'x' });
        const next: WebhookEndpoint = {
          ...one,
          url: 'https://example.org/',
          description: null,
          events: [],
          status: 'disabled',
          disabledAt: later(1),
          disabledReason: 'gone',
          secret: 'new',
          previousSecret: 'sealed',
          previousSecretUntil: later(2),
          failingSince: later(3),
          updatedAt: later(4),
        };
        await tenant.transaction(async ({ webhookEndpoints }) => {
          expect(await webhookEndpoints.lock(one.id)).toEqual(one);
          await webhookEndpoints.update(next);
        });
        expect(await tenant.query((reader) => reader.webhookEndpoints.get(one.id))).toEqual(next);
      });

      it('are locked until the transaction ends', async () => {
        const one = await endpoint();
        const [locked, release] = [new Gate(), new Gate()];
        const order: string[] = [];
        const first = tenant.transaction(async ({ webhookEndpoints }) => {
          await webhookEndpoints.lock(one.id);
          locked.open();
          await release.opened;
          await webhookEndpoints.update({ ...one, description: 'first' });
          order.push('first');
        });
        await locked.opened;
        const second = tenant.transaction(async ({ webhookEndpoints }) => {
          expect(await webhookEndpoints.lock(one.id)).toMatchObject({ description: 'first' });
          order.push('second');
        });
        release.open();
        await Promise.all([first, second]);
        expect(order).toEqual(['first', 'second']);
      });

      it('are deleted with their deliveries, and without those of others', async () => {
        const [doomed, kept] = [await endpoint(), await endpoint()];
        await add('tag.created', [1, 2]);
        await tenant.transaction((transaction) => transaction.webhookEndpoints.delete(doomed.id));
        expect(await tenant.query((reader) => reader.webhookEndpoints.list())).toEqual([kept]);
        expect(await log(doomed)).toEqual([]);
        expect(await log(kept)).toHaveLength(2);
      });

      it('of another customer are not found', async () => {
        const one = await endpoint();
        await add('tag.created', [1]);
        const [delivery] = await log(one);
        const stranger = await Tenant.of(opened);
        const held = await claim();
        await stranger.transaction(async ({ webhookEndpoints, deliveries, outbox }) => {
          expect(await webhookEndpoints.get(one.id)).toBeNull();
          expect(await webhookEndpoints.lock(one.id)).toBeNull();
          expect(await webhookEndpoints.list()).toEqual([]);
          expect(await deliveries.get(held.work.deliveryId)).toBeNull();
          expect(await deliveries.lock(held.work.deliveryId)).toBeNull();
          expect(await deliveries.list(one.id, null, 10)).toEqual([]);
          await deliveries.update(held.work.deliveryId, { status: 'dead' });
          expect(await deliveries.deleteSome(one.id, 10)).toBe(0);
          await webhookEndpoints.delete(one.id);
          expect(await outbox.wants('tag.created')).toBe(false);
        });
        expect(await log(one)).toMatchObject([{ id: delivery?.id, status: 'pending', attempt: 1 }]);
      });
    });

    describe('the webhook outbox', () => {
      it('creates one event for each subject and a delivery of it for each endpoint', async () => {
        const [one, other] = [await endpoint(), await endpoint()];
        await add('photo.updated', [7, 9]);
        const [second, first] = await log(one);
        expect(first).toEqual({
          id: expect.any(Number),
          customerId: tenant.id,
          endpointId: one.id,
          eventId: expect.stringMatching(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/),
          type: 'photo.updated',
          subjectId: 7,
          at: sampleInstant,
          status: 'pending',
          attempt: 0,
          dueAt: expect.any(Date),
          responseStatus: null,
          reason: null,
          attemptedAt: null,
          createdAt: expect.any(Date),
          endedAt: null,
        });
        expect(second).toMatchObject({ subjectId: 9 });
        expect(second?.eventId).not.toBe(first?.eventId);
        expect((await log(other)).map(({ eventId }) => eventId)).toEqual([second?.eventId, first?.eventId]);
      });

      it('creates deliveries for enabled endpoints that want the type', async () => {
        const all = await endpoint();
        const some = await endpoint({ events: ['photo.created', 'tag.deleted'] });
        const off = await endpoint({ status: 'disabled' });
        await add('tag.deleted', [1]);
        await add('tag.created', [2]);
        const told = async (one: WebhookEndpoint) => (await log(one)).map(({ type }) => type);
        expect(await told(all)).toEqual(['tag.created', 'tag.deleted']);
        expect(await told(some)).toEqual(['tag.deleted']);
        expect(await told(off)).toEqual([]);
      });

      it('stores nothing where no endpoint wants the event, and reports that', async () => {
        const wants = (type: ChangeType) => tenant.transaction((transaction) => transaction.outbox.wants(type));
        expect(await wants('photo.created')).toBe(false);
        await add('photo.created', [1]);
        const some = await endpoint({ events: ['tag.deleted'] });
        await endpoint({ status: 'disabled' });
        expect([await wants('photo.created'), await wants('tag.deleted')]).toEqual([false, true]);
        await add('photo.created', [1]);
        await add('tag.deleted', []);
        expect(await log(some)).toEqual([]);
        expect(await claimAll()).toEqual([]);
      });

      it('stores an event with the change, and not without it', async () => {
        const one = await endpoint();
        const undone = tenant.transaction(async (transaction) => {
          await transaction.tags.insert(sampleTag('a'));
          await transaction.outbox.add('tag.created', [1], sampleInstant);
          throw new Error('on purpose');
        });
        await expect(undone).rejects.toThrow('on purpose');
        expect(await log(one)).toEqual([]);
        await tenant.transaction(async (transaction) => {
          await transaction.outbox.add('tag.created', [1], sampleInstant);
          expect(await next().catch(() => null)).toBeNull();
        });
        expect(await claimAll()).toHaveLength(1);
      });

      it('accepts thousands of events at once', async () => {
        const one = await endpoint();
        const ids = Array.from({ length: 2500 }, (_, at) => at + 1);
        await add('photo.updated', ids);
        expect((await log(one)).map(({ subjectId }) => subjectId).reverse()).toEqual(ids);
      });

      it('does not block a change whose endpoint is deleted at the same moment', async () => {
        for (let round = 0; round < 10; round += 1) {
          const one = await endpoint();
          await Promise.all([
            atOnce(5, (number) => add('tag.created', [number + 1])),
            tenant.transaction((transaction) => transaction.webhookEndpoints.delete(one.id)),
          ]);
          expect(await log(one)).toEqual([]);
        }
      });
    });

    describe('claiming deliveries', () => {
      it('returns those that are due, once, and counts the attempt', async () => {
        const one = await endpoint();
        await add('tag.created', [1]);
        const [before] = await log(one);
        const job = await claim();
        expect(job).toMatchObject({ work: { endpointId: one.id, deliveryId: before?.id }, attempt: 1 });
        expect(await next()).toBeNull();
        expect(await log(one)).toEqual([{ ...before, attempt: 1, dueAt: expect.any(Date) }]);
      });

      it('returns each to one of many callers', async () => {
        await endpoint();
        await endpoint();
        await add(
          'tag.created',
          Array.from({ length: 20 }, (_, at) => at + 1),
        );
        const all = (await atOnce(60, () => next())).filter((delivery) => delivery !== null);
        const rest = await claimAll();
        expect(new Set([...all, ...rest].map(({ id }) => id)).size).toBe(40);
        expect(all.length + rest.length).toBe(40);
      });

      it('returns unsettled ones again once their lease has expired', async () => {
        await endpoint();
        await add('tag.created', [1]);
        const first = await claim();
        await opened.passTime(LEASE - 5);
        expect(await next()).toBeNull();
        await opened.passTime(10);
        const second = await claim();
        expect(second).toMatchObject({ id: first.id, work: first.work, attempt: 2 });
        expect(await settle(first, succeeded)).toBe(false);
        expect(await settle(second, succeeded)).toBe(true);
      });

      it('takes endpoints in turns, however much waits for one', async () => {
        const [flooded, quiet] = [await endpoint({ events: ['photo.updated'] }), await endpoint()];
        await add(
          'photo.updated',
          Array.from({ length: 50 }, (_, at) => at + 1),
        );
        const stranger = await Tenant.of(opened);
        const other = await endpoint({}, stranger);
        await add('tag.created', [1], stranger);
        const first = [await claim(), await claim(), await claim()].map(({ work }) => work.endpointId);
        expect(first.sort()).toEqual([flooded.id, quiet.id, other.id].sort());
      });

      it('begins with those that have been due longest', async () => {
        await endpoint();
        await add('tag.created', [1]);
        await opened.passTime(60);
        await add('tag.created', [2], tenant, new Date(await opened.now()));
        expect(await subjects(await claimAll())).toEqual([1, 2]);
      });

      it('skips endpoints and customers that are busy', async () => {
        const [one, other] = [await endpoint(), await endpoint()];
        await add('tag.created', [1]);
        const busy = { customerIds: [], lanes: [{ customerId: tenant.id, lane: String(one.id) }] };
        expect(await claim(busy)).toMatchObject({ work: { endpointId: other.id } });
        expect(await next({ busy })).toBeNull();
        expect(await next({ busy: { customerIds: [tenant.id], lanes: [] } })).toBeNull();
        expect(await claim()).toMatchObject({ work: { endpointId: one.id } });
      });

      it('skips those of a disabled endpoint until it is enabled', async () => {
        const one = await endpoint();
        await add('tag.created', [1]);
        await change(one, { status: 'disabled' });
        expect(await claimAll()).toEqual([]);
        await change(one, { status: 'enabled' });
        expect(await claimAll()).toHaveLength(1);
      });
    });

    describe('settling a delivery', () => {
      it('ends it permanently', async () => {
        const one = await endpoint();
        await add('tag.created', [1, 2]);
        await settle(await claim(), succeeded);
        await settle(await claim(), { ...succeeded, status: 'dead', responseStatus: null, reason: 'No answer. é' });
        await opened.passTime(100 * LEASE);
        expect(await claimAll()).toEqual([]);
        const ended = { dueAt: null, attemptedAt: later(5), endedAt: later(5), attempt: 1 };
        expect(await log(one)).toMatchObject([
          { ...ended, status: 'dead', responseStatus: null, reason: 'No answer. é' },
          { ...ended, status: 'delivered', responseStatus: 204, reason: null },
        ]);
      });

      it('delays the next attempt', async () => {
        const one = await endpoint();
        await add('tag.created', [1]);
        const before = await opened.now();
        await settle(await claim(), retried(60));
        expect(await log(one)).toMatchObject([
          { status: 'pending', attempt: 1, responseStatus: 500, attemptedAt: later(6), endedAt: null },
        ]);
        const [{ dueAt }] = (await log(one)) as [Delivery];
        expect(present(dueAt).getTime()).toBeGreaterThanOrEqual(before + 60_000);
        await opened.passTime(50);
        expect(await next()).toBeNull();
        await opened.passTime(20);
        expect(await claim()).toMatchObject({ attempt: 2 });
      });

      it('has no effect a second time', async () => {
        await endpoint();
        await add('tag.created', [1]);
        const delivery = await claim();
        expect(await settle(delivery, retried(60))).toBe(true);
        expect(await settle(delivery, succeeded)).toBe(false);
      });
    });

    describe('renewing a delivery', () => {
      it('makes it due again, with its event and from its first attempt', async () => {
        await endpoint();
        await add('tag.created', [1]);
        const first = await claim();
        await settle(first, { ...succeeded, status: 'dead' });
        await renew(first);
        const again = await claim();
        expect(again).toMatchObject({ work: first.work, attempt: 1 });
        expect(await readOne(again)).toMatchObject({ status: 'pending', attempt: 1, endedAt: null });
      });

      it('ends the lease of its present sender', async () => {
        await endpoint();
        await add('tag.created', [1]);
        const first = await claim();
        await renew(first);
        expect(await settle(first, succeeded)).toBe(false);
        expect(await claim()).toMatchObject({ id: first.id });
      });

      it('finds nothing to lock where there is no delivery', async () => {
        expect(await tenant.transaction(({ deliveries }) => deliveries.lock(9e15))).toBeNull();
      });
    });

    it('a test delivery is due at once, for its endpoint alone, whatever events that wants', async () => {
      const [one] = [await endpoint({ events: ['tag.deleted'] }), await endpoint()];
      const added = await tenant.transaction(async ({ deliveries, jobs }) => {
        const deliveryId = await deliveries.addTest(one.id, sampleInstant);
        await jobs.add({ kind: 'deliver', endpointId: one.id, deliveryId });
        return present(await deliveries.get(deliveryId));
      });
      expect(added).toMatchObject({ endpointId: one.id, type: 'webhook.test', subjectId: null, status: 'pending' });
      expect(await claimAll()).toMatchObject([{ work: { deliveryId: added.id } }]);
    });

    it('the webhook log is listed in pages, newest first', async () => {
      const one = await endpoint();
      await add('tag.created', [1, 2, 3, 4, 5]);
      const page = (before: Id | null) => tenant.query((reader) => reader.deliveries.list(one.id, before, 2));
      const first = await page(null);
      const second = await page(present(first[1]).id);
      const third = await page(present(second[1]).id);
      expect([...first, ...second, ...third].map(({ subjectId }) => subjectId)).toEqual([5, 4, 3, 2, 1]);
      expect(await tenant.query((reader) => reader.deliveries.get(present(third[0]).id))).toEqual(third[0]);
    });

    it('the webhook log is filtered by state and type of event', async () => {
      const one = await endpoint();
      await add('tag.created', [1]);
      await add('tag.deleted', [2, 3]);
      const [claimed] = await claimAll();
      await settle(present(claimed), { ...succeeded, status: 'dead', responseStatus: 500 });
      const narrowed = async (filters: DeliveryFilters) => {
        const found = await tenant.query((reader) => reader.deliveries.list(one.id, null, 9, filters));
        return found.map(({ subjectId }) => subjectId);
      };
      expect(await narrowed({ type: 'tag.deleted' })).toEqual([3, 2]);
      const dead = await narrowed({ status: 'dead' });
      expect(dead).toEqual(await subjects([present(claimed)]));
      expect((await narrowed({ status: 'pending' })).length).toBe(2);
      expect(await narrowed({ status: 'dead', type: 'photo.created' })).toEqual([]);
    });

    it('the deliveries of an endpoint are deleted a limited number at a time', async () => {
      const [one, other] = [await endpoint(), await endpoint()];
      await add('tag.created', [1, 2, 3]);
      const some = () => tenant.transaction((transaction) => transaction.deliveries.deleteSome(one.id, 2));
      expect([await some(), await some(), await some()]).toEqual([2, 1, 0]);
      expect(await log(other)).toHaveLength(3);
    });

    it('old deliveries are swept, as many as requested, of all customers', async () => {
      const stranger = await Tenant.of(opened);
      const [one] = [await endpoint(), await endpoint({}, stranger)];
      const made = new Date(await opened.now());
      await add('tag.created', [1, 2], tenant, made);
      await add('tag.created', [1], stranger, made);
      await opened.passTime(30 * (DAY / 1000));
      const now = await opened.now();
      await add('tag.created', [3], tenant, new Date(now));
      const before = new Date(now - 15 * DAY);
      // Where a clock is moved, what is kept stays; where rows are moved, they move back.
      expect([await opened.deliveryLog.sweep(before, 2), await opened.deliveryLog.sweep(before, 2)]).toEqual([2, 1]);
      expect((await log(one)).map(({ subjectId }) => subjectId)).toEqual([3]);
    });

    it('the exchange of the last attempt is shown, to its customer alone', async () => {
      await endpoint();
      await add('tag.created', [1]);
      const delivery = await claim();
      const bodies = (of = tenant) => of.query(({ deliveries }) => deliveries.bodies(delivery.work.deliveryId));
      expect(await bodies()).toEqual({ requestBody: null, responseBody: null });
      await settle(delivery, succeeded);
      expect(await bodies()).toEqual({ requestBody: '{"é":1}', responseBody: 'thanks' });
      expect(await bodies(await Tenant.of(opened))).toBeNull();
    });

    it('a program that listens for an endpoint gets its deliveries alone, oldest first', async () => {
      const [one, listener] = [await endpoint(), await endpoint({ listeningUntil: later(60) })];
      expect(await tenant.query((reader) => reader.webhookEndpoints.get(listener.id))).toEqual(listener);
      await add('tag.created', [1, 2]);
      expect((await claimAll()).map(({ work }) => work.endpointId)).toEqual([one.id, one.id]);
      const own = { customerId: tenant.id, lane: String(listener.id) };
      const stranger = await Tenant.of(opened);
      expect(await next({ only: { ...own, customerId: stranger.id } })).toBeNull();
      const first = present(await next({ only: own }));
      const second = present(await next({ only: own }));
      expect(first).toMatchObject({ customerId: tenant.id, work: { endpointId: listener.id }, attempt: 1 });
      expect(await subjects([first, second])).toEqual([1, 2]);
      expect(await next({ only: own })).toBeNull();
      expect(await settle(first, succeeded)).toBe(true);
      await opened.passTime(LEASE + 1);
      expect(await next({ only: own })).toMatchObject({ work: second.work, attempt: 2 });
      await change(listener, { status: 'disabled', disabledAt: later(1), disabledReason: 'by_owner' });
      await opened.passTime(LEASE + 1);
      expect(await next({ only: own })).toBeNull();
    });

    it('old bodies are removed, as many as requested, and the deliveries stay', async () => {
      const one = await endpoint();
      await add('tag.created', [1, 2, 3], tenant, new Date(await opened.now()));
      for (const delivery of await claimAll()) await settle(delivery, succeeded);
      await opened.passTime(4 * (DAY / 1000));
      const before = new Date((await opened.now()) - 2 * DAY);
      expect([
        await opened.deliveryLog.sweepBodies(before, 2),
        await opened.deliveryLog.sweepBodies(before, 2),
      ]).toEqual([2, 1]);
      const { id } = present((await log(one))[0]);
      const gone = { requestBody: null, responseBody: null };
      expect(await tenant.query(({ deliveries }) => deliveries.bodies(id))).toEqual(gone);
      expect(await log(one)).toHaveLength(3);
    });

    it('listeners are called when a delivery has become due', async () => {
      await endpoint();
      let calls = 0;
      const stop = await queue.listen((pool) => {
        if (pool === 'deliveries') calls += 1;
      });
      const before = calls;
      await add('tag.created', [1]);
      await until(() => calls > before);
      await stop();
    });
  });
}
