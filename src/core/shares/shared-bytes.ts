import type { BlobCache } from '../blobs/blob-cache.js';
import type { RenditionName } from '../media/renditions.js';
import { type Download, downloadOriginal } from '../photos/download-photo.js';
import { type RenditionDownload, renditionOf } from '../photos/download-rendition.js';
import type { OriginalUses } from '../photos/open-original.js';
import type { RenditionUses } from '../photos/open-rendition.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Readable } from '../shared/transactional.js';
import type { Share } from './share.js';
import { readSharedPhoto } from './shared-photos.js';

type PhotoUses = { store: Readable<'photos'> };

/** Errors: `not_found`; those of `renditionOf`. */
export async function openSharedRendition(
  uses: PhotoUses & RenditionUses,
  share: Share,
  id: Id,
  name: RenditionName,
): Promise<RenditionDownload> {
  return renditionOf(uses, await readSharedPhoto(uses, share, id), { name });
}

/** The original, byte for byte. Errors: `not_found`, also if visitors may not download; those of `downloadOriginal`. */
export async function openSharedOriginal(
  uses: PhotoUses & OriginalUses & { blobCache: BlobCache },
  share: Share,
  id: Id,
): Promise<Download> {
  requireDownload(share);
  await readSharedPhoto(uses, share, id);
  return downloadOriginal(uses, share, id);
}

/** Errors: `not_found`. */
export function requireDownload({ mayDownload }: Share): void {
  if (!mayDownload) throw notFound('photo');
}
