import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';

/** From here on every process refuses all addresses that were signed with it. Errors: `not_found`. */
export function deleteDeliveryKey(
  { store, clock }: { store: Transactional<'deliveryKeys' | 'outbox' | 'audit'>; clock: Clock },
  { customerId, actor }: AccountCaller,
  id: Id,
): Promise<void> {
  return store.transaction(customerId, async ({ deliveryKeys, outbox, audit }) => {
    const key = requireFound(await deliveryKeys.lock(id), 'delivery_key');
    await deliveryKeys.delete(id);
    const at = clock.now();
    await outbox.add('delivery_key.deleted', [id], at);
    await audit.add(actor, { action: 'delivery_key.deleted', subject: key, at });
  });
}
