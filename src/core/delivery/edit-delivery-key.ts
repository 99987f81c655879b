import { changedFields } from '../audit/audit-entry.js';
import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import type { DeliveryKey } from './delivery-key.js';
import { type DeliveryKeySettings, deliveryKeySettings, readDeliveryKeySettings } from './delivery-key-values.js';

/**
 * Changes name, options or expiry of a delivery key; absent fields stay. Takes effect with the next request of any of its URLs. Its id and
 * secret never change. Errors: `invalid_request`, `not_found`.
 */
export function editDeliveryKey(
  { store, clock }: { store: Transactional<'deliveryKeys' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
  changes: Partial<DeliveryKeySettings>,
): Promise<DeliveryKey> {
  return store.transaction(customerId, async ({ deliveryKeys, audit }) => {
    const before = requireFound(await deliveryKeys.lock(id), 'delivery_key');
    const at = clock.now();
    // An expiry that stays may have passed.
    const settings = readDeliveryKeySettings({ ...before, expiresAt: null, ...changes }, at);
    const key = { ...before, ...settings, ...(changes.expiresAt === undefined && { expiresAt: before.expiresAt }) };
    const fields = changedFields(before, key, deliveryKeySettings);
    if (fields.length === 0) return before;
    await deliveryKeys.update(key);
    await audit.add(actor, { action: 'delivery_key.edited', subject: key, changes: fields, at });
    return key;
  });
}
