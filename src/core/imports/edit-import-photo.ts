import { randomUUID } from 'node:crypto';
import type { Caller } from '../access/caller.js';
import { stagingKey } from '../blobs/blob-key.js';
import type { CustomerWork } from '../customers/customer-store.js';
import type { Limits } from '../customers/limits.js';
import { type QuotaUse, Room } from '../customers/quota.js';
import { errorsIn, MAX_METADATA_KEYS, type SaidOfPhoto, tooManyKeys } from '../photos/photo-values.js';
import type { Uses } from '../ports.js';
import { DomainError, type FieldError, found, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { holdForNewTags, resolveTags, type TagRequest } from '../tags/resolve-tags.js';
import { cancelItem, failDependants } from './fail-item.js';
import { demandOpen, type Import, touched } from './import.js';
import { type ImportPhoto, type ImportPhotoStatus, move, newAttempt, reserved, retried } from './import-photo.js';
import { clientValues, normalSha256 } from './registration.js';
import { type ShownItem, showItems } from './shown.js';

export interface ImportPhotoPatch extends SaidOfPhoto, TagRequest {
  readonly sha256?: string | null | undefined;
  readonly sizeBytes?: number | undefined;
  /** `uploaded`: look now; `awaiting_upload`: take bytes anew; `cancelled`: leave this one out. */
  readonly status?: 'uploaded' | 'awaiting_upload' | 'cancelled' | undefined;
}

type EditUses = Uses<'store' | 'blobs' | 'clock' | 'limits' | 'secrets' | 'publicUrl'>;

/** Errors: `invalid_request`, `not_found`, `import_not_open`, `import_photo_final`, `uploads_incomplete`, `scope_required`, `quota_exceeded`. */
export async function editImportPhoto(
  uses: EditUses,
  caller: Caller,
  importId: Id,
  id: Id,
  patch: ImportPhotoPatch,
): Promise<ShownItem> {
  const errors = [...errorsIn(patch), ...bytesErrors(patch, uses.limits)];
  if (errors.length > 0) throw invalid(...errors);
  const staged = patch.status === 'uploaded' ? await stagedAttempt(uses, caller, importId, id) : null;
  return uses.store.within(caller.customerId, async (work) => {
    // The customer before the import: the order of all locks.
    const room = mayReserve(patch) ? await Room.of(work) : null;
    await holdForNewTags(work, patch);
    const subject = found(await work.imports.lock(importId), 'import');
    const before = found(await work.importPhotos.lock(importId, id), 'import_photo');
    demandOpen(subject);
    const at = uses.clock.now();
    const edited = await withValues(uses, work, caller, subject, before, patch, at);
    const item = patch.status === undefined ? edited : await withStatus(work, edited, patch.status, staged, at);
    room?.demand(grown(before, item));
    if (item !== before) await work.imports.update(touched(subject, at));
    return found((await showItems(uses, work.tags, caller, [item]))[0], 'import_photo');
  });
}

function bytesErrors({ sizeBytes, sha256 }: ImportPhotoPatch, { maxFileBytes: max }: Limits): FieldError[] {
  const errors: FieldError[] = [];
  if (sizeBytes !== undefined && !(Number.isSafeInteger(sizeBytes) && sizeBytes >= 1 && sizeBytes <= max)) {
    const message = `sizeBytes must be the size of the file, 1 to ${max} bytes.`;
    errors.push({ field: 'sizeBytes', code: 'out_of_range', message, min: 1, max });
  }
  if (typeof sha256 === 'string' && normalSha256(sha256) === null) {
    const message = 'sha256 must be 64 hex digits, or 32 bytes in base64.';
    errors.push({ field: 'sha256', code: 'invalid_format', message });
  }
  return errors;
}

/** Whether the item may hold more of the customer's quota afterwards. */
function mayReserve({ status, sizeBytes }: ImportPhotoPatch): boolean {
  return status === 'awaiting_upload' || sizeBytes !== undefined;
}

function grown(before: ImportPhoto, after: ImportPhoto): QuotaUse {
  const [had, has] = [reserved(before), reserved(after)];
  return { photos: has.photos - had.photos, storageBytes: has.storageBytes - had.storageBytes };
}

async function stagedAttempt({ store, blobs }: EditUses, { customerId }: Caller, importId: Id, id: Id) {
  const item = await store.read(customerId, (view) => view.importPhotos.get(importId, id));
  if (item?.status !== 'awaiting_upload') return null;
  return (await blobs.head(stagingKey(item))) === null ? null : item.attempt;
}

const takesMetadata: readonly ImportPhotoStatus[] = ['awaiting_upload', 'processing', 'ready', 'failed'];
const takesBytesFacts: readonly ImportPhotoStatus[] = ['awaiting_upload', 'failed'];

async function withValues(
  uses: EditUses,
  work: CustomerWork,
  caller: Caller,
  subject: Import,
  item: ImportPhoto,
  { status, ...patch }: ImportPhotoPatch,
  at: Date,
): Promise<ImportPhoto> {
  if (Object.values(patch).every((value) => value === undefined)) return item;
  if (!takesMetadata.includes(item.status)) throw final(item);
  const ofBytes = patch.sha256 !== undefined || patch.sizeBytes !== undefined;
  if (ofBytes && !takesBytesFacts.includes(item.status)) throw final(item);
  const said = merged(item, patch);
  const named = patch.tagIds !== undefined || patch.tagNames !== undefined;
  const naming = { limits: uses.limits, at, beside: subject.tagIds };
  const tagIds = named ? await resolveTags(work, caller, patch, naming) : item.tagIds;
  const values = { ...clientValues(said, tagIds), sizeBytes: said.sizeBytes, sha256: said.sha256 ?? null };
  const next = { ...item, ...values, updatedAt: at };
  // Other bytes than declared before: the old upload target must not let the old ones in.
  const edited = ofBytes && item.status === 'awaiting_upload' ? { ...next, attempt: newAttempt() } : next;
  await work.importPhotos.update(edited);
  if (edited.sha256 !== item.sha256) await failDependants(work, item, at);
  return edited;
}

function merged(item: ImportPhoto, patch: Omit<ImportPhotoPatch, 'status'>) {
  const metadata = Object.entries({ ...item.metadata, ...patch.metadata }).filter(([, value]) => value !== null);
  if (metadata.length > MAX_METADATA_KEYS) throw invalid(tooManyKeys('metadata'));
  const setsInstant = patch.takenAt !== undefined;
  const setsWallClock = patch.takenAtLocal !== undefined || patch.timeZone !== undefined;
  const kept = <K extends keyof ImportPhoto & keyof typeof patch>(field: K) =>
    patch[field] === undefined ? item[field] : patch[field];
  return {
    filename: patch.filename ?? item.filename,
    sizeBytes: patch.sizeBytes ?? item.sizeBytes ?? 0,
    sha256: typeof patch.sha256 === 'string' ? normalSha256(patch.sha256) : kept('sha256'),
    title: kept('title'),
    description: kept('description'),
    externalId: kept('externalId'),
    rating: kept('rating'),
    location: kept('location'),
    metadata: Object.fromEntries(metadata) as Record<string, string>,
    // An instant and a wall clock exclude each other: the later word wins, unless one patch says both.
    takenAt: setsWallClock && !setsInstant ? undefined : (kept('takenAt') ?? undefined),
    takenAtLocal: setsInstant && !setsWallClock ? undefined : (kept('takenAtLocal') ?? undefined),
    timeZone: setsInstant && !setsWallClock ? undefined : (kept('timeZone') ?? undefined),
  };
}

async function withStatus(
  work: CustomerWork,
  item: ImportPhoto,
  status: NonNullable<ImportPhotoPatch['status']>,
  staged: number | null,
  at: Date,
): Promise<ImportPhoto> {
  if (status === 'cancelled') return item.status === 'cancelled' ? item : cancelItem(work, item, at);
  if (status === 'uploaded') return uploaded(work, item, staged, at);
  if (item.status !== 'awaiting_upload' && item.status !== 'failed') throw final(item);
  if (item.status === 'awaiting_upload') return item;
  const waiting = retried(item, randomUUID(), at);
  await work.importPhotos.update(waiting);
  return waiting;
}

async function uploaded(work: CustomerWork, item: ImportPhoto, staged: number | null, at: Date): Promise<ImportPhoto> {
  if (['processing', 'ready', 'duplicate'].includes(item.status)) return item;
  if (item.status !== 'awaiting_upload') throw final(item);
  if (staged !== item.attempt) {
    const message = 'No bytes have arrived for this item. PUT them to its upload.url first.';
    throw new DomainError('uploads_incomplete', message, { missing: 1, sample: [item.id] });
  }
  const arrived = move(item, 'processing', at);
  await work.importPhotos.update(arrived);
  await work.jobs.add({ kind: 'inspect', importId: item.importId, photoId: item.id });
  return arrived;
}

function final(item: ImportPhoto): DomainError {
  return new DomainError('import_photo_final', `This item is ${item.status}, which does not allow this change.`, {
    status: item.status,
    photoId: item.photoId,
  });
}
