import { type EntityManager } from 'typeorm';
import type { ExpectedBytes } from '../../../core/blobs/verified-blobs.js';
import type { ExifTags } from '../../../core/media/picture-metadata.js';
import type { CountedValue, PhotoKind, ValuesRequest } from '../../../core/photos/filter-values.js';
import type { Photo, PhotoWithTags } from '../../../core/photos/photo.js';
import type { ListSort, PhotoFilters, PhotoQuery } from '../../../core/photos/photo-query.js';
import type { NewPhoto, PhotoRepository } from '../../../core/photos/photo-repository.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Position } from '../../../core/shared/pagination.js';
import { TypeormRepository } from '../database/repository.js';
import { asJson, assignments, insertion, type JsonRow, prepared, select } from '../database/sql.js';
import type { Statement } from '../database/transaction.js';
import type { SharedReads } from './photo-cache.js';
import { facetsNumbered } from './photo-conditions.js';
import { shiftPhotoCounts } from './photo-counts.js';
import { countPhotos, isUnmoved, listPhotos } from './photo-list.js';
import {
  countTakenBetween,
  photoExifTable,
  photoJson,
  photoOf,
  photosWithTags,
  photoTable,
  rowOf,
  visiblePhotos,
} from './photo-rows.js';
import { searchVector, tagLexeme, tagLexemesFrom } from './photo-search.js';
import { PhotoTags } from './photo-tags.js';
import { selectCameras, selectCountries, selectKinds, selectLenses } from './photo-values.js';

const selectBySha256 = prepared(
  `SELECT DISTINCT ON (p.sha256) ${photoJson} AS photo FROM photos p
   WHERE p.customer_id = $1 AND p.sha256 = ANY($2::text[]) ORDER BY p.sha256, p.dup_seq`,
);

/** For a changed photo: its tags, and the change of their counts. */
interface TagsOfPhoto {
  readonly tagIds: readonly Id[];
  readonly shift: number;
}

/** By hand: whatever reads whole photos, as JSON; compares them with other tables; or is one statement however many ids it gets. */
export class TypeormPhotoRepository extends TypeormRepository implements PhotoRepository {
  constructor(
    manager: EntityManager,
    customerId: Id,
    private readonly shared: () => SharedReads | null,
  ) {
    super(manager, customerId);
  }

  async get(id: Id): Promise<PhotoWithTags | null> {
    const together = this.shared()?.together;
    if (together) return together.tagged.enqueue(this.customerId, id);
    return (await this.getMany([id]))[0] ?? null;
  }

  async getVisible(id: Id): Promise<Photo | null> {
    const together = this.shared()?.together;
    if (together) return together.visible.enqueue(this.customerId, id);
    return (await visiblePhotos(this.manager, this.customerId, [id]))[0] ?? null;
  }

  getMany(ids: readonly Id[]): Promise<readonly PhotoWithTags[]> {
    return photosWithTags(this.manager, this.customerId, ids);
  }

  list(query: PhotoQuery): Promise<readonly PhotoWithTags[]> {
    return listPhotos(this.manager, this.customerId, query, this.shared()?.cache);
  }

  hasRowAt(filters: PhotoFilters, sort: ListSort, position: Position): Promise<boolean> {
    return isUnmoved(this.manager, this.customerId, { filters, sort, position });
  }

  count(filters: PhotoFilters): Promise<number> {
    return countPhotos(this.manager, this.customerId, filters);
  }

  countTakenBetween(instants: readonly Date[], most: number): Promise<readonly number[]> {
    return countTakenBetween(this.manager, this.customerId, instants, most);
  }

  async kinds({ trashed, counted, limit }: ValuesRequest): Promise<readonly PhotoKind[]> {
    const rows = await this.select<{ facets: number; content_type: string; photos: number }>(
      selectKinds,
      trashed,
      counted,
      limit,
    );
    return rows.map(({ facets, content_type, photos }) => {
      return { ...facetsNumbered(facets), contentType: content_type, photos };
    });
  }

  cameras(request: ValuesRequest): Promise<readonly CountedValue[]> {
    return this.valuesInUse(selectCameras, request);
  }

  lenses(request: ValuesRequest): Promise<readonly CountedValue[]> {
    return this.valuesInUse(selectLenses, request);
  }

