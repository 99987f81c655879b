import { type Actor, service } from '../audit/audit-entry.js';
import type { AuditLog } from '../audit/audit-log.js';
import { allKinds, type BlobKey, prefixOf } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { after, type Clock, HOUR } from '../shared/clock.js';
import { invalid, notFound, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { cleanText } from '../shared/text.js';
import type { Transactional } from '../shared/transactional.js';
import { type BlobCounts, type CustomerDirectory, type Erasure, forEachCustomer } from './customer-directory.js';
import { closeCustomer } from './edit-customer.js';

type EraseUses = {
  store: Transactional<'customer' | 'audit'>;
  customers: CustomerDirectory;
  auditLog: AuditLog;
  blobs: BlobStore;
  clock: Clock;
};

/**
 * Removes a customer with everything that it has, permanently: first its keys end, then its rows, its blobs and finally the customer are
 * removed. Rows are removed from every table that has a customer (`removeRows`, typeorm/customers/customer.repository.ts), and blobs are found
 * by the customer's part of their keys, not by rows. May be interrupted at any moment and called again, in several processes at once: it
 * continues with what is left. Bytes that a client later sends to a signed address of the store are unowned, and are removed with the garbage.
 * The proof is recorded. Errors: `not_found` when there is no such customer and nothing of it.
 */
export async function eraseCustomer(uses: EraseUses, actor: Actor, id: Id): Promise<Erasure> {
  const { customers, auditLog, clock } = uses;
  const startedAt = clock.now();
  const exists = (await customers.find(id)) !== null;
  if (exists) {
    // At the beginning: a process that continues an erasure that was interrupted did not ask for it.
    await auditLog.addOperatorEntry(actor, { action: 'customer.erased', at: startedAt, subject: { id, name: null } });
    await closeCustomer(uses, actor, id);
  }
  const rowsBefore = await customers.countRows(id);
  const removed = noBlobs();
  do await removeEverything(uses, id, removed);
  while (!(await customers.remove(id)));
  // A request that was in progress when the keys ended may have written one more thing.
  await removeEverything(uses, id, removed);
  if (!exists && isEmpty(rowsBefore) && isEmpty(removed)) throw notFound('customer');
  const rowsAfter = await customers.countRows(id);
  const blobsAfter = noBlobs();
  await eachBlobOf(uses, id, blobsAfter);
  const complete = isEmpty(rowsAfter) && isEmpty(blobsAfter) && (await customers.find(id)) === null;
  const found = { rowsBefore, rowsAfter, blobsRemoved: removed, blobsAfter, complete };
  const erasure = { customerId: id, startedAt, finishedAt: clock.now(), ...found };
  await customers.recordErasure(erasure);
  return erasure;
}

async function removeEverything(uses: EraseUses, id: Id, removed: BlobCounts): Promise<void> {
  while ((await uses.customers.removeRows(id)) > 0);
  await eachBlobOf(uses, id, removed, (keys) => uses.blobs.delete(keys));
}

const BATCH = 500;

/** Adds every blob of a customer to the count, and passes their keys on in batches. */
async function eachBlobOf(
  { blobs }: Pick<EraseUses, 'blobs'>,
  id: Id,
  count: BlobCounts,
  act: (keys: readonly BlobKey[]) => Promise<void> = async () => undefined,
): Promise<void> {
  for (const kind of allKinds) {
    const batch: BlobKey[] = [];
    for await (const { key, sizeBytes } of blobs.list(prefixOf(kind, id))) {
      count[kind] += 1;
      count.bytes += sizeBytes;
      if (batch.push(key) === BATCH) await act(batch.splice(0));
    }
    if (batch.length > 0) await act(batch);
  }
}

function noBlobs(): BlobCounts {
  return { staging: 0, originals: 0, renditions: 0, bytes: 0 };
}

function isEmpty(counts: Readonly<Record<string, number>>): boolean {
  return Object.values(counts).every((count) => count === 0);
}

/**
 * Erases a customer, and for one that was erased before returns the proof of that. Errors: `invalid_request` unless the typed name is
 * exactly the account's; `not_found`.
 */
export async function eraseWithProof(uses: EraseUses, actor: Actor, id: Id, typedName: string): Promise<Erasure> {
  const customer = await uses.customers.find(id);
  if (customer === null) return requireFound(await uses.customers.findErasure(id), 'customer');
  if (cleanText(typedName) !== customer.name) {
    const message = 'name must be exactly the name of the account that is to be erased.';
    throw invalid({ field: 'name', code: 'invalid_format', message });
  }
  return eraseCustomer(uses, actor, id);
}

/** Resumes interrupted erasures: erases customers that have been closing for an hour. */
export function finishErasing(uses: EraseUses, stopping?: AbortSignal): Promise<void> {
  const since = after(uses.clock.now(), -HOUR);
  const find = uses.customers.closingSince.bind(uses.customers, since);
  return forEachCustomer(
    find,
    async (id) => {
      await eraseCustomer(uses, service, id);
    },
    stopping,
  );
}
