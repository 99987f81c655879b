import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { type IssuedKey, issueKey, type KeyRequest } from './issue-key.js';
import type { KeyStore } from './key-store.js';
import { ownKey, requireAllowedSettings } from './own-key.js';

/**
 * Creates a key. One that replaces another (`from`) may have the limits granted to that one. Errors: `invalid_request`, `not_found`
 * (`from`), `limit_reached`.
 */
export async function issueOwnKey(
  uses: { keys: KeyStore; clock: Clock },
  { customerId, actor }: AccountCaller,
  request: Omit<KeyRequest, 'customerId'>,
  from: Id | null,
): Promise<IssuedKey> {
  const granted = from === null ? null : await ownKey(uses, customerId, from);
  requireAllowedSettings(request, granted, uses.clock.now());
  return issueKey(uses, actor, { ...request, customerId });
}
