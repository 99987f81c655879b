import { originalKey, renditionsPrefix } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { isTrashed, markRecovered, type Photo, restore, withNewVersion } from '../photos/photo.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, type ItemError, isOutage, requireFound } from '../shared/errors.js';
import { everyBatch } from '../shared/every-page.js';
import type { Id } from '../shared/ids.js';
import type { Reader, Transaction, Transactional } from '../shared/transactional.js';
import { failItem, sourceFailed } from './fail-item.js';
import { completeIfDone, type Import } from './import.js';
import { fail, type ImportPhoto, type ImportPhotoStatus, markDuplicate } from './import-photo.js';
import { newPhoto } from './new-photo.js';
import { publishMany, toImported } from './publish-many.js';

export type PublishUses = {
  store: Transactional<'photos' | 'imports' | 'importPhotos' | 'customer' | 'outbox'>;
  blobs: BlobStore;
  clock: Clock;
};

/**
 * Publishes the ready items of a finalized import to the library, many in one transaction, and completes the import once no item has work
 * left. On the last attempt, an item that fails is given up, and only that one. May run at any time and twice: finished work is not
 * repeated.
 */
export async function publishImport(
  uses: PublishUses,
  customerId: Id,
  importId: Id,
  isLastTry: boolean,
): Promise<void> {
  const subject = await uses.store.query(customerId, (reader) => reader.imports.find(importId));
  if (subject?.status !== 'processing') return;
  for await (const ready of pages(uses, subject, 'ready')) {
    // A problem with one of them must not block the others.
    const left = await publishMany(uses, subject, ready).catch((error) => unlessOutage(error, ready));
    for (const item of left) {
      await publish(uses, subject, item).catch((error) => giveUp(uses, item, error, isLastTry));
    }
  }
  const busy = await uses.store.query(customerId, (reader) =>
    reader.importPhotos.countIn(importId, ['processing', 'ready']),
  );
  // The inspection of the last one requests publishing again.
  if (busy > 0) return;
  for await (const duplicates of pages(uses, subject, 'duplicate')) {
    for (const item of duplicates) {
      if (!item.resolved) await resolve(uses, subject, item).catch((error) => giveUp(uses, item, error, isLastTry));
    }
  }
  await uses.store.transaction(customerId, async (transaction) => {
    const locked = requireFound(await transaction.imports.lock(importId), 'import');
    const { counts } = requireFound(await transaction.imports.get(importId), 'import');
    const ended = completeIfDone(locked, counts, uses.clock.now());
    if (ended === locked) return;
    await transaction.imports.update(ended);
    await transaction.outbox.add('import.completed', [importId], ended.updatedAt);
  });
}

function unlessOutage<T>(error: unknown, otherwise: T): T {
  if (isOutage(error)) throw error;
  return otherwise;
}

async function publish({ store, blobs, clock }: PublishUses, subject: Import, seen: ImportPhoto): Promise<void> {
  const lostRace = await store.transaction(subject.customerId, async (transaction) => {
    // Read again and locked for sharing: a merge of tags either precedes this photo and has changed it, or follows and finds the photo.
    const { tagIds: ofAll } = requireFound(await transaction.imports.share(subject.id), 'import');
    const item = await transaction.importPhotos.lock(subject.id, seen.id);
    if (item?.status !== 'ready' || item.facts === null) return false;
    const at = clock.now();
    const mayBeSecond = subject.duplicatePolicy === 'allow';
    const dupSeq = mayBeSecond ? await transaction.photos.nextDupSeq() : 0;
    const photo = newPhoto(item, item.facts, subject, await transaction.customer.read(), { dupSeq, at });
    const same = async () => (await transaction.photos.findBySha256([photo.sha256]))[0];
    // An item that is an allowed second copy has its own dupSeq: storing this one beside it would not conflict.
    const known = mayBeSecond ? undefined : await same();
    const tagIds = [...new Set([...ofAll, ...item.tagIds])];
    if (known === undefined && (await transaction.photos.insert(photo, tagIds, item.facts.exif))) {
      await transaction.importPhotos.update(toImported(item, at));
      await transaction.outbox.add('photo.created', [item.id], at);
      return false;
    }
    const winner = known ?? (await same());
    if (winner === undefined) throw goneThisMoment();
    await transaction.importPhotos.update(markDuplicate(item, winner.id, at));
    return !(await recover(transaction, winner, photo.blobKey, at));
  });
  if (lostRace) await removeCopy(blobs, seen);
}

