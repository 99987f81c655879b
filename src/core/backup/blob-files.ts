import { type BlobKey, storedKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { hashAt } from '../blobs/copy-blobs.js';
import { withMeasure } from '../blobs/measure.js';
import type { BackedUpBlob, BlobFiles, Conversion, NeededBlob } from './blob-backup.js';

/** Blobs as they are, under their own names. */
export class PlainBlobFiles implements BlobFiles {
  constructor(private readonly store: BlobStore) {}

  async find({ key, sha256 }: NeededBlob): Promise<BackedUpBlob | null> {
    const there = await this.store.head(key);
    const known = there === null ? null : (sha256 ?? (await hashAt(this.store, key)));
    return there === null || known === null ? null : { key, sizeBytes: there.sizeBytes, sha256: known };
  }

  async add(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BackedUpBlob> {
    return { key, ...(await putMeasured(this.store, key, bytes)) };
  }
}

/**
 * Blobs that the service itself cannot read again. What a file contains is known only from a list that this service has signed. A file is
 * never replaced, because other lists may refer to it: each run gives its files names of its own.
 * @param known By key, from lists of earlier backups.
 * @param run Lower-case letters and digits.
 */
export class EncryptedBlobFiles implements BlobFiles {
  constructor(
    private readonly store: BlobStore,
    private readonly known: ReadonlyMap<BlobKey, BackedUpBlob>,
    private readonly encrypt: Conversion,
    private readonly run: string,
  ) {}

  async find({ key }: NeededBlob): Promise<BackedUpBlob | null> {
    const known = this.known.get(key);
    if (known === undefined) return null;
    const there = await this.store.head(known.file ?? key);
    return there?.sizeBytes === known.sizeBytes ? known : null;
  }

  async add(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<BackedUpBlob> {
    const file = storedKey(`${key}.${this.run}.age`);
    return { key, file, ...(await putMeasured(this.store, file, this.encrypt(bytes))) };
  }
}

async function putMeasured(
  store: BlobStore,
  key: BlobKey,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Pick<BackedUpBlob, 'sizeBytes' | 'sha256'>> {
  const { bytes: measured, measure } = withMeasure(bytes, Number.MAX_SAFE_INTEGER);
  const { sizeBytes } = await store.put(key, measured);
  if (measure.sha256 === null) throw new Error(`${key} was stored without being read to its end.`);
  return { sizeBytes, sha256: measure.sha256 };
}
