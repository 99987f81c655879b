import { withMeasure } from '../blobs/measure.js';
import type { Limits } from '../customers/limits.js';
import type { Transactional } from '../shared/transactional.js';
import type { DeclaredBytes } from './declared-bytes.js';
import type { ImportPhoto } from './import-photo.js';
import { type ReserveUses, reservedBytes } from './reserve-source-bytes.js';
import type { LeasedFetch } from './source-fetch.js';
import { limitedBytes } from './source-size.js';
import { stageUpload } from './stage-upload.js';
import type { PartsUses } from './upload-parts.js';

export type StoreSourceUses = {
  store: Transactional<'importPhotos' | 'resumableUploads' | 'sourceFetches' | 'blobOwners' | 'customer' | 'usage'>;
  limits: Limits;
} & ReserveUses &
  PartsUses;

/** In one piece: it is small, or cannot be continued anyway. */
export async function storeWhole(
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
