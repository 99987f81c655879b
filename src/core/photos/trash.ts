import type { Caller } from '../access/caller.js';
import { service } from '../audit/audit-entry.js';
import { renditionsPrefix, storedKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { type CustomerDirectory, forEachCustomer } from '../customers/customer-directory.js';
import type { Clock } from '../shared/clock.js';
import { notFound, requireFound, unlessGone } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { everyBatch } from '../shared/pagination.js';
import { type Precondition, type Reader, type Transactional, unconditional } from '../shared/transactional.js';
import { changePhotos } from './change-photos.js';
import { isTrashed, type Photo, type PhotoWithTags, trash } from './photo.js';

/**
 * Moves a photo to the trash, from which it can be restored. Errors: `not_found` (also if it is in the trash already),
 * `precondition_failed`.
 */
export function trashPhoto(
  { store, clock }: { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock },
  caller: Caller,
  id: Id,
  check: Precondition<PhotoWithTags> = unconditional,
): Promise<void> {
  return store.transaction(caller.customerId, async (transaction) => {
    const photo = requireFound((await transaction.photos.lock([id]))[0], 'photo');
    if (isTrashed(photo)) throw notFound('photo');
    check(photo);
    const at = clock.now();
    const { trashRetentionDays } = await transaction.customer.read();
    await changePhotos(transaction, [{ photo, next: trash(photo, at, trashRetentionDays) }], at);
  });
}

/**
 * Moves photos to the trash like `trashPhoto`, in one transaction per photo, in the order of the ids; a repeated id is processed and
 * returned once. Errors: `service_unavailable`, with some of them deleted: if the request is repeated, those are not found.
 */
export function trashPhotos(
  uses: { store: Transactional<'photos' | 'customer' | 'outbox'>; clock: Clock },
  caller: Caller,
  ids: readonly Id[],
): Promise<readonly PhotoDeletionResult[]> {
  return deleteEach(ids, (id) => trashPhoto(uses, caller, id));
}

/**
 * Permanently deletes a photo, in the trash or not: the row first, so that nothing can find it, then its bytes. What a crash leaves between
 * the two is unowned and is swept. `check` runs while the photo is locked. The audit log names the photo, unless it belongs to a batch that
 * has its own entry. Errors: `not_found`, `precondition_failed`.
 */
export async function purgePhoto(
  { store, blobs, clock }: { store: Transactional<'photos' | 'outbox' | 'audit'>; blobs: BlobStore; clock: Clock },
  caller: Caller,
  id: Id,
  check: (photo: PhotoWithTags, reader: Reader<'photos'>) => void | Promise<void> = unconditional,
  entry: 'own' | 'of batch' = 'own',
): Promise<void> {
  const photo = await store.transaction(caller.customerId, async (transaction) => {
    const doomed = requireFound((await transaction.photos.lock([id]))[0], 'photo');
    await check(doomed, transaction);
    await transaction.photos.delete(id);
    const at = clock.now();
    await transaction.outbox.add('photo.deleted', [id], at);
    if (entry === 'own') {
      const subject = { id, name: doomed.filename };
      await transaction.audit.add(caller.actor, { action: 'photo.deleted', subject, at });
    }
    return doomed;
  });
  const keys = [storedKey(photo.blobKey)];
  for await (const { key } of blobs.list(renditionsPrefix(photo))) keys.push(key);
  await blobs.delete(keys);
}

/**
 * Permanently deletes photos like `purgePhoto`, in one transaction per photo. One entry of the audit log names all that exist; it is
 * written before the first is deleted, so that none is deleted without an entry.
 */
export async function purgePhotos(
  uses: { store: Transactional<'photos' | 'outbox' | 'audit'>; blobs: BlobStore; clock: Clock },
  caller: Caller,
  ids: readonly Id[],
): Promise<readonly PhotoDeletionResult[]> {
  await recordDeletion(uses, caller, ids);
  return deleteEach(ids, (id) => purgePhoto(uses, caller, id, unconditional, 'of batch'));
}

function recordDeletion(
  { store, clock }: { store: Transactional<'photos' | 'audit'>; clock: Clock },
  caller: Caller,
  ids: readonly Id[],
): Promise<void> {
  return store.transaction(caller.customerId, async ({ photos, audit }) => {
    const found = await photos.getMany([...new Set(ids)]);
    const [first] = found;
    if (first === undefined) return;
    const count = found.length;
    const several = { id: null, name: found.map(({ id }) => id).join(', ') };
    const subject = count === 1 ? { id: first.id, name: first.filename } : several;
    await audit.add(caller.actor, { action: 'photo.deleted', subject, count, at: clock.now() });
  });
}

export interface PhotoDeletionResult {
  readonly id: Id;
  readonly outcome: 'deleted' | 'not_found';
}

/** Deletes photos one after another, in the order of the ids; a repeated id is processed and returned once. */
async function deleteEach(
  ids: readonly Id[],
  remove: (id: Id) => Promise<void>,
): Promise<readonly PhotoDeletionResult[]> {
  const results: PhotoDeletionResult[] = [];
  for (const id of new Set(ids)) {
    const isDeleted = await unlessGone(remove(id).then(() => true));
    results.push({ id, outcome: isDeleted ? 'deleted' : 'not_found' });
  }
  return results;
}

/**
 * For all customers, permanently deletes photos whose time in the trash is over, except those that an import still needs. May run in
 * several processes at once and be stopped at any time: the next run continues.
 */
export function purgeTrash(uses: PurgeUses, stopping?: AbortSignal): Promise<void> {
  const at = uses.clock.now();
  return forEachCustomer(
    (window) => uses.customers.owning<Photo>('photos', window, { purgeAt: { until: at } }),
    async (customerId) => {
      const operator: Caller = { customerId, apiKeyId: null, scopes: [], ipRestricted: false, actor: service };
      const read = (last: Id | null) =>
        uses.store.query(customerId, (reader) => reader.photos.toPurge(at, last, BATCH));
      for await (const ids of everyBatch(BATCH, read)) {
        await recordPurge(uses, operator, await purgeAll(uses, operator, ids, at, stopping));
        if (stopping?.aborted) return;
      }
    },
    stopping,
  );
}

const BATCH = 500;

type PurgeUses = {
  store: Transactional<'photos' | 'outbox' | 'audit'>;
  blobs: BlobStore;
  clock: Clock;
  customers: CustomerDirectory;
};

/** Returns how many were deleted: other processes may have deleted some, and a stop ends the run. */
async function purgeAll(uses: PurgeUses, operator: Caller, ids: readonly Id[], at: Date, stopping?: AbortSignal) {
  // Between the query and the lock it may have been restored, or become a duplicate of an import that will restore it.
  const requireDue = async ({ id, purgeAt }: Photo, { photos }: Reader<'photos'>) => {
    const isDue = purgeAt !== null && purgeAt.getTime() <= at.getTime();
    if (!isDue || (await photos.isAwaited(id))) throw notFound('photo');
  };
  let deleted = 0;
  for (const id of ids) {
    if (stopping?.aborted) break;
    // Another process may have been first, or it is needed again.
    const purged = await unlessGone(purgePhoto(uses, operator, id, requireDue, 'of batch').then(() => true));
    if (purged !== null) deleted += 1;
  }
  return deleted;
}

/**
 * One entry for a batch: emptying a trash of 100,000 photos writes 200 entries, not 100,000. It has a count and no ids; no one selected
 * these photos.
 */
async function recordPurge({ store, clock }: PurgeUses, { customerId, actor }: Caller, count: number): Promise<void> {
  if (count === 0) return;
  const change = { action: 'photo.deleted', subject: { id: null, name: null }, count, at: clock.now() } as const;
  await store.transaction(customerId, ({ audit }) => audit.add(actor, change));
}
