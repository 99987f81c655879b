import { In } from 'typeorm';
import type { Id } from '../../../core/shared/ids.js';
import type { Position } from '../../../core/shared/pagination.js';
import { searchText } from '../../../core/shared/text.js';
import type { NewTag, Tag, TagFilters, TagQuery, TagSort } from '../../../core/tags/tag.js';
import type { MergedPhotos, TagCount, TagRepository, UnpublishedTags } from '../../../core/tags/tag-repository.js';
import { TypeormRepository } from '../database/repository.js';
import { asJson, column, insertion, select, selectList, tableOf, update } from '../database/sql.js';
import { isTaken } from '../database/transaction.js';
import { PhotoTags } from '../photos/photo-tags.js';

/** The number of its photos is stored beside it. */
export const tagTable = tableOf<Omit<Tag, 'photoCount'> & { readonly searchKey: string }>('tag', 'tags', {
  customerId: column.key,
  id: column.generatedKey,
  name: column.text,
  nameKey: column.text,
  // Searched by `q`.
  searchKey: { type: 'text', select: false },
  color: column.optionalText,
  description: column.optionalText,
  createdAt: column.instant,
  updatedAt: column.instant,
  version: column.whole,
});

const tags = `SELECT ${selectList(tagTable, 't')}, n.photos AS "photoCount"
  FROM tags t JOIN tag_counts n ON n.customer_id = t.customer_id AND n.tag_id = t.id`;

/** The number of photos outside the trash; `t` is the tag. From one index only, so that it takes a second for millions. */
const counted = 'SELECT count(*) FROM photo_tags l WHERE l.customer_id = $1 AND l.tag_id = t.id AND NOT l.trashed';

export class TypeormTagRepository extends PhotoTags implements TagRepository {
  async get(id: Id): Promise<Tag | null> {
    return (await this.getMany([id]))[0] ?? null;
  }

  async getMany(ids: readonly Id[]): Promise<readonly Tag[]> {
    if (ids.length === 0) return [];
    return this.tagsWhere('t.id = ANY($2::bigint[]) ORDER BY t.id', [ids]);
  }

  list({ filters, sort, window }: TagQuery): Promise<readonly Tag[]> {
    const { conditions, values, place } = this.conditionsOf(filters);
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    const sortedBy = sort.endsWith('name') ? [`t.name_key ${direction}`, `t.id ${direction}`] : [`t.id ${direction}`];
    if (window.after !== null) {
      const { value, id } = window.after;
      const beyond = direction === 'ASC' ? '>' : '<';
      conditions.push(
        sort.endsWith('name')
          ? `(t.name_key, t.id) ${beyond} (${place(value)}, ${place(id)})`
          : `t.id ${beyond} ${place(id)}`,
      );
    }
    return this.tagsWhere(`${conditions.join(' AND ')} ORDER BY ${sortedBy.join(', ')} LIMIT ${window.limit}`, values);
  }

  async hasRowAt(filters: TagFilters, sort: TagSort, position: Position): Promise<boolean> {
    const { conditions, values, place } = this.conditionsOf(filters);
    conditions.push(`t.id = ${place(position.id)}`);
    if (sort.endsWith('name')) conditions.push(`t.name_key = ${place(position.value)}`);
    return (await this.tagsWhere(conditions.join(' AND '), values)).length > 0;
  }

  async findByNameKeys(nameKeys: readonly string[]): Promise<readonly Tag[]> {
    if (nameKeys.length === 0) return [];
    return this.tagsWhere('t.name_key = ANY($2::text[]) ORDER BY t.id', [nameKeys]);
  }

  ofPhoto(photoId: Id): Promise<readonly Tag[]> {
    const ofPhoto = 't.id IN (SELECT tag_id FROM photo_tags WHERE customer_id = $1 AND photo_id = $2)';
    return this.tagsWhere(`${ofPhoto} ORDER BY t.name_key, t.id`, [photoId]);
  }

  count(): Promise<number> {
    return this.manager.countBy(tagTable, { customerId: this.customerId });
  }

  photoCounts(after: Id | null, limit: number): Promise<readonly TagCount[]> {
    return this.select<TagCount>(
      `SELECT t.id, n.photos AS stored, (${counted}) AS counted
       FROM tags t LEFT JOIN tag_counts n ON n.customer_id = t.customer_id AND n.tag_id = t.id
       WHERE t.customer_id = $1 AND t.id > $2 ORDER BY t.id LIMIT $3`,
      after ?? 0,
      limit,
    );
  }

  async recount(id: Id): Promise<void> {
    const held = `INSERT INTO tag_counts AS n (customer_id, tag_id) SELECT $1, id FROM tags WHERE customer_id = $1 AND id = $2
      ON CONFLICT (customer_id, tag_id) DO UPDATE SET photos = n.photos`;
    await this.select(held, id);
    // In a separate statement: the one that waited does not see what it waited for.
    await this.change(
      `UPDATE tag_counts n SET photos = (${counted}) FROM tags t
       WHERE t.customer_id = $1 AND t.id = $2 AND n.customer_id = $1 AND n.tag_id = t.id`,
      id,
    );
  }

