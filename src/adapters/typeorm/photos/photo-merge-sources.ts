import type { PhotoFilters } from '../../../core/photos/photo-query.js';
import type { Id } from '../../../core/shared/ids.js';
import { contentTypesOf } from './photo-conditions.js';
import { facetsOf } from './photo-facets.js';

export type AddParameter = (value: unknown) => string;

/** For a table or its alias: in the trash, or not. */
export type TrashState = (table: string) => string;

/** A table with an index on a key and `createdAt`, and another on the key and `id`. */
export interface MergeSource {
  readonly table: 'photos' | 'photo_tags';
  /** The column of the photo's id. */
  readonly id: 'id' | 'photo_id';
  /** A table `k` of the requested keys. */
  keys(place: AddParameter, state: TrashState): string;
  /** The condition on a row `r` that has the key of `k`. */
  readonly same: string;
}

export function mergeSourceOfTags(tagIds: readonly Id[]): MergeSource {
  return {
    table: 'photo_tags',
    id: 'photo_id',
    keys: (place) => `unnest(${place(tagIds)}::bigint[]) AS k (tag_id)`,
    same: 'r.tag_id = k.tag_id',
  };
}

export function mergeSourceOfCameras(cameraKeys: readonly string[]): MergeSource {
  return {
    table: 'photos',
    id: 'id',
    keys: (place) => `unnest(${place(cameraKeys)}::text[]) AS k (camera_key)`,
    same: 'r.camera_key = k.camera_key',
  };
}

/** The facets and types of the customer's photos are found by a loose index scan: there are a few dozen at most. */
export function mergeSourceOfFacets(filters: PhotoFilters): MergeSource {
  const [facets, types] = [facetsOf(filters), contentTypesOf(filters)];
  return {
    table: 'photos',
    id: 'id',
    keys: (place, state) => `(
      WITH RECURSIVE kinds AS (
        (SELECT p.facets, p.content_type FROM photos p WHERE p.customer_id = $1 AND ${state('p')}
         ORDER BY p.facets, p.content_type LIMIT 1)
        UNION ALL
        SELECT following.* FROM kinds, LATERAL (
          SELECT p.facets, p.content_type FROM photos p
          WHERE p.customer_id = $1 AND ${state('p')} AND (p.facets, p.content_type) > (kinds.facets, kinds.content_type)
          ORDER BY p.facets, p.content_type LIMIT 1
        ) following
      )
      SELECT * FROM kinds WHERE ${[
        facets === undefined ? 'true' : `facets = ANY(${place(facets)}::smallint[])`,
        types === undefined ? 'true' : `content_type = ANY(${place(types)}::text[])`,
      ].join(' AND ')}
    ) AS k`,
    same: 'r.facets = k.facets AND r.content_type = k.content_type',
  };
}
