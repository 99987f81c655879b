import type { Caller } from '../access/caller.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { BulkEdit } from './bulk-edit.js';

type ReadUses = { store: Readable<'bulkEdits'> };

/** Errors: `not_found`. */
export async function readBulkEdit({ store }: ReadUses, { customerId }: Caller, id: Id): Promise<BulkEdit> {
  return requireFound(await store.query(customerId, ({ bulkEdits }) => bulkEdits.get(id)), 'bulk_edit');
}

/** Those in progress, oldest first. */
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
