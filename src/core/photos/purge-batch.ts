import type { Caller } from '../access/caller.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { CustomerDirectory } from '../customers/customer-directory.js';
import type { Clock } from '../shared/clock.js';
import { notFound, unlessGone } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader, Transactional } from '../shared/transactional.js';
import type { Photo } from './photo.js';
import { purgePhoto } from './purge-photo.js';

export const BATCH = 500;

export type PurgeUses = {
  store: Transactional<'photos' | 'outbox' | 'audit'>;
  blobs: BlobStore;
  clock: Clock;
  customers: CustomerDirectory;
};

/** Returns how many were deleted: other processes may have deleted some, and a stop ends the run. */
export async function purgeAll(
  uses: PurgeUses,
  operator: Caller,
  ids: readonly Id[],
  at: Date,
  stopping?: AbortSignal,
) {
  let deleted = 0;
  for (const id of ids) {
    if (stopping?.aborted) break;
    const check = (photo: Photo, transaction: Reader<'photos'>) => requireDue(photo, transaction, at);
    // Another process may have been first, or it is needed again.
    const purged = await unlessGone(purgePhoto(uses, operator, id, check, 'of batch').then(() => true));
    if (purged !== null) deleted += 1;
  }
  return deleted;
}

/**
 * One entry for a batch: emptying a trash of 100,000 photos writes 200 entries, not 100,000. It has a count and no ids; nobody selected
 * these photos.
 */
export async function recordPurge(
  { store, clock }: PurgeUses,
  { customerId, actor }: Caller,
  count: number,
): Promise<void> {
  if (count === 0) return;
  const change = { action: 'photo.deleted', subject: { id: null, name: null }, count, at: clock.now() } as const;
  await store.transaction(customerId, ({ audit }) => audit.add(actor, change));
}

/** Between the query and the lock it may have been restored, or become a duplicate of an import that will restore it. */
async function requireDue({ id, purgeAt }: Photo, { photos }: Reader<'photos'>, at: Date): Promise<void> {
  const isDue = purgeAt !== null && purgeAt.getTime() <= at.getTime();
  if (!isDue || (await photos.isAwaited(id))) throw notFound('photo');
}
