import { PartReader } from './part-reader.js';
import { PART_BYTES, receiveParts } from './receive-parts.js';
import { reserveSourceBytes } from './reserve-source-bytes.js';
import { offsetOf, partKeys, type ResumableUpload } from './resumable-upload.js';
import { isFetched, type LeasedFetch } from './source-fetch.js';
import type { OpenSource } from './source-reader.js';
import { requireSize } from './source-size.js';
import { type StoreSourceUses, storeWhole } from './store-whole-source.js';
import type { StoredSource } from './take-stored-source.js';
import { replaced } from './upload-slots.js';

/** Stores the bytes of an open source, and tells the item when they are all there. Errors: `SourceFailure`, and those of storing. */
export async function storeSource(
  uses: StoreSourceUses,
  leased: LeasedFetch,
  { item, upload }: StoredSource,
  source: OpenSource,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { sizeBytes } = source;
  requireSize(uses, leased, sizeBytes);
  if (sizeBytes !== null) await reserveSourceBytes(uses, leased, sizeBytes);
  const canContinue = sizeBytes !== null && source.validator !== null && (sizeBytes > PART_BYTES || source.offset > 0);
  if (!canContinue) return storeWhole(uses, leased, item, sizeBytes, bytes);
  const grant = { ...leased, sha256: item.sha256, sizeBytes, expiresAt: uses.clock.now() };
  const begun = await begin(uses, leased, upload, source);
  const reader = new PartReader(bytes, uses.clock);
  try {
    await receiveParts(uses, { grant, reader, upload: begun }, () => undefined);
  } finally {
    reader.close();
  }
}

/** What is stored of another version of the file is dropped. */
async function begin(
  uses: StoreSourceUses,
  leased: LeasedFetch,
  upload: ResumableUpload,
  { offset, validator }: OpenSource,
): Promise<ResumableUpload> {
  const isContinued = offset > 0 && offset === offsetOf(upload);
  const begun = isContinued ? upload : { ...upload, parts: [] };
  await uses.store.transaction(leased.customerId, async ({ importPhotos, resumableUploads, sourceFetches }) => {
    const item = await importPhotos.lock(leased.importId, leased.itemId);
    if (!isFetched(item, leased) || !(await sourceFetches.setValidator(leased, validator))) throw replaced();
    await resumableUploads.put(begun);
  });
  if (!isContinued) await uses.blobs.delete(partKeys(upload));
  return begun;
}
