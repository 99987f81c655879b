import { givenSettings, readKeySettings } from '../access/key-values.js';
import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { OperatorToken, OperatorTokenSettings } from './operator-token.js';
import type { OperatorTokenStore } from './operator-token-store.js';

/**
 * Changes name, IP list (as people write it) or expiry of a token; absent fields stay. Takes effect with the next request. Scopes never change.
 * Errors: `invalid_request`, `not_found`.
 */
export async function editOperatorToken(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  actor: Actor,
  id: Id,
  changes: Partial<OperatorTokenSettings>,
): Promise<OperatorToken> {
  const found = (await operatorTokens.list()).find((token) => token.id === id && token.deletedAt === null);
  const before = requireFound(found, 'operator_token');
  const { name, ipList, expiresAt } = { ...before, ...changes };
  const limits = { readLimit: null, writeLimit: null };
  const { settings, errors } = readKeySettings({ name, ipList, expiresAt, ...limits }, clock.now(), before);
  if (errors.length > 0) throw invalid(...errors);
  const given = givenSettings<OperatorTokenSettings>(settings, changes);
  return requireFound(await operatorTokens.update(id, given, clock.now(), actor), 'operator_token');
}
