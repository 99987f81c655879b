import { column, jsonColumns, placesOf, tableOf } from '../../src/adapters/typeorm/database/sql.js';

interface PlaceRow {
  readonly id: number;
  readonly placeName: string;
  readonly nameKey: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
}

const table = tableOf<PlaceRow>('place', 'places', {
  id: column.key,
  placeName: column.text,
  nameKey: { ...column.text, select: false },
  latitude: column.real,
  longitude: column.real,
  createdAt: column.instant,
  closedAt: column.optionalInstant,
});

test('a row as JSON has the selected columns of the table', () => {
  expect(jsonColumns(table, 'p')).toBe('p.id, p.place_name, p.latitude, p.longitude, p.created_at, p.closed_at');
});

test('the place of a column in a row as JSON is that of its name among those columns', () => {
  const names = ['id', 'placeName', 'latitude', 'longitude', 'createdAt', 'closedAt'];
  expect(placesOf(table)).toEqual(Object.fromEntries(names.map((name, at) => [name, at])));
});
