import type { BlobStore } from '../blobs/blob-store.js';
import { type Gazetteer, placeAt } from '../photos/gazetteer.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, requireFound } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { type Import } from './import.js';
import { type ImportPhoto, markDuplicate, markImported } from './import-photo.js';
import { locationOf, newPhoto } from './new-photo.js';
import { recoverOriginal } from './recover-original.js';
import { removeUnusedCopy } from './remove-unused-copy.js';

type PublishUses = {
  store: Transactional<'photos' | 'imports' | 'importPhotos' | 'customer' | 'outbox'>;
  blobs: BlobStore;
  clock: Clock;
  gazetteer: Gazetteer;
};

/** Makes a ready item a photo, or a duplicate if the library has its bytes by now. */
export async function publishItem(
  { store, blobs, clock, gazetteer }: PublishUses,
  subject: Import,
  seen: ImportPhoto,
): Promise<void> {
  const lostRace = await store.transaction(subject.customerId, async (transaction) => {
    // Read again and locked for sharing: a merge of tags either precedes this photo and has changed it, or follows and finds the photo.
    const { tagIds: ofAll } = requireFound(await transaction.imports.share(subject.id), 'import');
    const item = await transaction.importPhotos.lock(subject.id, seen.id);
    if (item?.status !== 'ready' || item.facts === null) return false;
    const at = clock.now();
    const mayBeSecond = subject.duplicatePolicy === 'allow';
    const dupSeq = mayBeSecond ? await transaction.photos.nextDupSeq() : 0;
    const place = await placeAt(gazetteer, locationOf(item, item.facts));
    const photo = newPhoto(item, item.facts, subject, await transaction.customer.read(), { place, dupSeq, at });
    const same = async () => (await transaction.photos.findBySha256([photo.sha256]))[0];
    // An item that is an allowed second copy has its own dupSeq: storing this one beside it would not conflict.
    const known = mayBeSecond ? undefined : await same();
    const tagIds = [...new Set([...ofAll, ...item.tagIds])];
    if (known === undefined && (await transaction.photos.insert(photo, tagIds, item.facts.exif))) {
      await transaction.importPhotos.update(markImported(item, at));
      await transaction.outbox.add('photo.created', [item.id], at);
      return false;
    }
    const winner = known ?? (await same());
    if (winner === undefined) throw goneThisMoment();
    await transaction.importPhotos.update(markDuplicate(item, winner.id, at));
    return !(await recoverOriginal(transaction, winner, photo.blobKey, at));
  });
  if (lostRace) await removeUnusedCopy(blobs, seen);
}

/** The conflicting photo was purged before it could be read: the next attempt finds no conflict. */
function goneThisMoment(): DomainError {
  return new DomainError('service_unavailable', 'A photo with the same bytes was just permanently deleted.');
}
