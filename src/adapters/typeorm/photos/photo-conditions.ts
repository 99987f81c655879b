import type { EntityManager } from 'typeorm';
import { type ListSort, type PhotoFilters } from '../../../core/photos/photo-query.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Position } from '../../../core/shared/pagination.js';
import { hasWord, searchText, searchWords } from '../../../core/shared/text.js';
import { select } from '../database/sql.js';
import { countryQuery, isFoundAnywhere, searchQuery, wordsQuery } from './photo-search.js';
import { hasTombstones } from './tag-tombstones.js';

/** Above this number, tags are looked up by their links. */
const MANY_TAGS = 100;

const TIMES = ['taken', 'created', 'updated'] as const;

interface WordWithTags {
  readonly word: string;
  readonly tagIds: readonly Id[];
  /** Photos were recently added to one of the tags, and not all are found by its lexeme yet. */
  readonly unsettled: boolean;
}

/** A condition; a subquery on another table ends with `end`. */
type Condition = (end: string) => string;

/** The conditions of a list on the photo `p`, and their parameters: `$1` is the customer. */
export class PhotoConditions {
  /** Facets are incomplete: there are tombstones, and only its links show whether a photo has tags. */
  byLinks = false;

  private constructor(
    private readonly customerId: Id,
    readonly values: unknown[],
    private readonly conditions: Condition[],
  ) {}

  static async of(manager: EntityManager, customerId: Id, filters: PhotoFilters): Promise<PhotoConditions> {
    const conditions = PhotoConditions.none(customerId);
    await conditions.add(manager, filters);
    return conditions;
  }

  /** Only of the customer. */
  static none(customerId: Id): PhotoConditions {
    return new PhotoConditions(customerId, [customerId], [() => 'p.customer_id = $1']);
  }

  /** For a separate statement: every parameter of a statement must occur in it. */
  copy(): PhotoConditions {
    return new PhotoConditions(this.customerId, [...this.values], [...this.conditions]);
  }

  readonly place = (value: unknown): string => `$${this.values.push(value)}`;

  all(...more: readonly string[]): string {
    return [...this.conditions.map((condition) => condition('')), ...more].join(' AND ');
  }

  /** For few photos: other tables are looked up for each of them, never read as a whole and joined. */
  ofEach(): string {
    return this.conditions.map((condition) => condition(' OFFSET 0')).join(' AND ');
  }

  private async add(manager: EntityManager, filters: PhotoFilters): Promise<void> {
    const { untagged, ...others } = filters;
    if (untagged !== undefined && (await hasTombstones(manager, this.customerId))) {
      this.addOwn(others);
      const links = 'SELECT FROM photo_tags l WHERE l.customer_id = $1 AND l.photo_id = p.id';
      this.conditions.push((end) => `${untagged ? 'NOT ' : ''}EXISTS (${links}${end})`);
      this.byLinks = true;
    } else this.addOwn(filters);
    for (const name of TIMES) this.addConditions(...timesOf(filters, name, this.place, `p.${name}_at`));
    this.addTags(filters);
    this.addBox(filters);
    this.addSearched(filters);
    this.addExposure(filters);
    for (const field of namedFields) {
      const part = filters[field];
      if (!part) continue;
      const keys = await keysWith(manager, this.customerId, field, part);
      const { column, isGiven } = keyColumns[field];
      if (keys === null) this.addConditions(`strpos(p.${column}, ${this.place(part)}) > 0`, isGiven('p'));
      else this.addConditions(`p.${column} = ANY(${this.place(keys)}::text[])`, isGiven('p'));
    }
    if (filters.words?.length) this.addWords(await this.withTags(manager, filters.words));
  }

  private addOwn(filters: PhotoFilters): void {
    this.when(filters.ids, (ids) => `p.id = ANY(${ids}::bigint[])`);
    this.when(filters.filenameKey, (key) => `p.filename_key = ${key}`);
    this.when(filters.importId, (id) => `p.import_id = ${id}`);
    this.when(filters.externalId, (id) => `p.external_id = ${id}`);
    this.when(filters.sha256, (hashes) => `p.sha256 = ANY(${hashes}::text[])`);
    this.when(contentTypesOf(filters), (types) => `p.content_type = ANY(${types}::text[])`);
    this.when(facetsOf(filters), (facets) => `p.facets = ANY(${facets}::smallint[])`);
  }

