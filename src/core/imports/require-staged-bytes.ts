import type { CustomerTransaction } from '../customers/customer-store.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';

/**
 * Asked by whoever is about to rely on bytes that were staged before anyone knew of them, with the item or the import locked: what
 * was given up meanwhile is being removed. Errors: `service_unavailable`.
 */
export async function requireStagedBytes(
  { blobOwners }: Pick<CustomerTransaction, 'blobOwners'>,
  importId: Id,
  uploadIds: readonly number[],
): Promise<void> {
  if (uploadIds.length === 0 || (await blobOwners.dropped(importId, uploadIds)).length === 0) return;
  throw bytesRemoved();
}

export function bytesRemoved(): DomainError {
  return new DomainError('service_unavailable', 'The bytes lay unused for too long and were removed. Send them again.');
}
