import { createHash } from 'node:crypto';
import { readOnce } from '../../core/blobs/blob-bytes.js';
import type { BlobKey } from '../../core/blobs/blob-key.js';
import type { BlobFile, BlobInfo, BlobState, BlobStore, ByteRange, OpenBlob } from '../../core/blobs/blob-store.js';
import {
  type ExpectedBytes,
  lostBytes,
  type Reading,
  type VerifiedBlob,
  type VerifiedBlobs,
} from '../../core/blobs/verified-blobs.js';
import type { Clock } from '../../core/shared/clock.js';
import { Batcher, setNewest } from '../shared-work.js';

/**
 * A blob store whose blobs are hashed while they are read, unless they were found to be right and nothing has written to them since, as far as
 * the store can tell. Whole blobs that are often read are cached. A process has one of these.
 */
export class CachedVerifiedBlobs implements VerifiedBlobs {
  private readonly cache: BlobCache;
  private readonly trusted: TrustedBlobs;

  constructor(
    private readonly store: BlobStore,
    private readonly clock: Clock,
    random: () => number = Math.random,
  ) {
    this.cache = new BlobCache(store, clock);
    this.trusted = new TrustedBlobs(random);
  }

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    await this.store.put(key, bytes);
    const file = await this.store.file(key);
    if (file !== null) this.trusted.addWritten(key, file.state);
  }

  async open(
    key: BlobKey,
    expected: ExpectedBytes | null,
    { range, isOnce = false }: Reading = {},
  ): Promise<VerifiedBlob | null> {
    if (range !== undefined) return this.openRange(key, expected, range);
    const cached = isOnce ? null : await this.cache.get(key);
    if (cached !== null) return cached;
    const blob = await this.openOfSize(key, expected);
    if (blob === null) return null;
    const caching = isOnce ? null : this.cache.admit(key, blob.sizeBytes);
    // What is cached is not hashed again.
    const isRight = expected === null || (caching === null && this.trusted.has(key, blob.state));
    const opened = isRight ? blob : this.hashed(key, expected, blob);
    return caching?.(opened) ?? opened;
  }

  async file(key: BlobKey): Promise<BlobFile | null> {
    const file = await this.store.file(key);
    return file !== null && this.trusted.has(key, file.state) ? file : null;
  }

  async writtenFile(key: BlobKey): Promise<BlobFile | null> {
    const file = await this.store.file(key);
    return file !== null && this.trusted.has(key, file.state, { sampled: false }) ? file : null;
  }

  private async openRange(key: BlobKey, expected: ExpectedBytes | null, range: ByteRange): Promise<OpenBlob | null> {
    const part = await this.openOfSize(key, expected, range);
    const state = part?.state;
    if (expected === null || state === undefined || this.trusted.has(key, state, { sampled: false })) return part;
    await close(part);
    const whole = await this.openOfSize(key, expected);
    if (whole === null) return null;
    const { bytes, release } = this.trusted.has(key, whole.state) ? whole : this.hashed(key, expected, whole);
    for await (const chunk of bytes) release?.(chunk);
    return this.openOfSize(key, expected, range);
  }

  private async openOfSize(key: BlobKey, expected: ExpectedBytes | null, range?: ByteRange): Promise<OpenBlob | null> {
    const blob = await this.store.get(key, range);
    if (blob === null || expected === null || blob.sizeBytes === expected.sizeBytes) return blob;
    await close(blob);
    return null;
  }

  private hashed(key: BlobKey, { sha256 }: ExpectedBytes, blob: OpenBlob): OpenBlob {
    const openedAt = this.clock.now();
    const bytes = verified(blob.bytes, sha256, () => this.trusted.add(key, blob.state, openedAt));
    return { ...blob, bytes: readOnce(bytes, blob.bytes) };
  }
}

async function close(blob: OpenBlob | null): Promise<void> {
  await blob?.bytes[Symbol.asyncIterator]().return?.();
}

/**
 * Holds back the last bytes until the hash of all bytes is the expected one.
 * @param onVerified Called when it is.
 */
async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  sha256: string,
  onVerified: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  const hash = createHash('sha256');
  let held: Uint8Array | null = null;
  for await (const chunk of bytes) {
    if (held !== null) yield held;
    hash.update(chunk);
    held = chunk;
  }
  if (hash.digest('hex') !== sha256) throw lostBytes();
  onVerified();
  if (held !== null) yield held;
}

