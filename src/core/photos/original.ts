import type { Caller } from '../access/caller.js';
import { type BlobKey, storedKey } from '../blobs/blob-key.js';
import type { BlobInfo, BlobStore, ByteRange, OpenBlob } from '../blobs/blob-store.js';
import { lostBytes, type Reading, type VerifiedBlob, type VerifiedBlobs } from '../blobs/verified-blobs.js';
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
  open(range?: ByteRange): Promise<VerifiedBlob>;
  /** Where the bytes are, for programs that read the store directly. Errors: those of `open`. */
  blobKey(): Promise<BlobKey>;
}

type DownloadUses = OriginalUses & { store: Readable<'photos'>; blobs: BlobStore };

/** The original, byte for byte. Errors: `not_found`, `service_unavailable` (its bytes are lost; when opened: the store is unavailable). */
export async function downloadOriginal(
  { store, blobs, verifiedBlobs }: DownloadUses,
  caller: Pick<Caller, 'customerId'>,
  id: Id,
): Promise<Download> {
  const photo = await readVisiblePhoto({ store }, caller, id);
  // Thrown before anything is sent. A range of it could not even be verified.
  if (photo.originalLostAt !== null) throw lostOriginal();
  const key = storedKey(photo.blobKey);
  const blobKey = async () => {
    if ((await blobs.head(key))?.sizeBytes !== photo.sizeBytes) throw lostBytes();
    return key;
  };
  return {
    photo,
    contentType: photo.contentType,
    info: async () => ({ sizeBytes: photo.sizeBytes, etag: photo.sha256 }),
    open: (range) => openOriginal({ verifiedBlobs }, photo, { range }),
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

export type OriginalUses = { verifiedBlobs: VerifiedBlobs };

/** The bytes of an original, or a range of them, as `VerifiedBlobs.open` promises. Errors: `service_unavailable`, also if they are lost. */
export async function openOriginal(
  { verifiedBlobs }: OriginalUses,
  photo: Photo,
  reading: Reading = {},
): Promise<VerifiedBlob> {
  const blob = await verifiedBlobs.open(storedKey(photo.blobKey), photo, reading);
  if (blob !== null) return blob;
  throw photo.originalLostAt === null ? lostBytes() : lostOriginal();
}

/**
 * The refusal of a photo that the scrub (integrity/scrub.ts) or `phs verify --repair` (integrity/verify.ts) has marked by `markOriginal`
 * (integrity/check-bytes.ts), until the same file is imported again (`publishItem`, imports/publish.ts, gives this photo the new bytes, and its
 * item ends as a duplicate; with the policy `allow` a second photo comes instead) or `phs verify --repair` finds its bytes intact. Renditions
 * that are stored are still shown. A download that meets wrong bytes marks nothing.
 */
function lostOriginal(): DomainError {
  const message = 'The stored original of this photo is missing or damaged. Import the same file again to restore it.';
  return new DomainError('service_unavailable', message);
}
