import pg from 'pg';

const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMPTZ = 1184;

const parseNumbers = (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));
const parseAnyInstant: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ);

/** Every connection has UTC and ISO dates, so all but years before Christ and after 9999 look like `2026-03-01 12:00:00.123+00`: half the time of pg's own. */
function parseInstant(text: string): unknown {
  const isPlain = text[4] === '-' && text[10] === ' ' && text.endsWith('+00');
  return isPlain ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseAnyInstant(text);
}

/** How pg reads values. Ids and sizes stay below 2^53, so they are numbers. */
export function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return Number;
  if (oid === INT8_ARRAY) return parseNumbers;
  if (oid === TIMESTAMPTZ) return parseInstant;
  return pg.types.getTypeParser(oid, format as 'text');
}
