import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { DeliveryKey } from './delivery-key.js';

/** All delivery keys of a customer, oldest first. */
export function listDeliveryKeys(
  { store }: { store: Readable<'deliveryKeys'> },
  customerId: Id,
): Promise<readonly DeliveryKey[]> {
  return store.query(customerId, ({ deliveryKeys }) => deliveryKeys.list());
}

/** Errors: `not_found`. */
export async function readDeliveryKey(
  { store }: { store: Readable<'deliveryKeys'> },
  customerId: Id,
  id: Id,
): Promise<DeliveryKey> {
  return requireFound(await store.query(customerId, ({ deliveryKeys }) => deliveryKeys.get(id)), 'delivery_key');
}