/** The conflicting photo was purged before it could be read: the next attempt finds no conflict. */
function goneThisMoment(): DomainError {
  return new DomainError('service_unavailable', 'A photo with the same bytes was just permanently deleted.');
}

/** An unavailable store must not delay photos: what is left there is unowned, and is swept. */
async function removeCopy(blobs: PublishUses['blobs'], item: ImportPhoto): Promise<void> {
  try {
    const unused = [originalKey(item)];
    for await (const { key } of blobs.list(renditionsPrefix(item))) unused.push(key);
    await blobs.delete(unused);
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}

/** Gives a photo whose original is lost the bytes that have just arrived. False, with nothing changed, for any other. */
async function recover(
  transaction: Transaction<'photos' | 'outbox'>,
  seen: Photo,
  blobKey: string,
  at: Date,
): Promise<boolean> {
  if (seen.originalLostAt === null) return false;
  const photo = (await transaction.photos.lock([seen.id]))[0];
  if (photo === undefined || photo.originalLostAt === null) return false;
  await transaction.photos.update(withNewVersion(photo, markRecovered(photo, blobKey), at));
  await transaction.outbox.add('photo.updated', [photo.id], at);
  return true;
}

const sourceGone: ItemError = {
  code: 'duplicate_source_gone',
  message: 'The photo with the same bytes was permanently deleted in the meantime. Import this file again.',
};

/** So far the duplicate was provisional: here it is tied to its photo, which is restored from the trash if necessary. */
async function resolve({ store, clock }: PublishUses, subject: Import, seen: ImportPhoto): Promise<void> {
  await store.transaction(subject.customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(subject.id, seen.id);
    if (item?.status !== 'duplicate' || item.resolved) return;
    const at = clock.now();
    const photoId = item.photoId ?? (await photoOfEarlierItem(transaction, item));
    if (photoId === null) return failItem(transaction, item, sourceFailed, at);
    const photo = (await transaction.photos.lock([photoId]))[0];
    if (photo === undefined) return transaction.importPhotos.update(fail(item, sourceGone, at));
    const back = isTrashed(photo) && subject.restoreTrashed && !(await cameBefore(transaction, subject, item, photo));
    if (back) {
      await transaction.photos.update(withNewVersion(photo, restore(photo), at));
      await transaction.outbox.add('photo.restored', [photoId], at);
    }
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

const unpublishable: ItemError = {
  code: 'processing_failed',
  message: 'The service failed to process this file. Import it again, and report the problem if it fails again.',
};

/** One item that cannot be published must not keep its import from completing. */
async function giveUp(uses: PublishUses, seen: ImportPhoto, error: unknown, isLastTry: boolean): Promise<void> {
  if (isOutage(error) || !isLastTry) throw error;
  await uses.store.transaction(seen.customerId, async (transaction) => {
    const item = await transaction.importPhotos.lock(seen.importId, seen.id);
    if (item?.status === seen.status) await failItem(transaction, item, unpublishable, uses.clock.now());
  });
}

const BATCH = 100;

function pages(uses: PublishUses, subject: Import, status: ImportPhotoStatus): AsyncIterable<readonly ImportPhoto[]> {
  return everyBatch(BATCH, (after) => {
    const window = { after: after === null ? null : { value: after, id: after }, limit: BATCH };
    return uses.store.query(subject.customerId, (reader) =>
      reader.importPhotos.list({ importId: subject.id, statuses: [status], window }),
    );
  });
}
