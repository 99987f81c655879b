import type { Caller } from '../access/caller.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { type Transactional, unconditional } from '../shared/transactional.js';
import { deleteEach, type PhotoDeletionResult } from './photo-deletions.js';
import { purgePhoto } from './purge-photo.js';

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
