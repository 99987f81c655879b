import { checkedRange, readOnce } from '../../../src/core/blobs/blob-bytes.js';
import { type BlobKey, checkKeys, checkPrefix } from '../../../src/core/blobs/blob-key.js';
import type {
  BlobFile,
  BlobInfo,
  BlobStore,
  ByteRange,
  DiskSpace,
  ListedBlob,
  OpenBlob,
} from '../../../src/core/blobs/blob-store.js';
import { type Clock } from '../../../src/core/shared/clock.js';

const CHUNK_BYTES = 256 * 1024;

interface Blob extends BlobInfo {
  /** Never changed: a put makes another. */
  readonly bytes: Uint8Array;
  readonly modifiedAt: Date;
}

const systemClock: Pick<Clock, 'now'> = { now: () => new Date() };

export class MemoryBlobStore implements BlobStore {
  private readonly blobs = new Map<BlobKey, Blob>();
  private written = 0;

  /** The answer of `diskSpace`. */
  disk: DiskSpace | null = null;

  /** The clock gives `modifiedAt`. */
  constructor(private readonly clock: Pick<Clock, 'now'> = systemClock) {}

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    checkKeys(key);
    const chunks: Uint8Array[] = [];
    // A source may use its buffer again for the next chunk.
    for await (const chunk of bytes) chunks.push(Uint8Array.from(chunk));
    return this.keep(key, new Uint8Array(Buffer.concat(chunks)));
  }

  async get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null> {
    checkKeys(key);
    const blob = this.blobs.get(key);
    if (blob === undefined) return null;
    const { start, end } = checkedRange(range, blob.sizeBytes);
    return {
      sizeBytes: blob.sizeBytes,
      etag: blob.etag,
      bytes: readOnce(chunksOf(blob.bytes.subarray(start, end + 1))),
    };
  }

  async head(key: BlobKey): Promise<BlobInfo | null> {
    checkKeys(key);
    const blob = this.blobs.get(key);
    return blob === undefined ? null : { sizeBytes: blob.sizeBytes, etag: blob.etag };
  }

  async file(key: BlobKey): Promise<BlobFile | null> {
    checkKeys(key);
    return null;
  }

  async copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean> {
    checkKeys(from, to);
    const blob = this.blobs.get(from);
    if (blob?.etag !== ifMatch) return false;
    this.keep(to, blob.bytes);
    return true;
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    checkKeys(...keys);
    for (const key of keys) this.blobs.delete(key);
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    checkPrefix(prefix);
    for (const [key, { sizeBytes, modifiedAt }] of this.blobs) {
      if (key.startsWith(prefix)) yield { key, sizeBytes, modifiedAt };
    }
  }

  /** The bytes of an unfinished put go with it. */
  async sweep(): Promise<void> {}

  async diskSpace(): Promise<DiskSpace | null> {
    return this.disk;
  }

  private keep(key: BlobKey, bytes: Uint8Array): BlobInfo {
    this.written += 1;
    const info = { sizeBytes: bytes.length, etag: `${this.written}` };
    this.blobs.set(key, { ...info, bytes, modifiedAt: this.clock.now() });
    return info;
  }
}

/** Copies, so that what a reader does to them does not reach the blob. */
async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.slice(start, start + CHUNK_BYTES);
}
