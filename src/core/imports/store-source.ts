import { withMeasure } from '../blobs/measure.js';
import type { Limits } from '../customers/limits.js';
import type { Transactional } from '../shared/transactional.js';
import type { DeclaredBytes } from './declared-bytes.js';
import { type ImportPhoto, newUploadId } from './import-photo.js';
import { PartReader } from './part-reader.js';
import { PART_BYTES, type PartsUses, receiveParts } from './receive-parts.js';
import { fileEmpty, tooLarge } from './registration.js';
import { type ReserveUses, reservedBytes, reserveSourceBytes } from './reserve-source-bytes.js';
import { newResumableUpload, offsetOf, partKeys, type ResumableUpload } from './resumable-upload.js';
import { isFetched, type LeasedFetch } from './source-fetch.js';
import { type OpenSource, SourceFailure } from './source-reader.js';
import { stageUpload } from './stage-upload.js';
import { replaced } from './upload-slots.js';

export type StoreSourceUses = {
  store: Transactional<'importPhotos' | 'resumableUploads' | 'sourceFetches' | 'blobOwners' | 'customer' | 'usage'>;
  limits: Limits;
} & ReserveUses &
  PartsUses;

/** What earlier tries have stored, for this try to continue. */
export interface StoredSource {
  readonly item: ImportPhoto;
  /** Without a sender, unless it has parts: nobody else adds to it. */
  readonly upload: ResumableUpload;
}

/** Takes over what is stored of the file. Null when the item does not wait for the fetch any more. */
export function takeStoredSource(uses: StoreSourceUses, leased: LeasedFetch): Promise<StoredSource | null> {
  const { customerId, importId, itemId } = leased;
  return uses.store.transaction(customerId, async ({ importPhotos, resumableUploads }) => {
    const item = await importPhotos.lock(importId, itemId);
    if (!isFetched(item, leased)) return null;
    const at = uses.clock.now();
    const known = await resumableUploads.get(itemId);
    const isUsable = known?.uploadId === leased.uploadId && leased.validator !== null;
    const upload = { ...(isUsable ? known : newResumableUpload(item, at)), sender: newUploadId(), updatedAt: at };
    // Whoever added to it before is presumed dead, and adds nothing any more.
    if (known !== null) await resumableUploads.put(upload);
    return { item, upload };
  });
}

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

/** In one piece: it is small, or cannot be continued anyway. */
async function storeWhole(
  uses: StoreSourceUses,
  leased: LeasedFetch,
  { sha256, sizeBytes: reserved }: ImportPhoto,
  sizeBytes: number | null,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { customerId, importId, itemId, uploadId, declaredBytes } = leased;
  const declared: DeclaredBytes = { sha256, sizeBytes: sizeBytes ?? declaredBytes };
  const limited = limitedBytes(bytes, uses);
  const allowed = declared.sizeBytes === null ? reservedBytes(uses, leased, limited, reserved ?? 0) : limited;
  const measured = withMeasure(allowed, declared.sizeBytes ?? uses.limits.maxFileBytes);
  await stageUpload(uses, { customerId, importId, itemId, uploadId, ...declared }, measured.bytes, measured.measure);
}

function requireSize({ limits }: StoreSourceUses, { declaredBytes }: LeasedFetch, sizeBytes: number | null): void {
  if (sizeBytes === null) return;
  if (sizeBytes === 0) throw new SourceFailure(fileEmpty, true);
  if (sizeBytes > limits.maxFileBytes) throw new SourceFailure(tooLarge(limits), true);
  if (declaredBytes === null || declaredBytes === sizeBytes) return;
  const message = `${declaredBytes} bytes were declared, but the source has ${sizeBytes}.`;
  throw new SourceFailure({ code: 'size_mismatch', message }, true);
}

async function* limitedBytes(
  bytes: AsyncIterable<Uint8Array>,
  { limits }: StoreSourceUses,
): AsyncGenerator<Uint8Array, void, void> {
  let received = 0;
  for await (const chunk of bytes) {
    received += chunk.length;
    if (received > limits.maxFileBytes) throw new SourceFailure(tooLarge(limits), true);
    yield chunk;
  }
  if (received === 0) throw new SourceFailure(fileEmpty, true);
}
