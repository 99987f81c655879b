import type { Caller } from '../access/caller.js';
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
  const operator: Caller = { customerId, apiKeyId: null, scopes: [], ipRestricted: false };
  const batch = (after: Id | null) => uses.store.read(customerId, (view) => view.photos.toPurge(at, after, BATCH));
  for (let after: Id | null = null; ; ) {
    const ids: readonly Id[] = await batch(after);
    for (const id of ids) {
      if (stopping?.aborted) return;
      await purgePhoto(uses, operator, id, (photo) => demandDue(photo, at)).catch(unlessGone);
    }
    after = ids.at(-1) ?? null;
    if (ids.length < BATCH) return;
  }
}

/** Between the look and the lock it may have been restored. */
function demandDue({ purgeAt }: Photo, at: Date): void {
  if (purgeAt === null || purgeAt.getTime() > at.getTime()) throw notFound('photo');
}

/** Another was first, or its owner wants it back. */
function unlessGone(error: unknown): void {
  if (!(error instanceof DomainError && error.code === 'not_found')) throw error;
}
