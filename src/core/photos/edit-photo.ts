import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { type CaptureTime, fromInstant, fromWallClock, shiftLocalTime, UNKNOWN_TIME } from '../media/capture-time.js';
import { type ClientField, clientFields, patchedValues, rangeErrors, valuesOf } from '../media/photo-fields.js';
import type { Focus } from '../media/transformation.js';
import type { Clock } from '../shared/clock.js';
import {
  DomainError,
  type FieldError,
  type ItemError,
  invalid,
  notFound,
  requireFound,
  requireValid,
} from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import {
  type Precondition,
  type Reader,
  type Transaction,
  type Transactional,
  unconditional,
} from '../shared/transactional.js';
import { lockForNewTags, resolveTags } from '../tags/resolve-tags.js';
import { nameErrors, type Tag, type TagRequest } from '../tags/tag.js';
import { changePhotos } from './change-photos.js';
import {
  beyondYears,
  cleanFilename,
  focusPoints,
  inputErrors,
  isRotation,
  isTrashed,
  MAX_SHIFT_SECONDS,
  mergedMetadata,
  type Photo,
  type PhotoInput,
  type PhotoWithTags,
  restore,
  rotate,
} from './photo.js';
import { type Gazetteer, placeAt } from './places.js';

type EditUses = { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock; gazetteer: Gazetteer };

/**
 * Merges a patch into a photo. Errors: `invalid_request`, `not_found` (trashed too, unless it is restored by the patch),
 * `precondition_failed`.
 */
export async function editPhoto(
  uses: EditUses,
  caller: Caller,
  id: Id,
  patch: PhotoPatch,
  check: Precondition<PhotoWithTags> = unconditional,
): Promise<PhotoWithTags> {
  requireValid(patchErrors(patch));
  return uses.store.transaction(caller.customerId, async (transaction) => {
    const [photo] = await transaction.photos.lock([id]);
    if (photo === undefined || !isEditable(photo, patch)) throw notFound('photo');
    check(photo);
    return editLocked(transaction, uses, photo, patch);
  });
}

export interface PhotoEditResult {
  readonly id: Id;
  readonly outcome: 'updated' | 'unchanged' | 'not_found' | 'error';
  /** Null when there is no such photo, and when the patch is invalid for it. */
  readonly photo: PhotoWithTags | null;
  readonly error: ItemError | null;
}

/**
 * Applies the same patch to each photo, in the order of the ids; a repeated id is processed and returned once. It is one transaction, so
 * that a repetition under an Idempotency-Key finds all of it or nothing: a patch that shifts capture times must not be applied twice.
 * Errors: `invalid_request` when the patch is invalid for every photo.
 */
export async function editPhotos(
  uses: EditUses,
  caller: Caller,
  ids: readonly Id[],
  patch: PhotoPatch,
): Promise<readonly PhotoEditResult[]> {
  requireValid(patchErrors(patch));
  return uses.store.transaction(caller.customerId, async (transaction) => {
    const photos = new Map((await transaction.photos.lock(ids)).map((photo) => [photo.id, photo]));
    const results: PhotoEditResult[] = [];
    for (const id of new Set(ids)) {
      const before = photos.get(id);
      if (before === undefined || !isEditable(before, patch)) {
        results.push({ id, outcome: 'not_found', photo: null, error: null });
        continue;
      }
      try {
        const photo = await editLocked(transaction, uses, before, patch);
        const outcome = photo.version === before.version ? 'unchanged' : 'updated';
        results.push({ id, outcome, photo, error: null });
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'invalid_request') throw error;
        results.push({ id, outcome: 'error', photo: null, error: { code: error.code, message: error.message } });
      }
    }
    return results;
  });
}

/** Whether a patch can be merged into the photo: into one in the trash, only a patch that restores it. */
function isEditable(photo: PhotoWithTags, { trashed }: PhotoPatch): boolean {
  return !isTrashed(photo) || trashed === false;
}

