import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Id } from '../shared/ids.js';
import { isSealedByNewest, reseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';

type SealUses = { store: Transactional<'deliveryKeys'>; customers: CustomerDirectory; secrets: Secrets };

/** Encrypts again with the newest secret what an older one encrypted, so that the older one can be removed. */
export function resealDeliverySecrets(uses: SealUses, stopping?: AbortSignal): Promise<void> {
  return forEachCustomer(
    (window) => uses.customers.withDeliveryKeys(window),
    (customerId) => resealSecretsOf(uses, customerId),
    stopping,
  );
}

async function resealSecretsOf({ store, secrets }: SealUses, customerId: Id): Promise<void> {
  const keys = await store.query(customerId, ({ deliveryKeys }) => deliveryKeys.list());
  for (const { id } of keys.filter(({ secret }) => !isSealedByNewest(secrets, 'delivery', secret))) {
    await store.transaction(customerId, async ({ deliveryKeys }) => {
      const key = await deliveryKeys.lock(id);
      if (key !== null) await deliveryKeys.update({ ...key, secret: reseal(secrets, 'delivery', key.secret) });
    });
  }
}
