import { type Caller, requireScope } from '../access/caller.js';
import { type CustomerDirectory, forEachCustomer } from '../customers/customer-directory.js';
import type { Limits } from '../customers/limits.js';
import { countPhotos } from '../photos/list-photos.js';
import type { PhotoFilters } from '../photos/photo-query.js';
import { after, type Clock } from '../shared/clock.js';
import { invalid, requireBelowLimit, requireFound, requireValid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable, Transactional } from '../shared/transactional.js';
import { actionErrors, type BulkActionInput, storedAction } from './bulk-action.js';
import { BULK_EDIT_MS, type BulkEdit, canBeUndone, MAX_ACTIVE_EDITS, MAX_CHOSEN_PHOTOS } from './bulk-edit.js';
import { recordEdit } from './run-bulk-edit.js';

/** Photos that were chosen one by one, or all that match. */
export type BulkSelection = { readonly photoIds: readonly Id[] } | { readonly filters: PhotoFilters };

type StartUses = {
  store: Transactional<'bulkEdits' | 'photos' | 'tags' | 'customer' | 'outbox' | 'jobs'>;
  clock: Clock;
  limits: Limits;
};

/** Stores an edit, and the job that applies it. Errors: `invalid_request`, `scope_required`, `limit_reached`. */
export async function startBulkEdit(
  { store, clock, limits }: StartUses,
  caller: Caller,
  input: BulkActionInput,
  selection: BulkSelection,
): Promise<BulkEdit> {
  requireScope(caller, input.kind === 'trash' ? 'photos:delete' : 'photos:write');
  requireValid(actionErrors(input));
  const filters = 'filters' in selection ? selection.filters : null;
  const photoIds = 'filters' in selection ? [] : [...new Set(selection.photoIds)].sort((a, b) => a - b);
  if (photoIds.length > MAX_CHOSEN_PHOTOS) {
    const message = `Choose at most ${MAX_CHOSEN_PHOTOS} photos at once, or select all that match.`;
    throw invalid({ field: 'photoIds', code: 'too_many', message, max: MAX_CHOSEN_PHOTOS });
  }
  const total = filters === null ? photoIds.length : await countPhotos({ store }, caller, filters);
  return store.transaction(caller.customerId, async (transaction) => {
    // Edits are started one at a time, so that their number stays within its limit; and before anything else is locked.
    await transaction.customer.lock();
    const { length } = await transaction.bulkEdits.active();
    const tooMany = `${MAX_ACTIVE_EDITS} changes of many photos are in progress. Wait until one of them has ended.`;
    requireBelowLimit(length, MAX_ACTIVE_EDITS, 'bulkEdits', tooMany);
    const createdAt = clock.now();
    const action = await storedAction(transaction, caller, input, { limits, at: createdAt });
    const edit = { action, filters, total, actor: caller.actor, createdAt };
    const stored = await transaction.bulkEdits.insert(edit, photoIds);
    await transaction.jobs.add({ kind: 'bulk_edit', bulkEditId: stored.id });
    return stored;
  });
}

/**
 * Begins to undo an edit, also one that is still in progress: it goes no further. Nothing happens if it is being undone already, or has
 * changed nothing. Errors: `scope_required`, `not_found`.
 */
export function undoBulkEdit(
  { store, clock }: { store: Transactional<'bulkEdits' | 'jobs' | 'audit'>; clock: Clock },
  caller: Caller,
  id: Id,
): Promise<BulkEdit> {
  return store.transaction(caller.customerId, async (transaction) => {
    const edit = requireFound(await transaction.bulkEdits.lock(id), 'bulk_edit');
    requireScope(caller, edit.action.kind === 'restore' ? 'photos:delete' : 'photos:write');
    if (!canBeUndone(edit)) return edit;
    if (edit.state === 'running') await recordEdit(transaction, edit, clock.now());
    const begun = { lastPhotoId: null, undone: 0, kept: 0, endedAt: null };
    const undoing = { ...edit, ...begun, state: 'undoing', undoneBy: caller.actor } as const;
    await transaction.bulkEdits.update(undoing);
    await transaction.jobs.add({ kind: 'bulk_edit', bulkEditId: id });
    return undoing;
  });
}

type ReadUses = { store: Readable<'bulkEdits'> };

/** Errors: `not_found`. */
export async function readBulkEdit({ store }: ReadUses, { customerId }: Caller, id: Id): Promise<BulkEdit> {
  return requireFound(await store.query(customerId, ({ bulkEdits }) => bulkEdits.get(id)), 'bulk_edit');
}

/** Returns the edits in progress, oldest first. */
export function activeBulkEdits({ store }: ReadUses, { customerId }: Caller): Promise<readonly BulkEdit[]> {
  return store.query(customerId, ({ bulkEdits }) => bulkEdits.active());
}

/** A page of all edits, newest first, and where the next one begins. */
export async function listBulkEdits(
  { store }: ReadUses,
  { customerId }: Caller,
  { before, limit }: { readonly before: Id | null; readonly limit: number },
): Promise<{ readonly edits: readonly BulkEdit[]; readonly next: Id | null }> {
  const found = await store.query(customerId, ({ bulkEdits }) => bulkEdits.list(before, limit + 1));
  const edits = found.slice(0, limit);
  return { edits, next: found.length > limit ? (edits.at(-1)?.id ?? null) : null };
}

/** Kept changes that one transaction deletes. */
const BATCH = 5000;

/**
 * For all customers, permanently deletes edits that can no longer be undone, in progress or not: within a week, every one has ended. May
 * run in several processes at once and be stopped at any time: the next run continues.
 */
export function forgetBulkEdits(
  { store, clock, customers }: { store: Transactional<'bulkEdits'>; clock: Clock; customers: CustomerDirectory },
  stopping?: AbortSignal,
): Promise<void> {
  const before = after(clock.now(), -BULK_EDIT_MS);
  return forEachCustomer(
    (window) => customers.owning<BulkEdit>('bulk_edits', window, { createdAt: { before } }),
    async (customerId) => {
      while (!stopping?.aborted) {
        if (await store.transaction(customerId, ({ bulkEdits }) => bulkEdits.forget(before, BATCH))) return;
      }
    },
    stopping,
  );
}