  async lock(ids: readonly Id[]): Promise<readonly Tag[]> {
    if (ids.length === 0) return [];
    await this.manager.find(tagTable, {
      select: { id: true },
      where: { customerId: this.customerId, id: In([...ids]) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    // Read in a separate statement: the one that waited would return counts as they were before the wait.
    return this.getMany(ids);
  }

  async insert(tag: NewTag): Promise<Tag | null> {
    const own = { customerId: this.customerId, searchKey: searchText(tag.name), updatedAt: tag.createdAt };
    const row = { ...tag, ...own };
    const [stored] = await select<Tag>(
      this.manager,
      `WITH stored AS (
         ${insertion(tagTable, row)} ON CONFLICT (customer_id, name_key) DO NOTHING RETURNING *
       ), counts AS (
         INSERT INTO tag_counts (customer_id, tag_id) SELECT customer_id, id FROM stored
       )
       SELECT ${selectList(tagTable, 'stored')}, 0 AS "photoCount" FROM stored`,
      [asJson([row])],
    );
    return stored ?? null;
  }

  async update(tag: Tag): Promise<boolean> {
    const { photoCount: _, createdAt: __, ...kept } = tag;
    const row = { ...kept, customerId: this.customerId, searchKey: searchText(tag.name) };
    try {
      // Another transaction may take the name at this moment; only a savepoint lets this one continue after the conflict.
      await this.manager.transaction((nested) => update(nested, tagTable, row));
      return true;
    } catch (error) {
      if (isTaken(error, 'tags_name_key')) return false;
      throw error;
    }
  }

  async delete(id: Id, at: Date | null): Promise<readonly Id[]> {
    // Waits for transactions that are adding the tag to a photo, and blocks others.
    await this.lock([id]);
    const changed = await this.dropTag(id, at);
    await this.remove([id]);
    return changed;
  }

  async merge(from: readonly Id[], into: Id, at: Date | null): Promise<MergedPhotos> {
    const merged = await this.mergeTags(from, into, at);
    await this.remove(from);
    return merged;
  }

  private async remove(ids: readonly Id[]): Promise<void> {
    await this.manager.delete(tagTable, { customerId: this.customerId, id: In([...ids]) });
  }

  private conditionsOf({ ids, nameKey, q, signs = [], unused }: TagFilters) {
    const values: unknown[] = [];
    const place = (value: unknown) => `$${values.push(value) + 1}`;
    const conditions = ['true'];
    if (ids !== undefined) conditions.push(`t.id = ANY(${place(ids)}::bigint[])`);
    if (nameKey !== undefined) conditions.push(`t.name_key = ${place(nameKey)}`);
    if (q !== undefined) conditions.push(`strpos(t.search_key, ${place(q)}) > 0`);
    for (const sign of signs) conditions.push(`strpos(t.name_key, ${place(sign)}) > 0`);
    if (unused !== undefined) conditions.push(unused ? 'n.photos = 0' : 'n.photos > 0');
    return { conditions, values, place };
  }

  /** `$1` is the customer, the values follow. */
  private tagsWhere(rest: string, values: readonly unknown[]): Promise<Tag[]> {
    return this.select<Tag>(`${tags} WHERE t.customer_id = $1 AND ${rest}`, ...values);
  }
}

/** The condition in the index of these imports: with parameters it would not be used, so statements on them are by hand. */
const UNPUBLISHED = `status IN ('open', 'processing')`;
const OF_UNPUBLISHED = `import_id IN (SELECT id FROM imports WHERE customer_id = $1 AND ${UNPUBLISHED})`;

export class TypeormUnpublishedTags extends TypeormRepository implements UnpublishedTags {
  async lockUnpublished(tagIds: readonly Id[]): Promise<void> {
    const imports = `SELECT FROM imports WHERE customer_id = $1 AND ${UNPUBLISHED} ORDER BY id FOR NO KEY UPDATE`;
    await this.select(imports);
    const items = `SELECT FROM import_photos WHERE customer_id = $1 AND ${OF_UNPUBLISHED} AND tag_ids && $2::bigint[]
      ORDER BY id FOR NO KEY UPDATE`;
    await this.select(items, tagIds);
  }

  async replaceTags(from: readonly Id[], into: Id): Promise<void> {
    for (const [table, which] of [
      ['imports', UNPUBLISHED],
      ['import_photos', OF_UNPUBLISHED],
    ]) {
      await this.change(
        `UPDATE ${table} SET tag_ids = ARRAY(
           SELECT DISTINCT CASE WHEN id = ANY($2::bigint[]) THEN $3 ELSE id END AS kept FROM unnest(tag_ids) AS id ORDER BY kept
         )
         WHERE customer_id = $1 AND ${which} AND tag_ids && $2::bigint[]`,
        from,
        into,
      );
    }
  }
}
