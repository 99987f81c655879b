import {
  instant,
  jsonColumns,
  jsonReader,
  key,
  optionalInstant,
  real,
  tableOf,
  text,
} from '../../src/adapters/typeorm/database/sql.js';

interface PlaceRow {
  readonly id: number;
  readonly placeName: string;
  readonly nameKey: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
}

interface Place extends Pick<PlaceRow, 'id' | 'placeName' | 'createdAt' | 'closedAt'> {
  readonly position: { readonly east: number; readonly north: number } | null;
}

const table = tableOf<PlaceRow>('place', 'places', {
  id: key,
  placeName: text,
  nameKey: { ...text, select: false },
  latitude: real,
  longitude: real,
  createdAt: instant,
  closedAt: optionalInstant,
});

const placeOf = jsonReader<PlaceRow, Place>(table, {
  position: { east: 'longitude', north: 'latitude' },
});

test('a row as JSON has the selected columns of the table', () => {
  expect(jsonColumns(table, 'p')).toBe('p.id, p.place_name, p.latitude, p.longitude, p.created_at, p.closed_at');
});

test('the reader of JSON rows makes dates of instants, and an object of columns that belong together, or null', () => {
  const [createdAt, closedAt] = ['2026-03-01T12:00:00.123+00:00', '2026-03-02T00:00:00+00:00'];
  const place = { id: 7, placeName: 'Sea', position: { east: 2, north: 1 }, createdAt: new Date(createdAt) };
  expect(placeOf([7, 'Sea', 1, 2, createdAt, null])).toEqual({ ...place, closedAt: null });
  expect(placeOf([7, 'Sea', 1, 2, createdAt, closedAt])).toEqual({ ...place, closedAt: new Date(closedAt) });
  expect(placeOf([7, 'Sea', null, null, createdAt, null])).toEqual({ ...place, position: null, closedAt: null });
});
