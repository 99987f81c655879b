import { type EntityManager, In } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import type { BumpedPhotos } from '../../../core/tags/tag-repository.js';
import { change, column, select, tableOf } from '../database/sql.js';
import { tagLexeme, tagLexemesFrom } from './photo-search.js';

/** A deleted tag whose lexeme photos may still have. */
export interface Tombstone {
  readonly customerId: Id;
  readonly tagId: Id;
  /** The tag that its photos got instead. */
  readonly intoId: Id | null;
}

export const tombstoneTable = tableOf<Tombstone>('tombstone', 'departed_tags', {
  customerId: column.key,
  tagId: column.key,
  intoId: column.optionalBigWhole,
});

/*
 * A tag with many photos is deleted from `tags` and `photo_tags` immediately. What remains is its lexeme in the photos' search column,
 * which no search uses: it marks the photos that have no new version yet. So there is no other list of them, and any update of
 * such a photo removes the mark. Until then the facet `tagged` is unreliable.
 */

/** Records that these tags are deleted without new versions of their photos, which get `into` instead, if there is one. */
export async function addTombstones(
  manager: EntityManager,
  customerId: Id,
  tagIds: readonly Id[],
  into: Id | null,
): Promise<void> {
  await select(
    manager,
    `INSERT INTO departed_tags (customer_id, tag_id, into_id)
     SELECT customer_id, id, $3 FROM tags WHERE customer_id = $1 AND id = ANY($2::bigint[])`,
    [customerId, tagIds, into],
  );
}

/** The photos that were recently moved to the tags `from`, and now to `into`, are not all found by its lexeme either. */
export async function redirectTombstones(
  manager: EntityManager,
  customerId: Id,
  from: readonly Id[],
  into: Id,
): Promise<void> {
  await manager.update(tombstoneTable, { customerId, intoId: In(from) }, { intoId: into });
}

export async function tombstonesOf(manager: EntityManager, customerId: Id): Promise<readonly Id[]> {
  const tombstones = await manager.find(tombstoneTable, { where: { customerId }, order: { tagId: 'ASC' } });
  return tombstones.map(({ tagId }) => tagId);
}

/** Whether photos may have lexemes of tags that they no longer have. By hand, like all statements of a list of photos. */
export async function hasTombstones(manager: EntityManager, customerId: Id): Promise<boolean> {
  const sql = 'SELECT 1 FROM departed_tags WHERE customer_id = $1 LIMIT 1';
  return (await select(manager, sql, [customerId])).length > 0;
}

export async function dropTombstones(manager: EntityManager, customerId: Id, tagIds: readonly Id[]): Promise<void> {
  await manager.delete(tombstoneTable, { customerId, tagId: In(tagIds) });
}

/** New versions for those of the next `limit` photos that had one of these tags. */
export async function bumpVersions(
  manager: EntityManager,
  customerId: Id,
  tombstones: readonly Id[],
  { after, limit, at }: { after: Id; limit: number; at: Date },
): Promise<BumpedPhotos> {
  const lexemes = tombstones.map((tagId) => tagLexeme(customerId, tagId));
  const marked = lexemes.map((lexeme) => `'${lexeme}'`).join(' | ');
  // In the order of ids, marked or not: a scan of the lexeme index would start again, and find more dead rows, each time.
  const [page] = await select<{ count: number; last: Id; ids: Id[] }>(
    manager,
    `SELECT count(*)::integer AS count, max(id) AS last, coalesce(array_agg(id) FILTER (WHERE search @@ $4::tsquery), '{}') AS ids
     FROM (SELECT id, search FROM photos WHERE customer_id = $1 AND id > $2 ORDER BY id LIMIT $3) page`,
    [customerId, after, limit, marked],
  );
  if (page === undefined || page.count === 0) return { changed: [], last: null };
  let changed: readonly Id[] = [];
  if (page.ids.length > 0) {
    // By hand, like the change that follows, of a column that only statements write.
    const held = 'SELECT FROM photos WHERE customer_id = $1 AND id = ANY($2::bigint[]) ORDER BY id FOR UPDATE';
    await select(manager, held, [customerId, page.ids]);
    // In a separate statement, which sees the links as they are after the wait.
    const links = 'photo_tags l WHERE l.customer_id = $1 AND l.photo_id = p.id';
    const { rows } = await change<{ id: Id }>(
      manager,
      `UPDATE photos p SET updated_at = $3, version = p.version + 1,
         search = ts_delete(p.search, $4::text[]) || array_to_tsvector(${tagLexemesFrom(links)})
       WHERE p.customer_id = $1 AND p.id = ANY($2::bigint[]) AND p.search @@ $5::tsquery RETURNING p.id`,
      [customerId, page.ids, at, lexemes, marked],
    );
    changed = rows.map(({ id }) => id);
  }
  return { changed, last: page.count < limit ? null : page.last };
}
