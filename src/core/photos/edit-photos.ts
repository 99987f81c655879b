import type { Caller } from '../access/caller.js';
import { DomainError, type ItemError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type EditUses, editLocked, isEditable } from './edit-photo.js';
import type { PhotoWithTags } from './photo.js';
import { type PhotoPatch, patchErrors } from './photo-patch.js';

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
