import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { ApiKey, KeySettings } from './api-key.js';
import { editKey } from './edit-key.js';
import type { KeyStore } from './key-store.js';
import { ownKey, requireAllowedSettings } from './own-key.js';

/** Errors: `invalid_request`, `not_found`. */
export async function editOwnKey(
  uses: { keys: KeyStore; clock: Clock },
  caller: AccountCaller,
  id: Id,
  settings: KeySettings,
): Promise<ApiKey> {
  requireAllowedSettings(settings, await ownKey(uses, caller.customerId, id));
  return editKey(uses, caller.actor, id, settings);
}
