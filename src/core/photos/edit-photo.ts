import type { Caller } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, type FieldError, type ItemError, invalid, notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transaction, type Transactional, unconditional } from '../shared/transactional.js';
import { lockForNewTags, resolveTags } from '../tags/resolve-tags.js';
import { nameErrors, type Tag, type TagRequest } from '../tags/tag.js';
import { changePhotos } from './change-photos.js';
import { isTrashed, type PhotoWithTags } from './photo.js';
import { applyPatch, type PhotoPatch, patchErrors } from './photo-patch.js';
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
  const errors = patchErrors(patch);
  if (errors.length > 0) throw invalid(...errors);
  return uses.store.transaction(caller.customerId, async (transaction) => {
    const [photo] = await transaction.photos.lock([id]);
    if (photo === undefined || !isEditable(photo, patch)) throw notFound('photo');
    check(photo);
    return editLocked(transaction, uses, photo, patch);
  });
}

/** Whether a patch can be merged into the photo: into one in the trash, only a patch that restores it. */
function isEditable(photo: PhotoWithTags, { trashed }: PhotoPatch): boolean {
  return !isTrashed(photo) || trashed === false;
}

/**
 * Merges a patch without errors into a locked photo. Errors: `invalid_request`, before anything is
 * written.
 */
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

/** The outcome for one photo. */
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
  const errors = patchErrors(patch);
  if (errors.length > 0) throw invalid(...errors);
  return uses.store.transaction(caller.customerId, async (transaction) => {
    const photos = new Map((await transaction.photos.lock(ids)).map((photo) => [photo.id, photo]));
    const results: PhotoEditResult[] = [];
    for (const id of new Set(ids)) {
      const photo = photos.get(id);
      if (photo === undefined || !isEditable(photo, patch)) {
        results.push({ id, outcome: 'not_found', photo: null, error: null });
      } else results.push(await editOne(transaction, uses, photo, patch));
    }
    return results;
  });
}

async function editOne(
  transaction: Parameters<typeof editLocked>[0],
  uses: EditUses,
  before: PhotoWithTags,
  patch: PhotoPatch,
): Promise<PhotoEditResult> {
  const { id, version } = before;
  try {
    const photo = await editLocked(transaction, uses, before, patch);
    return { id, outcome: photo.version === version ? 'unchanged' : 'updated', photo, error: null };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid_request') throw error;
    return { id, outcome: 'error', photo: null, error: { code: error.code, message: error.message } };
  }
}

type SetUses = { store: Transactional<'photos' | 'tags' | 'customer' | 'outbox'>; clock: Clock; limits: Limits };

/** Replaces the photo's set of tags. Errors: `invalid_request`, `scope_required`, `not_found`, `limit_reached`, `precondition_failed`. */
export async function setPhotoTags(
  { store, clock, limits }: SetUses,
  caller: Caller,
  id: Id,
  request: TagRequest,
  check: Precondition<PhotoWithTags> = unconditional,
): Promise<readonly Tag[]> {
  const errors = tagSetErrors(request);
  if (errors.length > 0) throw invalid(...errors);
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
