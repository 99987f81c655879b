import type { BlobStore } from '../blobs/blob-store.js';
import type { RenditionName } from '../media/media-reader.js';
import { listOriginals, type Neighbours, readNeighbours, type StoredOriginal } from '../photos/list-photos.js';
import { type Download, downloadOriginal, type OriginalUses } from '../photos/original.js';
import { isTrashed, type PhotoWithTags } from '../photos/photo.js';
import { type PhotoFilters, photoPosition } from '../photos/photo-query.js';
import { type RenditionDownload, type RenditionUses, renditionOf } from '../photos/renditions/rendition.js';
import type { Clock } from '../shared/clock.js';
import { notFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { type Page, type PageRequest, type PageWindow, type Position, readPage } from '../shared/pagination.js';
import type { Secrets } from '../shared/secrets.js';
import type { Readable } from '../shared/transactional.js';
import type { Share } from './share.js';

type PhotoUses = { store: Readable<'photos'> };

/** The order in which visitors see photos. */
const ORDER = 'takenAt';

/** One page of what a share shows. Errors: `invalid_cursor`. */
export function listSharedPhotos(
  { store, secrets, clock }: PhotoUses & { secrets: Secrets; clock: Clock },
  share: Share,
  request: PageRequest,
): Promise<Page<PhotoWithTags>> {
  const filters = filtersOf(share);
  return store.query(share.customerId, ({ photos }) => {
    const listing = {
      ...{ customerId: share.customerId, list: `shares/${share.id}`, sort: ORDER, filters },
      position: (photo: PhotoWithTags) => photoPosition(photo, ORDER),
      rows: (window: PageWindow) => photos.list({ filters, sort: ORDER, window }),
      hasRowAt: (at: Position) => photos.hasRowAt(filters, ORDER, at),
    };
    return readPage({ secrets, clock }, listing, request);
  });
}

/** A photo that a share shows. Errors: `not_found`: not shared, in the trash, or of another customer look the same. */
export async function readSharedPhoto({ store }: PhotoUses, share: Share, id: Id): Promise<PhotoWithTags> {
  const photo = await store.query(share.customerId, ({ photos }) => photos.get(id));
  const isShown =
    share.tagId === null ? share.photoIds.includes(id) : photo?.tags.some((tag) => tag.id === share.tagId);
  if (photo === null || isTrashed(photo) || !isShown) throw notFound('photo');
  return photo;
}

/** Returns the photos before and after a photo of the share. */
export function readSharedNeighbours(uses: PhotoUses, share: Share, photo: PhotoWithTags): Promise<Neighbours> {
  return readNeighbours(uses, share, photo, { filters: filtersOf(share), sort: ORDER });
}

function filtersOf({ tagId, photoIds }: Pick<Share, 'tagId' | 'photoIds'>): PhotoFilters {
  return { ...(tagId === null ? { ids: photoIds } : { tagIds: [tagId] }), trashed: 'false' };
}

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
  uses: PhotoUses & OriginalUses & { blobs: BlobStore },
  share: Share,
  id: Id,
): Promise<Download> {
  requireDownload(share);
  await readSharedPhoto(uses, share, id);
  return downloadOriginal(uses, share, id);
}

/** Errors: `not_found`. */
function requireDownload({ mayDownload }: Share): void {
  if (!mayDownload) throw notFound('photo');
}

/** All originals that a share shows and that are intact, by id. Errors: `not_found` if visitors may not download, `limit_reached`. */
export async function listSharedOriginals(
  uses: { store: Readable<'photos'> },
  share: Share,
): Promise<readonly StoredOriginal[]> {
  requireDownload(share);
  return listOriginals(uses, share.customerId, filtersOf(share));
}
