import type { Measure } from '../blobs/blob-bytes.js';
import type { PictureFacts } from '../media/media-reader.js';
import type { Clock } from '../shared/clock.js';
import type { ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { dependentIds, fail, failDependents, type ImportPhoto, markDuplicate, markReady } from './import-photo.js';
import { inLibrary } from './publish/duplicates.js';

export type ApplyUses = { store: Transactional<'photos' | 'imports' | 'importPhotos'>; clock: Clock };

/** The outcome of an inspection of a `processing` item's bytes. */
export type InspectionResult = AcceptedPicture | { readonly item: ImportPhoto; readonly error: ItemError };

interface AcceptedPicture {
  readonly item: ImportPhoto;
  readonly error: null;
  readonly facts: PictureFacts;
  readonly measure: Pick<Measure, 'sizeBytes' | 'sha256'>;
}

/**
 * Whether the item relies on the copied bytes; `decided`: the item has changed since it was inspected, and nothing of the result was
 * stored.
 */
export type AppliedResult = 'used' | 'unused' | 'decided';

/** Stores what was found of items of one import, each if it has not changed since it was inspected. */
export function applyResults(
  { store, clock }: ApplyUses,
  results: readonly InspectionResult[],
): Promise<readonly AppliedResult[]> {
  const [{ item: first }] = results as [InspectionResult];
  const { customerId, importId } = first;
  return store.transaction(customerId, async (transaction) => {
    const failed = results.flatMap(({ item, error }) => (error === null ? [] : item));
    // Those that fail with them, too, and all before photos: the order of all locks.
    const ids = [...results.map(({ item }) => item.id), ...(await dependentIds(transaction, failed))];
    const locked = new Map((await transaction.importPhotos.lockMany(importId, ids)).map((item) => [item.id, item]));
    const undecided = results.flatMap((result, index) => {
      const item = locked.get(result.item.id);
      if (item?.status !== 'processing' || item.uploadId !== result.item.uploadId) return [];
      // A second run that inspected the same bytes finds that the first has decided.
      locked.delete(item.id);
      return [{ index, result: { ...result, item } as InspectionResult }];
    });
    const known = await photosWithSameBytes(
      transaction,
      importId,
      undecided.map(({ result }) => result),
    );
    const at = clock.now();
    const applied = undecided.map((each) => ({ ...each, item: withResult(each.result, known, at) }));
    await transaction.importPhotos.update(...applied.map(({ item }) => item));
    for (const { result, item } of applied)
      if (item.status === 'failed') await failDependents(transaction, result.item, at);
    const outcomes = new Map<number, AppliedResult>(
      applied.map(({ index, item }) => [index, item.status === 'ready' ? 'used' : 'unused']),
    );
    return results.map((_, index) => outcomes.get(index) ?? 'decided');
  });
}

/** Photos of the library that have the same bytes and so prevent a new one, by hash. */
async function photosWithSameBytes(
  transaction: Transaction<'photos' | 'imports'>,
  importId: Id,
  results: readonly InspectionResult[],
): Promise<ReadonlyMap<string | null, Id>> {
  const hashes = results.flatMap((result) => (result.error === null ? (result.measure.sha256 ?? []) : []));
  if (hashes.length === 0) return new Map();
  const subject = await transaction.imports.find(importId);
  const photos = subject?.duplicatePolicy === 'skip' ? await inLibrary(transaction, hashes) : [];
  return new Map(photos.map(({ sha256, id }) => [sha256, id]));
}

/** The inspected item in its next state: failed, ready, or a duplicate of a photo in the library. */
function withResult(result: InspectionResult, known: ReadonlyMap<string | null, Id>, at: Date): ImportPhoto {
  if (result.error !== null) return fail(result.item, result.error, at);
  const { sizeBytes, sha256 } = result.measure;
  const { contentType, width, height } = result.facts;
  const inspected = { ...result.item, sizeBytes, sha256, contentType, width, height };
  const photoId = known.get(sha256);
  return photoId === undefined ? markReady(inspected, result.facts, at) : markDuplicate(inspected, photoId, at);
}
