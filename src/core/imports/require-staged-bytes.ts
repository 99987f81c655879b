import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader } from '../shared/transactional.js';

/**
 * Called before relying on bytes that were staged before any item referred to them, with the item or the import locked: abandoned bytes may
 * be removed at the same time. Errors: `service_unavailable`.
 */
export async function requireStagedBytes(
  { blobOwners }: Reader<'blobOwners'>,
  importId: Id,
  uploadIds: readonly number[],
): Promise<void> {
  if (uploadIds.length === 0 || (await blobOwners.dropped(importId, uploadIds)).length === 0) return;
  throw bytesRemoved();
}

export function bytesRemoved(): DomainError {
  return new DomainError(
    'service_unavailable',
    'The uploaded bytes were not used in time and have been removed. Upload the file again.',
  );
}
