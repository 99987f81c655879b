import { type EntityManager, In } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import type { BumpedPhotos } from '../../../core/tags/tag-repository.js';
import { TypeormRepository } from '../database/repository.js';
import { column, select, tableOf } from '../database/sql.js';
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

/** Whether photos may have lexemes of tags that they no longer have. By hand, like all statements of a list of photos. */
export async function hasTombstones(manager: EntityManager, customerId: Id): Promise<boolean> {
  const sql = 'SELECT 1 FROM departed_tags WHERE customer_id = $1 LIMIT 1';
  return (await select(manager, sql, [customerId])).length > 0;
}

/**
 * A tag with many photos is deleted from `tags` and `photo_tags` immediately. What remains is its lexeme in the photos' search column,
 * which no search uses: it marks the photos that have no new version yet. So there is no other list of them, and any update of
 * such a photo removes the mark. Until then the facet `tagged` is unreliable.
 */
export class TagTombstones extends TypeormRepository {
  async tombstones(): Promise<readonly Id[]> {
    return (await this.findRows(tombstoneTable, {}, { tagId: 'ASC' })).map(({ tagId }) => tagId);
  }

  async dropTombstones(tagIds: readonly Id[]): Promise<void> {
    await this.manager.delete(tombstoneTable, { customerId: this.customerId, tagId: In(tagIds) });
  }

  /** Records that these tags are deleted without new versions of their photos, which get `into` instead, if there is one. */
  protected async addTombstones(tagIds: readonly Id[], into: Id | null): Promise<void> {
    const sql = `INSERT INTO departed_tags (customer_id, tag_id, into_id)
      SELECT customer_id, id, $3 FROM tags WHERE customer_id = $1 AND id = ANY($2::bigint[])`;
    await this.select(sql, tagIds, into);
  }

  /** New versions for those of the next `limit` photos that had one of these tags. */
  async bumpVersions(tombstones: readonly Id[], after: Id, limit: number, at: Date): Promise<BumpedPhotos> {
    const lexemes = tombstones.map((tagId) => tagLexeme(this.customerId, tagId));
    const marked = lexemes.map((lexeme) => `'${lexeme}'`).join(' | ');
    // In the order of ids, marked or not: a scan of the lexeme index would start again, and find more dead rows, each time.
    const page = await this.selectFirst<{ count: number; last: Id; ids: Id[] }>(
      `SELECT count(*)::integer AS count, max(id) AS last, coalesce(array_agg(id) FILTER (WHERE search @@ $4::tsquery), '{}') AS ids
       FROM (SELECT id, search FROM photos WHERE customer_id = $1 AND id > $2 ORDER BY id LIMIT $3) page`,
      after,
      limit,
      marked,
    );
    if (page === null || page.count === 0) return { changed: [], last: null };
    let changed: readonly Id[] = [];
    if (page.ids.length > 0) {
      // By hand, like the change that follows, of a column that only statements write.
      const held = 'SELECT FROM photos WHERE customer_id = $1 AND id = ANY($2::bigint[]) ORDER BY id FOR UPDATE';
      await this.select(held, page.ids);
      // In a separate statement, which sees the links as they are after the wait.
      const links = 'photo_tags l WHERE l.customer_id = $1 AND l.photo_id = p.id';
      const rows = await this.select<{ id: Id }>(
        `UPDATE photos p SET updated_at = $3, version = p.version + 1,
           search = ts_delete(p.search, $4::text[]) || array_to_tsvector(${tagLexemesFrom(links)})
         WHERE p.customer_id = $1 AND p.id = ANY($2::bigint[]) AND p.search @@ $5::tsquery RETURNING p.id`,
        page.ids,
        at,
        lexemes,
        marked,
      );
      changed = rows.map(({ id }) => id);
    }
    return { changed, last: page.count < limit ? null : page.last };
  }
}
