import type { PhotoListRequest } from '../../../core/photos/list-photos.js';
import { NEAREST_FIRST, type PhotoFilters } from '../../../core/photos/photo-query.js';
import { DEFAULT_DISTANCE } from '../../../core/photos/similar/similar-photo.js';
import { cleanText, foldKey, searchText } from '../../../core/shared/text.js';
import { paginationOf } from '../../requests/parameters.js';
import type { ParameterRule } from '../../requests/read-request.js';
import { DEFAULT_SORT, type PhotoListQuery } from './photo-list.dto.js';

/** Filters are compared with values that the library stores cleaned or folded: they are normalized here in the same way. */
export function photoListRequest(query: PhotoListQuery): PhotoListRequest {
  const {
    limit: _,
    cursor: __,
    sort,
    similarTo: photoId,
    maxDistance,
    q,
    filename,
    externalId,
    camera,
    place,
    lens,
    trashed = 'false',
    include: ___,
    ...exact
  } = query;
  const filters: PhotoFilters = {
    ...exact,
    ...(q !== undefined && { words: q }),
    ...(filename !== undefined && { filenameKey: foldKey(filename) }),
    ...(externalId !== undefined && { externalId: cleanText(externalId) }),
    ...(place !== undefined && { placeWords: place }),
    ...(lens !== undefined && { lensWords: lens }),
    ...(camera !== undefined && { camera: searchText(camera) }),
    trashed,
  };
  const similarTo = photoId === undefined ? undefined : { photoId, maxDistance: maxDistance ?? DEFAULT_DISTANCE };
  return { ...paginationOf(query), filters, similarTo, sort: sort ?? (similarTo ? NEAREST_FIRST : DEFAULT_SORT) };
}

/** A distance is one from a photo. */
export const similarityRule: ParameterRule<PhotoListQuery> = ({ maxDistance }, { sent }) => {
  if (sent.has('similarTo') || maxDistance === undefined) return [];
  const message = 'maxDistance requires similarTo, the photo that others are compared with.';
  return [{ field: 'maxDistance', code: 'conflict', message }];
};
