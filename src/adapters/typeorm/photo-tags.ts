import type { EntityManager } from 'typeorm';
import type { Id } from '../../core/shared/ids.js';
import type { MergedPhotos } from '../../core/tags/tag-repository.js';
import { TypeormOutbox } from './outbox.repository.js';
import { shiftPhotoCounts } from './photo-counts.js';
import { tagLexeme } from './photo-search.js';
import { change, select } from './rows.js';

/** So that each statement about all photos of a tag ends in time, however many they are. */
const PHOTOS_AT_ONCE = 2_000;

/** Holds photos, and all that have one of the tags, in ascending order of ids. */
export async function lockTaggedPhotos(
  manager: EntityManager,
  customerId: Id,
  tagIds: readonly Id[],
  photoIds: readonly Id[],
): Promise<void> {
  for await (const page of pages(manager, customerId, tagIds, photoIds)) await lockPhotos(manager, customerId, page);
}

export async function lockSomeTaggedPhotos(
  manager: EntityManager,
  customerId: Id,
  tagId: Id,
  limit: number,
): Promise<readonly Id[]> {
  const page = await pageAfter(manager, customerId, { tagIds: [tagId], photoIds: [], last: 0, limit });
  await lockPhotos(manager, customerId, page);
  return page;
}

export async function attachTag(
  manager: EntityManager,
  customerId: Id,
  tagId: Id,
  photoIds: readonly Id[],
  at: Date,
): Promise<void> {
  if (photoIds.length === 0) return;
  const { rows } = await change<{ id: Id; trashed: boolean }>(
    manager,
    `WITH added AS (
       INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at)
       SELECT $1, p.id, $2, p.trashed, p.created_at FROM photos p WHERE p.customer_id = $1 AND p.id = ANY($3::bigint[])
       ON CONFLICT DO NOTHING RETURNING photo_id
     )
     UPDATE photos p SET updated_at = $4, version = p.version + 1, search = p.search || array_to_tsvector(ARRAY[$5::text])
     FROM added WHERE p.customer_id = $1 AND p.id = added.photo_id RETURNING p.id, p.trashed`,
    [customerId, tagId, photoIds, at, tagLexeme(customerId, tagId)],
  );
  await tellUpdated(manager, customerId, idsOf(rows), at);
  const shown = rows.filter(({ trashed }) => !trashed).length;
  if (shown > 0) await shiftPhotoCounts(manager, customerId, [{ tagIds: [tagId], by: shown }]);
}

export async function detachTags(
  manager: EntityManager,
  customerId: Id,
  tagIds: readonly Id[],
  photoIds: readonly Id[],
  at: Date,
): Promise<void> {
  if (photoIds.length === 0) return;
  const [answer] = await select<{ counts: { tagId: Id; photos: number }[]; changed: Id[] }>(
    manager,
    `WITH removed AS (
       DELETE FROM photo_tags WHERE customer_id = $1 AND tag_id = ANY($2::bigint[]) AND photo_id = ANY($3::bigint[])
       RETURNING photo_id, tag_id
     ), changed AS (
       UPDATE photos p SET updated_at = $4, version = p.version + 1, search = ts_delete(p.search, $5::text[])
       WHERE p.customer_id = $1 AND p.id IN (SELECT photo_id FROM removed) RETURNING p.id, p.trashed
     )
     SELECT (SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM changed) AS changed, (
       SELECT coalesce(json_agg(each), '[]') FROM (
         SELECT r.tag_id AS "tagId", count(*) AS photos FROM removed r JOIN changed c ON c.id = r.photo_id
         WHERE NOT c.trashed GROUP BY r.tag_id
       ) each
     ) AS counts`,
    [customerId, tagIds, photoIds, at, lexemes(customerId, tagIds)],
  );
  const { counts, changed } = answer ?? { counts: [], changed: [] };
  await tellUpdated(manager, customerId, changed, at);
  const shifts = counts.map(({ tagId, photos }) => ({ tagIds: [tagId], by: -photos }));
  await shiftPhotoCounts(manager, customerId, shifts);
}

/**
 * Takes tags that are about to be deleted off all their photos, which get `into` in their place, if there is one. The tags must
 * be locked. The counts of those that go, go with them.
 */
