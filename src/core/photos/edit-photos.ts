import type { Caller } from '../access/caller.js';
import type { Uses } from '../ports.js';
import { DomainError, type ItemError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { editPhoto, type PhotoPatch, patchErrors } from './edit-photo.js';
import type { PhotoWithTags } from './photo.js';

/** What became of one photo. */
export interface PhotoEditResult {
  readonly id: Id;
  readonly outcome: 'updated' | 'unchanged' | 'not_found' | 'error';
  /** Null where there is none, and where the patch does not fit it. */
  readonly photo: PhotoWithTags | null;
  readonly error: ItemError | null;
}

/**
 * The same patch to each photo, a transaction per photo, in the order of the ids; an id that comes twice is done and answered
 * once. Errors: `invalid_request` when the patch fits no photo, and nothing changes; `service_unavailable`, with some of them
 * changed: the same request again finds those `unchanged`.
 */
export async function editPhotos(
  uses: Uses<'store' | 'clock'>,
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

async function editOne(
  uses: Uses<'store' | 'clock'>,
  caller: Caller,
  id: Id,
  patch: PhotoPatch,
): Promise<PhotoEditResult> {
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
