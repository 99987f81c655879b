import { randomInt } from 'node:crypto';
import type { QuotaUse } from '../customers/customer-repository.js';
import type { PictureFacts } from '../media/media-reader.js';
import type { DeclaredValues } from '../media/photo-fields.js';
import type { Metadata } from '../photos/photo.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, type ItemError, isOutage } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader, Transaction, Transactional } from '../shared/transactional.js';

export type ImportPhotoStatus =
  | 'awaiting_upload'
  | 'fetching'
  | 'processing'
  | 'ready'
  | 'imported'
  | 'duplicate'
  | 'failed'
  | 'cancelled';

/** The complete state machine. Transitions that are not listed do not happen. */
export const importPhotoTransitions: Readonly<Record<ImportPhotoStatus, readonly ImportPhotoStatus[]>> = {
  awaiting_upload: ['processing', 'failed', 'cancelled'],
  fetching: ['processing', 'failed', 'cancelled'],
  processing: ['ready', 'duplicate', 'failed', 'cancelled'],
  ready: ['imported', 'duplicate', 'failed', 'cancelled'],
  duplicate: ['failed', 'cancelled'],
  failed: ['awaiting_upload', 'fetching', 'cancelled'],
  imported: [],
  cancelled: [],
};

/** States in which an item reserves part of its customer's quota, because it may still become a photo. */
export const reservingStatuses: readonly ImportPhotoStatus[] = ['awaiting_upload', 'fetching', 'processing', 'ready'];

/** States in which an item has no bytes yet: a client sends them, or the service fetches them. */
const waitingStatuses: readonly ImportPhotoStatus[] = ['awaiting_upload', 'fetching'];

/** The values that the client declared for a photo; null means: take it from the file. */
export interface ClientValues extends DeclaredValues {
  /** RFC 3339 with its offset, as the client sent it. Mutually exclusive with the next two. */
  readonly takenAt: string | null;
  readonly takenAtLocal: string | null;
  readonly timeZone: string | null;
  readonly metadata: Metadata;
  readonly tagIds: readonly Id[];
}

