import { originalKey, renditionsPrefix } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Customer } from '../customers/customer.js';
import type { Limits } from '../customers/limits.js';
import { type CaptureTime, captureTime, fromInstant, fromWallClock } from '../media/capture-time.js';
import type { PictureFacts } from '../media/media-reader.js';
import { initialValues } from '../media/photo-fields.js';
import { changePhotos } from '../photos/change-photos.js';
import { isTrashed, markRecovered, type Photo, restore } from '../photos/photo.js';
import type { NewPhoto } from '../photos/photo-repository.js';
import { type Gazetteer, placeAt } from '../photos/places.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, isOutage, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { everyBatch, windowAfter } from '../shared/pagination.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { completeIfDone, hasPhotos, type Import, type ImportCounts } from './import.js';
import {
  fail,
  failItem,
  giveUpItem,
  type ImportPhoto,
  type ImportPhotoStatus,
  markDuplicate,
  markImported,
  sourceFailed,
} from './import-photo.js';
import { createKeywordTags, tagsOfDuplicate, tagsOfItems } from './published-tags.js';

type PublishUses = {
  store: Transactional<'photos' | 'tags' | 'imports' | 'importPhotos' | 'customer' | 'outbox'>;
  blobs: BlobStore;
  clock: Clock;
  limits: Limits;
  gazetteer: Gazetteer;
};

/**
 * Requests that an import is published if it has been finalized, with the change of an item that this transaction makes. The import was shared
 * before: either this sees that it is finalized, or finalizing waits for the transaction, and the publishing that it requests sees the item.
 */
export async function requestPublishing({ jobs }: Transaction<'jobs'>, shared: Import | null): Promise<void> {
  if (shared?.status === 'processing') await jobs.add({ kind: 'publish', importId: shared.id });
}

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
  for await (const ready of itemsInBatches(uses, subject, 'ready')) {
    // A problem with one of them must not block the others.
    const left = await publishMany(uses, subject, ready).catch((error) => {
      if (isOutage(error)) throw error;
      return ready;
    });
    for (const item of left) {
      await publishItem(uses, subject, item).catch((error) => giveUpItem(uses, item, error, isLastTry));
    }
  }
  const busy = await uses.store.query(customerId, (reader) =>
    reader.importPhotos.countIn(importId, ['fetching', 'processing', 'ready']),
  );
  // The inspection of the last one requests publishing again.
  if (busy > 0) return;
  for await (const duplicates of itemsInBatches(uses, subject, 'duplicate')) {
    for (const item of duplicates) {
      if (!item.resolved)
        await resolveDuplicate(uses, subject, item).catch((error) => giveUpItem(uses, item, error, isLastTry));
    }
  }
  await completeImport(uses, subject);
}

const BATCH = 100;

/** The items of an import in one state, some at a time; those that leave the state meanwhile are not missed. */
function itemsInBatches(
  { store }: { store: Transactional<'importPhotos'> },
  subject: Import,
  status: ImportPhotoStatus,
): AsyncIterable<readonly ImportPhoto[]> {
  return everyBatch(BATCH, (last: ImportPhoto | null) => {
    const window = windowAfter(last?.id ?? null, BATCH);
    return store.query(subject.customerId, (reader) =>
      reader.importPhotos.list({ importId: subject.id, statuses: [status], window }),
    );
  });
}

/** Publishes the ready items whose bytes the library does not have. Returns the others, which have to be handled one by one. */
async function publishMany(
  { store, clock, gazetteer, limits }: Omit<PublishUses, 'blobs'>,
  subject: Import,
  seen: readonly ImportPhoto[],
): Promise<readonly ImportPhoto[]> {
  const at = clock.now();
  await createKeywordTags({ store, limits }, subject, seen, at);
  return store.transaction(subject.customerId, async (transaction) => {
    // Read again and locked for sharing: a merge of tags either precedes these photos and has changed them, or follows and finds them.
    const shared = requireFound(await transaction.imports.share(subject.id), 'import');
    const ids = seen.map(({ id }) => id);
    const items = (await transaction.importPhotos.lockMany(subject.id, ids)).filter(({ status }) => status === 'ready');
    const mayBeSecond = subject.duplicatePolicy === 'allow';
    const hashes = items.flatMap(({ sha256 }) => sha256 ?? []);
    const same = mayBeSecond ? [] : await transaction.photos.findBySha256(hashes);
    const known = new Set(same.map(({ sha256 }) => sha256));
    const customer = await transaction.customer.read();
    const tagsOf = await tagsOfItems(transaction, limits, shared, items);
    const additions: NewPhoto[] = [];
    for (const item of items) {
      if (item.facts === null || known.has(item.sha256 ?? '')) continue;
      const photo = await newPhoto({ transaction, gazetteer }, item, item.facts, subject, customer, at);
      additions.push({ photo, tagIds: tagsOf(item), exif: item.facts.exif });
    }
    const stored = new Set(await transaction.photos.insertMany(additions));
    const imported = items.filter(({ id }) => stored.has(id));
    await transaction.importPhotos.update(...imported.map((item) => markImported(item, at)));
    const importedIds = imported.map(({ id }) => id);
    await transaction.outbox.add('photo.created', importedIds, at);
    return items.filter(({ id }) => !stored.has(id));
  });
}

