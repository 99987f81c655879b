import type { EntityManager } from 'typeorm';
import type { NewPhoto } from '../../../core/photos/photo-repository.js';
import type { Id } from '../../../core/shared/ids.js';
import { asJson, insertion, prepared, select } from '../database/sql.js';
import { bitsOf } from '../similar/similar-photos.js';
import { photoTable, rowOf } from './photo-rows.js';
import { searchVector } from './photo-search.js';

/**
 * Stores photos with their tags and EXIF in one statement: existing tags are locked against deletion, and get links and counts of the
 * inserted photos. Returns the ids of those, in no order.
 */
export async function insertPhotos(
  manager: EntityManager,
  customerId: Id,
  additions: readonly NewPhoto[],
): Promise<readonly Id[]> {
  const own = additions.map(({ photo, tagIds, exif }) => ({ photo: { ...photo, customerId }, tagIds, exif }));
  const rows = own.map(({ photo }) => rowOf(photo));
  const sides = own.map(({ photo, tagIds, exif }) => ({ id: photo.id, tagIds, words: searchVector(photo), exif }));
  const [first] = rows;
  if (first === undefined) return [];
  // By hash, so that two transactions with the same photos in different orders do not deadlock.
  const sql = prepared(`WITH side AS MATERIALIZED (
      SELECT * FROM json_to_recordset($2) AS side (id bigint, tag_ids bigint[], words tsvector, exif json)
    ), held AS MATERIALIZED (
      SELECT id FROM tags WHERE customer_id = $1 AND id = ANY($3::bigint[]) ORDER BY id FOR KEY SHARE
    ), tagged AS MATERIALIZED (
      SELECT side.id, held.id AS tag_id FROM side JOIN held ON held.id = ANY(side.tag_ids)
    ), photo AS (
      ${insertion(photoTable, first, { search: SEARCH, current: 'true' }, '$4')} ORDER BY given.sha256, given.id
      ON CONFLICT DO NOTHING RETURNING id, trashed, created_at, phash
    ), exifs AS (
      INSERT INTO photo_exif (customer_id, photo_id, exif) SELECT $1, photo.id, side.exif FROM photo JOIN side USING (id)
    ), hashes AS (
      INSERT INTO photo_hashes (customer_id, photo_id, bits)
      SELECT $1, photo.id, ${bitsOf('photo.phash')} FROM photo WHERE photo.phash IS NOT NULL
    ), links AS (
      INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at)
      SELECT $1, photo.id, tagged.tag_id, photo.trashed, photo.created_at FROM photo JOIN tagged USING (id)
    ), shown AS MATERIALIZED (
      SELECT tag_id, count(*) AS photos FROM photo JOIN tagged USING (id) WHERE NOT photo.trashed GROUP BY tag_id
    ), counted AS MATERIALIZED (
      SELECT tag_id FROM tag_counts WHERE customer_id = $1 AND tag_id IN (SELECT tag_id FROM shown)
      ORDER BY tag_id FOR NO KEY UPDATE
    ), counts AS (
      UPDATE tag_counts n SET photos = n.photos + shown.photos FROM counted JOIN shown USING (tag_id)
      WHERE n.customer_id = $1 AND n.tag_id = counted.tag_id
    )
    SELECT id FROM photo`);
  const tagIds = [...new Set(own.flatMap((each) => each.tagIds))];
  const stored = await select<{ id: Id }>(manager, sql, [customerId, asJson(sides), tagIds, asJson(rows)]);
  return stored.map(({ id }) => id);
}

/** The search column of a photo: its words and its tags. */
const SEARCH = `(SELECT side.words || array_to_tsvector(ARRAY(
  SELECT concat($1::bigint, '#', tagged.tag_id) FROM tagged WHERE tagged.id = side.id
)) FROM side WHERE side.id = given.id)`;
