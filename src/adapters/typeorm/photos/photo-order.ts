import { type ListSort, NEAREST_FIRST } from '../../../core/photos/photo-query.js';
import type { Position } from '../../../core/shared/pagination.js';

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

export function orderOf(sort: ListSort): PhotoOrder {
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
    case NEAREST_FIRST:
      return { column: 'distance', direction, nullable: false, value: itself };
    case 'updatedAt':
      return { column: 'updated_at', direction, nullable: false, value: instantOf };
    default:
      return { column: 'created_at', direction, nullable: false, value: instantOf };
  }
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
