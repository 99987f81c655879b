import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Precondition } from '../shared/transactional.js';
import type { ApiKey, KeySettings } from './api-key.js';
import type { KeyStore } from './key-store.js';
import { givenSettings, readKeySettings } from './key-values.js';

/**
 * Changes name, IP list, limits or expiry of a key; absent fields stay. Takes effect with the next request. Scopes never change. Errors:
 * `invalid_request`, `not_found`, and those of `check`.
 */
export async function editKey(
  { keys, clock }: { keys: KeyStore; clock: Clock },
  actor: Actor,
  id: Id,
  changes: Partial<KeySettings>,
  check?: Precondition<ApiKey>,
): Promise<ApiKey> {
  const { key } = requireFound(await keys.find(id), 'api_key');
  const { settings, errors } = readKeySettings({ ...key, ...changes }, clock.now(), key);
  if (errors.length > 0) throw invalid(...errors);
  const changed = await keys.update(id, givenSettings(settings, changes), clock.now(), actor, check);
  return requireFound(changed, 'api_key');
}