  countries(request: ValuesRequest): Promise<readonly CountedValue[]> {
    return this.valuesInUse(selectCountries, request);
  }

  private async valuesInUse(
    statement: Statement,
    { trashed, counted, limit }: ValuesRequest,
  ): Promise<readonly CountedValue[]> {
    const rows = await this.select<CountedValue>(statement, trashed, counted, limit);
    return rows.map(({ value, photos }) => ({ value, photos }));
  }

  async findBySha256(sha256: readonly string[]): Promise<readonly Photo[]> {
    if (sha256.length === 0) return [];
    const found = await this.select<{ photo: JsonRow }>(selectBySha256, sha256);
    return found.map(({ photo }) => photoOf(photo));
  }

  async exif(id: Id): Promise<ExifTags | null> {
    const row = await this.manager.findOneBy(photoExifTable, { customerId: this.customerId, photoId: id });
    return row?.exif ?? null;
  }

  async setThumb(id: Id, thumb: ExpectedBytes): Promise<void> {
    await this.manager.update(photoTable, { customerId: this.customerId, id }, { thumb });
  }

  async countTagged(tagIds: readonly Id[], limit: number): Promise<number> {
    const row = await this.selectFirst<{ count: number }>(
      `SELECT count(*)::integer AS count FROM (
         SELECT DISTINCT photo_id FROM photo_tags WHERE customer_id = $1 AND tag_id = ANY($2::bigint[]) LIMIT $3
       ) tagged`,
      tagIds,
      limit,
    );
    return row?.count ?? 0;
  }

  async toPurge(at: Date, after: Id | null, limit: number): Promise<readonly Id[]> {
    const rows = await this.select<{ id: Id }>(
      `SELECT p.id FROM photos p
       WHERE p.customer_id = $1 AND p.purge_at <= $2 AND p.id > $3 AND NOT ${awaited('p.id')}
       ORDER BY p.id LIMIT $4`,
      at,
      after ?? 0,
      limit,
    );
    return rows.map(({ id }) => id);
  }

  async isAwaited(id: Id): Promise<boolean> {
    return (await this.selectFirst<{ yes: boolean }>(`SELECT ${awaited('$2')} AS yes`, id))?.yes ?? false;
  }

  async lock(ids: readonly Id[]): Promise<readonly PhotoWithTags[]> {
    if (ids.length === 0) return [];
    const held = 'SELECT FROM photos WHERE customer_id = $1 AND id = ANY($2::bigint[]) ORDER BY id FOR UPDATE';
    await this.select(held, ids);
    // Read in a separate statement: the one that waited for the lock would return the tags as they were before the wait.
    return this.getMany(ids);
  }

  async lockTagged(tagIds: readonly Id[], ids: readonly Id[]): Promise<readonly PhotoWithTags[]> {
    const tags = new PhotoTags(this.manager, this.customerId);
    for await (const range of tags.ranges(tagIds)) await tags.lockTaggedIn(tagIds, range, ids);
    return this.getMany(ids);
  }

  async insert(photo: Photo, tagIds: readonly Id[], exif: ExifTags): Promise<boolean> {
    return (await this.insertMany([{ photo, tagIds, exif }])).length > 0;
  }

  /**
   * Stores photos with their tags and EXIF in one statement: existing tags are locked against deletion, and get links and counts of the
   * inserted photos. Returns the ids of those, in no order.
   */
  async insertMany(additions: readonly NewPhoto[]): Promise<readonly Id[]> {
    const own = additions.map(({ photo, tagIds, exif }) => ({
      photo: { ...photo, customerId: this.customerId },
      tagIds,
      exif,
    }));
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
        ${insertion(photoTable, first, { search: SEARCH }, '$4')} ORDER BY given.sha256, given.id
        ON CONFLICT DO NOTHING RETURNING id, trashed, created_at, phash
      ), exifs AS (
        INSERT INTO photo_exif (customer_id, photo_id, exif) SELECT $1, photo.id, side.exif FROM photo JOIN side USING (id)
      ), hashes AS (
        INSERT INTO photo_hashes (customer_id, photo_id, bits)
        SELECT $1, photo.id, ('x' || photo.phash)::bit(64)::bigint FROM photo WHERE photo.phash IS NOT NULL
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
    const stored = await this.select<{ id: Id }>(sql, asJson(sides), tagIds, asJson(rows));
    return stored.map(({ id }) => id);
  }

