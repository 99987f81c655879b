import type { Clock } from '../shared/clock.js';
import { hashRandomToken } from '../shared/random-token.js';
import { isExpired, isWellFormedToken } from './api-key.js';
import type { KeyStore, KnownKey } from './key-store.js';

/** The key with this token, or null: none, malformed, unknown, deleted, expired, or its customer is closed. */
export async function authenticate(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  token: string | null,
): Promise<KnownKey | null> {
  if (token === null || !isWellFormedToken(token)) return null;
  const known = await keys.findByHash(hashRandomToken(token));
  if (known === null || known.customerStatus === 'closing' || isExpired(known.key, clock.now())) return null;
  return known;
}
