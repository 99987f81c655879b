import { createHash } from 'node:crypto';
import { readOnce } from '../../../src/core/blobs/blob-bytes.js';
import { type BlobKey } from '../../../src/core/blobs/blob-key.js';
import type { BlobStore, OpenBlob } from '../../../src/core/blobs/blob-store.js';
import {
  type ExpectedBytes,
  lostBytes,
  type Reading,
  type VerifiedBlobs,
} from '../../../src/core/blobs/verified-blobs.js';

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
