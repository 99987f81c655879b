import { inOneChunk, TooManyBytes } from '../../blobs/blob-bytes.js';
import { originalKey, renditionKey, stagingKey } from '../../blobs/blob-key.js';
import type { BlobStore } from '../../blobs/blob-store.js';
import type { VerifiedBlobs } from '../../blobs/verified-blobs.js';
import type { Limits } from '../../customers/limits.js';
import { defaultFormat, type Inspection, type MediaReader, ReaderFailure } from '../../media/media-reader.js';
import { DomainError, type ItemError } from '../../shared/errors.js';
import type { Id } from '../../shared/ids.js';
import type { AppliedResult, InspectionResult } from '../apply.js';
import type { ImportBatchers } from '../batchers.js';
import { type ImportPhoto, unprocessable } from '../import-photo.js';
import { mismatch, tooLarge } from '../registration.js';
import { bytesMissing, openStaged, type StagedPicture } from './staged-picture.js';

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
  const item = await uses.importBatchers.readItem(customerId, importId, itemId);
  if (item?.status === 'processing') await inspectItem(uses, item, alone);
  await uses.importBatchers.publishIfCommitted(customerId, importId);
}

async function inspectItem(uses: InspectUses, item: ImportPhoto, alone: boolean): Promise<void> {
  // Others may wait for it, so that results are applied together.
  const slot = uses.importBatchers.openResultSlot(item);
  try {
    await inspectAndApply(uses, item, alone, slot.enqueue);
  } finally {
    slot.cancel();
  }
}

type InspectUses = {
  importBatchers: ImportBatchers;
  blobs: BlobStore;
  verifiedBlobs: VerifiedBlobs;
  media: MediaReader;
  limits: Limits;
};

/**
 * Inspects the staged bytes of an item, stores a valid picture where no client can write, and applies the result, which says who relies on
 * these bytes from then on: what nobody relies on is removed. May run twice. Errors: `service_unavailable`, `ReaderFailure`.
 * @param alone As in `inspectImportPhoto`.
 */
async function inspectAndApply(
  uses: InspectUses,
  item: ImportPhoto,
  alone: boolean,
  apply: (result: InspectionResult) => Promise<AppliedResult>,
): Promise<void> {
  const staged = await openStaged(uses, item, uses.limits.maxFileBytes);
  if (staged === null) {
    await apply({ item, error: bytesMissing });
    return;
  }
  const inspection = await inspectStaged(uses, item, staged, alone);
  if (inspection.outcome === 'refused') {
    await apply({ item, error: inspection.error });
    return uses.blobs.delete([stagingKey(item)]);
  }
  const { facts, thumb } = inspection;
  if (!(await uses.blobs.copy(stagingKey(item), originalKey(item), staged.etag))) {
    throw new DomainError('service_unavailable', 'The staged bytes changed during inspection.');
  }
  const applied = await apply({ item, error: null, facts, measure: staged.measure });
  // Another run, or a client, has changed the item in the meantime: it may rely on the bytes stored there.
  if (applied === 'decided') return;
  // Not earlier: from here on the item cannot get other bytes. The name does not contain the upload id, and a run that was presumed dead
  // would store the picture of earlier bytes there.
  const photo = { customerId: item.customerId, id: item.id, rotation: 0 };
  if (applied === 'used')
    await uses.blobs.put(renditionKey(photo, 'thumb', defaultFormat(facts)), inOneChunk(thumb.bytes));
  await uses.blobs.delete([stagingKey(item), ...(applied === 'used' ? [] : [originalKey(item)])]);
}

/** Inspects the staged bytes of an item. Too many, or others than were declared, are refused, whatever they contain. */
async function inspectStaged(
  { media, limits }: { media: MediaReader; limits: Limits },
  item: ImportPhoto,
  { bytes, measure }: StagedPicture,
  alone: boolean,
): Promise<Inspection> {
  const inspection = await media
    .inspect(bytes, { customerId: item.customerId, maxPixels: limits.maxPixels, alone })
    .catch((error: unknown): Inspection => {
      if (error instanceof TooManyBytes) return { outcome: 'refused', error: tooLarge(limits) };
      throw error;
    });
  const wrong = mismatch(item, measure);
  return wrong === null ? inspection : { outcome: 'refused', error: wrong };
}

/** For a file that could not be inspected after all attempts. `last` is the error of the last attempt. */
export async function giveUpImportPhoto(
  uses: { importBatchers: ImportBatchers },
  customerId: Id,
  importId: Id,
  itemId: Id,
  last: unknown,
): Promise<void> {
  const error = last instanceof ReaderFailure ? undecodable : unprocessable;
  const item = await uses.importBatchers.readItem(customerId, importId, itemId);
  if (item !== null) await uses.importBatchers.applyResult({ item, error });
  await uses.importBatchers.publishIfCommitted(customerId, importId);
}

const undecodable: ItemError = {
  code: 'decode_failed',
  message: 'The image could not be decoded: every attempt failed.',
};
