import type { BlobStore } from '../blobs/blob-store.js';
import { type CustomerDirectory, forEachCustomer } from '../customers/customer-directory.js';
import { after, type Clock, DAY } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { everyRow } from '../shared/pagination.js';
import type { Transactional } from '../shared/transactional.js';
import { expire, IDLE_DAYS, type Import, type OldEnough, oldEnough } from './import.js';
import { waitsFor } from './import-photo.js';
import { abandonedUntil, partKeys, type ResumableUpload } from './receive/resumable-upload.js';

const BATCH = 100;

type ExpireUses = {
  store: Transactional<'imports' | 'importPhotos' | 'outbox'>;
  clock: Clock;
  customers: CustomerDirectory;
};

/**
 * Ends open imports of all customers that have not been used for a week; none of their items enters the library. May run in several
 * processes at once and be stopped at any time: the next run continues.
 */
export function expireImports(uses: ExpireUses, stopping?: AbortSignal): Promise<void> {
  const at = uses.clock.now();
  return forEachCustomer(
    (window) => uses.customers.owning<Import>('imports', window, { status: 'open', expiresAt: { until: at } }),
    async (customerId) => {
      // None is found again: it has ended, or its expiry was extended.
      const find = () => uses.store.query(customerId, (reader) => reader.imports.expired(at, BATCH));
      for await (const id of everyRow(BATCH, find, stopping)) await expireUnlessUsed(uses, customerId, id, at);
    },
    stopping,
  );
}

/**
 * Arriving bytes change their item and do not wait for the import, so that thousands can arrive at once. Here they extend the expiry of the
 * import.
 */
function expireUnlessUsed({ store }: ExpireUses, customerId: Id, id: Id, at: Date): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    const subject = await transaction.imports.lock(id);
    if (subject?.status !== 'open' || subject.expiresAt === null || subject.expiresAt.getTime() > at.getTime()) return;
    const used = await transaction.importPhotos.lastChange(id);
    const keptUntil = used === null ? subject.expiresAt : after(used, IDLE_DAYS * DAY);
    if (keptUntil.getTime() > at.getTime()) return transaction.imports.update({ ...subject, expiresAt: keptUntil });
    await transaction.importPhotos.cancelAll(id, at);
    await transaction.imports.update(expire(subject, at));
    await transaction.outbox.add('import.expired', [id], at);
  });
}

/** Per transaction, so that an import with ten thousand items does not block others for long. */
const ITEMS = 500;

type ForgetUses = { store: Transactional<'imports'>; clock: Clock; customers: CustomerDirectory };

/**
 * For all customers, permanently deletes the items of imports that ended 90 days ago, whose counts are kept, and imports that ended a year
 * ago. May run in several processes at once and be stopped at any time: the next run continues.
 */
export function forgetImports(uses: ForgetUses, stopping?: AbortSignal): Promise<void> {
  const old = oldEnough(uses.clock.now());
  return forEachCustomer(
    (window) =>
      uses.customers.owning<Import & { itemsForgotten: boolean }>(
        'imports',
        window,
        { itemsForgotten: false, completedAt: { until: old.itemsOf } },
        { itemsForgotten: true, completedAt: { until: old.imports } },
      ),
    async (customerId) => {
      // None is found again.
      const find = () => uses.store.query(customerId, (reader) => reader.imports.toForget(old, BATCH));
      for await (const id of everyRow(BATCH, find, stopping)) {
        while (!(await forgetSome(uses, customerId, id, old))) {
          if (stopping?.aborted) return;
        }
      }
    },
    stopping,
  );
}

/** True when nothing of this import is left to do. Another process may have done it between the query and the lock. */
function forgetSome({ store }: ForgetUses, customerId: Id, id: Id, old: OldEnough): Promise<boolean> {
  return store.transaction(customerId, async (transaction) => {
    const ended = (await transaction.imports.lock(id))?.completedAt;
    if (!ended) return true;
    if (!(await transaction.imports.forgetItems(id, ITEMS))) return false;
    if (ended.getTime() <= old.imports.getTime()) await transaction.imports.forget(id);
    return true;
  });
}

type RemoveUses = {
  store: Transactional<'importPhotos' | 'resumableUploads'>;
  blobs: BlobStore;
  clock: Clock;
  customers: CustomerDirectory;
};

/**
 * Removes resumable uploads of all customers that nothing was added to for a day, or that their items no longer wait for, with their bytes.
 * May run in several processes at once and be stopped at any time: the next run continues.
 */
export function removeAbandonedUploads(uses: RemoveUses, stopping?: AbortSignal): Promise<void> {
  const until = abandonedUntil(uses.clock.now());
  return forEachCustomer(
    (window) => uses.customers.owning('resumable_uploads', window),
    async (customerId) => {
      // None is found again: it is gone, or was used.
      const find = () => uses.store.query(customerId, (reader) => reader.resumableUploads.abandoned(until, BATCH));
      for await (const upload of everyRow(BATCH, find, stopping)) await removeUnlessUsed(uses, upload, until);
    },
    stopping,
  );
}

/** The row first: blobs that are left if this process dies are unowned, and are removed like any others. */
async function removeUnlessUsed({ store, blobs }: RemoveUses, seen: ResumableUpload, until: Date): Promise<void> {
  const { customerId, importId, itemId } = seen;
  const removed = await store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    const item = await importPhotos.lock(importId, itemId);
    const upload = await resumableUploads.get(itemId);
    const isWaiting = upload !== null && waitsFor(item, upload);
    if (upload === null || (isWaiting && upload.updatedAt.getTime() > until.getTime())) return null;
    await resumableUploads.delete(itemId);
    return upload;
  });
  if (removed !== null) await blobs.delete(partKeys(removed));
}
