import type { Clock } from '../shared/clock.js';
import { hashToken, isExpired, isWellFormedToken } from './api-key.js';
import type { KeyStore, KnownKey } from './key-store.js';

/**
 * The key of a request, or null: none, malformed, unknown, deleted, expired, or its customer is closed. Takes every `Authorization` header
 * of the request; two are as invalid as none.
 */
export async function authenticate(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  authorization: readonly string[],
): Promise<KnownKey | null> {
  const token = authorization.length === 1 ? /^bearer +(\S+)$/i.exec(authorization[0] ?? '')?.[1] : undefined;
  if (token === undefined || !isWellFormedToken(token)) return null;
  const known = await keys.findByHash(hashToken(token));
  if (known === null || known.customerStatus === 'closing' || isExpired(known.key, clock.now())) return null;
  return known;
}
