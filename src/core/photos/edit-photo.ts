import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import { invalid, notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Precondition, type Transactional, unconditional } from '../shared/transactional.js';
import type { Gazetteer } from './gazetteer.js';
import { isTrashed, type PhotoWithTags, withNewVersion } from './photo.js';
import { applyPatch, type PhotoPatch, patchErrors } from './photo-patch.js';
import { placeAt } from './place.js';

export type EditUses = { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock; gazetteer: Gazetteer };

/**
 * Merges a patch into a photo. Errors: `invalid_request`, `not_found` (trashed too, unless it is restored by the patch),
 * `precondition_failed`.
 */
export async function editPhoto(
  { store, clock, gazetteer }: EditUses,
  caller: Caller,
  id: Id,
  patch: PhotoPatch,
  check: Precondition<PhotoWithTags> = unconditional,
): Promise<PhotoWithTags> {
  const errors = patchErrors(patch);
  if (errors.length > 0) throw invalid(...errors);
  return store.transaction(caller.customerId, async (transaction) => {
    const photo = requireFound((await transaction.photos.lock([id]))[0], 'photo');
    if (photo.trashedAt !== null && patch.trashed !== false) throw notFound('photo');
    check(photo);
    const patched = await applyPatch(transaction, photo, patch);
    const place = patch.location === undefined ? photo.place : await placeAt(gazetteer, patched.location);
    const edited = withNewVersion(photo, { ...patched, place }, clock.now());
    if (edited !== photo) {
      await transaction.photos.update(edited);
      await transaction.outbox.add(isTrashed(photo) ? 'photo.restored' : 'photo.updated', [id], edited.updatedAt);
    }
    return { ...edited, tags: photo.tags };
  });
}
