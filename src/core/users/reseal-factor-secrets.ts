import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Id } from '../shared/ids.js';
import { isSealedByNewest, reseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';

type SealUses = { store: Transactional<'factors'>; customers: CustomerDirectory; secrets: Secrets };

/** Encrypts again with the newest secret what an older one encrypted, so that the older one can be removed. */
export function resealFactorSecrets(uses: SealUses, stopping?: AbortSignal): Promise<void> {
  return forEachCustomer(
    (window) => uses.customers.withAuthenticatorApps(window),
    (customerId) => resealSecretsOf(uses, customerId),
    stopping,
  );
}

async function resealSecretsOf({ store, secrets }: SealUses, customerId: Id): Promise<void> {
  const apps = await store.query(customerId, ({ factors }) => factors.listApps());
  const older = apps.filter(({ secret }) => !isSealedByNewest(secrets, 'factor', secret));
  if (older.length === 0) return;
  await store.transaction(customerId, async ({ factors }) => {
    for (const app of older) await factors.replaceSecret(app, reseal(secrets, 'factor', app.secret));
  });
}