/** Merges a patch without errors into a locked photo. Errors: `invalid_request`, before anything is written. */
async function editLocked(
  transaction: Transaction<'photos' | 'customer' | 'outbox'>,
  { clock, gazetteer }: Pick<EditUses, 'clock' | 'gazetteer'>,
  photo: PhotoWithTags,
  patch: PhotoPatch,
): Promise<PhotoWithTags> {
  const patched = await applyPatch(transaction, photo, patch);
  const place = patch.location === undefined ? photo.place : await placeAt(gazetteer, patch.location);
  const [edited = photo] = await changePhotos(transaction, [{ photo, next: { ...patched, place } }], clock.now());
  return { ...edited, tags: photo.tags };
}

export interface PhotoPatch extends PhotoInput {
  /** Moves the wall clock of a photo and keeps its zone. A photo without a capture time stays as it is. */
  readonly shiftTakenAt?: { readonly seconds: number } | undefined;
  readonly rotation?: number | undefined;
  /** A point of the picture as the patch leaves it, if it is also rotated. */
  readonly focus?: Focus | null | undefined;
  /** False restores from the trash. */
  readonly trashed?: boolean | undefined;
}

/** Problems with a patch that do not depend on the photo. */
export function patchErrors(patch: PhotoPatch) {
  const errors = [
    ...inputErrors(patch),
    ...rangeErrors('focus.x', patch.focus?.x, focusPoints),
    ...rangeErrors('focus.y', patch.focus?.y, focusPoints),
    ...shiftErrors('shiftTakenAt.seconds', patch.shiftTakenAt?.seconds),
  ];
  const { takenAt, takenAtLocal, timeZone } = patch;
  if (patch.shiftTakenAt !== undefined && [takenAt, takenAtLocal, timeZone].some((value) => value !== undefined)) {
    const message = 'Send either shiftTakenAt, or the new values of takenAt, takenAtLocal and timeZone.';
    errors.push({ field: 'shiftTakenAt', code: 'conflict', message });
  }
  if (patch.rotation !== undefined && !isRotation(patch.rotation)) {
    const message = 'rotation must be 0, 90, 180 or 270 degrees clockwise.';
    errors.push({ field: 'rotation', code: 'out_of_range', message });
  }
  if (patch.trashed === true) {
    const message = 'To move a photo to the trash, delete it, which requires the scope photos:delete.';
    errors.push({ field: 'trashed', code: 'read_only', message });
  }
  return errors;
}

function shiftErrors(field: string, seconds: number | undefined): readonly FieldError[] {
  if (seconds === 0) return [{ field, code: 'out_of_range', message: `${field} must not be 0.` }];
  return rangeErrors(field, seconds, { min: -MAX_SHIFT_SECONDS, max: MAX_SHIFT_SECONDS, whole: true });
}

/** The photo with what a patch without errors says. Errors: `invalid_request`, for a capture time that the photo's own rules out. */
export async function applyPatch(transaction: Reader<'customer'>, photo: Photo, patch: PhotoPatch): Promise<Photo> {
  const now = isRotation(patch.rotation) ? rotate(photo, patch.rotation) : photo;
  return {
    ...(patch.trashed === false ? restore(now) : now),
    filename: patch.filename === undefined ? photo.filename : cleanFilename(patch.filename),
    ...patchedValues(photo, patch),
    focus: patch.focus === undefined ? now.focus : patch.focus && { x: patch.focus.x, y: patch.focus.y },
    metadata: mergedMetadata(photo.metadata, patch.metadata),
    ...(await captureTimeAfter(transaction, photo, patch)),
  };
}

/**
 * Setting the zone alone keeps the wall clock and moves the instant; setting or shifting the wall clock alone keeps the zone. A bulk edit
 * shifts the clock and sets the zone in one patch.
 */
