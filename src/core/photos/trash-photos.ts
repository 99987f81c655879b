import type { Caller } from '../access/caller.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { deleteEach, type PhotoDeletionResult } from './photo-deletions.js';
import { trashPhoto } from './trash-photo.js';

/**
 * Moves photos to the trash like `trashPhoto`, in one transaction per photo, in the order of the ids; a repeated id is processed and
 * returned once. Errors: `service_unavailable`, with some of them deleted: if the request is repeated, those are not found.
 */
export function trashPhotos(
  uses: { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock },
  caller: Caller,
  ids: readonly Id[],
): Promise<readonly PhotoDeletionResult[]> {
  return deleteEach(ids, (id) => trashPhoto(uses, caller, id));
}
