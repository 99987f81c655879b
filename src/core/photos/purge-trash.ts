import type { Caller } from '../access/caller.js';
import { service } from '../audit/actor.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Id } from '../shared/ids.js';
import { BATCH, type PurgeUses, purgeAll, recordPurge } from './purge-batch.js';

/**
 * For all customers, permanently deletes photos whose time in the trash is over, except those that an import still needs. May run in
 * several processes at once and be stopped at any time: the next run continues.
 */
export function purgeTrash(uses: PurgeUses, stopping?: AbortSignal): Promise<void> {
  const at = uses.clock.now();
  return forEachCustomer(
    (window) => uses.customers.withTrashToPurge(at, window),
    (customerId) => purgeTrashOf(uses, customerId, at, stopping),
    stopping,
  );
}

async function purgeTrashOf(uses: PurgeUses, customerId: Id, at: Date, stopping?: AbortSignal): Promise<void> {
  const operator: Caller = { customerId, apiKeyId: null, scopes: [], ipRestricted: false, actor: service };
  const batch = (after: Id | null) => uses.store.query(customerId, (reader) => reader.photos.toPurge(at, after, BATCH));
  for (let after: Id | null = null; ; ) {
    const ids: readonly Id[] = await batch(after);
    const deleted = await purgeAll(uses, operator, ids, at, stopping);
    await recordPurge(uses, operator, deleted);
    if (stopping?.aborted) return;
    after = ids.at(-1) ?? null;
    if (ids.length < BATCH) return;
  }
}
