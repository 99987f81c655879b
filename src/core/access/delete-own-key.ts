import type { AccountCaller } from '../customers/account-caller.js';
import type { StoreResponse } from '../idempotency/idempotency-store.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Precondition } from '../shared/transactional.js';
import type { ApiKey } from './api-key.js';
import { deleteKey } from './delete-key.js';
import type { KeyStore } from './key-store.js';
import { ownKey } from './own-key.js';

/** Deletes a key of this customer. Errors: `not_found`, and those of `check`. */
export async function deleteOwnKey(
  uses: { keys: KeyStore; clock: Clock },
  caller: AccountCaller,
  id: Id,
  storeResponse?: StoreResponse<void>,
  check?: Precondition<ApiKey>,
): Promise<void> {
  const key = await ownKey(uses, caller.customerId, id);
  await deleteKey(uses, caller.actor, key.id, storeResponse, check);
}
