import { hash } from 'node:crypto';
import { inOneChunk, type Measure, recycled, TooManyBytes, withMeasure } from '../blobs/blob-bytes.js';
import { originalKey, renditionKey, stagingKey } from '../blobs/blob-key.js';
import type { BlobStore, Durability } from '../blobs/blob-store.js';
import type { VerifiedBlobs } from '../blobs/verified-blobs.js';
import type { Limits } from '../customers/limits.js';
import {
  defaultFormat,
  type Inspection,
  type MediaReader,
  type PictureBytes,
  ReaderFailure,
} from '../media/media-reader.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, type ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { tooLarge } from './candidate.js';
import {
  dependentIds,
  fail,
  failDependents,
  type ImportPhoto,
  markDuplicate,
  transition,
  unprocessable,
} from './import-photo.js';
import type { AppliedResult, ApplyResult, ImportSteps, InspectionResult } from './import-steps.js';
import { inLibrary, requestPublishing } from './publish.js';
import { mismatch } from './receive/upload.js';

/**
 * Inspects the bytes of a `processing` item: hash, type, full decode. A valid picture is copied to where no client can write, and the item
 * becomes `ready`, or `duplicate` when the library has the bytes; an invalid one fails only its own item. May run twice.
 * @param alone Whether no other inspection may run at the same time.
 */
export async function inspectImportPhoto(
  uses: InspectUses,
  customerId: Id,
  importId: Id,
  itemId: Id,
  { alone }: { readonly alone: boolean },
): Promise<void> {
  const item = await uses.importSteps.readItem(customerId, importId, itemId);
  if (item?.status !== 'processing') return;
  await uses.importSteps.inspecting(item, (apply) => inspectAndApply(uses, item, alone, apply));
}

/** For a file that could not be inspected after all attempts. `last` is the error of the last attempt. */
export async function giveUpImportPhoto(
  { importSteps }: { importSteps: ImportSteps },
  customerId: Id,
  importId: Id,
  itemId: Id,
  last: unknown,
): Promise<void> {
  const message = 'The image could not be decoded: every attempt failed.';
  const error = last instanceof ReaderFailure ? ({ code: 'decode_failed', message } as const) : unprocessable;
  const item = await importSteps.readItem(customerId, importId, itemId);
  if (item !== null) await importSteps.apply({ item, error });
}

type InspectUses = {
  importSteps: ImportSteps;
  blobs: BlobStore;
  verifiedBlobs: VerifiedBlobs;
  media: MediaReader;
  limits: Limits;
};

/**
 * Inspects the staged bytes of an item, stores a valid picture where no client can write, and applies the result, which says who relies on
 * these bytes from then on: bytes that no item relies on are removed. May run twice. Errors: `service_unavailable`, `ReaderFailure`.
 * @param alone As in `inspectImportPhoto`.
 */
async function inspectAndApply(
  uses: InspectUses,
  item: ImportPhoto,
  alone: boolean,
  apply: ApplyResult,
): Promise<void> {
  const staged = await openStaged(uses, item, uses.limits.maxFileBytes);
  if (staged === null) {
    await apply({ item, error: bytesMissing });
    return;
  }
  const { media, limits } = uses;
  const inspected = await media
    .inspect(staged.bytes, { customerId: item.customerId, maxPixels: limits.maxPixels, alone })
    .catch((error: unknown): Inspection => {
      if (error instanceof TooManyBytes) return { outcome: 'refused', error: tooLarge(limits) };
      throw error;
    });
  // Others than were declared are refused, whatever they contain.
  const wrong = mismatch(item, staged.measure);
  const inspection: Inspection = wrong === null ? inspected : { outcome: 'refused', error: wrong };
  if (inspection.outcome === 'refused') {
    await apply({ item, error: inspection.error });
    return uses.blobs.delete([stagingKey(item)], UNSYNCED);
  }
  const { facts, thumb } = inspection;
  if (!(await uses.blobs.copy(stagingKey(item), originalKey(item), staged.etag))) {
    throw new DomainError('service_unavailable', 'The staged bytes changed during inspection.');
  }
  const storedThumb = { sizeBytes: thumb.bytes.length, sha256: hash('sha256', thumb.bytes) };
  const applied = await apply({ item, error: null, facts: { ...facts, storedThumb }, measure: staged.measure });
  // Another run, or a client, has changed the item in the meantime: it may rely on the bytes stored there.
  if (applied === 'decided') return;
  // Not earlier: from here on the item cannot get other bytes. The name does not contain the upload id, and a run that was presumed dead
  // would store the picture of earlier bytes there.
  const photo = { customerId: item.customerId, id: item.id, rotation: 0 };
  if (applied === 'used')
    await uses.blobs.put(renditionKey(photo, 'thumb', defaultFormat(facts)), inOneChunk(thumb.bytes), UNSYNCED);
  await uses.blobs.delete([stagingKey(item), ...(applied === 'used' ? [] : [originalKey(item)])], UNSYNCED);
}

