import { randomUUID } from 'node:crypto';
import { LeasedRenditionLocks, type RenditionLeases } from '../../src/adapters/leased-rendition-locks.js';
import { type BlobKey, renditionKey } from '../../src/core/blobs/blob-key.js';
import type { CustomerDirectory } from '../../src/core/customers/customer-directory.js';
import { RENDITION_LOCK_SECONDS } from '../../src/core/photos/renditions/rendition.js';
import type { Id } from '../../src/core/shared/ids.js';
import { sampleCustomer } from '../support/samples.js';
import { Gate } from '../support/tenant.js';

interface OpenLeases {
  readonly customers: CustomerDirectory;
  /** Those of another process, on the same data. */
  leases(): RenditionLeases;
  passTime(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** What `RenditionLocks` promises, on leases of each adapter. Each lock is that of another process. */
export function renditionLocksContract(name: string, open: () => Promise<OpenLeases>): void {
  describe(`RenditionLocks: ${name}`, () => {
    let opened: OpenLeases;
    let customerId: Id;
    let photoId = 0;
    let owner: { customerId: Id; key: BlobKey };
    /** What is stored. */
    let stored: string | null;

    beforeAll(async () => {
      opened = await open();
      customerId = (await opened.customers.transaction((transaction) => transaction.insert(sampleCustomer()))).id;
    });
    afterAll(() => opened.close());
    beforeEach(() => {
      photoId += 1;
      owner = { customerId, key: renditionKey({ customerId, id: photoId, rotation: 0 }, 'small', 'jpeg') };
      stored = null;
    });

    const locks = () => new LeasedRenditionLocks(opened.leases());
    const find = async () => stored;
    const store = async (value: string) => {
      stored = value;
      return value;
    };

    it('lets one of many processes make it, and gives the result to all', async () => {
      let made = 0;
      const results = await Promise.all(
        Array.from({ length: 8 }, () =>
          locks().findOrMake(owner, {
            find,
            make: async () => {
              made += 1;
              return store('picture');
            },
          }),
        ),
      );
      expect(made).toBe(1);
      expect(results).toEqual(Array.from({ length: 8 }, () => 'picture'));
    });

    it('makes nothing that exists', async () => {
      await store('earlier');
      expect(await locks().findOrMake(owner, { find, make: () => store('another') })).toBe('earlier');
    });

    it('makes others at the same time, of other photos and other customers', async () => {
      const inside = new Gate();
      const done = new Gate();
      const slow = locks().findOrMake(owner, {
        find,
        make: async () => {
          inside.open();
          await done.opened;
          return 'slow';
        },
      });
      await inside.opened;
      const none = async () => null;
      const other = { customerId, key: renditionKey({ customerId, id: photoId, rotation: 90 }, 'small', 'jpeg') };
      expect(await locks().findOrMake(other, { find: none, make: async () => 'quick' })).toBe('quick');
      done.open();
      expect(await slow).toBe('slow');
    });

    it('gives those who wait what exists, even while the lock is held', async () => {
      const lease = { ...owner, token: randomUUID() };
      expect(await opened.leases().acquire(lease, RENDITION_LOCK_SECONDS)).toBe(true);
      const waiting = locks().findOrMake(owner, { find, make: () => store('twice') });
      await store('picture');
      expect(await waiting).toBe('picture');
    });

    it('lets another process make it when one has failed', async () => {
      const failure = locks().findOrMake(owner, { find, make: () => Promise.reject(new Error('no space')) });
      await expect(failure).rejects.toThrow('no space');
      expect(await locks().findOrMake(owner, { find, make: () => store('picture') })).toBe('picture');
    });

    it('frees the lock of a process that died when its lease expires', async () => {
      const dead = opened.leases();
      expect(await dead.acquire({ ...owner, token: randomUUID() }, RENDITION_LOCK_SECONDS)).toBe(true);
      const looked = new Gate();
      const waiting = locks().findOrMake(owner, {
        find: async () => {
          looked.open();
          return stored;
        },
        make: () => store('picture'),
      });
      await looked.opened;
      await opened.passTime(RENDITION_LOCK_SECONDS);
      expect(await waiting).toBe('picture');
    });

    it('extends a lease of its holder only, and releases no other', async () => {
      const leases = opened.leases();
      const [first, second, third] = [1, 2, 3].map(() => ({ ...owner, token: randomUUID() }));
      if (!first || !second || !third) throw new Error('three leases');
      expect(await leases.acquire(first, RENDITION_LOCK_SECONDS)).toBe(true);
      await opened.passTime(RENDITION_LOCK_SECONDS);
      await leases.extend(first, RENDITION_LOCK_SECONDS);
      expect(await leases.acquire(second, RENDITION_LOCK_SECONDS)).toBe(false);
      await opened.passTime(RENDITION_LOCK_SECONDS);
      expect(await leases.acquire(second, RENDITION_LOCK_SECONDS)).toBe(true);
      await leases.release(first);
      await leases.extend(first, RENDITION_LOCK_SECONDS);
      expect(await leases.acquire(third, RENDITION_LOCK_SECONDS)).toBe(false);
      await leases.release(second);
      expect(await leases.acquire(third, RENDITION_LOCK_SECONDS)).toBe(true);
    });
  });
}
