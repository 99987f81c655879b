import type { Caller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { purgePhoto, trashPhoto } from './trash-photo.js';

/** What became of one photo. */
export interface PhotoDeletionResult {
  readonly id: Id;
  readonly outcome: 'deleted' | 'not_found';
}

/**
 * Moves photos to the trash as `trashPhoto` does, a transaction per photo, in the order of the ids; an id that comes twice is
 * done and answered once. Errors: `service_unavailable`, with some of them deleted: the same request again does not find those.
 */
export function trashPhotos(
  uses: Uses<'store' | 'clock'>,
  caller: Caller,
  ids: readonly Id[],
): Promise<readonly PhotoDeletionResult[]> {
  return each(ids, (id) => trashPhoto(uses, caller, id));
}

/** The same for ever, as `purgePhoto` does. */
export function purgePhotos(
  uses: Uses<'store' | 'blobs' | 'clock'>,
  caller: Caller,
  ids: readonly Id[],
): Promise<readonly PhotoDeletionResult[]> {
  return each(ids, (id) => purgePhoto(uses, caller, id));
}

async function each(ids: readonly Id[], remove: (id: Id) => Promise<void>): Promise<readonly PhotoDeletionResult[]> {
  const results: PhotoDeletionResult[] = [];
  for (const id of new Set(ids)) results.push({ id, outcome: await outcomeOf(remove(id)) });
  return results;
}

async function outcomeOf(removal: Promise<void>): Promise<PhotoDeletionResult['outcome']> {
  try {
    await removal;
    return 'deleted';
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return 'not_found';
    throw error;
  }
}