async function captureTimeAfter(
  transaction: Reader<'customer'>,
  photo: Photo,
  patch: PhotoPatch,
): Promise<CaptureTime> {
  const { takenAt, takenAtLocal, timeZone, shiftTakenAt } = patch;
  if (takenAt === null || takenAtLocal === null) return UNKNOWN_TIME;
  if (takenAt !== undefined) return unlessSame(photo, fromInstant(takenAt) ?? UNKNOWN_TIME);
  if (takenAtLocal === undefined && timeZone === undefined && shiftTakenAt === undefined) return timeOf(photo);
  const local = takenAtLocal ?? photo.takenAtLocal;
  // A photo without a capture time has no zone either, and no clock to shift.
  if (local === null && (timeZone === null || shiftTakenAt !== undefined)) return timeOf(photo);
  if (local === null) {
    const message = 'This photo has no capture time: send both takenAtLocal and timeZone.';
    throw invalid({ field: 'takenAtLocal', code: 'required', message });
  }
  const zone = timeZone === undefined ? photo.timeZone : timeZone;
  const clock = shiftTakenAt === undefined ? local : shiftLocalTime(local, shiftTakenAt.seconds);
  const time = fromWallClock(clock, zone ?? (await transaction.customer.read()).defaultTimeZone);
  if (time !== null) return unlessSame(photo, time);
  if (shiftTakenAt === undefined) throw invalid(beyondYears('takenAtLocal'));
  const message = 'shiftTakenAt.seconds moves the capture time of this photo out of the years 0001 to 9999 in UTC.';
  throw invalid({ field: 'shiftTakenAt.seconds', code: 'out_of_range', message });
}

/** Setting a value to what it is already is no change: the source stays. */
function unlessSame(photo: Photo, time: CaptureTime): CaptureTime {
  const same = time.takenAtLocal === photo.takenAtLocal && time.timeZone === photo.timeZone;
  return same ? timeOf(photo) : time;
}

function timeOf({ takenAt, takenAtLocal, timeZone, takenAtSource }: Photo): CaptureTime {
  return { takenAt, takenAtLocal, timeZone, takenAtSource };
}

const captureTimeFields = ['takenAt', 'takenAtLocal', 'timeZone', 'takenAtSource'] as const;

/** The fields of a photo that a patch of one of them changes, besides its version: no other field does. */
export const changedBy = {
  ...(valuesOf(clientFields, (name) => [name]) as { readonly [Name in ClientField]: readonly [Name] }),
  filename: ['filename'],
  location: ['location', 'place'],
  takenAt: captureTimeFields,
  takenAtLocal: captureTimeFields,
  timeZone: captureTimeFields,
  shiftTakenAt: captureTimeFields,
  rotation: ['rotation', 'width', 'height', 'focus'],
  focus: ['focus'],
  metadata: ['metadata'],
  trashed: ['trashedAt', 'purgeAt'],
} as const satisfies Readonly<Record<keyof PhotoPatch, readonly (keyof Photo)[]>>;

type SetUses = { store: Transactional<'photos' | 'tags' | 'customer' | 'outbox'>; clock: Clock; limits: Limits };

/** Replaces the photo's set of tags. Errors: `invalid_request`, `scope_required`, `not_found`, `limit_reached`, `precondition_failed`. */
export async function setPhotoTags(
  { store, clock, limits }: SetUses,
  caller: Caller,
  id: Id,
  request: TagRequest,
  check: Precondition<PhotoWithTags> = unconditional,
): Promise<readonly Tag[]> {
  requireValid(tagSetErrors(request));
  return store.transaction(caller.customerId, async (transaction) => {
    await lockForNewTags(transaction, request);
    const photo = requireFound((await transaction.photos.lock([id]))[0], 'photo');
    if (isTrashed(photo)) throw notFound('photo');
    check(photo);
    const at = clock.now();
    const tagIds = await resolveTags(transaction, caller, request, { limits, at });
    const had = new Set(photo.tags.map((tag) => tag.id));
    if (had.size !== tagIds.length || tagIds.some((tagId) => !had.has(tagId))) {
      await changePhotos(transaction, [{ photo, next: photo, tagIds }], at);
    }
    return transaction.tags.ofPhoto(id);
  });
}

/** Problems with a request that do not depend on the photo. */
export function tagSetErrors(request: TagRequest): FieldError[] {
  if (request.tagIds !== undefined || request.tagNames !== undefined) return nameErrors(request);
  const message = 'Send tagIds, tagNames or both; "tagIds": [] removes all tags.';
  return [{ field: 'tagIds', code: 'required', message }];
}
