import { hash } from 'node:crypto';
import { BlobCache } from '../../src/adapters/decorators/cached-verified-blobs.js';
import { type BlobKey, renditionKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { BlobInfo, ByteRange, OpenBlob } from '../../src/core/blobs/blob-store.js';
import { downloadOriginal } from '../../src/core/photos/original.js';
import { downloadRendition } from '../../src/core/photos/renditions/rendition.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { Account, bytesOf, collected, picture, runJobsUntilIdle, type World, world } from '../support/core-world.js';
import { asInProduction } from '../support/in-process.js';
import { present } from '../support/tenant.js';

const MIB = 1024 ** 2;

/** Tells what was read of it and returned to it, and what it was asked about. */
class CountingStore extends MemoryBlobStore {
  readonly read: BlobKey[] = [];
  readonly returned: BlobKey[] = [];
  readonly confirmed: BlobKey[] = [];
  /** Whether each was said to have been seen lately. */
  readonly lately: (boolean | undefined)[] = [];

  override head(key: BlobKey, isSeenLately?: boolean): Promise<BlobInfo | null> {
    this.confirmed.push(key);
    this.lately.push(isSeenLately);
    return super.head(key);
  }

  override async get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null> {
    this.read.push(key);
    const blob = await super.get(key, range);
    return blob && { ...blob, bytes: this.noting(key, blob.bytes) };
  }

  private noting(key: BlobKey, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return {
      [Symbol.asyncIterator]: () => {
        const iterator = bytes[Symbol.asyncIterator]();
        return {
          next: () => iterator.next(),
          return: async () => {
            this.returned.push(key);
            return (await iterator.return?.()) ?? { done: true, value: undefined };
          },
        };
      },
    };
  }
}

describe('docs/reliability.md F14: the original of a photo', () => {
  let blobs: CountingStore;
  let here: World;
  let acme: Account;
  let key: BlobKey;
  const file = picture('a.jpg');
  const download = async (range?: ByteRange) => {
    const [photo] = await acme.photos();
    const { open } = await downloadOriginal(here, acme.caller, present(photo).id);
    return Buffer.from(await collected((await open(range)).bytes));
  };

  beforeEach(async () => {
    blobs = new CountingStore();
    here = asInProduction(world({ blobs }));
    acme = await Account.open(here);
    key = storedKey((await acme.addPhoto(file)).blobKey);
    await runJobsUntilIdle(here);
    blobs.read.splice(0);
  });

  test('is read from the store twice, and then returned from the cache while it is unchanged', async () => {
    for (let times = 0; times < 4; times += 1) expect(await download()).toEqual(Buffer.from(file.bytes));
    expect(blobs.read).toEqual([key, key]);
    expect(await download({ start: 2, end: 4 })).toEqual(Buffer.from(file.bytes.subarray(2, 5)));
  });

  test('is returned to the store when no reader uses it, the first time and for the cache', async () => {
    for (let times = 1; times <= 2; times += 1) {
      const [photo] = await acme.photos();
      const { open } = await downloadOriginal(here, acme.caller, present(photo).id);
      const { bytes } = await open();
      await bytes[Symbol.asyncIterator]().return?.();
      expect(blobs.returned).toHaveLength(times);
    }
  });

  test('is not returned when the store has other bytes since, or none', async () => {
    for (let times = 0; times < 3; times += 1) await download();
    expect(blobs.read).toEqual([key, key]);
    await blobs.put(key, bytesOf(file.bytes.map((byte, at) => (at === 9 ? byte ^ 1 : byte))));
    await expect(download()).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(download()).rejects.toMatchObject({ code: 'service_unavailable' });
    await blobs.put(key, bytesOf(file.bytes));
    expect(await download()).toEqual(Buffer.from(file.bytes));
    await blobs.delete([key]);
    await expect(download()).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

describe('a rendition', () => {
  let blobs: CountingStore;
  let here: World;
  let acme: Account;
  let key: BlobKey;
  const download = async () => {
    const [photo] = await acme.photos();
    const { open } = await downloadRendition(here, acme.caller, present(photo).id, { name: 'thumb', format: 'jpeg' });
    return Buffer.from(await collected((await open()).bytes));
  };

  beforeEach(async () => {
    blobs = new CountingStore();
    here = asInProduction(world({ blobs }));
    acme = await Account.open(here);
    key = renditionKey({ ...(await acme.addPhoto(picture('a.jpg'))), customerId: acme.id }, 'thumb', 'jpeg');
    await runJobsUntilIdle(here);
    blobs.read.splice(0);
  });

  test('is read from the store twice, and then returned from the cache while it is unchanged', async () => {
    const first = await download();
    for (let times = 0; times < 3; times += 1) expect(await download()).toEqual(first);
    expect(blobs.read).toEqual([key, key]);
  });

  test('is the new one after it was made again, and is made again when it is missing, or another', async () => {
    const first = await download();
    await download();
    const another = Buffer.from('another');
    await blobs.put(key, bytesOf(another));
    expect(await download()).toEqual(first);
    const thumb = { sizeBytes: another.length, sha256: hash('sha256', another) };
    const { id } = present((await acme.photos())[0]);
    await here.store.transaction(acme.id, ({ photos }) => photos.setThumb(id, thumb));
    await blobs.put(key, bytesOf(another));
    expect(await download()).toEqual(another);
    await blobs.delete([key]);
    expect(await download()).toEqual(first);
  });
});

describe('the cache of blobs', () => {
  let blobs: CountingStore;
  let cache: BlobCache;
  let clock: SettableClock;
  beforeEach(() => {
    blobs = new CountingStore();
    clock = new SettableClock();
    cache = new BlobCache(blobs, clock);
  });

  const put = async (name: string, sizeBytes: number) => {
    const key = storedKey(`originals/1/${name}`);
    await blobs.put(key, bytesOf(new Uint8Array(sizeBytes)));
    return key;
  };
  const asked = async (key: BlobKey) => {
    const blob = present(await blobs.get(key));
    return cache.admit(key, blob.sizeBytes)?.(blob) ?? blob;
  };
  /** The second one. */
  const reading = async (key: BlobKey) => {
    await asked(key);
    return (await asked(key)).bytes[Symbol.asyncIterator]();
  };
  const keep = async (name: string, sizeBytes = 8 * MIB) => {
    const key = await put(name, sizeBytes);
    const reader = await reading(key);
    while (!(await reader.next()).done);
    return key;
  };
  const isKept = async (key: BlobKey) => (await cache.get(key)) !== null;

  test('contains the blobs that were requested last, up to 32 MiB', async () => {
    const keys = [await keep('a'), await keep('b'), await keep('c'), await keep('d')];
    const [a, b, c, d] = keys as [BlobKey, BlobKey, BlobKey, BlobKey];
    expect(await isKept(a)).toBe(true);
    await keep('e');
    expect([await isKept(a), await isKept(b), await isKept(c), await isKept(d)]).toEqual([true, false, true, true]);
  });

  test('removes no blob for one that is requested less often', async () => {
    const keys = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => put(name, 8 * MIB)));
    for (let round = 0; round < 4; round += 1) {
      for (const key of keys) {
        const { bytes } = (await cache.get(key)) ?? (await asked(key));
        for await (const _ of bytes);
      }
    }
    expect(await Promise.all(keys.map(isKept))).toEqual([true, true, true, true, false, false]);
  });

  test('confirms a blob once for all requests that come while it is being confirmed, and again for later ones', async () => {
    const key = await keep('a');
    expect(await Promise.all([key, key, key, key].map(isKept))).toEqual([true, true, true, true]);
    expect(blobs.confirmed).toEqual([key, key]);
    await blobs.delete([key]);
    expect(await Promise.all([key, key, key].map(isKept))).toEqual([false, false, false]);
    expect(blobs.confirmed).toEqual([key, key, key, key]);
  });

  test('says that it has seen a blob lately for a minute after it was read or confirmed', async () => {
    const key = await keep('a');
    for (const seconds of [59, 59, 61, 1]) {
      clock.pass(seconds * 1000);
      expect(await isKept(key)).toBe(true);
    }
    expect(blobs.lately).toEqual([true, true, false, true]);
  });

  test('has a blob of one piece at hand, and reads the others', async () => {
    const small = present(await cache.get(await keep('small', 20_000)));
    expect(small.inMemory).toEqual(new Uint8Array(20_000));
    expect(Buffer.from(await collected(small.bytes)).equals(Buffer.alloc(20_000))).toBe(true);
    const key = await put('two', 2);
    await asked(key);
    const blob = present(await blobs.get(key));
    const inTwo = { ...blob, bytes: bytesOf(Buffer.from('a'), Buffer.from('b')) };
    await collected(present(cache.admit(key, 2))(inTwo).bytes);
    const cached = present(await cache.get(key));
    expect(cached.inMemory).toBeUndefined();
    expect(Buffer.from(await collected(cached.bytes)).toString()).toBe('ab');
  });

  test('contains no large blob, and none that was not read to its end', async () => {
    expect(await isKept(await keep('large', 8 * MIB + 1))).toBe(false);
    const key = await put('half', MIB);
    const reader = await reading(key);
    await reader.next();
    await reader.return?.();
    expect(await isKept(key)).toBe(false);
  });

  test('leaves space for what slow readers hold, and gets it back when they end', async () => {
    const readers = await Promise.all(['a', 'b', 'c'].map(async (name) => reading(await put(name, 8 * MIB))));
    for (const reader of readers) await reader.next();
    const [first, second] = [await keep('d'), await keep('e')];
    expect([await isKept(first), await isKept(second)]).toEqual([false, true]);
    const slow = present(await cache.get(second)).bytes[Symbol.asyncIterator]();
    await slow.next();
    // Its bytes are still held: there is no room for another.
    expect(await isKept(await keep('f'))).toBe(false);
    for (const reader of [...readers, slow]) await reader.return?.();
    const four = [await keep('g'), await keep('h'), await keep('i'), await keep('j')];
    for (const key of four) expect(await isKept(key)).toBe(true);
  });
});