/** A thumb that a power failure spoils is made again, and what it brings back is garbage, which is collected. */
const UNSYNCED: Durability = { isDurable: false };

/**
 * The staged bytes of an item, measured while they are read to their end; null when there are none. A file that this process hashed while it
 * received it, and that nothing has written to since, is not read again. Throws `TooManyBytes` when it is read, at the first byte over
 * `maxBytes`.
 */
async function openStaged(
  { blobs, verifiedBlobs }: Pick<InspectUses, 'blobs' | 'verifiedBlobs'>,
  item: ImportPhoto,
  maxBytes: number,
): Promise<{ etag: string; bytes: PictureBytes; measure: Pick<Measure, 'sizeBytes' | 'sha256'> } | null> {
  const key = stagingKey(item);
  const file = await verifiedBlobs.writtenFile(key);
  if (file !== null && file.sizeBytes === item.sizeBytes && item.sha256 !== null && file.sizeBytes <= maxBytes) {
    const { etag, path } = file;
    const bytes = { file: async () => path, [Symbol.asyncIterator]: () => readStaged(blobs, item) };
    return { etag, bytes, measure: { sizeBytes: item.sizeBytes, sha256: item.sha256 } };
  }
  const staged = await blobs.get(key);
  if (staged === null) return null;
  const { bytes, measure } = withMeasure(staged.bytes, maxBytes);
  return { etag: staged.etag, bytes: recycled(bytes, staged.release), measure };
}

export const bytesMissing: ItemError = {
  code: 'upload_missing',
  message: 'The uploaded bytes are missing. Upload the file again.',
};

/** For readers that do not take files. */
async function* readStaged(blobs: BlobStore, item: ImportPhoto): AsyncGenerator<Uint8Array, void, void> {
  const staged = await blobs.get(stagingKey(item));
  if (staged === null) throw new DomainError('service_unavailable', 'The staged bytes disappeared during inspection.');
  yield* recycled(staged.bytes, staged.release);
}

/**
 * Stores what was found of items of one import, each if it has not changed since it was inspected, and requests that the import is published if
 * it has been finalized.
 */
export function applyResults(
  { store, clock }: { store: Transactional<'photos' | 'imports' | 'importPhotos' | 'jobs'>; clock: Clock },
  results: readonly InspectionResult[],
): Promise<readonly AppliedResult[]> {
  const [{ item: first }] = results as [InspectionResult];
  const { customerId, importId } = first;
  return store.transaction(customerId, async (transaction) => {
    const subject = await transaction.imports.share(importId);
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
    const accepted = undecided.flatMap(({ result }) => (result.error === null ? (result.measure.sha256 ?? []) : []));
    const mayBeSecond = subject?.duplicatePolicy !== 'skip';
    const same = mayBeSecond || accepted.length === 0 ? [] : await inLibrary(transaction, accepted);
    const known = new Map(same.map(({ sha256, id }) => [sha256, id]));
    const at = clock.now();
    const applied = undecided.map((each) => ({ ...each, item: withResult(each.result, known, at) }));
    await transaction.importPhotos.update(...applied.map(({ item }) => item));
    for (const { result, item } of applied)
      if (item.status === 'failed') await failDependents(transaction, result.item, at);
    if (applied.length > 0) await requestPublishing(transaction, subject);
    const outcomes = new Map<number, AppliedResult>(
      applied.map(({ index, item }) => [index, item.status === 'ready' ? 'used' : 'unused']),
    );
    return results.map((_, index) => outcomes.get(index) ?? 'decided');
  });
}

/** The inspected item in its next state: failed, ready, or a duplicate of a photo in the library. */
function withResult(result: InspectionResult, known: ReadonlyMap<string, Id>, at: Date): ImportPhoto {
  if (result.error !== null) return fail(result.item, result.error, at);
  const { sizeBytes, sha256 } = result.measure;
  const { contentType, width, height } = result.facts;
  const inspected = { ...result.item, sizeBytes, sha256, contentType, width, height };
  const photoId = known.get(sha256 ?? '');
  if (photoId !== undefined) return markDuplicate(inspected, photoId, at);
  return { ...transition(inspected, 'ready', at), facts: result.facts };
}
