import type { Actor } from '../audit/actor.js';
import type { Uses } from '../ports.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';

/** From here on every process refuses the key. Errors: `not_found`. */
export async function deleteKey({ keys, clock }: Uses<'keys' | 'clock'>, actor: Actor, id: Id): Promise<void> {
  if (!(await keys.delete(id, clock.now(), actor))) throw notFound('api_key');
}
