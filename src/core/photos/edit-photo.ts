import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { invalid, notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transaction, type Transactional, unconditional } from '../shared/transactional.js';
import { type Gazetteer, placeAt } from './gazetteer.js';
import { isTrashed, type PhotoWithTags, withNewVersion } from './photo.js';
import { applyPatch, type PhotoPatch, patchErrors } from './photo-patch.js';

export type EditUses = { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock; gazetteer: Gazetteer };

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
export function isEditable(photo: PhotoWithTags, { trashed }: PhotoPatch): boolean {
  return !isTrashed(photo) || trashed === false;
}

/**
 * Merges a patch without errors into a locked photo, and adds the event if that changes it. Errors: `invalid_request`, before anything is
 * written.
 */
export async function editLocked(
  transaction: Transaction<'photos' | 'customer' | 'outbox'>,
  { clock, gazetteer }: Pick<EditUses, 'clock' | 'gazetteer'>,
  photo: PhotoWithTags,
  patch: PhotoPatch,
): Promise<PhotoWithTags> {
  const patched = await applyPatch(transaction, photo, patch);
  const place = patch.location === undefined ? photo.place : await placeAt(gazetteer, patch.location);
  const edited = withNewVersion(photo, { ...patched, place }, clock.now());
  if (edited !== photo) {
    await transaction.photos.update(edited);
    const type = isTrashed(photo) ? 'photo.restored' : 'photo.updated';
    await transaction.outbox.add(type, [photo.id], edited.updatedAt);
  }
  return { ...edited, tags: photo.tags };
}
