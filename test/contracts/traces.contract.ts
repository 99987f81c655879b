import {
  type Actor,
  type AuditEntry,
  commandLine,
  type OperatorEntryWindow,
} from '../../src/core/audit/audit-entry.js';
import { type AuditFilter, type AuditLog, noFilter } from '../../src/core/audit/audit-log.js';
import type { CustomerDirectory } from '../../src/core/customers/customer-directory.js';
import type { CustomerStore } from '../../src/core/ports.js';
import type { Id } from '../../src/core/shared/ids.js';
import {
  type HourCount,
  MAX_LISTED_FAILURES,
  type PictureCount,
  type RequestCount,
  type RequestFailure,
  type TrafficStore,
  type TransferCount,
} from '../../src/core/traffic/traffic.js';
import { later } from '../support/samples.js';
import { atOnce, present, Tenant } from '../support/tenant.js';

export interface OpenTraces {
  readonly auditLog: AuditLog;
  readonly traffic: TrafficStore;
  readonly store: CustomerStore;
  readonly customers: CustomerDirectory;
  close(): Promise<void>;
}

/** What `AuditTrail`, `AuditLog`, `TrafficStore` and `TrafficReads` promise. */
export function tracesContract(name: string, open: () => Promise<OpenTraces>): void {
  let opened: OpenTraces;
  let tenant: Tenant;
  let other: Tenant;

  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    tenant = await Tenant.of(opened);
    other = await Tenant.of(opened);
  });

  describe(`AuditTrail: ${name}`, () => {
    const made = (of: Partial<AuditEntry> = {}) => ({
      action: of.action ?? ('webhook.edited' as const),
      subject: {
        id: of.subjectId === undefined ? 7 : of.subjectId,
        name: of.subjectName === undefined ? 'example.com' : of.subjectName,
      },
      at: of.at ?? later(0),
      changes: of.changes ?? [],
      ...(of.count !== undefined && { count: of.count }),
    });
    const add = (of: Partial<AuditEntry> = {}, { to = tenant, by = commandLine } = {}) =>
      to.transaction(({ audit }) => audit.add(by, made(of)));
    const entries = (of = tenant) => of.query(({ audit }) => audit.list(null, 1000));

    it('stores every value, with the name of the actor', async () => {
      const anna: Actor = { kind: 'person', id: 3, name: 'anna@example.com', address: '2001:db8::1' };
      const nobody: Actor = { kind: 'service', id: null, name: null, address: null };
      for (const who of [anna, nobody]) {
        await add({ changes: ['url', 'events'], subjectName: null }, { by: who });
      }
      await add();
      const [last, second, first] = await entries();
      const same = { customerId: tenant.id, action: 'webhook.edited', at: later(0), subjectId: 7, count: 1 };
      const shown = { ...same, subjectName: null, changes: ['url', 'events'] };
      const asAnna = { actorKind: 'person', actorId: 3, actorName: 'anna@example.com', address: '2001:db8::1' };
      const unnamed = { actorId: null, actorName: null, address: null };
      expect(first).toEqual({ ...shown, ...asAnna, id: first?.id });
      expect(second).toEqual({ ...shown, ...unnamed, actorKind: 'service', id: second?.id });
      expect(last).toEqual({
        ...same,
        ...unnamed,
        id: last?.id,
        actorKind: 'command_line',
        subjectName: 'example.com',
        changes: [],
      });
    });

    it('stores an entry about several things', async () => {
      await add({ action: 'photo.deleted', subjectId: null, subjectName: '4, 5', count: 2 });
      expect((await entries())[0]).toMatchObject({ subjectId: null, subjectName: '4, 5', count: 2 });
    });

    it('finds entries by action, name and time, alone and together', async () => {
      const anna: Actor = { kind: 'person', id: 3, name: 'anna@example.com', address: null };
      await add(
        { action: 'user.signed_in', subjectId: 1, subjectName: 'Anna@example.com', at: later(1) },
        { by: anna },
      );
      await add({ action: 'webhook.edited', subjectId: 2, at: later(2) }, { by: anna });
      await add({ action: 'user.sign_in_refused', subjectId: 3, subjectName: 'anna@example.com', at: later(3) });
      await add({ action: 'user.signed_in', subjectId: 4, subjectName: 'bert@example.com', at: later(4) });
      const found = async (filter: Partial<AuditFilter>) => {
        const list = await tenant.query(({ audit }) => audit.list(null, 10, { ...noFilter, ...filter }));
        return list.map(({ subjectId }) => subjectId);
      };
      expect(await found({ actions: ['user.signed_in', 'user.sign_in_refused'] })).toEqual([4, 3, 1]);
      expect(await found({ actions: [] })).toEqual([]);
      expect(await found({ name: 'ANNA@example.com' })).toEqual([3, 2, 1]);
      expect(await found({ name: 'anna' })).toEqual([]);
      expect(await found({ actions: ['user.signed_in'], name: 'bert@example.com' })).toEqual([4]);
      expect(await found({ name: 'anna@example.com', from: later(2), until: later(3) })).toEqual([2]);
      const afterThird = (all: readonly AuditEntry[]) => present(all.find(({ subjectId }) => subjectId === 3)).id;
      const before = afterThird(await entries());
      const rest = await tenant.query(({ audit }) => audit.list(before, 1, { ...noFilter, name: 'anna@example.com' }));
      expect(rest.map(({ subjectId }) => subjectId)).toEqual([2]);
    });

    it('stores an entry together with the change or not at all', async () => {
      const failing = tenant.transaction(async ({ audit }) => {
        await audit.add(commandLine, made());
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await entries()).toEqual([]);
    });

    it('lists entries newest first, in pages, and of no other customer', async () => {
      for (const subjectId of [1, 2, 3]) await add({ subjectId });
      await add({ subjectId: 4 }, { to: other });
      const all = await entries();
      expect(all.map(({ subjectId }) => subjectId)).toEqual([3, 2, 1]);
      const [newest] = await tenant.query(({ audit }) => audit.list(null, 1));
      expect(newest).toEqual(all[0]);
      const [next] = await tenant.query(({ audit }) => audit.list(present(newest).id, 1));
      expect(next).toEqual(all[1]);
      expect((await entries(other)).map(({ subjectId }) => subjectId)).toEqual([4]);
    });

    it('deletes old entries, a limited number at a time', async () => {
      for (const days of [-900, -800, -700, 0]) await add({ at: later(days), subjectId: 1000 + days });
      const swept = [await opened.auditLog.sweep(later(-600), 2), await opened.auditLog.sweep(later(-600), 2)];
      expect(swept).toEqual([2, 1]);
      expect((await entries()).map(({ subjectId }) => subjectId)).toEqual([1000]);
    });
  });

  describe(`AuditLog, of the operator: ${name}`, () => {
    const token: Actor = { kind: 'operator', id: 3, name: 'sign-up', address: '203.0.113.9' };
    const entries = (window: Partial<OperatorEntryWindow> = {}) =>
      opened.auditLog.operatorEntries({ until: null, tokenId: null, limit: 100, ...window });
    const said = async (window: Partial<OperatorEntryWindow> = {}) =>
      (await entries(window)).map(({ action, customerId, subjectId, actorKind }) => [
        action,
        customerId,
        subjectId,
        actorKind,
      ]);
    const erased = (id: Id, at: Date, actor = commandLine) =>
      opened.auditLog.addOperatorEntry(actor, { action: 'customer.erased', at, subject: { id, name: null } });

    it('lists changes by tokens in accounts among those in no account, newest first', async () => {
      await erased(1234, later(1));
      const issued = { id: 7, name: 'importer' };
      const change = { action: 'api_key.created', subject: issued, at: later(2) } as const;
      await tenant.transaction(({ audit }) => audit.add(token, change));
      await other.transaction(({ audit }) => audit.add(commandLine, change));
      await erased(5678, later(3), token);
      await erased(9012, later(4), { ...token, id: 4 });
      const created = ['api_key.created', tenant.id, issued.id, 'operator'];
      expect(await said()).toEqual([
        ['customer.erased', 9012, 9012, 'operator'],
        ['customer.erased', 5678, 5678, 'operator'],
        created,
        ['customer.erased', 1234, 1234, 'command_line'],
      ]);
      expect(await said({ tokenId: 3 })).toEqual([['customer.erased', 5678, 5678, 'operator'], created]);
      expect(await said({ until: later(3), limit: 1 })).toEqual([created]);
      expect((await entries({ until: later(3), limit: 1 }))[0]).toEqual({
        ...{
          at: later(2),
          action: 'api_key.created',
          customerId: tenant.id,
          subjectId: issued.id,
          count: 1,
          changes: [],
        },
        ...{
          subjectName: issued.name,
          actorKind: 'operator',
          actorId: 3,
          actorName: 'sign-up',
          address: '203.0.113.9',
        },
      });
    });

    it('deletes old entries', async () => {
      for (const days of [-900, -800, 0]) await erased(1000 + days, later(days));
      expect(await opened.auditLog.sweep(later(-600), 1)).toBe(1);
      expect(await opened.auditLog.sweep(later(-600), 2)).toBe(1);
      const left = (await said({ until: later(1) })).map(([, customerId]) => customerId);
      expect(left).toEqual([1000]);
    });
  });

  describe(`TrafficStore: ${name}`, () => {
    let keyId: Id;
    beforeEach(async () => {
      keyId = (await tenant.addKey()).id;
    });
    const count = (values: Partial<RequestCount> = {}): RequestCount => ({
      customerId: tenant.id,
      apiKeyId: keyId,
      day: '2026-11-21',
      requests: 3,
      limited: 1,
      failed: 2,
      ...values,
    });
    const failure = (values: Partial<RequestFailure> = {}): RequestFailure => ({
      customerId: tenant.id,
      apiKeyId: keyId,
      requestId: 'req_1',
      at: later(0),
      method: 'GET',
      route: '/api/v1/photos/:id',
      status: 404,
      code: 'not_found',
      ...values,
    });
    const add = (counts: readonly RequestCount[], failures: readonly RequestFailure[] = []) =>
      opened.traffic.add({ counts, hours: [], failures, pictures: [], transfers: [] });
    const counts = (from = '2026-01-01', of = tenant) => of.query(({ traffic }) => traffic.counts(from));
    const failures = (of = tenant) => of.query(({ traffic }) => traffic.failures());

    it('adds up requests by key and day', async () => {
      const second = (await tenant.addKey()).id;
      await add([count(), count({ day: '2026-11-20' }), count({ apiKeyId: second, requests: 9 })]);
      await add([count({ requests: 10, limited: 0, failed: 5 }), count({ limited: 4 })]);
      const doubled = count({ requests: 16, limited: 5, failed: 9 });
      const rows = [count({ day: '2026-11-20' }), doubled, count({ apiKeyId: second, requests: 9 })];
      expect(await counts()).toEqual(rows);
      expect(await counts('2026-11-21')).toEqual(rows.slice(1));
      expect(await counts('2026-11-22')).toEqual([]);
    });

    it('loses nothing when several processes write at once', async () => {
      const keys = [keyId, (await tenant.addKey()).id];
      await atOnce(12, (at) => {
        const order = at % 2 === 0 ? keys : [...keys].reverse();
        return add(
          order.map((apiKeyId) => count({ apiKeyId, requests: 1 })),
          [failure({ requestId: `req_${at}` })],
        );
      });
      expect((await counts()).map(({ requests }) => requests)).toEqual([12, 12]);
      expect(await failures()).toHaveLength(12);
    });

    it('skips keys that do not exist, or are another customer’s', async () => {
      const strange = [{ apiKeyId: 9e15 }, { customerId: other.id }];
      await add([...strange.map(count), count()], [...strange.map(failure), failure()]);
      expect(await counts()).toEqual([count()]);
      expect(await failures()).toEqual([failure()]);
      expect([await counts('2026-01-01', other), await failures(other)]).toEqual([[], []]);
    });

    it('continues after a key was deleted', async () => {
      await tenant.transaction(async ({ keys }) =>
        keys.update({ ...present(await keys.lock(keyId)), deletedAt: later(1) }),
      );
      await add([count()], [failure({ route: null, status: 500, code: 'internal_error' })]);
      expect(await counts()).toEqual([count()]);
      expect(await failures()).toEqual([failure({ route: null, status: 500, code: 'internal_error' })]);
    });

    it('keeps the newest failures of each customer', async () => {
      const theirs = (await other.addKey()).id;
      await add([], [failure({ customerId: other.id, apiKeyId: theirs })]);
      const many = Array.from({ length: MAX_LISTED_FAILURES + 5 }, (_, at) =>
        failure({ requestId: `req_${at}`, at: later(at) }),
      );
      await add([], many.slice(50));
      await add([], many.slice(0, 50));
      expect((await failures()).map(({ requestId }) => requestId)).toEqual(
        many
          .slice(5)
          .reverse()
          .map(({ requestId }) => requestId),
      );
      expect(await failures(other)).toHaveLength(1);
    });

    it('adds up requests by key and hour, for existing keys, and deletes the hours of old days', async () => {
      const second = (await tenant.addKey()).id;
      const of = count();
      const hour = (values: Partial<HourCount> = {}): HourCount => ({ ...of, hour: 9, ...values });
      const addHours = (...hours: readonly HourCount[]) =>
        opened.traffic.add({ counts: [], hours, failures: [], pictures: [], transfers: [] });
      const hours = (day = of.day, owner = tenant) => owner.query(({ traffic }) => traffic.hours(day));
      await addHours(hour(), hour({ hour: 0 }), hour({ apiKeyId: second }), hour({ day: '2026-11-20', hour: 23 }));
      await addHours(hour({ requests: 10, limited: 0, failed: 5 }), hour({ limited: 4 }), hour({ apiKeyId: 9e15 }));
      const doubled = hour({ requests: 16, limited: 5, failed: 9 });
      expect(await hours()).toEqual([hour({ hour: 0 }), doubled, hour({ apiKeyId: second })]);
      expect(await hours('2026-11-20')).toEqual([hour({ day: '2026-11-20', hour: 23 })]);
      expect(await hours(of.day, other)).toEqual([]);
      await atOnce(12, (at) => {
        const both = [hour({ hour: 22, requests: 1 }), hour({ hour: 23, requests: 1 })];
        return addHours(...(at % 2 === 0 ? both : both.toReversed()));
      });
      expect((await hours()).slice(-2).map(({ requests }) => requests)).toEqual([12, 12]);
      await opened.traffic.sweepHours(of.day);
      expect([(await hours()).length, await hours('2026-11-20')]).toEqual([5, []]);
    });

    it('adds up delivered pictures by key and day, for existing customers', async () => {
      const picture = (values: Partial<PictureCount> = {}): PictureCount => ({
        ...{ customerId: tenant.id, deliveryKeyId: 7, day: '2026-11-21', requests: 2, bytes: 3e9, made: 1 },
        ...values,
      });
      const addPictures = (...pictures: readonly PictureCount[]) =>
        opened.traffic.add({ counts: [], hours: [], failures: [], pictures, transfers: [] });
      const pictures = (from = '2026-01-01', of = tenant) => of.query(({ traffic }) => traffic.pictures(from));
      await addPictures(picture(), picture({ day: '2026-11-20' }), picture({ customerId: other.id }));
      await addPictures(picture({ made: 0 }), picture({ deliveryKeyId: 6 }), picture({ customerId: 9e15 }));
      const doubled = picture({ requests: 4, bytes: 6e9 });
      expect(await pictures()).toEqual([picture({ day: '2026-11-20' }), picture({ deliveryKeyId: 6 }), doubled]);
      expect(await pictures('2026-01-01', other)).toEqual([picture({ customerId: other.id })]);
      await opened.traffic.sweep('2026-11-21');
      expect(await pictures()).toEqual([picture({ deliveryKeyId: 6 }), doubled]);
      await atOnce(12, (at) => {
        const both = [picture({ deliveryKeyId: 1, bytes: 1 }), picture({ deliveryKeyId: 2, bytes: 1 })];
        return addPictures(...(at % 2 === 0 ? both : both.toReversed()));
      });
      expect((await pictures()).slice(0, 2).map(({ bytes }) => bytes)).toEqual([12, 12]);
    });

    it('adds up transferred bytes by channel and day, for existing customers', async () => {
      const transfer = (values: Partial<TransferCount> = {}): TransferCount => ({
        ...{ customerId: tenant.id, day: '2026-11-21', channel: 'api', receivedBytes: 3e9, sentBytes: 2 ** 40 },
        ...values,
      });
      const addTransfers = (...transfers: readonly TransferCount[]) =>
        opened.traffic.add({ counts: [], hours: [], failures: [], pictures: [], transfers });
      const transfers = (from = '2026-01-01', of = tenant) => of.query(({ traffic }) => traffic.transfers(from));
      await addTransfers(transfer(), transfer({ day: '2026-11-20' }), transfer({ customerId: other.id }));
      await addTransfers(transfer({ sentBytes: 1 }), transfer({ channel: 'shares' }), transfer({ customerId: 9e15 }));
      const doubled = transfer({ receivedBytes: 6e9, sentBytes: 2 ** 40 + 1 });
      const shares = transfer({ channel: 'shares' });
      expect(await transfers()).toEqual([transfer({ day: '2026-11-20' }), doubled, shares]);
      expect(await transfers('2026-11-21')).toEqual([doubled, shares]);
      expect(await transfers('2026-01-01', other)).toEqual([transfer({ customerId: other.id })]);
      await opened.traffic.sweep('2026-11-21');
      expect(await transfers()).toEqual([doubled, shares]);
      await atOnce(12, (at) => {
        const both = [transfer({ channel: 'images', sentBytes: 1 }), transfer({ channel: 'settings', sentBytes: 1 })];
        return addTransfers(...(at % 2 === 0 ? both : both.toReversed()));
      });
      const sent = (await transfers()).map(({ channel, sentBytes }) => [channel, sentBytes]);
      expect(sent).toEqual([
        ['api', 2 ** 40 + 1],
        ['images', 12],
        ['settings', 12],
        ['shares', 2 ** 40],
      ]);
    });

    it('counts what every customer has stored, with the trash, and keeps the last count of a day', async () => {
      const stored = (of = tenant, from = '2026-01-01') => of.query(({ traffic }) => traffic.storage(from));
      const holding = (day: string, photos: number, storageBytes: number, renditionBytes = 0) => {
        return { customerId: tenant.id, day, photos, storageBytes, renditionBytes };
      };
      await tenant.addPhotos([{ sizeBytes: 2 ** 40 }, { sizeBytes: 5, trashedAt: later(0), purgeAt: later(1) }]);
      expect(await stored()).toEqual([]);
      await opened.traffic.countStorage('2026-11-20');
      await opened.traffic.countStorage('2026-11-21');
      await opened.customers.setRenditionBytes(new Map([[tenant.id, 7]]));
      await tenant.addPhotos([{ sizeBytes: 3 }]);
      await atOnce(4, () => opened.traffic.countStorage('2026-11-21'));
      const days = [holding('2026-11-20', 2, 2 ** 40 + 5), holding('2026-11-21', 3, 2 ** 40 + 8, 7)];
      expect(await stored()).toEqual(days);
      expect(await stored(tenant, '2026-11-21')).toEqual(days.slice(1));
      expect((await stored(other)).map(({ photos, storageBytes }) => [photos, storageBytes])).toEqual([
        [0, 0],
        [0, 0],
      ]);
      await opened.traffic.sweep('2026-11-21');
      expect(await stored()).toEqual(days.slice(1));
    });

    it('deletes old days and old failures', async () => {
      const at = (day: string) => new Date(`${day}T23:59:59.999Z`);
      const days = ['2026-10-01', '2026-10-02', '2026-10-03'];
      await add(
        days.map((day) => count({ day })),
        days.map((day) => failure({ at: at(day) })),
      );
      await opened.traffic.sweep('2026-10-02');
      expect((await counts()).map(({ day }) => day)).toEqual(days.slice(1));
      expect((await failures()).map((one) => one.at)).toEqual([at('2026-10-03'), at('2026-10-02')]);
    });
  });
}
