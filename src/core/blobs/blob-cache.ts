import { Batcher } from '../shared/batcher.js';
import type { Clock } from '../shared/clock.js';
import { readOnce } from './blob-bytes.js';
import type { BlobKey } from './blob-key.js';
import type { BlobInfo, BlobStore, OpenBlob } from './blob-store.js';

/** Cached blobs, and those being read or written. Ten large photos, or three thousand thumbs. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_BLOB_BYTES = MAX_BYTES / 4;
const MAX_TRACKED_KEYS = 5000;

interface CachedBlob extends BlobInfo {
  readonly chunks: readonly Uint8Array[];
  /** While a reader has some it takes space, cached or not: readers may be slow. */
  readers: number;
}

/**
 * Frequently requested blobs in memory: whole ones, and only those that were read without an error. A cached blob is returned only if the
 * store confirms that it has not been rewritten or deleted. It is evicted for another that was requested twice since its own last request:
 * so many large blobs requested in turn, too many to fit, evict nothing.
 */
export class BlobCache {
  /** The most recently requested one is last. */
  private readonly cached = new Map<BlobKey, CachedBlob>();
  private bytes = 0;
  /** Recent requests, with their sequence numbers. */
  private readonly lastRequested = new Map<BlobKey, number>();
  private requests = 0;
  /**
   * Concurrent requests for one blob are confirmed together: asking the store is a seventh of the work for a thumb from memory, or a request
   * to a bucket.
   */
  private readonly infos: Batcher<BlobKey, BlobKey, BlobInfo | null>;

  constructor(store: BlobStore, clock: Clock) {
    const confirm = async (key: BlobKey, requests: readonly BlobKey[]) => {
      const info = await store.head(key);
      return requests.map(() => info);
    };
    this.infos = new Batcher(confirm, { collect: () => clock.nextTurn(), retrySingly: false });
  }

  /** Null when it is not cached (any more). Errors: `service_unavailable`. */
  async get(key: BlobKey): Promise<OpenBlob | null> {
    if (!this.cached.has(key)) return null;
    const info = await this.infos.enqueue(key, key);
    const found = this.cached.get(key);
    if (found === undefined) return null;
    this.evict(key);
    if (info?.etag !== found.etag) return null;
    this.noteRequest(key);
    this.add(key, found);
    return { ...info, bytes: readOnce(this.read(key, found)) };
  }

  /**
   * Call this for each request for a blob that is not cached. Returns null for the first one, and when there is no space; otherwise a function
   * that returns the blob as it is, and caches it once it has been read to its end without an error.
   */
  admit(key: BlobKey, sizeBytes: number): ((blob: OpenBlob) => OpenBlob) | null {
    const since = this.lastRequested.get(key);
    this.noteRequest(key);
    if (since === undefined || sizeBytes > MAX_BLOB_BYTES || !this.evictionsFor(sizeBytes, since)) return null;
    return (blob) => ({ ...blob, bytes: readOnce(this.collect(key, blob, since), blob.bytes), release: undefined });
  }

  private noteRequest(key: BlobKey): void {
    this.requests += 1;
    this.lastRequested.delete(key);
    this.lastRequested.set(key, this.requests);
    for (const oldest of this.lastRequested.keys()) {
      if (this.lastRequested.size <= MAX_TRACKED_KEYS) break;
      this.lastRequested.delete(oldest);
    }
  }

  private async *collect(
    key: BlobKey,
    { etag, sizeBytes, bytes }: OpenBlob,
    since: number,
  ): AsyncGenerator<Uint8Array, void, void> {
    const evictionsFor = this.evictionsFor(sizeBytes, since);
    if (evictionsFor === null) {
      yield* bytes;
      return;
    }
    for (const other of evictionsFor) this.evict(other);
    this.bytes += sizeBytes;
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of bytes) {
        chunks.push(alone(chunk));
        yield chunk;
      }
    } finally {
      this.bytes -= sizeBytes;
    }
    this.evict(key);
    this.add(key, { etag, sizeBytes, chunks, readers: 0 });
  }

  private async *read(key: BlobKey, blob: CachedBlob): AsyncGenerator<Uint8Array, void, void> {
    this.accounting(key, blob, () => {
      blob.readers += 1;
    });
    try {
      yield* blob.chunks;
    } finally {
      this.accounting(key, blob, () => {
        blob.readers -= 1;
      });
    }
  }

  /** Returns what must be evicted to free so much space; null when that is not enough, or one of them was requested since. */
  private evictionsFor(sizeBytes: number, since: number): readonly BlobKey[] | null {
    let needed = this.bytes + sizeBytes - MAX_BYTES;
    const others: BlobKey[] = [];
    for (const [other, { readers, sizeBytes: freed }] of this.cached) {
      if (needed <= 0) break;
      if ((this.lastRequested.get(other) ?? 0) > since) return null;
      // A blob that is being read takes its space until then, cached or not.
      if (readers > 0) continue;
      others.push(other);
      needed -= freed;
    }
    return needed <= 0 ? others : null;
  }

  private add(key: BlobKey, blob: CachedBlob): void {
    this.accounting(key, blob, () => this.cached.set(key, blob));
  }

  private evict(key: BlobKey): void {
    const blob = this.cached.get(key);
    if (blob !== undefined) this.accounting(key, blob, () => this.cached.delete(key));
  }

  private accounting(key: BlobKey, blob: CachedBlob, act: () => void): void {
    const space = () => (this.cached.get(key) === blob || blob.readers > 0 ? blob.sizeBytes : 0);
    this.bytes -= space();
    act();
    this.bytes += space();
  }
}

/** A slice of a larger buffer would retain all of it. */
function alone(chunk: Uint8Array): Uint8Array {
  return chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk);
}
