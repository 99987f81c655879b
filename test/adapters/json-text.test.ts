import {
  bigWhole,
  instant,
  key,
  optionalText,
  real,
  tableOf,
  yesOrNo,
} from '../../src/adapters/typeorm/database/columns.js';
import { jsonText } from '../../src/adapters/typeorm/database/json-text.js';

interface PlaceRow {
  readonly id: number;
  readonly placeName: string | null;
  readonly latitude: number | null;
  readonly isOpen: boolean;
  readonly createdAt: Date;
}

const table = tableOf<PlaceRow>('place', 'places', {
  id: key,
  placeName: optionalText,
  latitude: real,
  isOpen: yesOrNo,
  createdAt: instant,
});
const fields = { objects: { position: { north: 'latitude' } }, others: { visits: 'v.visits' } } as const;

test('fields are columns, objects of columns, and what other tables say', () => {
  const shape = { id: true, isOpen: true, visits: { id: true }, position: { north: true } } as const;
  expect(jsonText(table, 'p', shape, fields)).toBe(
    `concat('{"id":', p.id, ',"isOpen":', p.is_open::text, ',"visits":', v.visits, ',"position":', ` +
      `CASE WHEN p.latitude IS NULL THEN 'null' ELSE concat('{"north":', coalesce((p.latitude + 0)::text, 'null')) || '}' END) || '}'`,
  );
});

test('what may be null is null in JSON', () => {
  expect(jsonText(table, 'p', { placeName: true }, fields)).toBe(
    `concat('{"placeName":', coalesce((to_json(p.place_name))::text, 'null')) || '}'`,
  );
});

test('a field that nothing stores is an error', () => {
  expect(() => jsonText(table, 'p', { colour: true }, fields)).toThrow('places has no column for colour');
});

test('there may be more fields than a function takes arguments', () => {
  const names = Array.from({ length: 120 }, (_, at) => `field${at}`);
  const wide = tableOf<Record<string, number>>(
    'wide',
    'wide',
    Object.fromEntries(names.map((name) => [name, bigWhole])),
  );
  const sql = jsonText(wide, 'w', Object.fromEntries(names.map((name) => [name, true])), { objects: {}, others: {} });
  const calls = sql.split(' || ').slice(0, -1);
  expect(calls.map((call) => call.split(', ').length)).toEqual([100, 100, 40]);
});
