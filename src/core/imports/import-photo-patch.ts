import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { inputErrors, mergedMetadata, type PhotoInput } from '../photos/photo-values.js';
import type { FieldError } from '../shared/errors.js';
import type { Transaction } from '../shared/transactional.js';
import { resolveTags } from '../tags/resolve-tags.js';
import { nameErrors, type TagRequest } from '../tags/tag-request.js';
import { failDependents } from './fail-item.js';
import { type Import } from './import.js';
import { finalError, type ImportPhoto, type ImportPhotoStatus, newUploadId } from './import-photo.js';
import { clientValues, normalSha256, type Registration, sha256Message } from './registration.js';

/** What a client may change of an item. */
export interface ImportPhotoPatch extends PhotoInput, TagRequest {
  readonly sha256?: string | null | undefined;
  readonly sizeBytes?: number | undefined;
  /** `uploaded`: inspect now; `awaiting_upload`: accept bytes again; `cancelled`: leave this item out. */
  readonly status?: 'uploaded' | 'awaiting_upload' | 'cancelled' | undefined;
}

/** All problems with a patch, whatever the item. */
export function patchErrors(patch: ImportPhotoPatch, limits: Limits): FieldError[] {
  return [...inputErrors(patch), ...bytesErrors(patch, limits), ...nameErrors(patch)];
}

function bytesErrors({ sizeBytes, sha256 }: ImportPhotoPatch, { maxFileBytes: max }: Limits): FieldError[] {
  const errors: FieldError[] = [];
  if (sizeBytes !== undefined && !(Number.isSafeInteger(sizeBytes) && sizeBytes >= 1 && sizeBytes <= max)) {
    const message = `sizeBytes must be the size of the file, 1 to ${max} bytes.`;
    errors.push({ field: 'sizeBytes', code: 'out_of_range', message, min: 1, max });
  }
  if (typeof sha256 === 'string' && normalSha256(sha256) === null) {
    errors.push({ field: 'sha256', code: 'invalid_format', message: sha256Message });
  }
  return errors;
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
    title: merged('title'),
    description: merged('description'),
    externalId: merged('externalId'),
    rating: merged('rating'),
    location: merged('location'),
    metadata: mergedMetadata(item.metadata, patch.metadata),
    // An instant and a local time exclude each other: the later value wins, unless one patch has both.
    takenAt: setsWallClock && !setsInstant ? undefined : (merged('takenAt') ?? undefined),
    takenAtLocal: setsInstant && !setsWallClock ? undefined : (merged('takenAtLocal') ?? undefined),
    timeZone: setsInstant && !setsWallClock ? undefined : (merged('timeZone') ?? undefined),
  };
}

const takesMetadata: readonly ImportPhotoStatus[] = ['awaiting_upload', 'fetching', 'processing', 'ready', 'failed'];

const takesBytesFacts: readonly ImportPhotoStatus[] = ['awaiting_upload', 'failed'];

/** The item with what the patch changes. Errors: `import_photo_final`, and those of tags. */
export async function withValues(
  limits: Limits,
  transaction: Transaction<'tags' | 'importPhotos' | 'customer' | 'outbox'>,
  caller: Caller,
  subject: Import,
  item: ImportPhoto,
  { status, ...patch }: ImportPhotoPatch,
  at: Date,
): Promise<ImportPhoto> {
  if (Object.values(patch).every((value) => value === undefined)) return item;
  if (!takesMetadata.includes(item.status)) throw finalError(item);
  const ofBytes = patch.sha256 !== undefined || patch.sizeBytes !== undefined;
  if (ofBytes && !takesBytesFacts.includes(item.status)) throw finalError(item);
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

/** Whether its item may use more of the customer's quota afterwards. */
export function mayReserve({ status, sizeBytes }: ImportPhotoPatch): boolean {
  return status === 'awaiting_upload' || sizeBytes !== undefined;
}
