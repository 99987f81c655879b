import type { Caller } from '../access/caller.js';
import { DomainError, type ItemError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type EditUses, editPhoto } from './edit-photo.js';
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
 * Applies the same patch to each photo, in one transaction per photo, in the order of the ids; a repeated id is processed and returned
 * once. Errors: `invalid_request` when the patch is invalid for every photo, and nothing changes; `service_unavailable`, with some of them
 * changed: if the request is repeated, those are `unchanged`.
 */
export async function editPhotos(
  uses: EditUses,
  caller: Caller,
  ids: readonly Id[],
  patch: PhotoPatch,
): Promise<readonly PhotoEditResult[]> {
  const errors = patchErrors(patch);
  if (errors.length > 0) throw invalid(...errors);
  const results: PhotoEditResult[] = [];
  for (const id of new Set(ids)) results.push(await editOne(uses, caller, id, patch));
  return results;
}

async function editOne(uses: EditUses, caller: Caller, id: Id, patch: PhotoPatch): Promise<PhotoEditResult> {
  let version = 0;
  try {
    const photo = await editPhoto(uses, caller, id, patch, (current) => {
      version = current.version;
    });
    return { id, outcome: photo.version === version ? 'unchanged' : 'updated', photo, error: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'not_found') return { id, outcome: 'not_found', photo: null, error: null };
    if (error.code !== 'invalid_request') throw error;
    return { id, outcome: 'error', photo: null, error: { code: error.code, message: error.message } };
  }
}
