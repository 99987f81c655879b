import type { CustomerDirectory } from '../customers/customer-directory.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Id } from '../shared/ids.js';
import { isSealedByNewest, reseal } from '../shared/sealed.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transactional } from '../shared/transactional.js';

type SealUses = { store: Transactional<'shares'>; customers: CustomerDirectory; secrets: Secrets };

/** Encrypts again with the newest secret what an older one encrypted, so that the older one can be removed. */
export function resealShareTokens(uses: SealUses, stopping?: AbortSignal): Promise<void> {
  return forEachCustomer(
    (window) => uses.customers.withShares(window),
    (customerId) => resealTokensOf(uses, customerId),
    stopping,
  );
}

async function resealTokensOf({ store, secrets }: SealUses, customerId: Id): Promise<void> {
  const shares = await store.query(customerId, (reader) => reader.shares.list());
  for (const { id } of shares.filter(({ token }) => !isSealedByNewest(secrets, 'share', token))) {
    await store.transaction(customerId, async (transaction) => {
      const share = await transaction.shares.lock(id);
      if (share === null) return;
      await transaction.shares.update({ ...share, token: reseal(secrets, 'share', share.token) });
    });
  }
}