  async nextDupSeq(): Promise<number> {
    const [row] = await select<{ next: number }>(this.manager, `SELECT nextval('photo_dup_seq') AS next`);
    return requireFound(row, 'photo').next;
  }

  async update(photo: Photo): Promise<void> {
    const own = { ...photo, customerId: this.customerId };
    const row = rowOf(own);
    const tags = await this.selectFirst<TagsOfPhoto>(
      `WITH tags AS (SELECT tag_id FROM photo_tags WHERE customer_id = $1 AND photo_id = $3), changed AS (
         UPDATE photos stored SET ${assignments(photoTable, row)},
           search = $4::tsvector || array_to_tsvector(${tagLexemesFrom('tags')})
         FROM json_populate_record(NULL::photos, $2) given, photos before
         WHERE stored.customer_id = $1 AND stored.id = $3 AND before.customer_id = $1 AND before.id = $3
         RETURNING before.trashed AS hidden_before, stored.trashed AS hidden_now
       )
       SELECT hidden_before::integer - hidden_now::integer AS shift, ARRAY(SELECT tag_id FROM tags) AS "tagIds" FROM changed`,
      asJson(row),
      photo.id,
      searchVector(own),
    );
    if (tags?.shift) await shiftPhotoCounts(this.manager, this.customerId, [{ tagIds: tags.tagIds, by: tags.shift }]);
  }

  async setTags(id: Id, tagIds: readonly Id[]): Promise<void> {
    const links = await this.selectFirst<{ shown: boolean; added: Id[]; removed: Id[] }>(
      `WITH before AS (SELECT tag_id FROM photo_tags WHERE customer_id = $1 AND photo_id = $2), removed AS (
         DELETE FROM photo_tags WHERE customer_id = $1 AND photo_id = $2 AND tag_id <> ALL ($3::bigint[]) RETURNING tag_id
       ), added AS (
         INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at)
         SELECT $1, $2, unnest($3::bigint[]), p.trashed, p.created_at FROM photos p WHERE p.customer_id = $1 AND p.id = $2
         ON CONFLICT DO NOTHING RETURNING tag_id
       ), photo AS (
         UPDATE photos p SET search =
           ts_delete(p.search, ${tagLexemesFrom('before')}) || array_to_tsvector($4::text[])
         WHERE customer_id = $1 AND id = $2 RETURNING NOT trashed AS shown
       )
       SELECT shown, ARRAY(SELECT tag_id FROM added) AS added, ARRAY(SELECT tag_id FROM removed) AS removed FROM photo`,
      id,
      tagIds,
      tagIds.map((tagId) => tagLexeme(this.customerId, tagId)),
    );
    if (!links?.shown) return;
    const [more, fewer] = [
      { tagIds: links.added, by: 1 },
      { tagIds: links.removed, by: -1 },
    ];
    await shiftPhotoCounts(this.manager, this.customerId, [more, fewer]);
  }

  async delete(id: Id): Promise<void> {
    const tags = await this.selectFirst<TagsOfPhoto>(
      `WITH links AS (
         DELETE FROM photo_tags WHERE customer_id = $1 AND photo_id = $2 RETURNING tag_id
       ), photo AS (
         DELETE FROM photos WHERE customer_id = $1 AND id = $2 RETURNING trashed
       )
       SELECT CASE WHEN trashed THEN 0 ELSE -1 END AS shift, ARRAY(SELECT tag_id FROM links) AS "tagIds" FROM photo`,
      id,
    );
    if (tags?.shift) await shiftPhotoCounts(this.manager, this.customerId, [{ tagIds: tags.tagIds, by: tags.shift }]);
  }
}

/** Whether an unfinished import has a duplicate of the photo, and may restore it. `$1` is the customer. */
function awaited(photoId: string): string {
  return `EXISTS (
    SELECT FROM import_photos d JOIN imports i ON i.customer_id = d.customer_id AND i.id = d.import_id
    WHERE d.customer_id = $1 AND d.photo_id = ${photoId} AND d.status = 'duplicate' AND i.status IN ('open', 'processing')
  )`;
}

/** The search column of a photo: its words and its tags. */
const SEARCH = `(SELECT side.words || array_to_tsvector(${tagLexemesFrom('tagged WHERE tagged.id = side.id')})
  FROM side WHERE side.id = given.id)`;
