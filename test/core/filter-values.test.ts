import { MAX_COUNTED, readFilterValues } from '../../src/core/photos/filter-values.js';
import { type World, world } from '../support/core-world.js';
import { Tenant } from '../support/tenant.js';

let here: World;
let acme: Tenant;
beforeEach(async () => {
  here = world();
  acme = await Tenant.of(here);
});

const values = (trashed = false) => readFilterValues(here, { customerId: acme.id }, { trashed });

test('filter values of ratings count photos with at least that many stars, and leave out unused values', async () => {
  await acme.addPhotos([{ rating: 5 }, { rating: 3 }, { rating: 0 }, {}]);
  const { ratings, aspects, located } = await values();
  expect(ratings).toEqual([
    { value: '1', photos: 2 },
    { value: '2', photos: 2 },
    { value: '3', photos: 2 },
    { value: '4', photos: 1 },
    { value: '5', photos: 1 },
  ]);
  expect([aspects, located]).toEqual([[{ value: 'landscape', photos: 4 }], { yes: 0, no: 4 }]);
  expect((await values(true)).aspects).toEqual([]);
});

test('filter values of several kinds that have one value are counted together, up to the limit', async () => {
  const half = Array.from({ length: MAX_COUNTED / 2 + 1 }, () => ({}));
  await acme.addPhotos([...half, ...half.map(() => ({ rating: 1 }))]);
  const { contentTypes, ratings } = await values();
  expect(contentTypes).toEqual([{ value: 'image/jpeg', photos: MAX_COUNTED }]);
  expect(ratings).toEqual([{ value: '1', photos: MAX_COUNTED / 2 + 1 }]);
});

test('filter values of countries, cameras and lenses are in the order of their names', async () => {
  const inCountry = (country: string) => ({ place: { country, region: null, city: null } });
  const camera = (make: string, lens: string | null = null) => ({ camera: { make, model: null, lens } });
  await acme.addPhotos([inCountry('DE'), inCountry('FR'), inCountry('DZ'), camera('Nikon')]);
  await acme.addPhotos([camera('Canon', 'RF 50mm'), camera('Canon', 'EF 24mm'), camera('Canon', '---')]);
  const { countries, cameras, lenses } = await values();
  // Algeria, France, Germany
  expect(countries.map(({ value }) => value)).toEqual(['DZ', 'FR', 'DE']);
  expect(cameras.map(({ value }) => value)).toEqual(['Canon', 'Nikon']);
  // No word of the last could be searched for.
  expect(lenses.map(({ value }) => value)).toEqual(['EF 24mm', 'RF 50mm']);
});