/** Makes a ready item a photo, or a duplicate if the library has its bytes by now. */
async function publishItem(
  { store, blobs, clock, gazetteer, limits }: PublishUses,
  subject: Import,
  seen: ImportPhoto,
): Promise<void> {
  const lostRace = await store.transaction(subject.customerId, async (transaction) => {
    // Read again and locked for sharing: a merge of tags either precedes this photo and has changed it, or follows and finds the photo.
    const shared = requireFound(await transaction.imports.share(subject.id), 'import');
    const item = await transaction.importPhotos.lock(subject.id, seen.id);
    if (item?.status !== 'ready' || item.facts === null) return false;
    const at = clock.now();
    const customer = await transaction.customer.read();
    const photo = await newPhoto({ transaction, gazetteer }, item, item.facts, subject, customer, at);
    const same = async () => (await transaction.photos.findBySha256([photo.sha256]))[0];
    // An item that is an allowed second copy has its own dupSeq: storing this one beside it would not conflict.
    const known = subject.duplicatePolicy === 'allow' ? undefined : await same();
    const tagIds = (await tagsOfItems(transaction, limits, shared, [item]))(item);
    if (known === undefined && (await transaction.photos.insert(photo, tagIds, item.facts.exif))) {
      await transaction.importPhotos.update(markImported(item, at));
      await transaction.outbox.add('photo.created', [item.id], at);
      return false;
    }
    const winner = known ?? (await same());
    // It was purged before it could be read: the next attempt finds no conflict.
    if (winner === undefined) {
      throw new DomainError('service_unavailable', 'A photo with the same bytes was just permanently deleted.');
    }
    await transaction.importPhotos.update(markDuplicate(item, winner.id, at));
    if (winner.originalLostAt === null) return true;
    // A photo whose original is lost gets the bytes that have just arrived.
    const [lost] = await transaction.photos.lock([winner.id]);
    if (lost === undefined || lost.originalLostAt === null) return true;
    await changePhotos(transaction, [{ photo: lost, next: markRecovered(lost, photo.blobKey) }], at);
    return false;
  });
  if (lostRace) await removeUnusedCopy(blobs, seen);
}

