import type { Gazetteer } from '../../src/core/photos/places.js';

/** What every gazetteer knows, however few its places. */
export function gazetteerContract(open: () => Promise<Gazetteer>): void {
  let gazetteer: Gazetteer;
  beforeAll(async () => {
    gazetteer = await open();
  });

  it.each([
    ['a city', 48.8584, 2.2945, { country: 'FR', region: 'Île-de-France', city: 'Paris' }],
    ['another', 51.5007, -0.1246, { country: 'GB', region: 'England', city: 'London' }],
    ['a territory with a code of its own', 13.4745, 144.7504, { country: 'GU', region: 'Hagatna', city: 'Hagåtña' }],
    ['a country without a city nearby', -90, 0, { country: 'AQ', region: null, city: null }],
    ['the sea', -48.876, -123.393, null],
    ['the north pole', 90, 0, null],
  ])('%s', async (_, latitude, longitude, place) => {
    expect(await gazetteer.placeOf({ latitude, longitude })).toEqual(place);
  });

  it('many places are found at once', async () => {
    const asked = Array.from({ length: 20 }, () => gazetteer.placeOf({ latitude: 48.8584, longitude: 2.2945 }));
    expect(new Set((await Promise.all(asked)).map((place) => place?.city))).toEqual(new Set(['Paris']));
  });
}
