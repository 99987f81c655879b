import { Readable } from 'node:stream';
import { checkedRange } from '../../core/blobs/blob-bytes.js';
import { type BlobKey, checkKeys, checkPrefix } from '../../core/blobs/blob-key.js';
import type {
  BlobFile,
  BlobInfo,
  BlobStore,
  ByteRange,
  DiskSpace,
  ListedBlob,
  OpenBlob,
} from '../../core/blobs/blob-store.js';
import { DomainError } from '../../core/shared/errors.js';
import { checkedBody } from '../remote-blobs/body.js';
import { storeOutage, usualPatience } from '../remote-blobs/outage.js';

/**
 * A store that knows nothing of this program: keys are checked before they reach it, bodies must not end early, and its errors become
 * `service_unavailable`, except for a RangeError and for what the source of a put threw.
 */
export class OutsideBlobStore implements BlobStore {
  constructor(
    /** May lack some methods, for which there are answers here. */
    private readonly store: Omit<BlobStore, 'file' | 'sweep' | 'diskSpace'> &
      Partial<Pick<BlobStore, 'file' | 'sweep' | 'diskSpace'>>,
  ) {}

  async put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    checkKeys(key);
    const failures: unknown[] = [];
    async function* noting() {
      try {
        yield* bytes;
      } catch (error) {
        failures.push(error);
        throw error;
      }
    }
    try {
      return await this.store.put(key, noting());
    } catch (error) {
      throw failures.length > 0 ? failures[0] : unavailable(error);
    }
  }

  async get(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null> {
    checkKeys(key);
    const blob = await guarded(() => this.store.get(key, range));
    if (blob === null) return null;
    const { sizeBytes, etag, bytes } = blob;
    const body = bytes instanceof Readable ? bytes : Readable.from(bytes);
    const { start, end } = checkedRange(range, sizeBytes);
    const expected = { length: end - start + 1, sha256: null, silence: usualPatience.silence };
    return { sizeBytes, etag, bytes: await checkedBody(body, expected) };
  }

  async head(key: BlobKey): Promise<BlobInfo | null> {
    checkKeys(key);
    return guarded(() => this.store.head(key));
  }

  async file(key: BlobKey): Promise<BlobFile | null> {
    checkKeys(key);
    return guarded(async () => (await this.store.file?.(key)) ?? null);
  }

  async copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean> {
    checkKeys(from, to);
    return guarded(() => this.store.copy(from, to, ifMatch));
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    checkKeys(...keys);
    await guarded(() => this.store.delete(keys));
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    checkPrefix(prefix);
    try {
      yield* this.store.list(prefix);
    } catch (error) {
      throw unavailable(error);
    }
  }

  async sweep(until: Date): Promise<void> {
    await guarded(async () => this.store.sweep?.(until));
  }

  diskSpace(): Promise<DiskSpace | null> {
    return guarded(async () => (await this.store.diskSpace?.()) ?? null);
  }
}

async function guarded<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw unavailable(error);
  }
}

function unavailable(error: unknown): unknown {
  return error instanceof DomainError || error instanceof RangeError ? error : storeOutage(error);
}
