import pg from 'pg';

const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMPTZ = 1184;

const parseNumbers = (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
const parseAnyInstant: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ);

/** An instant in a JSON document, for example `2026-03-01T12:00:00.123+00:00`: every connection uses UTC. */
export function instantOf(text: string): Date {
  // All except years BC and after 9999 are as JavaScript writes them.
  if (text[4] === '-' && text.endsWith('+00:00')) return new Date(text);
  return parseAnyInstant(text.replace('T', ' ').replace('+00:00', '+00'));
}

/** How pg reads values. Ids and sizes stay below 2^53, so they are numbers. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return Number;
  if (oid === INT8_ARRAY) return parseNumbers;
  return pg.types.getTypeParser(oid, format as 'text');
}