  private addTags({ tagIds, anyTagIds, excludeTagIds }: PhotoFilters): void {
    for (const id of tagIds ?? []) this.conditions.push(this.linked([id]));
    if (anyTagIds !== undefined) this.conditions.push(this.linked(anyTagIds));
    if (excludeTagIds === undefined) return;
    const excluded = this.linked(excludeTagIds);
    this.conditions.push((end) => `NOT ${excluded(end)}`);
  }

  private addBox({ bbox }: PhotoFilters): void {
    if (bbox === undefined) return;
    const [west, south, east, north] = bbox.map((corner) => `${this.place(corner)}::float8`);
    const crosses = bbox[0] > bbox[2];
    this.addConditions(
      `p.latitude BETWEEN ${south} AND ${north}`,
      `(p.longitude >= ${west} ${crosses ? 'OR' : 'AND'} p.longitude <= ${east})`,
    );
  }

  private addSearched({ country, placeWords, lensWords }: PhotoFilters): void {
    const queries = [
      ...(country === undefined ? [] : [countryQuery(this.customerId, country)]),
      ...(placeWords?.length ? [wordsQuery(this.customerId, 'place', placeWords)] : []),
      ...(lensWords?.length ? [wordsQuery(this.customerId, 'lens', lensWords)] : []),
    ];
    for (const query of queries) this.addConditions(`p.search @@ ${this.place(query)}::tsquery`);
  }

  private addExposure(filters: PhotoFilters): void {
    const { minIso, maxIso, minFocalLength35mm, maxFocalLength35mm } = filters;
    // As the indexes have it.
    const value = (field: string) => `(p.exposure ->> '${field}')::float8`;
    const present = (field: string, least: string) =>
      `p.exposure ->> '${field}' IS NOT NULL AND ${value(field)} ${least}`;
    this.when(minIso, (iso) => present('iso', `>= ${iso}::float8`));
    this.when(maxIso, (iso) => present('iso', `<= ${iso}::float8`));
    this.when(minFocalLength35mm, (length) => present('focalLength35mm', `>= ${length}::float8`));
    this.when(maxFocalLength35mm, (length) => present('focalLength35mm', `<= ${length}::float8`));
  }

  /** Tags are in the search column by id; but a query with thousands of them would take longer than reading the links. */
  private addWords(words: readonly WordWithTags[]): void {
    const few = words.filter(({ tagIds, unsettled }) => tagIds.length <= MANY_TAGS && !unsettled);
    const matches = (some: readonly Pick<WordWithTags, 'word' | 'tagIds'>[]) =>
      `p.search @@ ${this.place(searchQuery(this.customerId, some))}::tsquery`;
    if (few.length > 0) this.addConditions(matches(few));
    for (const { word, tagIds } of words.filter((each) => !few.includes(each))) {
      const linked = this.linked(tagIds);
      const own = matches([{ word, tagIds: [] }]);
      this.conditions.push((end) => `(${own} OR ${linked(end)})`);
    }
  }

  /** That a photo has one of these tags. */
  private linked(tagIds: readonly Id[]): Condition {
    const ids = this.place(tagIds);
    return (end) =>
      `EXISTS (SELECT FROM photo_tags l WHERE l.customer_id = $1 AND l.photo_id = p.id AND l.tag_id = ANY(${ids}::bigint[])${end})`;
  }

  private when(value: unknown, condition: (place: string) => string): void {
    if (value !== undefined) this.addConditions(condition(this.place(value)));
  }

  private addConditions(...conditions: readonly string[]): void {
    this.conditions.push(...conditions.map((condition) => () => condition));
  }

