import { inOneChunk } from '../../src/core/blobs/blob-bytes.js';
import { type BlobKey, storedKey } from '../../src/core/blobs/blob-key.js';
import type { BlobInfo, OpenBlob } from '../../src/core/blobs/blob-store.js';
import { type Compared, copyBlobs } from '../../src/core/blobs/copy-blobs.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { collected } from '../support/core-world.js';

/** Counts what is asked of it, breaks down after so many writes, and gives back other bytes of some keys. */
class Store extends MemoryBlobStore {
  puts = 0;
  reads = 0;
  putsLeft = Number.POSITIVE_INFINITY;
  readonly rotten = new Set<BlobKey>();

  override async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    this.puts += 1;
    this.putsLeft -= 1;
    if (this.putsLeft < 0) throw new DomainError('service_unavailable', 'The store is down.');
    return super.put(key, bytes);
  }

  override async get(key: BlobKey): Promise<OpenBlob | null> {
    this.reads += 1;
    const blob = await super.get(key);
    if (blob === null || !this.rotten.has(key)) return blob;
    return { ...blob, bytes: inOneChunk(new Uint8Array(blob.sizeBytes)) };
  }

  async text(key: BlobKey): Promise<string | null> {
    const blob = await super.get(key);
    return blob && String(await collected(blob.bytes));
  }
}

class ComparedSet implements Compared {
  private readonly known = new Set<string>();
  private lineOf = (key: BlobKey, from: BlobInfo, to: BlobInfo) => [key, from.etag, to.etag].join();

  has = (key: BlobKey, from: BlobInfo, to: BlobInfo) => this.known.has(this.lineOf(key, from, to));
  add = (key: BlobKey, from: BlobInfo, to: BlobInfo) => void this.known.add(this.lineOf(key, from, to));
}

const keys = [
  ...Array.from({ length: 12 }, (_, n) => storedKey(`originals/1/${n}`)),
  storedKey('staging/1/2/3/4'),
  storedKey('renditions/1/5/v1-r0/thumb.jpeg'),
];

let from: Store;
let to: Store;
let compared: Compared;
const copy = () => copyBlobs({ from, to, compared, parallel: 3 });

beforeEach(async () => {
  [from, to, compared] = [new Store(), new Store(), new ComparedSet()];
  for (const key of keys) await from.put(key, inOneChunk(new TextEncoder().encode(`bytes of ${key}`)));
});

async function expectEqual(): Promise<void> {
  for (const key of keys) expect([key, await to.text(key)]).toEqual([key, `bytes of ${key}`]);
}

test('every blob is in both stores after a copy, whatever its kind', async () => {
  const bytes = keys.reduce((sum, key) => sum + `bytes of ${key}`.length, 0);
  expect(await copy()).toEqual({ copied: keys.length, unchanged: 0, bytes, wrong: [] });
  await expectEqual();
});

test('an interrupted copy continues where it was and reads nothing twice', async () => {
  to.putsLeft = 5;
  await expect(copy()).rejects.toMatchObject({ code: 'service_unavailable' });
  to.putsLeft = Number.POSITIVE_INFINITY;
  [from.reads, to.reads, to.puts] = [0, 0, 0];
  const { copied, unchanged } = await copy();
  expect(copied + unchanged).toBe(keys.length);
  expect(to.puts).toBe(copied);
  // What was written just before the end, and not yet compared, is compared now.
  expect(unchanged).toBeGreaterThanOrEqual(2);
  await expectEqual();
  [from.reads, to.reads] = [0, 0];
  expect(await copy()).toMatchObject({ copied: 0, unchanged: keys.length });
  expect([from.reads, to.reads]).toEqual([0, 0]);
});

test('a copy compares existing blobs by their bytes, not by name or size', async () => {
  const [same, other] = [storedKey('originals/1/0'), storedKey('originals/1/1')];
  await to.put(same, inOneChunk(new TextEncoder().encode(`bytes of ${same}`)));
  await to.put(other, inOneChunk(new TextEncoder().encode(`BYTES OF ${other}`)));
  expect(await copy()).toMatchObject({ copied: keys.length - 1, unchanged: 1, wrong: [] });
  await expectEqual();
});

test('a copy copies a blob again that was written again since', async () => {
  await copy();
  const key = storedKey('originals/1/3');
  await from.put(key, inOneChunk(new TextEncoder().encode('changed')));
  expect(await copy()).toMatchObject({ copied: 1, unchanged: keys.length - 1 });
  expect(await to.text(key)).toBe('changed');
});

test('a copy reports bytes that differ after writing, and tries them again the next time', async () => {
  const key = storedKey('originals/1/7');
  to.rotten.add(key);
  expect(await copy()).toMatchObject({ copied: keys.length - 1, wrong: [key] });
  expect((await copy()).wrong).toEqual([key]);
  to.rotten.clear();
  expect((await copy()).wrong).toEqual([]);
  await expectEqual();
});
