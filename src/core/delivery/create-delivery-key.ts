import type { AccountCaller } from '../customers/account-caller.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import { seal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';
import { type DeliveryKey, MAX_DELIVERY_KEYS, newDeliverySecret, newPublicId } from './delivery-key.js';
import { type DeliveryKeySettings, readDeliveryKeySettings } from './delivery-key-values.js';

export interface DeliveryKeyWithSecret {
  readonly key: DeliveryKey;
  /** The secret is only available here. */
  readonly secret: string;
}

/** Errors: `invalid_request`, `limit_reached`, `not_found` (customer). */
export async function createDeliveryKey(
  uses: { store: Transactional<'customer' | 'deliveryKeys' | 'outbox' | 'audit'>; clock: Clock; secrets: Secrets },
  { customerId, actor }: AccountCaller,
  input: DeliveryKeySettings,
): Promise<DeliveryKeyWithSecret> {
  const [at, secret] = [uses.clock.now(), newDeliverySecret()];
  const settings = readDeliveryKeySettings(input, at);
  const key = await uses.store.transaction(customerId, async ({ customer, deliveryKeys, outbox, audit }) => {
    // Keys are created one at a time, so that their number stays within its limit.
    await customer.lock();
    if ((await deliveryKeys.list()).length >= MAX_DELIVERY_KEYS) throw tooMany();
    const sealed = seal(uses.secrets, 'delivery', secret);
    const created = await deliveryKeys.insert({ ...settings, publicId: newPublicId(), secret: sealed, createdAt: at });
    await outbox.add('delivery_key.created', [created.id], at);
    await audit.add(actor, { action: 'delivery_key.created', subject: created, at });
    return created;
  });
  return { key, secret };
}

function tooMany(): DomainError {
  const message = `A customer can have at most ${MAX_DELIVERY_KEYS} delivery keys. Delete one first.`;
  return new DomainError('limit_reached', message, { limit: MAX_DELIVERY_KEYS, name: 'deliveryKeys' });
}
