import type { ApiKey, KeyFinder, NewApiKey } from '../../src/core/access/api-key.js';
import { MAX_KEYS } from '../../src/core/access/api-key.js';
import { scopes } from '../../src/core/access/caller.js';
import { deleteKey, editKey, issueKey } from '../../src/core/access/keys.js';
import { type CustomerStatus, operatorFor } from '../../src/core/customers/customer.js';
import type { Id } from '../../src/core/shared/ids.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { later, sampleHash, sampleKey } from '../support/samples.js';
import { atOnce, type CustomerPorts, present, Tenant } from '../support/tenant.js';

export interface OpenKeys extends CustomerPorts {
  readonly keys: KeyFinder;
  setStatus(customerId: Id, status: CustomerStatus): Promise<void>;
  close(): Promise<void>;
}

/**
 * What `KeyFinder` and `KeyRepository` promise, and what holds of keys however many requests come at once. It is opened once: every test has
 * customers of its own.
 */
export function keysContract(name: string, open: () => Promise<OpenKeys>): void {
  describe(`Keys: ${name}`, () => {
    let opened: OpenKeys;
    let finder: KeyFinder;
    let tenant: Tenant;
    let customerId: Id;

    beforeAll(async () => {
      opened = await open();
      finder = opened.keys;
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      tenant = await Tenant.of(opened);
      customerId = tenant.id;
    });

    const create = (values: Partial<NewApiKey> = {}) => tenant.addKey(values);
    const list = (of = tenant) => of.query(({ keys }) => keys.list());
    const change = (key: ApiKey, values: Partial<ApiKey>, of = tenant) =>
      of.transaction(async ({ keys }) => {
        const current = await keys.lock(key.id);
        if (current !== null) await keys.update({ ...current, ...values });
        return current;
      });
    const remove = (key: ApiKey) => change(key, { deletedAt: later(1) });

    describe('insert', () => {
      it('stores every value under a new id, as not yet used', async () => {
        const plain = sampleKey();
        const full = sampleKey({
          name: 'É "q" 📷',
          scopes,
          ipList: ['203.0.113.0/24', '2001:db8::/32'],
          readLimit: 0,
          writeLimit: 1_000_000,
          expiresAt: later(1),
          createdAt: later(2),
        });
        const unused = { lastUsedAt: null, lastUsedIp: null, deletedAt: null };
        for (const values of [plain, full]) {
          const key = await create(values);
          expect(key).toEqual({ ...values, ...unused, customerId, id: key.id });
          expect(await finder.find(key.id)).toEqual({ key, customerStatus: 'active' });
          expect(await tenant.query(({ keys }) => keys.get(key.id))).toEqual(key);
        }
      });
    });

    describe('findByHash and find', () => {
      it('return the key with the status of its customer', async () => {
        const key = await create();
        await create();
        const known = { key, customerStatus: 'active' };
        expect(await finder.findByHash(key.tokenHash)).toEqual(known);
        expect(await finder.find(key.id)).toEqual(known);
      });

      it.each(['suspended', 'closing', 'active'] as const)('report that the customer is %s', async (customerStatus) => {
        const key = await create();
        await opened.setStatus(customerId, customerStatus);
        expect(await finder.findByHash(key.tokenHash)).toEqual({ key, customerStatus });
        expect(await finder.find(key.id)).toEqual({ key, customerStatus });
      });

      it('return to each of many callers at once the key that it requested', async () => {
        const made = await atOnce(5, () => create());
        const deleted = present(made[2]);
        await remove(deleted);
        const asked = [...made, ...made];
        const found = await Promise.all(asked.map(({ id }) => finder.find(id)));
        expect(found.map((each) => each?.key.id ?? null)).toEqual(
          asked.map(({ id }) => (id === deleted.id ? null : id)),
        );
      });

      it('find no key that never existed', async () => {
        expect(await finder.findByHash(sampleHash())).toBeNull();
        expect(await finder.findByHash('')).toBeNull();
        expect(await finder.find(9e15)).toBeNull();
      });

      it('compare the whole hash, with its letter case', async () => {
        const { tokenHash } = await create({ tokenHash: 'ab'.repeat(32) });
        expect(await finder.findByHash(tokenHash.toUpperCase())).toBeNull();
        expect(await finder.findByHash(tokenHash.slice(1))).toBeNull();
      });

      it('return expired keys, because the rule in core decides', async () => {
        const key = await create({ expiresAt: new Date(0) });
        expect(await finder.findByHash(key.tokenHash)).toEqual({ key, customerStatus: 'active' });
      });
    });

    describe('list and get', () => {
      it('return the keys of one customer that are not deleted, oldest first', async () => {
        const [newest, oldest] = [await create({ createdAt: later(2) }), await create({ createdAt: later(0) })];
        const [middle, gone] = [await create({ createdAt: later(1) }), await create({ createdAt: later(3) })];
        const other = await Tenant.of(opened);
        const theirs = await other.addKey();
        await remove(gone);
        expect(await list()).toEqual([oldest, middle, newest]);
        expect(await list(other)).toEqual([theirs]);
        for (const id of [gone.id, theirs.id, 9e15]) expect(await tenant.query(({ keys }) => keys.get(id))).toBeNull();
      });
    });

    describe('update', () => {
      const settings = {
        name: 'renamed',
        ipList: ['203.0.113.0/24'],
        readLimit: 5,
        writeLimit: 0,
        expiresAt: later(9),
      };

      it('stores every field of a locked key, and changes no other', async () => {
        const [key, other] = [await create(), await create()];
        expect(await change(key, settings)).toEqual(key);
        const known = { key: { ...key, ...settings }, customerStatus: 'active' };
        expect(await finder.findByHash(key.tokenHash)).toEqual(known);
        const none = { ipList: [], readLimit: null, writeLimit: null, expiresAt: null };
        await change(key, none);
        expect((await finder.find(key.id))?.key).toEqual({ ...key, name: 'renamed' });
        expect((await finder.find(other.id))?.key).toEqual(other);
      });

      it('locks no key that is deleted, unknown, or another customer’s', async () => {
        const key = await create();
        expect(await change(key, settings, await Tenant.of(opened))).toBeNull();
        expect((await finder.find(key.id))?.key).toEqual(key);
        await remove(key);
        expect(await change(key, settings)).toBeNull();
        expect(await change({ ...key, id: 9e15 }, settings)).toBeNull();
      });

      it('hides a deleted key from every look-up', async () => {
        const [key, other] = [await create(), await create()];
        await remove(key);
        const looks = await atOnce(20, () => finder.findByHash(key.tokenHash));
        expect(looks.every((known) => known === null)).toBe(true);
        expect(await finder.find(key.id)).toBeNull();
        expect(await list()).toEqual([other]);
      });

      it('hides a deleted key, and no other, from look-ups that begin afterwards while others are in progress', async () => {
        const [key, other] = [await create(), await create()];
        let ended = false;
        const busy = atOnce(4, async () => {
          while (!ended) await finder.findByHash(key.tokenHash);
        });
        await remove(key);
        const both = await atOnce(20, (n) => finder.findByHash((n % 2 ? key : other).tokenHash));
        ended = true;
        await busy;
        expect(both).toEqual(both.map((_, n) => (n % 2 ? null : { key: other, customerStatus: 'active' })));
      });
    });

    describe('concurrent requests for keys', () => {
      const request = {
        name: 'importer',
        scopes: ['all'],
        ipList: [],
        readLimit: null,
        writeLimit: null,
        expiresAt: null,
      };
      const uses = () => ({ store: opened.store, clock: new SettableClock() });

      it(`create at most ${MAX_KEYS} keys of one customer`, async () => {
        await atOnce(MAX_KEYS - 5, () => create());
        const issue = () => issueKey(uses(), operatorFor(customerId), request);
        const answers = await Promise.allSettled(Array.from({ length: 12 }, issue));
        const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
        expect(refused).toHaveLength(7);
        const tooMany = { code: 'limit_reached', details: { limit: MAX_KEYS, name: 'apiKeys' } };
        for (const reason of refused) expect(reason).toMatchObject(tooMany);
        expect(await list()).toHaveLength(MAX_KEYS);
      });

      it('lose no change of a key if they change different settings', async () => {
        const key = await create();
        const settings = { name: 'renamed', ipList: ['203.0.113.0/24'], readLimit: 5, writeLimit: 0 };
        const changes = Object.entries(settings).map(([field, value]) => ({ [field]: value }));
        await atOnce(8, (at) => editKey(uses(), operatorFor(customerId), key.id, changes[at % changes.length] ?? {}));
        expect((await finder.find(key.id))?.key).toEqual({ ...key, ...settings });
      });

      it('change a key once if all of them expect the same earlier state', async () => {
        const key = await create();
        const isUnchanged = ({ name: current }: ApiKey) => {
          if (current !== key.name) throw new Error('another one');
        };
        const ends = await Promise.allSettled(
          [1, 2, 3, 4].map((at) =>
            editKey(uses(), operatorFor(customerId), key.id, { name: `name ${at}` }, isUnchanged),
          ),
        );
        expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      });

      it('delete a key once', async () => {
        const key = await create();
        const ends = await Promise.allSettled(
          Array.from({ length: 6 }, () => deleteKey(uses(), operatorFor(customerId), key.id)),
        );
        expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      });
    });

    describe('touch', () => {
      const addressesOf = (id: Id, since: Date, of = tenant) => of.query(({ keys }) => keys.addressesOf(id, since));
      const use = (key: ApiKey, milliseconds: number, ip: string) => ({ id: key.id, at: later(milliseconds), ip });
      const lastUse = async (key: ApiKey) => {
        const found = present(await finder.find(key.id)).key;
        return [found.lastUsedAt, found.lastUsedIp];
      };

      it('stores the last use of several keys, of whichever customers', async () => {
        const [first, second] = [await create(), await (await Tenant.of(opened)).addKey()];
        await finder.touch([use(first, 1, '203.0.113.9'), use(second, 2, '2001:db8::1')]);
        expect(await lastUse(first)).toEqual([later(1), '203.0.113.9']);
        expect(await lastUse(second)).toEqual([later(2), '2001:db8::1']);
        expect(await finder.find(first.id)).toEqual({
          key: { ...first, lastUsedAt: later(1), lastUsedIp: '203.0.113.9' },
          customerStatus: 'active',
        });
      });

      it('never sets a last use back, in one call or in several', async () => {
        const key = await create();
        await finder.touch([use(key, 5, 'newest'), use(key, 3, 'older')]);
        expect(await lastUse(key)).toEqual([later(5), 'newest']);
        await finder.touch([use(key, 4, 'older')]);
        expect(await lastUse(key)).toEqual([later(5), 'newest']);
        await finder.touch([use(key, 6, 'even newer')]);
        expect(await lastUse(key)).toEqual([later(6), 'even newer']);
      });

      it('stores the addresses from which each was used, newest first, for two days beside the newest use', async () => {
        const [key, other] = [await create(), await create()];
        const [start, hour] = [later(0), 3600_000];
        await finder.touch([
          use(key, 0, '192.0.2.1'),
          use(key, 2, '192.0.2.2'),
          use(key, 1, '192.0.2.2'),
          use(other, 3, '192.0.2.3'),
        ]);
        expect(await addressesOf(key.id, start)).toEqual([
          { address: '192.0.2.2', lastSeenAt: later(2) },
          { address: '192.0.2.1', lastSeenAt: later(0) },
        ]);
        await finder.touch([use(key, 24 * hour, '192.0.2.1'), use(key, 1, '192.0.2.1')]);
        expect((await addressesOf(key.id, later(hour))).map(({ address }) => address)).toEqual(['192.0.2.1']);
        await finder.touch([use(key, 49 * hour, '2001:db8::1')]);
        expect((await addressesOf(key.id, start)).map(({ address }) => address)).toEqual(['2001:db8::1', '192.0.2.1']);
      });

      it('reveals no addresses of a key of another customer', async () => {
        const key = await create();
        await finder.touch([use(key, 1, '192.0.2.1')]);
        expect(await addressesOf(key.id, later(0), await Tenant.of(opened))).toEqual([]);
        expect(await addressesOf(9e15, later(0))).toEqual([]);
      });

      it('skips unknown keys, and accepts an empty list', async () => {
        const key = await create();
        await finder.touch([]);
        await finder.touch([{ id: 9e15, at: later(1), ip: '203.0.113.9' }, use(key, 1, '203.0.113.9')]);
        expect(await lastUse(key)).toEqual([later(1), '203.0.113.9']);
      });

      it('of the same keys by many callers at once keeps the newest', async () => {
        const all = await atOnce(4, () => create());
        await atOnce(10, (number) => {
          const order = number % 2 === 0 ? all : all.toReversed();
          return finder.touch(order.map((key) => use(key, number, String(number))));
        });
        for (const key of all) expect(await lastUse(key)).toEqual([later(9), '9']);
      });
    });
  });
}