/** One file of an import. Its id is the id that the photo will have. */
export interface ImportPhoto extends ClientValues {
  readonly id: Id;
  readonly customerId: Id;
  readonly importId: Id;
  readonly clientRef: string | null;
  readonly status: ImportPhotoStatus;
  /** The photo in the library: this one's own when imported, the other when duplicate. */
  readonly photoId: Id | null;
  /** For a duplicate within the import: the earlier item that has the same bytes. */
  readonly duplicateOfItemId: Id | null;
  readonly restored: boolean;
  /** Publishing has finished with this duplicate: what happens to its photo afterwards is not undone. */
  readonly resolved: boolean;
  readonly filename: string;
  /** Declared, later actual. */
  readonly sizeBytes: number | null;
  /** Declared, later actual; 64 hex digits. */
  readonly sha256: string | null;
  /** Detected; null until then. */
  readonly contentType: string | null;
  readonly width: number | null;
  readonly height: number | null;
  /** Identifies one attempt to upload bytes: each has its own staging key and its own upload target. */
  readonly uploadId: number;
  /** Random name of the original that this attempt will write. */
  readonly blobName: string;
  /** The findings of the inspection, from `ready` until published. */
  readonly facts: PictureFacts | null;
  readonly error: ItemError | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A number that no other upload of any item has. It is random instead of sequential, so that no counter has to be queried. */
export function newUploadId(): number {
  return randomInt(1, 2 ** 47);
}

export function transition(item: ImportPhoto, status: ImportPhotoStatus, at: Date): ImportPhoto {
  if (importPhotoTransitions[item.status].includes(status)) return { ...item, status, updatedAt: at };
  throw finalError(item, `This item is ${item.status} and cannot become ${status}.`);
}

/** The state of the item does not allow the change. */
export function finalError(
  { status, photoId }: ImportPhoto,
  message = `This item is ${status}, and cannot be changed in this way.`,
): DomainError {
  return new DomainError('import_photo_final', message, { status, photoId });
}

/** Returns how much of the customer's quota an item reserves. */
export function quotaUseOf({ status, sizeBytes }: Pick<ImportPhoto, 'status' | 'sizeBytes'>): QuotaUse {
  return reservingStatuses.includes(status)
    ? { photos: 1, storageBytes: sizeBytes ?? 0 }
    : { photos: 0, storageBytes: 0 };
}

export function fail(item: ImportPhoto, error: ItemError, at: Date): ImportPhoto {
  return { ...transition(item, 'failed', at), error, facts: null, photoId: null };
}

/** It has become the photo of its id. */
export function markImported(item: ImportPhoto, at: Date): ImportPhoto {
  return { ...transition(item, 'imported', at), photoId: item.id, facts: null };
}

/**
 * The library has its bytes, by their SHA-256, and the import skips duplicates. Found by inspection (`withResult`, inspect.ts) or publishing
 * (`publishItem`, publish.ts); by the hash that it declares, registration creates an item as one (`withFirstStatus`, register/register.ts).
 */
export function markDuplicate(item: ImportPhoto, photoId: Id, at: Date): ImportPhoto {
  return { ...transition(item, 'duplicate', at), photoId, facts: null };
}

/** Back to waiting for bytes: a new upload id with new names, so that nothing of the old upload is accepted. */
export function retry(
  item: ImportPhoto,
  blobName: string,
  at: Date,
  status: 'awaiting_upload' | 'fetching' = 'awaiting_upload',
): ImportPhoto {
  const waiting = { ...transition(item, status, at), error: null, photoId: null, duplicateOfItemId: null };
  return { ...waiting, uploadId: newUploadId(), blobName };
}

/** Whether the item waits for the bytes of this upload. */
export function isAwaited(item: ImportPhoto, { uploadId }: { readonly uploadId: number }): boolean {
  return item.status === 'awaiting_upload' && item.uploadId === uploadId;
}

/** The same, whether a client sends them or the service fetches them. */
export function waitsFor(item: ImportPhoto | null, { uploadId }: { readonly uploadId: number }): item is ImportPhoto {
  return item !== null && waitingStatuses.includes(item.status) && item.uploadId === uploadId;
}

/** An item that has its bytes accepts the same ones once more, so that a client can retry after a lost response. */
export function requireSameBytes(item: ImportPhoto, { sha256 }: { readonly sha256: string | null }): void {
  const hasBytes = !waitingStatuses.includes(item.status) && item.status !== 'failed' && item.status !== 'cancelled';
  if (hasBytes && item.sha256 === sha256) return;
  throw finalError(item, `This item is ${item.status} and no longer accepts uploads to this URL.`);
}

/** Fails a locked item, and with it the items of its import that rely on its bytes instead of their own. */
export async function failItem(
  transaction: Transaction<'importPhotos'>,
  item: ImportPhoto,
  error: ItemError,
  at: Date,
): Promise<void> {
  await transaction.importPhotos.update(fail(item, error, at));
  await failDependents(transaction, item, at);
}

/** Requests the inspection of an item's bytes, if they have arrived and it was not requested yet. */
export async function requestInspection(transaction: Transaction<'jobs'>, item: ImportPhoto): Promise<void> {
  if (item.status !== 'processing') return;
  await transaction.jobs.add({ kind: 'inspect', importId: item.importId, photoId: item.id });
}

/** Saves a locked item that was waiting for its bytes, and requests their inspection if they have arrived. */
export async function saveAndRequestInspection(
  transaction: Transaction<'importPhotos' | 'jobs'>,
  item: ImportPhoto,
): Promise<void> {
  await transaction.importPhotos.update(item);
  await requestInspection(transaction, item);
}

/** Cancels a locked item; items that relied on its bytes fail. */
export async function cancelItem(
  transaction: Transaction<'importPhotos'>,
  item: ImportPhoto,
  at: Date,
): Promise<ImportPhoto> {
  const cancelled = { ...transition(item, 'cancelled', at), facts: null };
  await transaction.importPhotos.update(cancelled);
  await failDependents(transaction, item, at);
  return cancelled;
}

/** Fails the items that relied on the bytes of this one. `item` is its value before the change. */
export async function failDependents(
  transaction: Transaction<'importPhotos'>,
  item: ImportPhoto,
  at: Date,
): Promise<void> {
  for (const id of await dependentIds(transaction, [item])) {
    const dependent = await transaction.importPhotos.lock(item.importId, id);
    if (dependent?.status === 'duplicate') await transaction.importPhotos.update(fail(dependent, sourceFailed, at));
  }
}

/** The items that rely on the bytes of these, which are of one import, by id ascending. */
export async function dependentIds(
  { importPhotos }: Reader<'importPhotos'>,
  items: readonly ImportPhoto[],
): Promise<readonly Id[]> {
  const [first] = items;
  const hashes = items.flatMap(({ sha256 }) => sha256 ?? []);
  if (first === undefined || hashes.length === 0) return [];
  const ids = new Set<Id | null>(items.map(({ id }) => id));
  const same = await importPhotos.findBySha256(first.importId, [...new Set(hashes)]);
  return same.flatMap(({ id, duplicateOfItemId: source }) => (source !== null && ids.has(source) ? id : []));
}

export const sourceFailed: ItemError = {
  code: 'duplicate_of_failed',
  message: 'Another file in this import has the same bytes and could not be imported. Register this one again.',
};

export const unprocessable: ItemError = {
  code: 'processing_failed',
  message: 'The service failed to process this file. Import it again, and report the problem if it fails again.',
};

/** Fails an item that could not be published on the last attempt: it must not keep its import from completing. Otherwise throws `error`. */
export async function giveUpItem(
  { store, clock }: { store: Transactional<'importPhotos'>; clock: Clock },
  seen: ImportPhoto,
  error: unknown,
  isLastTry: boolean,
): Promise<void> {
  if (isOutage(error) || !isLastTry) throw error;
  await store.transaction(seen.customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(seen.importId, seen.id);
    if (item?.status === seen.status) await failItem(transaction, item, unprocessable, clock.now());
  });
}
