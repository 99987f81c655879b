import { createHash } from 'node:crypto';
import type { Caller } from '../access/caller.js';
import { readOnce } from '../blobs/blob-bytes.js';
import type { BlobCache } from '../blobs/blob-cache.js';
import { type BlobKey, storedKey } from '../blobs/blob-key.js';
import type { BlobInfo, BlobStore, ByteRange, OpenBlob } from '../blobs/blob-store.js';
import type { VerifiedBlobs } from '../blobs/verified-blobs.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Photo } from './photo.js';
import { readVisiblePhoto } from './read-photo.js';

/** Bytes that can be sent; which ones is decided after the client's conditions have been checked. */
export interface Download {
  readonly photo: Photo;
  readonly contentType: string;
  /** About all of the bytes, without opening them. Errors: those of `open`, except for lost bytes. */
  info(): Promise<BlobInfo>;
  open(range?: ByteRange): Promise<OpenBlob>;
  /** Where the bytes are, for programs that read the store directly. Errors: those of `open`. */
  blobKey(): Promise<BlobKey>;
}

type DownloadUses = OriginalUses & { store: Readable<'photos'>; blobCache: BlobCache };

/** The original, byte for byte. Errors: `not_found`, `service_unavailable` (its bytes are lost; when opened: the store is unavailable). */
export async function downloadOriginal(
  { store, blobCache, ...uses }: DownloadUses,
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<Download> {
  const photo = await readVisiblePhoto({ store }, caller, id);
  // Thrown before anything is sent. A range of it could not even be verified.
  if (photo.originalLostAt !== null) throw lostOriginal();
  const key = storedKey(photo.blobKey);
  const open = async (range?: ByteRange) => {
    if (range) return openOriginal(uses, photo, { range });
    const cached = await blobCache.get(key);
    if (cached !== null) return cached;
    const caching = blobCache.admit(key, photo.sizeBytes);
    // What is cached is not hashed again.
    const blob = await openOriginal(uses, photo, { alwaysHashed: caching !== null });
    return caching?.(blob) ?? blob;
  };
  const blobKey = async () => {
    if ((await uses.blobs.head(key))?.sizeBytes !== photo.sizeBytes) throw lostBytes();
    return key;
  };
  return {
    photo,
    contentType: photo.contentType,
    info: async () => ({ sizeBytes: photo.sizeBytes, etag: photo.sha256 }),
    open,
    blobKey,
  };
}

/** An original whose bytes are sent right away. Errors: those of `downloadOriginal` and of its `open`; `not_found` if the photo is deleted meanwhile. */
export async function openOriginalOf(
  uses: DownloadUses,
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<{ readonly photo: Photo; readonly bytes: OpenBlob['bytes'] }> {
  const { photo, open } = await downloadOriginal(uses, caller, id);
  try {
    const { bytes } = await open();
    return { photo, bytes };
  } catch (error) {
    // The bytes of a deleted photo go right after it.
    await readVisiblePhoto(uses, caller, id);
    throw error;
  }
}

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

/**
 * Holds back the last bytes until the hash of all bytes matches that of the photo: a complete download is a correct one.
 * @param onVerified Called when it does.
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

export function lostBytes(): DomainError {
  return new DomainError(
    'service_unavailable',
    'The bytes of this photo are temporarily unavailable. Try again later.',
  );
}

function lostOriginal(): DomainError {
  const message = 'The stored original of this photo is missing or damaged. Import the same file again to restore it.';
  return new DomainError('service_unavailable', message);
}
