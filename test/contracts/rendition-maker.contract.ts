import { randomUUID } from 'node:crypto';
import {
  LEASE_SECONDS,
  type RenditionLeases,
  SharedRenditionMaker,
} from '../../src/adapters/decorators/shared-rendition-maker.js';
import type { BlobStore } from '../../src/core/blobs/blob-store.js';
import type { CustomerDirectory } from '../../src/core/customers/customer-directory.js';
import type { Photo } from '../../src/core/photos/photo.js';
import type { RenditionMaking } from '../../src/core/photos/renditions/make.js';
import { fixedRendition, type Rendition, type RenditionMaker } from '../../src/core/photos/renditions/rendition.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { bytesOf } from '../support/core-world.js';
import { sampleCustomer, samplePhoto } from '../support/samples.js';
import { Gate } from '../support/tenant.js';

type MakeOne = RenditionMaking['make'];

interface OpenMakers {
  /** A customer that exists where the makers look for it. */
  newCustomer(): Promise<number>;
  /** The maker of another process of the same installation. */
  maker(blobs: MemoryBlobStore, makeOne: MakeOne): RenditionMaker;
  close(): Promise<void>;
}

/** Finds whatever is stored. */
export function making(blobs: BlobStore, make: MakeOne): RenditionMaking {
  return { find: (_, { key }) => blobs.head(key), make };
}

/** What `RenditionMaker` promises. Each maker is that of another process. `open` is called once. */
export function renditionMakerContract(name: string, open: () => Promise<OpenMakers>): void {
  describe(`RenditionMaker: ${name}`, () => {
    let opened: OpenMakers;
    let customerId: number;
    let photo: Photo;
    let photos = 0;
    let blobs: MemoryBlobStore;

    beforeAll(async () => {
      opened = await open();
      customerId = await opened.newCustomer();
    });
    afterAll(() => opened.close());
    beforeEach(() => {
      photos += 1;
      photo = samplePhoto(customerId, photos);
      blobs = new MemoryBlobStore();
    });

    const small = (of = photo) => fixedRendition(of, 'small', 'jpeg');
    const store: MakeOne = (_, { key }) => blobs.put(key, bytesOf(Buffer.from('picture')));

    it('lets one of many calls and processes make a rendition, and returns it to all', async () => {
      let made = 0;
      let started = 0;
      const makeOne: MakeOne = async (...order) => {
        made += 1;
        return store(...order);
      };
      const onStart = () => {
        started += 1;
      };
      const makers = Array.from({ length: 4 }, () => opened.maker(blobs, makeOne));
      const calls = [...makers, ...makers].map((maker) => maker.make(photo, small(), onStart));
      const stored = await Promise.all(calls);
      expect([made, started]).toEqual([1, 1]);
      expect(new Set(stored.map(({ etag }) => etag)).size).toBe(1);
    });

    it('makes no rendition that is stored already', async () => {
      const stored = await store(photo, small());
      const onStart = () => {
        throw new Error('It was stored.');
      };
      expect(await opened.maker(blobs, async () => null).make(photo, small(), onStart)).toEqual(stored);
    });

    it('makes other renditions at the same time', async () => {
      const [inside, done] = [new Gate(), new Gate()];
      const slow = opened
        .maker(blobs, async (...order) => {
          inside.open();
          await done.opened;
          return store(...order);
        })
        .make(photo, small());
      await inside.opened;
      const turned = { ...photo, rotation: 90 } as const;
      const { key } = small(turned);
      expect(await opened.maker(blobs, store).make(turned, small(turned))).toEqual(await blobs.head(key));
      done.open();
      await slow;
    });

    it('lets another process make a rendition when one has failed', async () => {
      const failing = opened.maker(blobs, () => Promise.reject(new Error('no space')));
      await expect(failing.make(photo, small())).rejects.toThrow('no space');
      expect(await opened.maker(blobs, store).make(photo, small())).toEqual(await blobs.head(small().key));
    });

    it('finds no rendition that cannot be made', async () => {
      const maker = opened.maker(blobs, async () => null);
      await expect(maker.make(photo, small())).rejects.toMatchObject({ details: { resource: 'rendition' } });
      expect(await blobs.head(small().key)).toBeNull();
    });
  });
}

interface OpenLeases {
  readonly customers: CustomerDirectory;
  /** Those of another process, on the same data. */
  leases(): RenditionLeases;
  passTime(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** The same of `SharedRenditionMaker` on leases of an adapter, and what these promise. */
export function renditionLeasesContract(name: string, open: () => Promise<OpenLeases>): void {
  let opened: OpenLeases;
  const opening = async () => {
    opened = await open();
    return opened;
  };
  const newCustomer = async ({ customers }: OpenLeases) =>
    (await customers.transaction((transaction) => transaction.insert(sampleCustomer()))).id;
  const maker = (blobs: MemoryBlobStore, makeOne: MakeOne) =>
    new SharedRenditionMaker(making(blobs, makeOne), opened.leases(), new SettableClock());

  renditionMakerContract(`with leases, ${name}`, async () => {
    const { close } = await opening();
    return { newCustomer: () => newCustomer(opened), maker, close };
  });

  describe(`RenditionLeases: ${name}`, () => {
    let photo: Photo;
    let rendition: Rendition;
    let blobs: MemoryBlobStore;
    const leaseOf = () => ({ customerId: photo.customerId, key: rendition.key, token: randomUUID() });
    const store: MakeOne = (_, { key }) => blobs.put(key, bytesOf(Buffer.from('picture')));

    beforeAll(opening);
    afterAll(() => opened.close());
    beforeEach(async () => {
      photo = samplePhoto(await newCustomer(opened), 1);
      rendition = fixedRendition(photo, 'small', 'jpeg');
      blobs = new MemoryBlobStore();
    });

    it('return the stored rendition to those who wait, even while the lease is held', async () => {
      expect(await opened.leases().acquire(leaseOf(), LEASE_SECONDS)).toBe(true);
      const waiting = maker(blobs, async () => null).make(photo, rendition);
      const stored = await store(photo, rendition);
      expect(await waiting).toEqual(stored);
    });

    it('expire after their process died', async () => {
      expect(await opened.leases().acquire(leaseOf(), LEASE_SECONDS)).toBe(true);
      const looked = new Gate();
      const head = blobs.head.bind(blobs);
      blobs.head = (key) => {
        looked.open();
        return head(key);
      };
      const waiting = maker(blobs, store).make(photo, rendition);
      await looked.opened;
      await opened.passTime(LEASE_SECONDS);
      expect(await waiting).toEqual(await head(rendition.key));
    });

    it('are extended and released by their holder only', async () => {
      const leases = opened.leases();
      const [first, second, third] = [leaseOf(), leaseOf(), leaseOf()];
      expect(await leases.acquire(first, LEASE_SECONDS)).toBe(true);
      await opened.passTime(LEASE_SECONDS);
      await leases.extend(first, LEASE_SECONDS);
      expect(await leases.acquire(second, LEASE_SECONDS)).toBe(false);
      await opened.passTime(LEASE_SECONDS);
      expect(await leases.acquire(second, LEASE_SECONDS)).toBe(true);
      await leases.release(first);
      await leases.extend(first, LEASE_SECONDS);
      expect(await leases.acquire(third, LEASE_SECONDS)).toBe(false);
      await leases.release(second);
      expect(await leases.acquire(third, LEASE_SECONDS)).toBe(true);
    });
  });
}
