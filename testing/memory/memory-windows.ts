import type { PageWindow, Position } from '../../src/core/shared/pagination.js';
import { compareText } from '../../src/core/shared/text.js';

/** Sorts rows by position, nulls last in both directions and ids in the direction of the sort, and cuts out a window. */
export function windowOf<T>(
  rows: readonly T[],
  position: (row: T) => Position,
  descending: boolean,
  { after, limit }: PageWindow,
): T[] {
  const order = (a: Position, b: Position) => compare(a, b, descending);
  return rows
    .map((row) => ({ row, at: position(row) }))
    .filter(({ at }) => after === null || order(at, after) > 0)
    .sort((a, b) => order(a.at, b.at))
    .slice(0, limit)
    .map(({ row }) => row);
}

function compare(a: Position, b: Position, descending: boolean): number {
  if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1;
  const ascending = compareValues(a.value, b.value) || a.id - b.id;
  return descending ? -ascending : ascending;
}

function compareValues(a: Position['value'], b: Position['value']): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : 0;
}
