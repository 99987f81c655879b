import { originalKey, renditionKey, stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { TooManyBytes } from '../blobs/measure.js';
import { inOneChunk } from '../blobs/open-blob.js';
import type { VerifiedBlobs } from '../blobs/verified-blobs.js';
import type { Limits } from '../customers/limits.js';
import type { Inspection, MediaReader } from '../media/media-reader.js';
import { defaultFormat } from '../media/renditions.js';
import { DomainError, type ItemError } from '../shared/errors.js';
import type { AppliedResult, InspectionResult } from './apply-inspection-results.js';
import type { ImportBatchers } from './import-batchers.js';
import type { ImportPhoto } from './import-photo.js';
import { mismatch, tooLarge } from './registration.js';
import { openStaged } from './staged-picture.js';

export type InspectUses = {
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
export async function inspectAndApply(
  uses: InspectUses,
  item: ImportPhoto,
  alone: boolean,
  apply: (result: InspectionResult) => Promise<AppliedResult>,
): Promise<void> {
  const staged = await openStaged(uses, item, uses.limits.maxFileBytes);
  if (staged === null) {
    await apply({ item, error: lost });
    return;
  }
  const { bytes, measure } = staged;
  const inspection = await uses.media
    .inspect(bytes, { customerId: item.customerId, maxPixels: uses.limits.maxPixels, alone })
    .catch((error: unknown): Inspection => {
      if (error instanceof TooManyBytes) return { outcome: 'refused', error: tooLarge(uses.limits) };
      throw error;
    });
  const refuse = async (error: ItemError) => {
    await apply({ item, error });
    await uses.blobs.delete([stagingKey(item)]);
  };
  const wrong = mismatch(item, measure);
  if (inspection.outcome === 'refused') return refuse(wrong ?? inspection.error);
  if (wrong !== null) return refuse(wrong);
  if (!(await uses.blobs.copy(stagingKey(item), originalKey(item), staged.etag))) {
    throw new DomainError('service_unavailable', 'The staged bytes changed during inspection.');
  }
  const applied = await apply({ item, error: null, facts: inspection.facts, measure });
  // Another run, or a client, has changed the item in the meantime: it may rely on the bytes stored there.
  if (applied === 'decided') return;
  // Not earlier: from here on the item cannot get other bytes. The name does not contain the upload id, and a run that was presumed dead
  // would store the picture of earlier bytes there.
  if (applied === 'used') await storeThumb(uses, item, inspection);
  await uses.blobs.delete([stagingKey(item), ...(applied === 'used' ? [] : [originalKey(item)])]);
}

const lost: ItemError = {
  code: 'upload_missing',
  message: 'The uploaded bytes are missing. Upload the file again.',
};

async function storeThumb(
  { blobs }: InspectUses,
  item: ImportPhoto,
  inspection: Extract<Inspection, { outcome: 'picture' }>,
) {
  const photo = { customerId: item.customerId, id: item.id, rotation: 0 };
  const key = renditionKey(photo, 'thumb', defaultFormat(inspection.facts));
  await blobs.put(key, inOneChunk(inspection.thumb.bytes));
}
