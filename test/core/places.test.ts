import { editPhoto } from '../../src/core/photos/edit-photo.js';
import { listPhotos } from '../../src/core/photos/list-photos.js';
import { countryName, placeNames } from '../../src/core/photos/places.js';
import { Account, picture, type World, world } from '../support/core-world.js';
import { sampleFacts } from '../support/samples.js';

const paris = { latitude: 48.8584, longitude: 2.2945, altitude: null };
const london = { latitude: 51.5007, longitude: -0.1246, altitude: null };
const sea = { latitude: 0, longitude: -30, altitude: null };

let ports: World;
let acme: Account;
beforeEach(async () => {
  ports = world();
  acme = await Account.open(ports);
});

it('a photo gets the place of the location in its file', async () => {
  const photo = await acme.addPhoto(picture('a.jpg', { ...sampleFacts(), location: paris }));
  expect(photo.place).toEqual({ country: 'FR', region: 'Île-de-France', city: 'Paris' });
});

it('a photo without a location, or taken at sea, has no place', async () => {
  expect((await acme.addPhoto(picture('a.jpg', { ...sampleFacts(), location: null }))).place).toBeNull();
  expect((await acme.addPhoto(picture('b.jpg', { ...sampleFacts(), location: sea }))).place).toBeNull();
});

it('the place of a photo follows its location, and can be searched for', async () => {
  const { id } = await acme.addPhoto(picture('a.jpg', { ...sampleFacts(), location: paris }));
  const moved = await editPhoto(ports, acme.caller, id, { location: london });
  expect(moved.place?.city).toBe('London');
  expect((await editPhoto(ports, acme.caller, id, { title: 'Big Ben' })).place?.city).toBe('London');
  const found = await listPhotos(ports, acme.caller, {
    filters: { country: 'GB', trashed: 'false' },
    sort: 'id',
    limit: 10,
    cursor: null,
  });
  expect(found.data.map((photo) => photo.id)).toEqual([id]);
  expect((await editPhoto(ports, acme.caller, id, { location: null })).place).toBeNull();
});

it.each([
  ['FR', 'France'],
  ['GU', 'Guam'],
  ['XK', 'Kosovo'],
  ['ZZ', 'Unknown Region'],
  ['', ''],
  ['undefined', 'undefined'],
])('the country of code %s is %s', (code, name) => {
  expect(countryName(code)).toBe(name);
});

it('a place is named once', () => {
  const singapore = { country: 'SG', region: null, city: 'Singapore' };
  expect(placeNames(singapore)).toEqual(['Singapore']);
});