/** Blobs that are remembered, in 3 MiB. Two blobs may share a slot: the later one takes it, and the other is verified again. */
const SLOTS = 2 ** 18;
/** Words of a slot: a hash of 96 bits that identifies a blob and its state, so that no other is ever taken for it. */
const WORDS = 3;
/** One read of so many is verified although nothing has written to the blob: disks lose bits without any trace. */
const ONE_IN = 64;
/** Some file systems have clocks that advance only once a second: a second change within that time may leave no trace. */
const SETTLED_MS = 2000;

/**
 * Blobs whose bytes were found to have the right hash, and which nothing has written to since, as far as the store can tell: they can be read
 * without being hashed again.
 */
export class TrustedBlobs {
  private readonly words = new Uint32Array(SLOTS * WORDS);

  constructor(private readonly random: () => number) {}

  /**
   * Whether the bytes need not be hashed.
   * @param sampled Whether this may be one of the reads that are verified nonetheless.
   */
  has(key: BlobKey, state: BlobState | undefined, { sampled = true }: { readonly sampled?: boolean } = {}): boolean {
    if (state === undefined || (sampled && this.random() * ONE_IN < 1)) return false;
    const { slot, words } = slotOf(key, state);
    return words.every((word, at) => this.words[slot + at] === word);
  }

  /** The bytes of the blob were read, in this state, and had the right hash. */
  add(key: BlobKey, state: BlobState | undefined, readAt: Date): void {
    if (state !== undefined && readAt.getTime() - state.changedAt.getTime() >= SETTLED_MS) this.addWritten(key, state);
  }

  /** The bytes were hashed while the service itself wrote them, under a name that nothing else knows yet: this is their state from then on. */
  addWritten(key: BlobKey, state: BlobState): void {
    const { slot, words } = slotOf(key, state);
    this.words.set(words, slot);
  }
}

function slotOf(key: BlobKey, { fingerprint }: BlobState): { slot: number; words: readonly number[] } {
  const hash = createHash('sha256').update(`${key} ${fingerprint}`).digest();
  const slot = (createHash('sha256').update(key).digest().readUInt32LE(0) % SLOTS) * WORDS;
  return { slot, words: Array.from({ length: WORDS }, (_, at) => hash.readUInt32LE(4 * at)) };
}

/** Cached blobs, and those being read or written. Ten large photos, or three thousand thumbs. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_BLOB_BYTES = MAX_BYTES / 4;
const MAX_TRACKED_KEYS = 5000;
/** So long after it was asked about a file, the kernel still knows it, unless memory is very short. */
const LATELY_MS = 60_000;

interface CachedBlob extends BlobInfo {
  readonly chunks: readonly Uint8Array[];
  /** While a reader has some it takes space, cached or not: readers may be slow. */
  readers: number;
  /** When the store was last asked about it, in milliseconds of the stopwatch. */
  seenAt: number;
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
  /** Requests for one blob that come while it is being confirmed are confirmed together: to a bucket that is a request. */
  private readonly infos: Batcher<BlobKey, boolean, BlobInfo | null>;

  constructor(
    store: BlobStore,
    private readonly clock: Clock,
  ) {
    const confirm = async (key: BlobKey, areSeenLately: readonly boolean[]) => {
      const info = await store.head(key, areSeenLately[0]);
      return areSeenLately.map(() => info);
    };
    this.infos = new Batcher(confirm, { retrySingly: false });
  }

  /** Null when it is not cached. Errors: `service_unavailable`. */
  async get(key: BlobKey): Promise<VerifiedBlob | null> {
    const before = this.cached.get(key);
    if (before === undefined) return null;
    const info = await this.infos.enqueue(key, this.clock.elapsed() - before.seenAt < LATELY_MS);
    const found = this.cached.get(key);
    if (found === undefined) return null;
    if (info?.etag !== found.etag) {
      this.evict(key);
      return null;
    }
    this.noteRequest(key);
    found.seenAt = this.clock.elapsed();
    this.cached.delete(key);
    this.cached.set(key, found);
    const { etag, sizeBytes, chunks } = found;
    const inMemory = chunks.length === 1 ? chunks[0] : undefined;
    return { etag, sizeBytes, bytes: readOnce(this.read(key, found)), inMemory };
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
    setNewest(this.lastRequested, key, this.requests, MAX_TRACKED_KEYS);
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
    const blob = { etag, sizeBytes, chunks, readers: 0, seenAt: this.clock.elapsed() };
    this.accounting(key, blob, () => this.cached.set(key, blob));
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
