import { type BlobKey, storedKey } from '../blobs/blob-key.js';
import type { BlobStore, ByteRange, OpenBlob } from '../blobs/blob-store.js';
import { readOnce } from '../blobs/open-blob.js';
import type { VerifiedBlobs } from '../blobs/verified-blobs.js';
import type { Clock } from '../shared/clock.js';
import type { Photo } from './photo.js';
import { lostBytes, lostOriginal, verified } from './verified-bytes.js';

export type OriginalUses = { blobs: BlobStore; verifiedBlobs: VerifiedBlobs; clock: Clock };

/**
 * The bytes of an original, or a range of them. They are hashed while they are read, and held back at the end if they are not what was
 * uploaded, unless they were found to be right and nothing has written to them since. A range cannot be hashed by itself: then all of them
 * are read first, where the store can tell about writes. Errors: `service_unavailable` (lost; or the store is unavailable).
 * @param alwaysHashed Even if they were found to be right. Has no effect on a range.
 */
export async function openOriginal(
  uses: OriginalUses,
  photo: Photo,
  { range, alwaysHashed = false }: { readonly range?: ByteRange; readonly alwaysHashed?: boolean } = {},
): Promise<OpenBlob> {
  const blob = await openOfSize(uses, photo, range);
  if (range === undefined) return alwaysHashed ? hashed(uses, photo, blob) : verifying(uses, photo, blob);
  if (blob.state === undefined || uses.verifiedBlobs.trusts(keyOf(photo), blob.state, { sampled: false })) return blob;
  await blob.bytes[Symbol.asyncIterator]().return?.();
  const { bytes, release } = verifying(uses, photo, await openOfSize(uses, photo));
  for await (const chunk of bytes) release?.(chunk);
  return openOfSize(uses, photo, range);
}

/** The path of an original that need not be verified; null for any other. */
export async function verifiedFile({ blobs, verifiedBlobs }: OriginalUses, photo: Photo): Promise<string | null> {
  const file = await blobs.file(keyOf(photo));
  return file !== null && verifiedBlobs.trusts(keyOf(photo), file.state) ? file.path : null;
}

async function openOfSize({ blobs }: OriginalUses, photo: Photo, range?: ByteRange): Promise<OpenBlob> {
  const blob = await blobs.get(keyOf(photo), range);
  if (blob?.sizeBytes === photo.sizeBytes) return blob;
  await blob?.bytes[Symbol.asyncIterator]().return?.();
  throw photo.originalLostAt === null ? lostBytes() : lostOriginal();
}

function verifying(uses: OriginalUses, photo: Photo, blob: OpenBlob): OpenBlob {
  return uses.verifiedBlobs.trusts(keyOf(photo), blob.state) ? blob : hashed(uses, photo, blob);
}

function hashed({ verifiedBlobs, clock }: OriginalUses, photo: Photo, blob: OpenBlob): OpenBlob {
  const key = keyOf(photo);
  const openedAt = clock.now();
  const bytes = verified(blob.bytes, photo.sha256, () => verifiedBlobs.add(key, blob.state, openedAt));
  return { ...blob, bytes: readOnce(bytes, blob.bytes) };
}

function keyOf(photo: Photo): BlobKey {
  return storedKey(photo.blobKey);
}
