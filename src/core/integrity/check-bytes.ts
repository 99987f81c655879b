import type { BlobKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { hashAt } from '../blobs/copy-blobs.js';
import { changePhotos } from '../photos/change-photos.js';
import type { Photo, PhotoWithTags } from '../photos/photo.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';

/** The facts that a row states about its bytes; unknown values are not compared. */
export interface Expected {
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
}

/** A fault that stored bytes can have. `unreadable` may be temporary: the others are not. */
export interface Fault {
  readonly kind: 'missing' | 'damaged' | 'unreadable';
  /** Follows "The original of this photo". */
  readonly message: string;
}

/** Reads a blob to its end and compares; null when all is well. `fast` compares the size only. */
export async function faultOf(
  { blobs }: { blobs: BlobStore },
  key: BlobKey,
  expected: Expected,
  { fast }: { fast: boolean },
): Promise<Fault | null> {
  try {
    const info = await blobs.head(key);
    if (info === null) return { kind: 'missing', message: 'is missing.' };
    if (expected.sizeBytes !== null && info.sizeBytes !== expected.sizeBytes) {
      return { kind: 'damaged', message: `has ${info.sizeBytes} bytes instead of ${expected.sizeBytes}.` };
    }
    if (fast || expected.sha256 === null) return null;
    const sha256 = await hashAt(blobs, key);
    if (sha256 === null) return { kind: 'missing', message: 'is missing.' };
    if (sha256 === expected.sha256) return null;
    return { kind: 'damaged', message: 'has changed: its SHA-256 is not that of the imported file.' };
  } catch (error) {
    return { kind: 'unreadable', message: `cannot be read: ${underlyingReason(error)}` };
  }
}

/** The store's own messages are for clients; the operator needs those of the underlying system. */
export function underlyingReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

type MarkUses = { store: Transactional<'photos' | 'outbox'>; clock: Clock };

/** Marks the original as lost, or as recovered. The API returns it, and downloads are refused (photos/original.ts) instead of cut off. */
export function markOriginal(
  { store, clock }: MarkUses,
  seen: PhotoWithTags,
  as: (photo: Photo, at: Date) => Photo,
): Promise<void> {
  return store.transaction(seen.customerId, async (transaction) => {
    const photo = (await transaction.photos.lock([seen.id]))[0];
    if (photo?.blobKey !== seen.blobKey) return;
    const at = clock.now();
    await changePhotos(transaction, [{ photo, next: as(photo, at) }], at);
  });
}

/** Purged or given another original since it was read: then the result is obsolete. */
export async function isUnchanged(
  { store }: Pick<MarkUses, 'store'>,
  { customerId, id, blobKey }: PhotoWithTags,
): Promise<boolean> {
  const now = await store.query(customerId, (reader) => reader.photos.get(id));
  return now?.blobKey === blobKey;
}
