import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeGazetteer } from '../../bin/build/datasets.js';
import { GeonamesGazetteer } from '../../src/adapters/places/geonames-gazetteer.js';
import { gazetteerContract } from '../contracts/gazetteer.contract.js';

describe('places by borders and GeoNames', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gazetteer-'));
  const gazetteer = new GeonamesGazetteer(pathToFileURL(`${folder}/`));
  beforeAll(() => writeGazetteer(folder));
  afterAll(() => rmSync(folder, { recursive: true }));

  gazetteerContract(async () => gazetteer);

  it.each([
    ['a suburb keeps its own name', 48.8397, 2.2399, 'FR Boulogne-Billancourt'],
    ['the edge of a capital has its name', 48.8462, 2.2822, 'FR Paris'],
    ['one side of a border', 47.5596, 7.5886, 'CH Basel'],
    ['the other side', 47.5934, 7.6147, 'DE Weil am Rhein'],
    ['an exclave in another country', 51.4399, 4.9295, 'BE Baarle-Hertog'],
    ['a country within a city', 41.9022, 12.4534, 'VA Vatican City'],
    ['an island', 78.22, 15.65, 'SJ Longyearbyen'],
    ['an island of a country far away', 21.3, -157.85, 'US Honolulu'],
    ['a code that is not of the standard', 35.889, -5.321, 'ES Ceuta'],
    ['a ship in a harbour', 51.95, 4.05, 'NL Oostvoorne'],
    ['west of the date line', -16.8, 179.99, 'FJ Labasa'],
    ['east of it', -16.8, -179.95, 'FJ Labasa'],
    ['on it', -16.8, 180, 'FJ Labasa'],
    ['on it, from the other side', -16.8, -180, 'FJ Labasa'],
    ['a ship between countries', 50.1, -1.5, null],
    ['a desert', 23.5, -5, 'ML Taoudenni'],
    ['ice', -75, 120, 'AQ null'],
  ])('%s', async (_, latitude, longitude, expected) => {
    const place = await gazetteer.placeOf({ latitude, longitude });
    expect(place && `${place.country} ${place.city}`).toBe(expected);
  });

  it('is read from its files again when reading failed the first time', async () => {
    const away = `${folder}-away`;
    renameSync(folder, away);
    const other = new GeonamesGazetteer(pathToFileURL(`${folder}/`));
    const position = { latitude: 48.8462, longitude: 2.2822 };
    await expect(other.placeOf(position)).rejects.toThrow('ENOENT');
    renameSync(away, folder);
    expect(await other.placeOf(position)).toMatchObject({ city: 'Paris' });
  });

  it('says that the country has no city nearby, and no region', async () => {
    expect(await gazetteer.placeOf({ latitude: -75, longitude: 120 })).toEqual({
      country: 'AQ',
      region: null,
      city: null,
    });
  });

  it('are found, or null, for every position of the earth', async () => {
    for (let latitude = -90; latitude <= 90; latitude += 7.5) {
      for (let longitude = -180; longitude <= 180; longitude += 7.5) {
        const place = await gazetteer.placeOf({ latitude, longitude });
        expect(place === null || /^[A-Z]{2}$/.test(place.country)).toBe(true);
      }
    }
  });
});
