import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../access/caller.js';
import { stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Limits } from '../customers/limits.js';
import { QuotaReservation } from '../customers/quota.js';
import { clientFields, type GivenValues, valuesOf } from '../media/photo-fields.js';
import { inputErrors, mergedMetadata, type PhotoInput } from '../photos/photo.js';
import { DomainError, type FieldError, requireFound, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { lockForNewTags, resolveTags } from '../tags/resolve-tags.js';
import { nameErrors, type TagRequest } from '../tags/tag.js';
import { clientValues, normalSha256, type Registration, sha256Message } from './candidate.js';
import { type Import, requireOpen, touch } from './import.js';
import {
  cancelItem,
  failDependents,
  finalError,
  type ImportPhoto,
  newUploadId,
  quotaUseOf,
  retry,
  saveAndRequestInspection,
  transition,
} from './import-photo.js';
import { type ItemDetails, itemDetailsOf, withUploadTargets } from './read.js';
import type { TargetUses } from './target.js';

type EditUses = TargetUses & {
  store: Transactional<'tags' | 'imports' | 'importPhotos' | 'customer' | 'usage' | 'jobs' | 'outbox'>;
  blobs: BlobStore;
  limits: Limits;
};

/** Errors: `invalid_request`, `not_found`, `import_not_open`, `import_photo_final`, `uploads_incomplete`, `scope_required`, `quota_exceeded`. */
export async function editImportPhoto(
  uses: EditUses,
  caller: Caller,
  importId: Id,
  id: Id,
  patch: ImportPhotoPatch,
): Promise<ItemDetails> {
  requireValid(itemPatchErrors(patch, uses.limits));
  const staged = patch.status === 'uploaded' ? await stagedUploadId(uses, caller, importId, id) : null;
  const details = await uses.store.transaction(caller.customerId, async (transaction) => {
    const mayReserve = patch.status === 'awaiting_upload' || patch.sizeBytes !== undefined;
    // The customer before the import: the order of all locks.
    const quota = mayReserve ? await QuotaReservation.begin(transaction) : null;
    await lockForNewTags(transaction, patch);
    const subject = requireFound(await transaction.imports.lock(importId), 'import');
    const before = requireFound(await transaction.importPhotos.lock(importId, id), 'import_photo');
    requireOpen(subject);
    const at = uses.clock.now();
    const edited = await withValues(uses.limits, transaction, caller, subject, before, patch, at);
    const item =
      patch.status === undefined ? edited : await setItemStatus(transaction, edited, patch.status, staged, at);
    const [had, has] = [quotaUseOf(before), quotaUseOf(item)];
    quota?.reserve({ photos: has.photos - had.photos, storageBytes: has.storageBytes - had.storageBytes });
    if (item !== before) await transaction.imports.update(touch(subject, at));
    return requireFound((await itemDetailsOf(transaction.tags, [item]))[0], 'import_photo');
  });
  return requireFound((await withUploadTargets(uses, caller, [details]))[0], 'import_photo');
}

async function stagedUploadId({ store, blobs }: EditUses, { customerId }: Caller, importId: Id, id: Id) {
  const item = await store.query(customerId, (reader) => reader.importPhotos.get(importId, id));
  if (item?.status !== 'awaiting_upload') return null;
  return (await blobs.head(stagingKey(item))) === null ? null : item.uploadId;
}

export interface ImportPhotoPatch extends PhotoInput, TagRequest {
  readonly sha256?: string | null | undefined;
  readonly sizeBytes?: number | undefined;
  /** `uploaded`: inspect now; `awaiting_upload`: accept bytes again; `cancelled`: leave this item out. */
  readonly status?: 'uploaded' | 'awaiting_upload' | 'cancelled' | undefined;
}

/** All problems with a patch, whatever the item. */
export function itemPatchErrors(patch: ImportPhotoPatch, { maxFileBytes: max }: Limits): FieldError[] {
  const { sizeBytes, sha256 } = patch;
  const errors: FieldError[] = inputErrors(patch);
  if (sizeBytes !== undefined && !(Number.isSafeInteger(sizeBytes) && sizeBytes >= 1 && sizeBytes <= max)) {
    const message = `sizeBytes must be the size of the file, 1 to ${max} bytes.`;
    errors.push({ field: 'sizeBytes', code: 'out_of_range', message, min: 1, max });
  }
  if (typeof sha256 === 'string' && normalSha256(sha256) === null) {
    errors.push({ field: 'sha256', code: 'invalid_format', message: sha256Message });
  }
  return [...errors, ...nameErrors(patch)];
}

/** The registration input that would have produced the item as the patch leaves it. Errors: `invalid_request`. */
function inputAfter(item: ImportPhoto, patch: Omit<ImportPhotoPatch, 'status'>): Registration {
  const setsInstant = patch.takenAt !== undefined;
  const setsWallClock = patch.takenAtLocal !== undefined || patch.timeZone !== undefined;
  const merged = <K extends keyof ImportPhoto & keyof typeof patch>(field: K) =>
    patch[field] === undefined ? item[field] : patch[field];
  return {
    filename: patch.filename ?? item.filename,
    sizeBytes: patch.sizeBytes ?? item.sizeBytes ?? undefined,
    sha256: typeof patch.sha256 === 'string' ? normalSha256(patch.sha256) : merged('sha256'),
    ...(valuesOf(clientFields, merged) as GivenValues),
    metadata: mergedMetadata(item.metadata, patch.metadata),
    // An instant and a local time exclude each other: the later value wins, unless one patch has both.
    takenAt: setsWallClock && !setsInstant ? undefined : (merged('takenAt') ?? undefined),
    takenAtLocal: setsInstant && !setsWallClock ? undefined : (merged('takenAtLocal') ?? undefined),
    timeZone: setsInstant && !setsWallClock ? undefined : (merged('timeZone') ?? undefined),
  };
}

/** The item with what the patch changes. Errors: `import_photo_final`, and those of tags. */
async function withValues(
  limits: Limits,
  transaction: Transaction<'tags' | 'importPhotos' | 'customer' | 'outbox'>,
  caller: Caller,
  subject: Import,
  item: ImportPhoto,
  { status, ...patch }: ImportPhotoPatch,
  at: Date,
): Promise<ImportPhoto> {
  if (Object.values(patch).every((value) => value === undefined)) return item;
  if (!['awaiting_upload', 'fetching', 'processing', 'ready', 'failed'].includes(item.status)) throw finalError(item);
  const ofBytes = patch.sha256 !== undefined || patch.sizeBytes !== undefined;
  if (ofBytes && !['awaiting_upload', 'failed'].includes(item.status)) throw finalError(item);
  const input = inputAfter(item, patch);
  const named = patch.tagIds !== undefined || patch.tagNames !== undefined;
  const naming = { limits, at, beside: subject.tagIds };
  const tagIds = named ? await resolveTags(transaction, caller, patch, naming) : item.tagIds;
  const values = { ...clientValues(input, tagIds), sizeBytes: input.sizeBytes ?? null, sha256: input.sha256 ?? null };
  const next = { ...item, ...values };
  if (isDeepStrictEqual(next, item)) return item;
  const otherBytes = next.sha256 !== item.sha256 || next.sizeBytes !== item.sizeBytes;
  // The declared bytes differ from before: the old upload target must not accept the old ones.
  const uploadId = otherBytes && item.status === 'awaiting_upload' ? newUploadId() : item.uploadId;
  const edited = { ...next, uploadId, updatedAt: at };
  await transaction.importPhotos.update(edited);
  if (edited.sha256 !== item.sha256) await failDependents(transaction, item, at);
  return edited;
}

/**
 * Applies the status that a client requests to a locked item. `staged` is the upload id whose bytes are in staging, if any. Errors:
 * `import_photo_final`, `uploads_incomplete`.
 */
async function setItemStatus(
  transaction: Transaction<'importPhotos' | 'jobs'>,
  item: ImportPhoto,
  status: NonNullable<ImportPhotoPatch['status']>,
  staged: number | null,
  at: Date,
): Promise<ImportPhoto> {
  if (status === 'cancelled') return item.status === 'cancelled' ? item : cancelItem(transaction, item, at);
  if (status === 'awaiting_upload') {
    if (item.status === 'awaiting_upload') return item;
    if (item.status !== 'failed') throw finalError(item);
    const waiting = retry(item, randomUUID(), at);
    await transaction.importPhotos.update(waiting);
    return waiting;
  }
  if (['processing', 'ready', 'duplicate'].includes(item.status)) return item;
  if (item.status !== 'awaiting_upload') throw finalError(item);
  if (staged !== item.uploadId) {
    const message = 'No bytes have arrived for this item. Send them to its upload URL first.';
    throw new DomainError('uploads_incomplete', message, { missing: 1, sample: [item.id] });
  }
  const arrived = transition(item, 'processing', at);
  await saveAndRequestInspection(transaction, arrived);
  return arrived;
}