/** An unavailable store must not delay photos: what is left there is unowned, and is swept. */
async function removeUnusedCopy(blobs: BlobStore, item: ImportPhoto): Promise<void> {
  try {
    const unused = [originalKey(item)];
    for await (const { key } of blobs.list(renditionsPrefix(item))) unused.push(key);
    await blobs.delete(unused);
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}

/** The photo that a ready item becomes: the client's values take precedence over those of the file. */
async function newPhoto(
  { transaction, gazetteer }: { transaction: Transaction<'photos'>; gazetteer: Gazetteer },
  item: ImportPhoto,
  facts: PictureFacts,
  subject: Import,
  customer: Customer,
  at: Date,
): Promise<Photo> {
  return {
    id: item.id,
    customerId: item.customerId,
    filename: item.filename,
    contentType: facts.contentType,
    sizeBytes: item.sizeBytes ?? 0,
    sha256: item.sha256 ?? '',
    dupSeq: subject.duplicatePolicy === 'allow' ? await transaction.photos.nextDupSeq() : 0,
    blobKey: originalKey(item),
    width: facts.width,
    height: facts.height,
    orientation: facts.orientation,
    rotation: 0,
    focus: null,
    alpha: facts.alpha,
    ...initialValues(item, facts),
    ...timeOf(item, facts, subject, subject.defaultTimeZone ?? customer.defaultTimeZone),
    place: await placeAt(gazetteer, item.location ?? facts.location),
    camera: facts.camera,
    exposure: facts.exposure,
    companion: facts.companion,
    metadata: item.metadata,
    importId: subject.id,
    damaged: facts.damaged,
    originalLostAt: null,
    thumbhash: facts.thumbhash,
    dominantColor: facts.dominantColor,
    phash: facts.phash,
    thumb: facts.storedThumb ?? null,
    trashedAt: null,
    purgeAt: null,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
}

function timeOf(
  item: ImportPhoto,
  facts: PictureFacts,
  { dateFromFilename }: Import,
  defaultTimeZone: string,
): CaptureTime {
  const declared = item.takenAt === null ? null : fromInstant(item.takenAt);
  if (declared !== null) return declared;
  const { location, positionZone, times } = facts;
  const written = captureTime(times, {
    location,
    positionZone,
    defaultTimeZone,
    filename: dateFromFilename ? item.filename : null,
  });
  if (item.takenAtLocal === null && item.timeZone === null) return written;
  const local = item.takenAtLocal ?? written.takenAtLocal;
  return local === null
    ? written
    : (fromWallClock(local, item.timeZone ?? written.timeZone ?? positionZone ?? defaultTimeZone) ?? written);
}

/**
 * So far the duplicate was provisional: here it is tied to its photo, which is restored from the trash if necessary, and gets the tags of the
 * import if that says so.
 */
async function resolveDuplicate(
  { store, clock, limits }: PublishUses,
  subject: Import,
  seen: ImportPhoto,
): Promise<void> {
  await store.transaction(subject.customerId, async (transaction) => {
    const shared = requireFound(await transaction.imports.share(subject.id), 'import');
    const item = await transaction.importPhotos.lock(subject.id, seen.id);
    if (item?.status !== 'duplicate' || item.resolved) return;
    const at = clock.now();
    const { importId, duplicateOfItemId: earlierId } = item;
    const earlier = earlierId === null ? null : await transaction.importPhotos.get(importId, earlierId);
    const photoId = item.photoId ?? earlier?.photoId ?? null;
    if (photoId === null) return failItem(transaction, item, sourceFailed, at);
    const photo = (await transaction.photos.lock([photoId]))[0];
    if (photo === undefined) {
      const message = 'The photo with the same bytes was permanently deleted in the meantime. Import this file again.';
      return transaction.importPhotos.update(fail(item, { code: 'duplicate_source_gone', message }, at));
    }
    let back = isTrashed(photo) && subject.restoreTrashed && photo.importId !== subject.id;
    if (back) {
      // If this import has already imported or restored it, it was deleted afterwards, and stays deleted.
      const same = await transaction.importPhotos.findBySha256(subject.id, [photo.sha256]);
      back = !same.some((other) => other.id !== item.id && other.resolved && other.photoId === photo.id);
    }
    const next = back ? { ...restore(photo), tags: photo.tags } : photo;
    const tagIds = await tagsOfDuplicate(transaction, limits, shared, item, next);
    if (back || tagIds !== null) await changePhotos(transaction, [{ photo, next, tagIds }], at);
    // Once: what is deleted from here on stays deleted, however often this runs.
    await transaction.importPhotos.update({ ...item, photoId, restored: back, resolved: true, updatedAt: at });
  });
}

/**
 * Photos that have these bytes, of which an item with the same is a duplicate: asked when it is registered (`RegistrationIndex.load`,
 * register/register.ts) or inspected (`applyResults`, inspect.ts), whichever knows its hash first; `publishItem` looks once more. Those whose
 * original is lost are left out: for them the same bytes are wanted once more. Those in the trash are locked until the transaction ends. So each
 * is either relied on before it could be purged, and then it is not, or it is gone already and not among them.
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

/** Ends the import, unless an item has work left. */
async function completeImport({ store, clock }: PublishUses, { id, customerId }: Import): Promise<void> {
  await store.transaction(customerId, async (transaction) => {
    const locked = requireFound(await transaction.imports.lock(id), 'import');
    const { counts } = requireFound(await transaction.imports.get(id), 'import');
    const ended = completeIfDone(locked, counts, clock.now());
    if (ended === locked) return;
    await transaction.imports.update(ended);
    await announceCompletion(transaction, ended, counts, ended.updatedAt);
  });
}

/** Listeners learn that the import has ended and, if visitors of a share brought photos, that they did. */
export async function announceCompletion(
  { outbox }: Transaction<'outbox'>,
  { id, shareId }: Pick<Import, 'id' | 'shareId'>,
  counts: ImportCounts,
  at: Date,
): Promise<void> {
  await outbox.add('import.completed', [id], at);
  if (shareId !== null && hasPhotos(counts)) await outbox.add('share.uploaded', [shareId], at);
}
