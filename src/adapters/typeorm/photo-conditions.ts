import type { EntityManager } from 'typeorm';
import type { PhotoFilters } from '../../core/photos/photo-query.js';
import type { Id } from '../../core/shared/ids.js';
import { searchQuery } from './photo-search.js';
import { select } from './rows.js';

/** Wider than high, the other way round, neither. */
const ASPECTS = { landscape: 1, portrait: -1, square: 0 } as const;

/** More tags than this are looked up by their links. */
const MANY_TAGS = 100;

interface WordWithTags {
  readonly word: string;
  readonly tagIds: readonly Id[];
}

/** The conditions of a list on the photo `p`, and the values that stand in them: `$1` is the customer. */
export class PhotoConditions {
  private constructor(
    private readonly customerId: Id,
    readonly values: unknown[],
    private readonly conditions: string[],
  ) {}

  static async of(manager: EntityManager, customerId: Id, filters: PhotoFilters): Promise<PhotoConditions> {
    const conditions = new PhotoConditions(customerId, [customerId], ['p.customer_id = $1']);
    await conditions.add(manager, filters);
    return conditions;
  }

  /** For a statement of its own: every value of a statement must stand in it. */
  copy(): PhotoConditions {
    return new PhotoConditions(this.customerId, [...this.values], [...this.conditions]);
  }

  place(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  all(...more: readonly string[]): string {
    return [...this.conditions, ...more].join(' AND ');
  }

  private async add(manager: EntityManager, filters: PhotoFilters): Promise<void> {
    this.addOwn(filters);
    this.addTimes(filters);
    this.addTags(filters);
    this.addPlace(filters);
    if (filters.camera) {
      const keys = await this.cameraKeys(manager, filters.camera);
      this.conditions.push(`p.camera_key = ANY(${this.place(keys)}::text[])`);
    }
    if (filters.words?.length) {
      this.addWords(await this.withTags(manager, filters.words));
    }
  }

  private addOwn(filters: PhotoFilters): void {
    this.when(filters.ids, (ids) => `p.id = ANY(${ids}::bigint[])`);
    this.when(filters.filenameKey, (key) => `p.filename_key = ${key}`);
    this.when(filters.importId, (id) => `p.import_id = ${id}`);
    this.when(filters.externalId, (id) => `p.external_id = ${id}`);
    this.when(filters.sha256, (hashes) => `p.sha256 = ANY(${hashes}::text[])`);
    this.when(filters.minRating, (rating) => `p.rating >= ${rating}`);
    if (filters.contentType !== undefined && !filters.contentType.includes('image/*')) {
      this.when(filters.contentType, (types) => `p.content_type = ANY(${types}::text[])`);
    }
    // As in the statistics that the table keeps of this, so that the planner knows how rare it is.
    if (filters.aspect !== undefined) this.conditions.push(`sign(p.width - p.height) = ${ASPECTS[filters.aspect]}`);
  }

  private addTimes(filters: PhotoFilters): void {
    for (const name of ['taken', 'created', 'updated'] as const) {
      this.when(filters[`${name}After`], (at) => `p.${name}_at >= ${at}`);
      this.when(filters[`${name}Before`], (at) => `p.${name}_at < ${at}`);
    }
  }

  private addTags({ tagIds, anyTagIds, excludeTagIds, untagged }: PhotoFilters): void {
    const link = (also = '') =>
      `EXISTS (SELECT FROM photo_tags l WHERE l.customer_id = $1 AND l.photo_id = p.id${also})`;
    for (const id of tagIds ?? []) this.when(id, (tag) => link(` AND l.tag_id = ${tag}`));
    this.when(anyTagIds, (ids) => link(` AND l.tag_id = ANY(${ids}::bigint[])`));
    this.when(excludeTagIds, (ids) => `NOT ${link(` AND l.tag_id = ANY(${ids}::bigint[])`)}`);
    if (untagged !== undefined) this.conditions.push(untagged ? `NOT ${link()}` : link());
  }

  private addPlace({ hasLocation, bbox }: PhotoFilters): void {
    if (hasLocation !== undefined) this.conditions.push(`p.latitude IS ${hasLocation ? 'NOT ' : ''}NULL`);
    if (bbox === undefined) return;
    const [west, south, east, north] = bbox.map((corner) => `${this.place(corner)}::float8`);
    this.conditions.push(`p.latitude BETWEEN ${south} AND ${north}`);
    const crosses = bbox[0] > bbox[2];
    this.conditions.push(`(p.longitude >= ${west} ${crosses ? 'OR' : 'AND'} p.longitude <= ${east})`);
  }

  /** Tags stand in the search column by id; but a query of thousands of them would take longer than to look at the links. */
  private addWords(words: readonly WordWithTags[]): void {
    const few = words.filter(({ tagIds }) => tagIds.length <= MANY_TAGS);
    const matches = (some: readonly WordWithTags[]) =>
      `p.search @@ ${this.place(searchQuery(this.customerId, some))}::tsquery`;
    if (few.length > 0) this.conditions.push(matches(few));
    for (const { word, tagIds } of words.filter((each) => !few.includes(each))) {
      const linked = `l.customer_id = $1 AND l.photo_id = p.id AND l.tag_id = ANY(${this.place(tagIds)}::bigint[])`;
      const own = matches([{ word, tagIds: [] }]);
      this.conditions.push(`(${own} OR EXISTS (SELECT FROM photo_tags l WHERE ${linked}))`);
    }
  }

  private when(value: unknown, condition: (place: string) => string): void {
    if (value !== undefined) this.conditions.push(condition(this.place(value)));
  }

  /** Each word with the tags in whose name it begins a word. */
  private withTags(manager: EntityManager, words: readonly string[]): Promise<WordWithTags[]> {
    return select<WordWithTags>(
      manager,
      `SELECT word, ARRAY(
         SELECT t.id FROM tags t WHERE t.customer_id = $1 AND strpos(' ' || t.search_key, ' ' || word) > 0
       ) AS "tagIds" FROM unnest($2::text[]) AS word`,
      [this.customerId, words],
    );
  }

  /** The customer's cameras with this in their name. They are few, and found by stepping through the index from one to the next. */
  private async cameraKeys(manager: EntityManager, camera: string): Promise<string[]> {
    const rows = await select<{ camera: string }>(
      manager,
      `WITH RECURSIVE cameras AS (
         (SELECT camera_key FROM photos WHERE customer_id = $1 ORDER BY camera_key LIMIT 1)
         UNION ALL
         SELECT (SELECT p.camera_key FROM photos p WHERE p.customer_id = $1 AND p.camera_key > c.camera_key
                 ORDER BY p.camera_key LIMIT 1)
         FROM cameras c WHERE c.camera_key IS NOT NULL
       )
       SELECT camera_key AS camera FROM cameras WHERE strpos(camera_key, $2) > 0`,
      [this.customerId, camera],
    );
    return rows.map((row) => row.camera);
  }
}
