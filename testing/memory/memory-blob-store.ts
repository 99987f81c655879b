import { createHash } from 'node:crypto';
import { checkedRange, inOneChunk, readOnce } from '../../src/core/blobs/blob-bytes.js';
import { type BlobKey, checkKeys, checkPrefix } from '../../src/core/blobs/blob-key.js';
import type {
  BlobFile,
  BlobInfo,
  BlobStore,
  ByteRange,
  DiskSpace,
  ListedBlob,
  OpenBlob,
} from '../../src/core/blobs/blob-store.js';
import type { DirectUploads, ExpectedBlob } from '../../src/core/blobs/direct-uploads.js';
import {
  type ExpectedBytes,
  lostBytes,
  type Reading,
  type VerifiedBlobs,
} from '../../src/core/blobs/verified-blobs.js';
import type { UploadAddress } from '../../src/core/shared/addresses.js';
import { after, type Clock, SECOND } from '../../src/core/shared/clock.js';

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

/** Everything is read and hashed each time. */
export class PlainVerifiedBlobs implements VerifiedBlobs {
  constructor(private readonly store: BlobStore) {}

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await this.store.put(key, bytes);
  }

  async open(key: BlobKey, expected: ExpectedBytes | null, { range }: Reading = {}): Promise<OpenBlob | null> {
    const blob = await this.store.get(key, range);
    if (blob === null || expected === null) return blob;
    if (range !== undefined || blob.sizeBytes !== expected.sizeBytes)
      await blob.bytes[Symbol.asyncIterator]().return?.();
    if (blob.sizeBytes !== expected.sizeBytes) return null;
    if (range === undefined) return { ...blob, bytes: readOnce(hashed(blob.bytes, expected.sha256), blob.bytes) };
    const whole = await this.open(key, expected);
    if (whole === null) return null;
    for await (const _ of whole.bytes);
    return this.store.get(key, range);
  }

  async file(): Promise<null> {
    return null;
  }

  async writtenFile(): Promise<null> {
    return null;
  }
}

/** All chunks, but the last one only once the hash of all is the right one. */
async function* hashed(bytes: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array, void, void> {
  const hash = createHash('sha256');
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) {
    hash.update(chunk);
    chunks.push(Uint8Array.from(chunk));
  }
  yield* chunks.slice(0, -1);
  if (hash.digest('hex') !== sha256) throw lostBytes();
  yield* chunks.slice(-1);
}

/** Addresses that `put` takes, as the server of a real store would. */
export class MemoryDirectUploads implements DirectUploads {
  private readonly grants = new Map<string, Grant>();

  constructor(
    private readonly blobs: BlobStore,
    private readonly clock: Clock,
  ) {}

  async sign(blobs: readonly ExpectedBlob[], seconds: number): Promise<readonly UploadAddress[]> {
    const expiresAt = after(this.clock.now(), seconds * SECOND);
    return blobs.map(({ key, sizeBytes, sha256 }) => {
      const url = `${ORIGIN}/${this.grants.size}/${key}`;
      const headers = { 'content-length': String(sizeBytes), ...(sha256 !== null && { 'x-sha256': sha256 }) };
      this.grants.set(url, { key, headers, expiresAt });
      return { url, headers };
    });
  }

  async origin(): Promise<string> {
    return ORIGIN;
  }

  /** The request of a client. False when it is refused, and nothing is stored then. */
  async put(url: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array): Promise<boolean> {
    const grant = this.grants.get(url);
    if (grant === undefined || grant.expiresAt.getTime() <= this.clock.now().getTime()) return false;
    const asSigned = Object.entries(grant.headers).every(([name, value]) => headers[name] === value);
    if (!asSigned || headers['content-length'] !== String(bytes.length)) return false;
    await this.blobs.put(grant.key, inOneChunk(bytes));
    return true;
  }
}

/** There is no server: `put` stands for it. */
const ORIGIN = 'https://store.invalid';

interface Grant {
  readonly key: BlobKey;
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}
