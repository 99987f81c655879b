import { type Caller, requireScope } from '../access/caller.js';
import type { Limits } from '../customers/limits.js';
import { countPhotos } from '../photos/count-photos.js';
import type { PhotoFilters } from '../photos/photo-query.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, invalid } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { actionErrors, type BulkActionInput } from './bulk-action.js';
import { type BulkEdit, MAX_ACTIVE_EDITS, MAX_CHOSEN_PHOTOS } from './bulk-edit.js';
import { storedAction } from './stored-action.js';

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
  const errors = actionErrors(input);
  if (errors.length > 0) throw invalid(...errors);
  const filters = 'filters' in selection ? selection.filters : null;
  const photoIds = 'filters' in selection ? [] : [...new Set(selection.photoIds)].sort((a, b) => a - b);
  if (photoIds.length > MAX_CHOSEN_PHOTOS) throw tooManyPhotos();
  const total = filters === null ? photoIds.length : await countPhotos({ store }, caller, filters);
  return store.transaction(caller.customerId, async (transaction) => {
    // Edits are started one at a time, so that their number stays within its limit; and before anything else is locked.
    await transaction.customer.lock();
    if ((await transaction.bulkEdits.active()).length >= MAX_ACTIVE_EDITS) throw tooManyEdits();
    const createdAt = clock.now();
    const action = await storedAction(transaction, caller, input, { limits, at: createdAt });
    const edit = { action, filters, total, actor: caller.actor, createdAt };
    const stored = await transaction.bulkEdits.insert(edit, photoIds);
    await transaction.jobs.add({ kind: 'bulk_edit', bulkEditId: stored.id });
    return stored;
  });
}

function tooManyPhotos(): DomainError {
  const message = `Choose at most ${MAX_CHOSEN_PHOTOS} photos at once, or select all that match.`;
  return invalid({ field: 'photoIds', code: 'too_many', message, max: MAX_CHOSEN_PHOTOS });
}

function tooManyEdits(): DomainError {
  const message = `${MAX_ACTIVE_EDITS} changes of many photos are in progress. Wait until one of them has ended.`;
  return new DomainError('limit_reached', message, { limit: MAX_ACTIVE_EDITS, name: 'bulkEdits' });
}
