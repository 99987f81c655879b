import type { Caller } from '../access/caller.js';
import type { JsonShape } from '../shared/json-shape.js';
import { type Page } from '../shared/pagination.js';
import type { PhotoWithTags } from './photo.js';
import { type PhotoListRequest, type PhotoListUses, photoPage } from './photo-page.js';
import { photoPosition, positionInJson } from './photo-query.js';

/** One page of the library. Errors: `invalid_cursor`, `invalid_request` (`unknown_tag`), `not_found` (that other photos should be like). */
export function listPhotos(
  uses: PhotoListUses,
  caller: Caller,
  request: PhotoListRequest,
): Promise<Page<PhotoWithTags>> {
  return photoPage<PhotoWithTags>(uses, caller, request, {
    position: photoPosition,
    rows: (photos, query) => photos.list(query),
  });
}

/**
 * The same page as JSON, for a list that is sent as it is: making objects of rows and JSON of objects took half of its time. The shape has
 * the fields that photos are sorted by.
 */
export function listPhotosAsJson(
  uses: PhotoListUses,
  caller: Caller,
  request: PhotoListRequest,
  shape: JsonShape,
): Promise<Page<string>> {
  return photoPage(uses, caller, request, {
    position: positionInJson,
    rows: (photos, query) => photos.listAsJson(query, shape),
  });
}
