import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { KeyStore } from './key-store.js';

/** From here on every process refuses the key. Errors: `not_found`. */
export async function deleteKey(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  actor: Actor,
  id: Id,
): Promise<void> {
  if (!(await keys.delete(id, clock.now(), actor))) throw notFound('api_key');
}
