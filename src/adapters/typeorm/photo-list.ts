import type { EntityManager } from 'typeorm';
import type { TaggedPhoto } from '../../core/photos/photo.js';
import type { PhotoFilters, PhotoQuery, PhotoSort } from '../../core/photos/photo-query.js';
import type { Id } from '../../core/shared/ids.js';
import type { Position } from '../../core/shared/page.js';
import { type PhotoRow, photoOf, photoTable } from './photo.table.js';
import { PhotoConditions } from './photo-conditions.js';
import { select, selected } from './rows.js';

/** A photo `p` as it is read, with its tags by name. */
export const taggedColumns = `${selected(photoTable, 'p')}, (
  SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY t.name_key, t.id), '[]')
  FROM photo_tags l JOIN tags t ON t.customer_id = l.customer_id AND t.id = l.tag_id
  WHERE l.customer_id = p.customer_id AND l.photo_id = p.id
) AS tags`;

interface SortKey {
  readonly column: string;
  readonly direction: 'ASC' | 'DESC';
  readonly nullable: boolean;
  /** From a cursor's value to the column's. */
  readonly value: (value: string | number) => unknown;
}

const instantOf = (milliseconds: string | number) => new Date(Number(milliseconds));
const itself = (value: string | number) => value;

function sortKey(sort: PhotoSort): SortKey {
  const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
  switch (sort) {
    case 'id':
    case '-id':
      return { column: 'id', direction, nullable: false, value: itself };
    case 'takenAt':
    case '-takenAt':
      return { column: 'taken_at', direction, nullable: true, value: instantOf };
    case 'filename':
    case '-filename':
      return { column: 'filename_key', direction, nullable: false, value: itself };
    case 'sizeBytes':
    case '-sizeBytes':
      return { column: 'size_bytes', direction, nullable: false, value: itself };
    case 'updatedAt':
      return { column: 'updated_at', direction, nullable: false, value: instantOf };
    default:
      return { column: 'created_at', direction, nullable: false, value: instantOf };
  }
}

/**
 * One page in one statement; one more for `words`, for `camera`, and where the photos without a value begin. In and out of the
 * trash are branches that one index each answers in order; the page is the beginning of the branches put together.
 */
export async function listPhotos(manager: EntityManager, customerId: Id, query: PhotoQuery): Promise<TaggedPhoto[]> {
  const { filters, sort, window } = query;
  const key = sortKey(sort);
  const conditions = await PhotoConditions.of(manager, customerId, filters);
  const photos: TaggedPhoto[] = [];
  for (const part of partsAfter(key, window.after)) {
    const limit = window.limit - photos.length;
    if (limit <= 0) break;
    const list = conditions.copy();
    const beyond = part(list);
    const branches = trashStates(filters).map(
      (state) =>
        `(SELECT p.id, p.${key.column} AS value FROM photos p WHERE ${list.all(state, beyond)}
          ORDER BY p.${key.column} ${key.direction}, p.id ${key.direction} LIMIT ${limit})`,
    );
    const rows = await select<PhotoRow>(
      manager,
      `SELECT ${taggedColumns} FROM (${branches.join(' UNION ALL ')}) page JOIN photos p ON p.customer_id = $1 AND p.id = page.id
       ORDER BY page.value ${key.direction}, page.id ${key.direction} LIMIT ${limit}`,
      list.values,
    );
    photos.push(...rows.map(photoOf<TaggedPhoto>));
  }
  return photos;
}

export async function isUnmoved(
  manager: EntityManager,
  customerId: Id,
  { filters, sort, position }: { filters: PhotoFilters; sort: PhotoSort; position: Position },
): Promise<boolean> {
  const key = sortKey(sort);
  const list = await PhotoConditions.of(manager, customerId, filters);
  const value = position.value === null ? 'IS NULL' : `= ${list.place(key.value(position.value))}`;
  const here = `p.id = ${list.place(position.id)} AND p.${key.column} ${value}`;
  const state = `(${trashStates(filters).join(' OR ')})`;
  const rows = await select(manager, `SELECT 1 FROM photos p WHERE ${list.all(state, here)}`, list.values);
  return rows.length > 0;
}

function trashStates({ trashed }: PhotoFilters): string[] {
  return trashed === 'any' ? ['NOT p.trashed', 'p.trashed'] : [trashed === 'true' ? 'p.trashed' : 'NOT p.trashed'];
}

type Part = (list: PhotoConditions) => string;

/** What lies after a position: the rest of the values, then the photos without one, which are last in both directions. */
function partsAfter(key: SortKey, after: Position | null): Part[] {
  const column = `p.${key.column}`;
  const than = key.direction === 'ASC' ? '>' : '<';
  const withoutValue: Part[] = key.nullable ? [() => `${column} IS NULL`] : [];
  if (after === null) return [() => (key.nullable ? `${column} IS NOT NULL` : 'true'), ...withoutValue];
  const { value, id } = after;
  if (value === null) return [(list) => `${column} IS NULL AND p.id ${than} ${list.place(id)}`];
  return [(list) => `(${column}, p.id) ${than} (${list.place(key.value(value))}, ${list.place(id)})`, ...withoutValue];
}
