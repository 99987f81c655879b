import { readFile } from 'node:fs/promises';
import type { Gazetteer, Place } from '../../core/photos/places.js';
import { Lazy } from '../shared-work.js';

const builtFolder = new URL('./gazetteer/', import.meta.url);
/** Kilometres beyond which a city does not name a position. */
const FAR = 200;
/** Number of the nearest cities that are compared. */
const NEARBY = 60;
/** People for each square kilometre of a city: with them, a city's number of people gives the radius to which it reaches. */
const DENSITY = 4000;
/** Kilometres: the least that a village reaches. */
const VILLAGE = 0.5;
/** In radii: cities are not round. Farther out, the nearest city names a position. */
const REACH = 1.5;

/**
 * Countries by the polygons of OpenStreetMap's contributors (@rapideditor/country-coder), cities and regions by GeoNames (CC BY 4.0). Both
 * are read at the first question: most processes are never asked.
 */
export class GeonamesGazetteer implements Gazetteer {
  readonly #places: Lazy<(longitude: number, latitude: number) => Place | null>;

  /** @param folder What `bin/build/datasets.js` has written. */
  constructor(folder: URL = builtFolder) {
    this.#places = new Lazy(() => openPlaces(folder));
  }

  async placeOf({ latitude, longitude }: { latitude: number; longitude: number }): Promise<Place | null> {
    return (await this.#places.get())(longitude, latitude);
  }
}

async function openPlaces(folder: URL) {
  const [{ feature }, sphere, { default: KDBush }] = await Promise.all([
    import('@rapideditor/country-coder'),
    import('geokdbush'),
    import('kdbush'),
  ]);
  const read = (name: string) => readFile(new URL(name, folder));
  // A buffer of its own: small files come in one that others share.
  const bytes = async (name: string) => new Uint8Array(await read(name)).buffer;
  const index = KDBush.from(await bytes('index'));
  const names = new Lines(await read('names.txt'));
  /** Two letters each. */
  const countries = (await read('countries.txt')).toString();
  const regions = new Lines(await read('regions.txt'));
  /** The number of each city's region, or -1; then the number of each city's people. */
  const numbers = new Int32Array(await bytes('numbers'));
  /** Where the index has the coordinates of each city. */
  const positions = new Uint32Array(index.numItems);
  for (const [position, city] of index.ids.entries()) positions[city] = position;

  // Territories have codes of their own, Guam is GU; but some codes are not of the standard: EA is in ES.
  const countryAt = (position: [number, number]): string | null => {
    const territory = feature(position, { level: 'territory' })?.properties;
    const country = territory?.isoStatus === 'official' ? territory : feature(position)?.properties;
    return country?.iso1A2 ?? null;
  };

  /**
   * The city in whose reach a position is, or else the nearest. Reach counts in radii, so that a suburb has its own name and the edge of a
   * capital the capital's.
   */
  const cityNear = (longitude: number, latitude: number, country: string): number | undefined => {
    const isInCountry = (city: number) => countries.slice(2 * city, 2 * city + 2) === country;
    const nearby = sphere.around(index, longitude, latitude, NEARBY, FAR, isInCountry);
    let [best, least] = [nearby[0], REACH];
    for (const city of nearby) {
      const at = 2 * (positions[city] ?? 0);
      const [x = 0, y = 0] = [index.coords[at], index.coords[at + 1]];
      const people = numbers[index.numItems + city] ?? 0;
      const radius = Math.max(VILLAGE, Math.sqrt(people / DENSITY / Math.PI));
      const radii = sphere.distance(longitude, latitude, x, y) / radius;
      if (radii < least) [best, least] = [city, radii];
    }
    return best;
  };

  return (longitude: number, latitude: number): Place | null => {
    // 180° east is 180° west, but borders end there.
    const across = () => (Math.abs(longitude) === 180 ? countryAt([-longitude, latitude]) : null);
    const country = countryAt([longitude, latitude]) ?? across();
    if (country === null) return null;
    const city = cityNear(longitude, latitude, country);
    if (city === undefined) return { country, region: null, city: null };
    return { country, region: regions.at(numbers[city] ?? -1), city: names.at(city) };
  };
}

/** The lines of a text in UTF-8, of which few are ever asked for. */
class Lines {
  readonly #ends: number[] = [];

  constructor(private readonly text: Buffer) {
    for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, end + 1)) this.#ends.push(end);
    this.#ends.push(text.length);
  }

  /** Null where there is no such line; the first is 0. */
  at(line: number): string | null {
    const end = this.#ends[line];
    return end === undefined ? null : this.text.toString('utf8', line === 0 ? 0 : (this.#ends[line - 1] ?? 0) + 1, end);
  }
}
