import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { OperatorTokenStore } from './operator-token-store.js';

/** From here on every process refuses the token. Errors: `not_found`. */
export async function deleteOperatorToken(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  actor: Actor,
  id: Id,
): Promise<void> {
  if (!(await operatorTokens.delete(id, clock.now(), actor))) throw notFound('operator_token');
}
