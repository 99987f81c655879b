import { isExpired } from '../access/api-key.js';
import type { Clock } from '../shared/clock.js';
import { hashRandomToken } from '../shared/random-token.js';
import { isWellFormedOperatorToken, type OperatorToken } from './operator-token.js';
import type { OperatorTokenStore } from './operator-token-store.js';

/** The token, or null: none, malformed, unknown, deleted or expired. The token of an API key is none of the operator's. */
export async function authenticateOperator(
  { operatorTokens, clock }: { operatorTokens: OperatorTokenStore; clock: Clock },
  token: string | null,
): Promise<OperatorToken | null> {
  if (token === null || !isWellFormedOperatorToken(token)) return null;
  const known = await operatorTokens.findByHash(hashRandomToken(token));
  return known === null || isExpired(known, clock.now()) ? null : known;
}
