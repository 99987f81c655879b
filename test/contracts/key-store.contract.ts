import type { ApiKey, NewApiKey } from '../../src/core/access/api-key.js';
import { scopes } from '../../src/core/access/caller.js';
import { type KeyStore, MAX_KEYS } from '../../src/core/access/key-store.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import type { CustomerStatus } from '../../src/core/customers/customer.js';
import type { CustomerDirectory } from '../../src/core/customers/customer-directory.js';
import type { IdempotencyStore } from '../../src/core/idempotency/idempotency-store.js';
import type { Job, JobQueue } from '../../src/core/jobs/job.js';
import type { Id } from '../../src/core/shared/ids.js';
import { claimJob } from '../support/claim.js';
import { later, sampleCustomer, sampleHash, sampleKey } from '../support/samples.js';
import { atOnce, present } from '../support/tenant.js';

export interface OpenKeys {
  readonly keys: KeyStore;
  readonly customers: CustomerDirectory;
  readonly idempotency: IdempotencyStore;
  readonly jobs: JobQueue;
  setStatus(customerId: Id, status: CustomerStatus): Promise<void>;
  close(): Promise<void>;
}

/** What `KeyStore` promises. It is opened once: every test has customers of its own. */
export function keyStoreContract(name: string, open: () => Promise<OpenKeys>): void {
  describe(`KeyStore: ${name}`, () => {
    let opened: OpenKeys;
    let keys: KeyStore;
    let customerId: Id;

    beforeAll(async () => {
      opened = await open();
      keys = opened.keys;
    });
    afterAll(() => opened.close());
    beforeEach(async () => {
      customerId = await newCustomer();
    });

    const newCustomer = async () => (await opened.customers.create(sampleCustomer(), commandLine)).id;
    const create = (values: Partial<NewApiKey> = {}) => keys.create(sampleKey(customerId, values), commandLine);
    const unused = { lastUsedAt: null, lastUsedIp: null, deletedAt: null };
    const tooMany = { code: 'limit_reached', details: { limit: MAX_KEYS, name: 'apiKeys' } };

    describe('create', () => {
      it('stores every value under a new id, as yet unused', async () => {
        const plain = sampleKey(customerId);
        const full = sampleKey(customerId, {
          name: 'É "q" 📷',
          scopes,
          ipList: ['203.0.113.0/24', '2001:db8::/32'],
          readLimit: 0,
          writeLimit: 1_000_000,
          expiresAt: later(1),
          createdAt: later(2),
        });
        for (const values of [plain, full]) {
          const key = await keys.create(values, commandLine);
          expect(key).toEqual({ ...values, ...unused, id: key.id });
          expect(await keys.find(key.id)).toEqual({ key, customerStatus: 'active' });
        }
      });

      it('adds jobs with the key, and none with a key that is refused', async () => {
        const work = (importId: Id) => ({ kind: 'publish', importId }) as const;
        await keys.create(sampleKey(customerId), commandLine, [work(1), work(2)]);
        await expect(keys.create(sampleKey(9e15), commandLine, [work(3)])).rejects.toMatchObject({ code: 'not_found' });
        const claimed: Job[] = [];
        for (let job = await claimJob(opened.jobs, 60); job !== null; job = await claimJob(opened.jobs, 60))
          claimed.push(job);
        expect(claimed.map((job) => [job.customerId, job.work])).toEqual([
          [customerId, work(1)],
          [customerId, work(2)],
        ]);
        for (const job of claimed) await opened.jobs.complete(job);
      });

      const claimOf = (name: string) => {
        const claim = { customerId, key: name, token: 'run' };
        const rest = { fingerprint: 'f', at: later(1), leaseSeconds: 60, expiredBefore: later(-1) };
        return [claim, { ...claim, ...rest }] as const;
      };

      it('stores a response with the key, and no key when that fails', async () => {
        const [claim, request] = claimOf('made');
        await opened.idempotency.claim(request);
        const key = await keys.create(sampleKey(customerId), commandLine, [], async ({ id }, responses) => {
          expect(await responses.store(claim, { id })).toBe(true);
        });
        expect(await opened.idempotency.claim(request)).toEqual({ outcome: 'answered', answer: { id: key.id } });
        const lost = sampleKey(customerId);
        const fails = async () => Promise.reject(new Error('another run has taken over'));
        await expect(keys.create(lost, commandLine, [], fails)).rejects.toThrow('taken over');
        expect(await keys.findByHash(lost.tokenHash)).toBeNull();
      });

      it('stores a response with the deletion, and leaves the key when that fails', async () => {
        const [claim, request] = claimOf('deleted');
        await opened.idempotency.claim(request);
        const key = await keys.create(sampleKey(customerId), commandLine);
        const fails = async () => Promise.reject(new Error('another run has taken over'));
        await expect(keys.delete(key.id, later(2), commandLine, fails)).rejects.toThrow('taken over');
        expect(await keys.find(key.id)).toMatchObject({ key: { deletedAt: null } });
        const deletes = () =>
          keys.delete(key.id, later(3), commandLine, async (_, responses) => {
            expect(await responses.store(claim, { status: 204 })).toBe(true);
          });
        expect(await deletes()).toBe(true);
        expect(await opened.idempotency.claim(request)).toEqual({ outcome: 'answered', answer: { status: 204 } });
        expect(await deletes()).toBe(false);
      });

      it('refuses a customer that does not exist', async () => {
        const key = sampleKey(9e15);
        await expect(keys.create(key, commandLine)).rejects.toMatchObject({
          code: 'not_found',
          details: { resource: 'customer' },
        });
        expect(await keys.findByHash(key.tokenHash)).toBeNull();
      });

      it(`lets a customer have ${MAX_KEYS} keys, however many are asked for at once`, async () => {
        await atOnce(MAX_KEYS - 5, () => create());
        const answers = await Promise.allSettled(Array.from({ length: 12 }, () => create()));
        const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
        expect(refused).toHaveLength(7);
        for (const reason of refused) expect(reason).toMatchObject(tooMany);
        expect(await keys.list(customerId)).toHaveLength(MAX_KEYS);
      });

      it('counts neither deleted keys nor those of others', async () => {
        const all = await atOnce(MAX_KEYS, () => create());
        await expect(create()).rejects.toMatchObject(tooMany);
        await keys.create(sampleKey(await newCustomer()), commandLine);
        await keys.delete(present(all[0]).id, later(1), commandLine);
        await create();
        await expect(create()).rejects.toMatchObject(tooMany);
      });
    });

    describe('findByHash and find', () => {
      it('answer the key with the status of its customer', async () => {
        const key = await create();
        await create();
        const known = { key, customerStatus: 'active' };
        expect(await keys.findByHash(key.tokenHash)).toEqual(known);
        expect(await keys.find(key.id)).toEqual(known);
      });

      it.each(['suspended', 'closing', 'active'] as const)('tell that the customer is %s', async (customerStatus) => {
        const key = await create();
        await opened.setStatus(customerId, customerStatus);
        expect(await keys.findByHash(key.tokenHash)).toEqual({ key, customerStatus });
        expect(await keys.find(key.id)).toEqual({ key, customerStatus });
      });

      it('tell each of many that ask at once of the key that it asked for', async () => {
        const made = await atOnce(5, () => create());
        const deleted = present(made[2]);
        await keys.delete(deleted.id, later(1), commandLine);
        const asked = [...made, ...made];
        const found = await Promise.all(asked.map(({ id }) => keys.find(id)));
        expect(found.map((each) => each?.key.id ?? null)).toEqual(
          asked.map(({ id }) => (id === deleted.id ? null : id)),
        );
      });

      it('know nothing of a key that never was', async () => {
        expect(await keys.findByHash(sampleHash())).toBeNull();
        expect(await keys.findByHash('')).toBeNull();
        expect(await keys.find(9e15)).toBeNull();
      });

      it('take the whole hash, letter by letter', async () => {
        const { tokenHash } = await create({ tokenHash: 'ab'.repeat(32) });
        expect(await keys.findByHash(tokenHash.toUpperCase())).toBeNull();
        expect(await keys.findByHash(tokenHash.slice(1))).toBeNull();
      });

      it('return expired keys: the rule decides', async () => {
        const key = await create({ expiresAt: new Date(0) });
        expect(await keys.findByHash(key.tokenHash)).toEqual({ key, customerStatus: 'active' });
      });
    });

    describe('list', () => {
      it('answers the keys of one customer that are not deleted, oldest first', async () => {
        const [newest, oldest] = [await create({ createdAt: later(2) }), await create({ createdAt: later(0) })];
        const [middle, gone] = [await create({ createdAt: later(1) }), await create({ createdAt: later(3) })];
        await keys.create(sampleKey(await newCustomer()), commandLine);
        await keys.delete(gone.id, later(4), commandLine);
        expect(await keys.list(customerId)).toEqual([oldest, middle, newest]);
        expect(await keys.list(9e15)).toEqual([]);
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

      it('changes what may change, and nothing else', async () => {
        const [key, other] = [await create(), await create()];
        const more = { id: 9, scopes: ['tags:write'], tokenHash: 'x', customerId: 9 };
        const changed = await keys.update(key.id, { ...settings, ...more }, later(1), commandLine);
        expect(changed).toEqual({ ...key, ...settings });
        expect(await keys.findByHash(key.tokenHash)).toEqual({ key: changed, customerStatus: 'active' });
        expect(
          await keys.update(
            key.id,
            { ...settings, ipList: [], readLimit: null, writeLimit: null, expiresAt: null },
            later(1),
            commandLine,
          ),
        ).toEqual({ ...key, name: 'renamed' });
        expect((await keys.find(other.id))?.key).toEqual(other);
      });

      it('loses none of what is changed at once, if it is not the same', async () => {
        const key = await create();
        const changes = Object.entries(settings).map(([name, value]) => ({ [name]: value }));
        await atOnce(10, (at) => keys.update(key.id, changes[at % changes.length] ?? {}, later(1), commandLine));
        expect((await keys.find(key.id))?.key).toEqual({ ...key, ...settings });
      });

      it('changes and deletes nothing when a check of the key as it is throws', async () => {
        const key = await create();
        const seen: ApiKey[] = [];
        const refuses = (current: ApiKey) => {
          seen.push(current);
          throw new Error('another one');
        };
        await expect(keys.update(key.id, settings, later(1), commandLine, refuses)).rejects.toThrow('another one');
        await expect(keys.delete(key.id, later(1), commandLine, undefined, refuses)).rejects.toThrow('another one');
        expect((await keys.find(key.id))?.key).toEqual(key);
        expect(seen).toEqual([key, key]);
      });

      it('lets one of many change a key that all expect as it was', async () => {
        const key = await create();
        const isUnchanged = ({ name }: ApiKey) => {
          if (name !== key.name) throw new Error('another one');
        };
        const ends = await Promise.allSettled(
          [1, 2, 3, 4].map((at) => keys.update(key.id, { name: `name ${at}` }, later(1), commandLine, isUnchanged)),
        );
        expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      });

      it('is null for a key that is not there any more, or never was', async () => {
        const key = await create();
        await keys.delete(key.id, later(1), commandLine);
        expect(await keys.update(key.id, settings, later(1), commandLine)).toBeNull();
        expect(await keys.update(9e15, settings, later(1), commandLine)).toBeNull();
      });
    });

    describe('delete', () => {
      it('takes the key away from every look-up, at once and for ever', async () => {
        const [key, other] = [await create(), await create()];
        expect(await keys.delete(key.id, later(1), commandLine)).toBe(true);
        const looks = await atOnce(20, () => keys.findByHash(key.tokenHash));
        expect(looks.every((known) => known === null)).toBe(true);
        expect(await keys.find(key.id)).toBeNull();
        expect(await keys.list(customerId)).toEqual([other]);
      });

      it('takes the key away from look-ups that begin behind it while others are under way, and no other key', async () => {
        const [key, other] = [await create(), await create()];
        let ended = false;
        const busy = atOnce(4, async () => {
          while (!ended) await keys.findByHash(key.tokenHash);
        });
        await keys.delete(key.id, later(1), commandLine);
        const both = await atOnce(20, (n) => keys.findByHash((n % 2 ? key : other).tokenHash));
        ended = true;
        await busy;
        expect(both).toEqual(both.map((_, n) => (n % 2 ? null : { key: other, customerStatus: 'active' })));
      });

      it('is false for a key that is not there any more, or never was', async () => {
        const key = await create();
        const answers = await atOnce(6, () => keys.delete(key.id, later(1), commandLine));
        expect(answers.filter((deleted) => deleted)).toHaveLength(1);
        expect(await keys.delete(key.id, later(2), commandLine)).toBe(false);
        expect(await keys.delete(9e15, later(2), commandLine)).toBe(false);
      });
    });

    describe('touch', () => {
      const use = (key: ApiKey, milliseconds: number, ip: string) => ({ id: key.id, at: later(milliseconds), ip });
      const lastUse = async (key: ApiKey) => {
        const found = present(await keys.find(key.id)).key;
        return [found.lastUsedAt, found.lastUsedIp];
      };

      it('notes the last use of several keys, whosever they are', async () => {
        const [first, second] = [await create(), await keys.create(sampleKey(await newCustomer()), commandLine)];
        await keys.touch([use(first, 1, '203.0.113.9'), use(second, 2, '2001:db8::1')]);
        expect(await lastUse(first)).toEqual([later(1), '203.0.113.9']);
        expect(await lastUse(second)).toEqual([later(2), '2001:db8::1']);
        expect(await keys.find(first.id)).toEqual({
          key: { ...first, lastUsedAt: later(1), lastUsedIp: '203.0.113.9' },
          customerStatus: 'active',
        });
      });

      it('never goes back, in one call or in several', async () => {
        const key = await create();
        await keys.touch([use(key, 5, 'newest'), use(key, 3, 'older')]);
        expect(await lastUse(key)).toEqual([later(5), 'newest']);
        await keys.touch([use(key, 4, 'older')]);
        expect(await lastUse(key)).toEqual([later(5), 'newest']);
        await keys.touch([use(key, 6, 'even newer')]);
        expect(await lastUse(key)).toEqual([later(6), 'even newer']);
      });

      it('keeps where each was used from, newest first, for two days beside the newest use', async () => {
        const [key, other] = [await create(), await create()];
        const [start, hour] = [later(0), 3600_000];
        await keys.touch([
          use(key, 0, '192.0.2.1'),
          use(key, 2, '192.0.2.2'),
          use(key, 1, '192.0.2.2'),
          use(other, 3, '192.0.2.3'),
        ]);
        expect(await keys.addressesOf(customerId, key.id, start)).toEqual([
          { address: '192.0.2.2', lastSeenAt: later(2) },
          { address: '192.0.2.1', lastSeenAt: later(0) },
        ]);
        await keys.touch([use(key, 24 * hour, '192.0.2.1'), use(key, 1, '192.0.2.1')]);
        expect((await keys.addressesOf(customerId, key.id, later(hour))).map(({ address }) => address)).toEqual([
          '192.0.2.1',
        ]);
        await keys.touch([use(key, 49 * hour, '2001:db8::1')]);
        expect((await keys.addressesOf(customerId, key.id, start)).map(({ address }) => address)).toEqual([
          '2001:db8::1',
          '192.0.2.1',
        ]);
      });

      it('tells no addresses of a key of another customer', async () => {
        const key = await create();
        await keys.touch([use(key, 1, '192.0.2.1')]);
        expect(await keys.addressesOf(await newCustomer(), key.id, later(0))).toEqual([]);
        expect(await keys.addressesOf(customerId, 9e15, later(0))).toEqual([]);
      });

      it('passes over keys that it does not know, and takes none at all', async () => {
        const key = await create();
        await keys.touch([]);
        await keys.touch([{ id: 9e15, at: later(1), ip: '203.0.113.9' }, use(key, 1, '203.0.113.9')]);
        expect(await lastUse(key)).toEqual([later(1), '203.0.113.9']);
      });

      it('of the same keys from many sides at once ends with the newest', async () => {
        const all = await atOnce(4, () => create());
        await atOnce(10, (number) => {
          const order = number % 2 === 0 ? all : all.toReversed();
          return keys.touch(order.map((key) => use(key, number, String(number))));
        });
        for (const key of all) expect(await lastUse(key)).toEqual([later(9), '9']);
      });
    });
  });
}