  /** Each word with the tags that have it in their names. */
  private async withTags(manager: EntityManager, words: readonly string[]): Promise<WordWithTags[]> {
    // Stored keys are without the characters that tell some words apart, and cannot say where a word begins in scripts without spaces.
    const found = await select<{ word: string; tags: { id: Id; name: string | null }[]; unsettled: boolean }>(
      manager,
      `SELECT word, coalesce(tags, '[]') AS tags,
         EXISTS (SELECT FROM departed_tags d WHERE d.customer_id = $1 AND d.into_id = ANY(ids)) AS unsettled
       FROM unnest($2::text[], $3::text[]) AS searched (word, key), LATERAL (
         SELECT json_agg(json_build_object('id', t.id, 'name', CASE WHEN ${isFoundAnywhere('t.name')} THEN t.name END)) AS tags,
           array_agg(t.id) AS ids
         FROM tags t WHERE t.customer_id = $1 AND (
           strpos(' ' || t.search_key, ' ' || word) > 0 OR strpos(replace(t.search_key, ' ', ''), key) > 0 AND ${isFoundAnywhere('t.name')}
         )
       ) found`,
      [this.customerId, words, words.map((word) => searchText(word))],
    );
    const has = (name: string | null, word: string) => name === null || hasWord(searchWords(name), word);
    return found.map(({ word, tags, unsettled }) => {
      const tagIds = tags.flatMap(({ id, name }) => (has(name, word) ? [id] : []));
      return { word, tagIds, unsettled };
    });
  }
}

/** The types of which a photo must have one; undefined when there is no restriction. */
export function contentTypesOf({ contentType }: PhotoFilters): readonly string[] | undefined {
  return contentType?.includes('image/*') ? undefined : contentType;
}

/** The list's condition on the time that it is sorted by, on a column that contains it. */
export function ownTimes(
  filters: PhotoFilters,
  order: PhotoOrder,
  place: (value: unknown) => string,
  column: string,
): string[] {
  const own = TIMES.find((name) => order.column === `${name}_at`);
  return own === undefined ? [] : timesOf(filters, own, place, column);
}

function timesOf(
  filters: PhotoFilters,
  name: (typeof TIMES)[number],
  place: (value: unknown) => string,
  column: string,
): string[] {
  const { [`${name}After` as const]: from, [`${name}Before` as const]: to } = filters;
  return [
    ...(from === undefined ? [] : [`${column} >= ${place(from)}`]),
    ...(to === undefined ? [] : [`${column} < ${place(to)}`]),
  ];
}

/** A sort as the table has it; ties are ordered by id in the same direction. */
export interface PhotoOrder {
  readonly column: 'created_at' | 'id' | 'taken_at' | 'filename_key' | 'size_bytes' | 'updated_at' | 'distance';
  readonly direction: 'ASC' | 'DESC';
  readonly nullable: boolean;
  /** From a cursor's value to the column's. */
  readonly value: (value: string | number) => unknown;
}

const instantOf = (milliseconds: string | number) => new Date(Number(milliseconds));
const itself = (value: string | number) => value;

type SortName = Exclude<ListSort, `-${string}`>;

/** By the names of the sorts, without their directions. */
const orders: Readonly<Record<SortName, Omit<PhotoOrder, 'direction'>>> = {
  id: { column: 'id', nullable: false, value: itself },
  takenAt: { column: 'taken_at', nullable: true, value: instantOf },
  createdAt: { column: 'created_at', nullable: false, value: instantOf },
  filename: { column: 'filename_key', nullable: false, value: itself },
  sizeBytes: { column: 'size_bytes', nullable: false, value: itself },
  updatedAt: { column: 'updated_at', nullable: false, value: instantOf },
  distance: { column: 'distance', nullable: false, value: itself },
};

export function orderOf(sort: ListSort): PhotoOrder {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  return { ...orders[sort.replace('-', '') as SortName], direction };
}

/** A condition on the columns in which a table stores the value of the order and the photo's id. */
export type KeysetRange = (place: (value: unknown) => string, value: string, id: string) => string;

/** The rows after a position: the remaining values, then the photos without one, which are last in both directions. */
export function keysetRangesAfter(order: PhotoOrder, after: Position | null): KeysetRange[] {
  const than = order.direction === 'ASC' ? '>' : '<';
  const withoutValue: KeysetRange[] = order.nullable ? [(_, column) => `${column} IS NULL`] : [];
  if (after === null) return [(_, column) => (order.nullable ? `${column} IS NOT NULL` : 'true'), ...withoutValue];
  const { value, id } = after;
  if (order.column === 'id') return [(place, _, key) => `${key} ${than} ${place(id)}`];
  if (value === null) return [(place, column, key) => `${column} IS NULL AND ${key} ${than} ${place(id)}`];
  const beyond: KeysetRange = (place, column, key) =>
    `(${column}, ${key}) ${than} (${place(order.value(value))}, ${place(id)})`;
  return [beyond, ...withoutValue];
}

