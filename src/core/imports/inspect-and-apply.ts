import { originalKey, renditionKey, stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { inOneChunk } from '../blobs/open-blob.js';
import type { VerifiedBlobs } from '../blobs/verified-blobs.js';
import type { Limits } from '../customers/limits.js';
import type { MediaReader } from '../media/media-reader.js';
import { defaultFormat } from '../media/renditions.js';
import { DomainError } from '../shared/errors.js';
import type { AppliedResult, InspectionResult } from './apply-inspection-results.js';
import type { ImportBatchers } from './import-batchers.js';
import type { ImportPhoto } from './import-photo.js';
import { inspectStaged } from './inspect-staged.js';
import { bytesMissing, openStaged } from './staged-picture.js';

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