export async function replaceTags(
  manager: EntityManager,
  customerId: Id,
  tagIds: readonly Id[],
  into: Id | null,
  at: Date,
): Promise<MergedPhotos> {
  let shown = 0;
  let added = 0;
  for await (const page of pages(manager, customerId, tagIds, [])) {
    await lockPhotos(manager, customerId, page);
    const off =
      'DELETE FROM photo_tags WHERE customer_id = $1 AND photo_id = ANY($2::bigint[]) AND tag_id = ANY($3::bigint[])';
    await change(manager, off, [customerId, page, tagIds]);
    const on = into === null ? [] : [into];
    const links = await select<{ id: Id }>(
      manager,
      `INSERT INTO photo_tags (customer_id, photo_id, tag_id, trashed, created_at)
       SELECT $1, p.id, tag_id, p.trashed, p.created_at FROM photos p, unnest($3::bigint[]) AS tag_id
       WHERE p.customer_id = $1 AND p.id = ANY($2::bigint[]) ON CONFLICT DO NOTHING RETURNING photo_id AS id`,
      [customerId, page, on],
    );
    const { rows } = await change<{ id: Id; trashed: boolean }>(
      manager,
      `UPDATE photos SET updated_at = $3, version = version + 1,
         search = ts_delete(search, $4::text[]) || array_to_tsvector($5::text[])
       WHERE customer_id = $1 AND id = ANY($2::bigint[]) RETURNING id, trashed`,
      [customerId, page, at, lexemes(customerId, tagIds), lexemes(customerId, on)],
    );
    await tellUpdated(manager, customerId, idsOf(rows), at);
    const visible = new Set(rows.flatMap(({ id, trashed }) => (trashed ? [] : [id])));
    shown += visible.size;
    added += links.filter(({ id }) => visible.has(id)).length;
  }
  if (into !== null) await shiftPhotoCounts(manager, customerId, [{ tagIds: [into], by: added }]);
  return { added, unchanged: shown - added };
}

/** Whoever wants to hear of photos hears that these have new versions. */
function tellUpdated(manager: EntityManager, customerId: Id, ids: readonly Id[], at: Date): Promise<void> {
  return new TypeormOutbox(manager, customerId).add('photo.updated', ids, at);
}

/** All of them, a page at a time. What is done to a page does not move the next. */
async function* pages(
  manager: EntityManager,
  customerId: Id,
  tagIds: readonly Id[],
  photoIds: readonly Id[],
): AsyncIterable<readonly Id[]> {
  for (let last = 0; ; ) {
    const page = await pageAfter(manager, customerId, { tagIds, photoIds, last, limit: PHOTOS_AT_ONCE });
    if (page.length > 0) yield page;
    if (page.length < PHOTOS_AT_ONCE) return;
    last = page.at(-1) ?? last;
  }
}

/** The ids of photos that are named or have one of the tags, ascending. */
async function pageAfter(
  manager: EntityManager,
  customerId: Id,
  { tagIds, photoIds, last, limit }: { tagIds: readonly Id[]; photoIds: readonly Id[]; last: Id; limit: number },
): Promise<readonly Id[]> {
  const rows = await select<{ id: Id }>(
    manager,
    `SELECT photo_id AS id FROM photo_tags WHERE customer_id = $1 AND tag_id = ANY($2::bigint[]) AND photo_id > $4
     UNION SELECT id FROM unnest($3::bigint[]) AS id WHERE id > $4
     ORDER BY id LIMIT $5`,
    [customerId, tagIds, photoIds, last, limit],
  );
  return rows.map(({ id }) => id);
}

async function lockPhotos(manager: EntityManager, customerId: Id, ids: readonly Id[]): Promise<void> {
  const held = 'SELECT FROM photos WHERE customer_id = $1 AND id = ANY($2::bigint[]) ORDER BY id FOR UPDATE';
  await select(manager, held, [customerId, ids]);
}

function lexemes(customerId: Id, tagIds: readonly Id[]): string[] {
  return tagIds.map((tagId) => tagLexeme(customerId, tagId));
}

function idsOf(rows: readonly { readonly id: Id }[]): Id[] {
  return rows.map(({ id }) => id);
}
