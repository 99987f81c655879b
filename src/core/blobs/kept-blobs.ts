import type { BlobKey } from './blob-key.js';
import type { BlobInfo, BlobStore, OpenBlob } from './blob-store.js';
import { readOnce } from './open-blob.js';

/** Of one store: what is kept, and what is on its way there or out of there. Ten large photos, or three thousand thumbs. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_OF_ONE = MOST_BYTES / 4;
const MOST_KNOWN = 5000;

interface Kept extends BlobInfo {
  readonly chunks: readonly Uint8Array[];
  /** While it has some it takes room, kept or not: they may be slow. */
  readers: number;
}

const stores = new WeakMap<BlobStore, KeptBlobs>();

/** What is kept of this store. */
export function keptOf(store: BlobStore): KeptBlobs {
  const kept = stores.get(store) ?? new KeptBlobs(store);
  stores.set(store, kept);
  return kept;
}

/**
 * Blobs in memory, those that are asked for again and again: whole ones, and only those that were read without an error. One is given for as
 * long as the store says that it was not written again and is not gone. It makes way for another that was asked for twice since it was asked
 * for itself: so many large ones in turn, which never come back in time, drive nobody out.
 */
export class KeptBlobs {
  /** The one that was asked for last comes last. */
  private readonly kept = new Map<BlobKey, Kept>();
  private bytes = 0;
  /** What was asked for lately, with the number of that question. */
  private readonly asked = new Map<BlobKey, number>();
  private questions = 0;

  constructor(private readonly store: BlobStore) {}

  /** Null when it is not kept, or not any more. Errors: `service_unavailable`. */
  async get(key: BlobKey): Promise<OpenBlob | null> {
    if (!this.kept.has(key)) return null;
    const info = await this.store.head(key);
    const found = this.kept.get(key);
    if (found === undefined) return null;
    this.forget(key);
    if (info?.etag !== found.etag) return null;
    this.note(key);
    this.remember(key, found);
    return { ...info, bytes: readOnce(this.lend(key, found)) };
  }

  /** The blob as it is, and kept if this is not the first time, there is room, and it was read to its end without an error. */
  keeping(key: BlobKey, blob: OpenBlob): OpenBlob {
    const since = this.asked.get(key);
    this.note(key);
    if (since === undefined || blob.sizeBytes > MOST_OF_ONE || !this.inTheWay(blob.sizeBytes, since)) return blob;
    return { ...blob, bytes: this.collect(key, blob, since), release: undefined };
  }

  private note(key: BlobKey): void {
    this.questions += 1;
    this.asked.delete(key);
    this.asked.set(key, this.questions);
    for (const oldest of this.asked.keys()) {
      if (this.asked.size <= MOST_KNOWN) break;
      this.asked.delete(oldest);
    }
  }

  private async *collect(key: BlobKey, { etag, sizeBytes, bytes }: OpenBlob, since: number): AsyncIterable<Uint8Array> {
    const inTheWay = this.inTheWay(sizeBytes, since);
    if (inTheWay === null) {
      yield* bytes;
      return;
    }
    for (const other of inTheWay) this.forget(other);
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
    this.forget(key);
    this.remember(key, { etag, sizeBytes, chunks, readers: 0 });
  }

  private async *lend(key: BlobKey, blob: Kept): AsyncGenerator<Uint8Array, void, void> {
    this.change(key, blob, () => {
      blob.readers += 1;
    });
    try {
      yield* blob.chunks;
    } finally {
      this.change(key, blob, () => {
        blob.readers -= 1;
      });
    }
  }

  /** What must go to make room for so much; null when that is not enough, or one of them was asked for since. */
  private inTheWay(sizeBytes: number, since: number): readonly BlobKey[] | null {
    let needed = this.bytes + sizeBytes - MOST_BYTES;
    const others: BlobKey[] = [];
    for (const [other, { readers, sizeBytes: freed }] of this.kept) {
      if (needed <= 0) break;
      if ((this.asked.get(other) ?? 0) > since) return null;
      // What somebody reads just now takes its room until then, kept or not.
      if (readers > 0) continue;
      others.push(other);
      needed -= freed;
    }
    return needed <= 0 ? others : null;
  }

  private remember(key: BlobKey, blob: Kept): void {
    this.change(key, blob, () => this.kept.set(key, blob));
  }

  private forget(key: BlobKey): void {
    const blob = this.kept.get(key);
    if (blob !== undefined) this.change(key, blob, () => this.kept.delete(key));
  }

  private change(key: BlobKey, blob: Kept, act: () => void): void {
    const room = () => (this.kept.get(key) === blob || blob.readers > 0 ? blob.sizeBytes : 0);
    this.bytes -= room();
    act();
    this.bytes += room();
  }
}

/** A slice of something larger would keep all of that. */
function alone(chunk: Uint8Array): Uint8Array {
  return chunk.byteLength === chunk.buffer.byteLength ? chunk : new Uint8Array(chunk);
}
