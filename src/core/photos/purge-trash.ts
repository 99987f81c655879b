import type { Caller } from '../access/caller.js';
import { service } from '../audit/actor.js';
import type { CustomerTransaction } from '../customers/customer-store.js';
import { forEachCustomer } from '../customers/each-customer.js';
import type { Uses } from '../ports.js';
import { DomainError, notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Photo } from './photo.js';
import { purgePhoto } from './trash-photo.js';

const BATCH = 500;

type PurgeUses = Uses<'store' | 'blobs' | 'clock' | 'customers'>;

/**
 * Deletes for ever what has been in the trash for long enough, of all customers; but nothing that an import still needs. May run in
 * several processes at once and be stopped at any time: what is left is found by the next run.
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

/** Answers how many were deleted: others may be first, and what was stopped stops here. */
async function purgeAll(uses: PurgeUses, operator: Caller, ids: readonly Id[], at: Date, stopping?: AbortSignal) {
  let deleted = 0;
  for (const id of ids) {
    if (stopping?.aborted) break;
    const check = (photo: Photo, transaction: CustomerTransaction) => requireDue(photo, transaction, at);
    const isDeleted = await purgePhoto(uses, operator, id, check, 'of batch').then(() => true, unlessGone);
    if (isDeleted) deleted += 1;
  }
  return deleted;
}

/** One entry for a batch: a trash of 100,000 photos leaves 200, not 100,000. It has a count and no ids; nobody chose these photos. */
async function recordPurge({ store, clock }: PurgeUses, { customerId, actor }: Caller, count: number): Promise<void> {
  if (count === 0) return;
  const change = { action: 'photo.deleted', subject: { id: null, name: null }, count, at: clock.now() } as const;
  await store.transaction(customerId, ({ audit }) => audit.add(actor, change));
}

/** Between the look and the lock it may have been restored, or found by an import that will. */
async function requireDue({ id, purgeAt }: Photo, { photos }: CustomerTransaction, at: Date): Promise<void> {
  const isDue = purgeAt !== null && purgeAt.getTime() <= at.getTime();
  if (!isDue || (await photos.isAwaited(id))) throw notFound('photo');
}

/** Another was first, or it is wanted back. */
function unlessGone(error: unknown): false {
  if (!(error instanceof DomainError && error.code === 'not_found')) throw error;
  return false;
}