/** The properties in the column `facets`: one digit for each that has few values. */
export interface Facets {
  /** Null means not rated. */
  readonly rating: number | null;
  readonly aspect: 'portrait' | 'square' | 'landscape';
  readonly located: boolean;
  readonly tagged: boolean;
  readonly favorite: boolean;
}

const RATINGS = [null, 0, 1, 2, 3, 4, 5] as const;
const ASPECTS = ['portrait', 'square', 'landscape'] as const;
const NO_YES = [false, true] as const;

/** Every combination, at the index that is its number. */
const all: readonly Facets[] = NO_YES.flatMap((favorite) =>
  RATINGS.flatMap((rating) =>
    ASPECTS.flatMap((aspect) =>
      NO_YES.flatMap((located) => NO_YES.map((tagged) => ({ favorite, rating, aspect, located, tagged }))),
    ),
  ),
);

/** The numbers that these filters accept; undefined when they accept all. */
export function facetsOf(filters: PhotoFilters): readonly number[] | undefined {
  const { minRating, aspect, hasLocation, untagged, favorite } = filters;
  if ([minRating, aspect, hasLocation, untagged, favorite].every((filter) => filter === undefined)) return undefined;
  const fits = (facets: Facets) =>
    (minRating === undefined || (facets.rating !== null && facets.rating >= minRating)) &&
    (aspect ?? facets.aspect) === facets.aspect &&
    (hasLocation ?? facets.located) === facets.located &&
    untagged !== facets.tagged &&
    (favorite ?? facets.favorite) === facets.favorite;
  return all.flatMap((facets, number) => (fits(facets) ? [number] : []));
}

/** Returns what a number of the column means. */
export function facetsNumbered(number: number): Facets {
  const facets = all[number];
  if (facets === undefined) throw new Error(`There are no facets ${number}.`);
  return facets;
}

/** Filters by a part of a name, each with an index on its key and `createdAt`, and another on the key and `id`. */
export const namedFields = ['camera', 'creator'] as const satisfies readonly (keyof PhotoFilters)[];
export type NamedField = (typeof namedFields)[number];

/** The columns of the folded names, and what a row `table` must fulfil to be in the indexes. */
export const keyColumns = {
  camera: { column: 'camera_key', isGiven: () => 'true' },
  creator: { column: 'creator_key', isGiven: (table) => `${table}.creator_key > ''` },
} as const satisfies Readonly<Record<NamedField, { column: string; isGiven: (table: string) => string }>>;

/** More names are not looked through. */
const MAX_NAMES = 2000;

/** The customer's names with this text in them, found by a loose index scan; null where there are too many names. */
export async function keysWith(
  manager: EntityManager,
  customerId: Id,
  field: NamedField,
  part: string,
): Promise<readonly string[] | null> {
  const { column, isGiven } = keyColumns[field];
  const rows = await select<{ key: string; fits: boolean }>(
    manager,
    `WITH RECURSIVE names AS (
       (SELECT p.trashed, p.${column} FROM photos p WHERE p.customer_id = $1 AND ${isGiven('p')} ORDER BY p.trashed, p.${column} LIMIT 1)
       UNION ALL
       SELECT following.* FROM names n, LATERAL (
         SELECT p.trashed, p.${column} FROM photos p
         WHERE p.customer_id = $1 AND ${isGiven('p')} AND (p.trashed, p.${column}) > (n.trashed, n.${column})
         ORDER BY p.trashed, p.${column} LIMIT 1
       ) following
     )
     SELECT ${column} AS key, strpos(${column}, $2) > 0 AS fits FROM names LIMIT ${MAX_NAMES + 1}`,
    [customerId, part],
  );
  return rows.length > MAX_NAMES ? null : [...new Set(rows.flatMap(({ key, fits }) => (fits ? [key] : [])))];
}
