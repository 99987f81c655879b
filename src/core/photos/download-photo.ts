import type { Caller } from '../access/caller.js';
import type { BlobCache } from '../blobs/blob-cache.js';
import { type BlobKey, storedKey } from '../blobs/blob-key.js';
import type { BlobInfo, ByteRange, OpenBlob } from '../blobs/blob-store.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import { type OriginalUses, openOriginal } from './open-original.js';
import type { Photo } from './photo.js';
import { readVisiblePhoto } from './read-photo.js';
import { lostBytes, lostOriginal } from './verified-bytes.js';

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
