import type { Actor } from '../audit/actor.js';
import type { StoreResponse } from '../idempotency/idempotency-store.js';
import type { JobWork } from '../jobs/job.js';
import type { Clock } from '../shared/clock.js';
import { invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { hashRandomToken } from '../shared/random-token.js';
import { type ApiKey, type KeySettings, lastFour, newToken } from './api-key.js';
import type { KeyStore } from './key-store.js';
import { readKeySettings } from './key-values.js';
import { readScopes, scopes } from './scope.js';

/** `ipList` as people write it; limits in requests per minute, of which null is the default. */
export interface KeyRequest extends KeySettings {
  readonly customerId: Id;
  /** Names of scopes; `all` stands for all of them. */
  readonly scopes: readonly string[];
}

export interface IssuedKey {
  readonly key: ApiKey;
  /** The token is only available here. */
  readonly token: string;
}

/**
 * Creates a key for a customer, and with it these jobs and the response to the request for it. Errors: `invalid_request`, `not_found`
 * (customer), `limit_reached`.
 */
export async function issueKey(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  actor: Actor,
  request: KeyRequest,
  works: readonly JobWork[] = [],
  storeResponse?: StoreResponse<IssuedKey>,
): Promise<IssuedKey> {
  const { settings, errors } = readKeySettings(request, clock.now());
  const { scopes: granted, errors: ofScopes } = readScopes(request.scopes, scopes, 'key');
  const wrong = [...errors, ...ofScopes];
  if (wrong.length > 0) throw invalid(...wrong);
  const token = newToken();
  const newKey = {
    customerId: request.customerId,
    name: settings.name,
    tokenHash: hashRandomToken(token),
    lastFour: lastFour(token),
    scopes: granted,
    ipList: settings.ipList,
    readLimit: settings.readLimit,
    writeLimit: settings.writeLimit,
    expiresAt: settings.expiresAt,
    createdAt: clock.now(),
  };
  const key = await keys.create(newKey, actor, works, (stored, responses) =>
    Promise.resolve(storeResponse?.({ key: stored, token }, responses)),
  );
  return { key, token };
}
