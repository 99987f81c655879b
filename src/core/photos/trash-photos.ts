import type { Caller } from '../access/caller.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { unconditional } from '../shared/precondition.js';
import type { Transactional } from '../shared/transactional.js';
import { purgePhoto, trashPhoto } from './trash-photo.js';

/** The outcome for one photo. */
export interface PhotoDeletionResult {
  readonly id: Id;
  readonly outcome: 'deleted' | 'not_found';
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
  return each(ids, (id) => trashPhoto(uses, caller, id));
}

/**
 * The same permanently, like `purgePhoto`. One entry of the audit log names all that exist; it is written before the first is deleted, so
 * that none is deleted without an entry.
 */
export async function purgePhotos(
  uses: { store: Transactional<'photos' | 'outbox' | 'audit'>; blobs: BlobStore; clock: Clock },
  caller: Caller,
  ids: readonly Id[],
): Promise<readonly PhotoDeletionResult[]> {
  await recordDeletion(uses, caller, ids);
  return each(ids, (id) => purgePhoto(uses, caller, id, unconditional, 'of batch'));
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

async function each(ids: readonly Id[], remove: (id: Id) => Promise<void>): Promise<readonly PhotoDeletionResult[]> {
  const results: PhotoDeletionResult[] = [];
  for (const id of new Set(ids)) results.push({ id, outcome: await outcomeOf(remove(id)) });
  return results;
}

async function outcomeOf(removal: Promise<void>): Promise<PhotoDeletionResult['outcome']> {
  try {
    await removal;
    return 'deleted';
  } catch (error) {
    if (error instanceof DomainError && error.code === 'not_found') return 'not_found';
    throw error;
  }
}
