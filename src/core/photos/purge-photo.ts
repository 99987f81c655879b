import type { Caller } from '../access/caller.js';
import { renditionsPrefix, storedKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Clock } from '../shared/clock.js';
import { requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Reader, type Transactional, unconditional } from '../shared/transactional.js';
import type { Photo, PhotoWithTags } from './photo.js';

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
      await transaction.audit.add(caller.actor, {
        action: 'photo.deleted',
        subject: { id, name: doomed.filename },
        at,
      });
    }
    return doomed;
  });
  await removeBytes(blobs, photo);
}

async function removeBytes(blobs: BlobStore, photo: Photo): Promise<void> {
  const keys = [storedKey(photo.blobKey)];
  for await (const { key } of blobs.list(renditionsPrefix(photo))) keys.push(key);
  await blobs.delete(keys);
}
