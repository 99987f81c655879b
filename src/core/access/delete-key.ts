import type { Actor } from '../audit/actor.js';
import type { StoreResponse } from '../idempotency/idempotency-store.js';
import type { Clock } from '../shared/clock.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Precondition } from '../shared/transactional.js';
import type { ApiKey } from './api-key.js';
import type { KeyStore } from './key-store.js';

/** From here on every process refuses the key. The response to the request for it is stored with the deletion. Errors: `not_found`, and those of `check`. */
export async function deleteKey(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  actor: Actor,
  id: Id,
  storeResponse?: StoreResponse<void>,
  check?: Precondition<ApiKey>,
): Promise<void> {
  if (!(await keys.delete(id, clock.now(), actor, storeResponse, check))) throw notFound('api_key');
}
