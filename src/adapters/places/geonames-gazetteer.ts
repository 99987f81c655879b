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

type Borders = (position: [longitude: number, latitude: number]) => string | null;

/**
 * Countries by the polygons of OpenStreetMap's contributors (@rapideditor/country-coder), cities and regions by GeoNames (CC BY 4.0). Both
 * are read at the first question: most processes are never asked.
 */
export class GeonamesGazetteer implements Gazetteer {
  readonly #cities: Lazy<Cities>;

  /** @param folder What `bin/build/datasets.js` has written. */
  constructor(folder: URL = builtFolder) {
    this.#cities = new Lazy(() => Cities.open(folder));
  }

  async placeOf({ latitude, longitude }: { latitude: number; longitude: number }): Promise<Place | null> {
    return (await this.#cities.get()).placeOf(longitude, latitude);
  }
}

class Cities {
  private constructor(
    private readonly borders: Borders,
    private readonly sphere: Pick<typeof import('geokdbush'), 'around' | 'distance'>,
    private readonly index: import('kdbush').default,
    /** Where the index has the coordinates of each city. */
    private readonly positions: Uint32Array,
    private readonly names: Lines,
    /** Two letters each. */
    private readonly countries: string,
    private readonly regions: Lines,
    /** The number of each city's region, or -1; then the number of each city's people. */
    private readonly numbers: Int32Array,
  ) {}

  static async open(folder: URL): Promise<Cities> {
    const [{ feature }, sphere, { default: KDBush }] = await Promise.all([
      import('@rapideditor/country-coder'),
      import('geokdbush'),
      import('kdbush'),
    ]);
    const read = (name: string) => readFile(new URL(name, folder));
    // A buffer of its own: small files come in one that others share.
    const bytes = async (name: string) => new Uint8Array(await read(name)).buffer;
    const [written, names, countries, regions, numbers] = await Promise.all([
      bytes('index'),
      read('names.txt'),
      read('countries.txt'),
      read('regions.txt'),
      bytes('numbers'),
    ]);
    // Territories have codes of their own, Guam is GU; but some codes are not of the standard: EA is in ES.
    const borders: Borders = (position) => {
      const territory = feature(position, { level: 'territory' })?.properties;
      const country = territory?.isoStatus === 'official' ? territory : feature(position)?.properties;
      return country?.iso1A2 ?? null;
    };
    const index = KDBush.from(written);
    const positions = new Uint32Array(index.numItems);
    for (const [position, city] of index.ids.entries()) positions[city] = position;
    return new Cities(
      borders,
      sphere,
      index,
      positions,
      new Lines(names),
      countries.toString(),
      new Lines(regions),
      new Int32Array(numbers),
    );
  }

  placeOf(longitude: number, latitude: number): Place | null {
    // 180° east is 180° west, but borders end there.
    const across = () => (Math.abs(longitude) === 180 ? this.borders([-longitude, latitude]) : null);
    const country = this.borders([longitude, latitude]) ?? across();
    if (country === null) return null;
    const city = this.#cityNear(longitude, latitude, country);
    if (city === undefined) return { country, region: null, city: null };
    return { country, region: this.regions.at(this.numbers[city] ?? -1), city: this.names.at(city) };
  }

  /**
   * The city in whose reach a position is, or else the nearest. Reach counts in radii, so that a suburb has its own name and the edge of a
   * capital the capital's.
   */
  #cityNear(longitude: number, latitude: number, country: string): number | undefined {
    const isInCountry = (city: number) => this.countries.slice(2 * city, 2 * city + 2) === country;
    const nearby = this.sphere.around(this.index, longitude, latitude, NEARBY, FAR, isInCountry);
    let [best, least] = [nearby[0], REACH];
    for (const city of nearby) {
      const at = 2 * (this.positions[city] ?? 0);
      const [x = 0, y = 0] = [this.index.coords[at], this.index.coords[at + 1]];
      const people = this.numbers[this.index.numItems + city] ?? 0;
      const radius = Math.max(VILLAGE, Math.sqrt(people / DENSITY / Math.PI));
      const radii = this.sphere.distance(longitude, latitude, x, y) / radius;
      if (radii < least) [best, least] = [city, radii];
    }
    return best;
  }
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
