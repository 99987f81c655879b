import { changePhotos } from '../../photos/change-photos.js';
import { isTrashed, type Photo, restore } from '../../photos/photo.js';
import type { Clock } from '../../shared/clock.js';
import type { ItemError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { Reader, Transaction, Transactional } from '../../shared/transactional.js';
import type { Import } from '../import.js';
import { fail, failItem, type ImportPhoto, sourceFailed } from '../import-photo.js';

type ResolveUses = { store: Transactional<'photos' | 'importPhotos' | 'outbox'>; clock: Clock };

const sourceGone: ItemError = {
  code: 'duplicate_source_gone',
  message: 'The photo with the same bytes was permanently deleted in the meantime. Import this file again.',
};

/** So far the duplicate was provisional: here it is tied to its photo, which is restored from the trash if necessary. */
export async function resolveDuplicate(
  { store, clock }: ResolveUses,
  subject: Import,
  seen: ImportPhoto,
): Promise<void> {
  await store.transaction(subject.customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(subject.id, seen.id);
    if (item?.status !== 'duplicate' || item.resolved) return;
    const at = clock.now();
    const photoId = item.photoId ?? (await photoOfEarlierItem(transaction, item));
    if (photoId === null) return failItem(transaction, item, sourceFailed, at);
    const photo = (await transaction.photos.lock([photoId]))[0];
    if (photo === undefined) return transaction.importPhotos.update(fail(item, sourceGone, at));
    const back = isTrashed(photo) && subject.restoreTrashed && !(await cameBefore(transaction, subject, item, photo));
    if (back) await changePhotos(transaction, [{ photo, next: restore(photo) }], at);
    // Once: what is deleted from here on stays deleted, however often this runs.
    await transaction.importPhotos.update({ ...item, photoId, restored: back, resolved: true, updatedAt: at });
  });
}

/** Whether this import has already imported or restored the photo: in that case it was deleted afterwards, and stays deleted. */
async function cameBefore(
  transaction: Reader<'importPhotos'>,
  subject: Import,
  item: ImportPhoto,
  photo: Photo,
): Promise<boolean> {
  if (photo.importId === subject.id) return true;
  const same = await transaction.importPhotos.findBySha256(subject.id, [photo.sha256]);
  return same.some((other) => other.id !== item.id && other.resolved && other.photoId === photo.id);
}

async function photoOfEarlierItem(transaction: Reader<'importPhotos'>, item: ImportPhoto): Promise<Id | null> {
  if (item.duplicateOfItemId === null) return null;
  return (await transaction.importPhotos.get(item.importId, item.duplicateOfItemId))?.photoId ?? null;
}

/**
 * Photos that have these bytes, except those whose original is lost: for them the same bytes are wanted once more. Those in the trash are
 * locked until the transaction ends. So each is either relied on before it could be purged, and then it is not, or it is gone already and
 * not among them.
 */
export async function inLibrary(
  { photos }: Transaction<'photos'>,
  sha256: readonly string[],
): Promise<readonly Photo[]> {
  const found = (await photos.findBySha256(sha256)).filter(({ originalLostAt }) => originalLostAt === null);
  const trashed = found.filter(isTrashed).map(({ id }) => id);
  if (trashed.length === 0) return found;
  const locked = new Set((await photos.lock(trashed)).map(({ id }) => id));
  return found.filter((photo) => !isTrashed(photo) || locked.has(photo.id));
}
