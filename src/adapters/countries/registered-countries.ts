import { readFile } from 'node:fs/promises';
import type { IpCountries } from '../../core/access/ip-countries.js';
import { normalizeAddress } from '../../core/access/ip-list.js';

const builtFolder = new URL('./register/', import.meta.url);
/** What registries write where they name no country: the European Union, Asia and the Pacific, nobody. */
const NO_COUNTRIES: readonly string[] = ['EU', 'AP', 'ZZ'];

type Register = (address: string) => string | null;

/**
 * Countries as the five regional internet registries have them, by the package `iptocc`: a reader and its data in one WebAssembly module. It
 * is loaded at the first question, as most processes are never asked.
 */
export class RegisteredCountries implements IpCountries {
  #opened: Promise<Register> | null = null;

  /** @param folder What `bin/build/countries.js` has written. */
  constructor(private readonly folder: URL = builtFolder) {}

  async countryOf(address: string): Promise<string | null> {
    const normal = normalizeAddress(address);
    if (normal === null) return null;
    this.#opened ??= open(this.folder);
    const country = (await this.#opened)(normal);
    return country === null || NO_COUNTRIES.includes(country) ? null : country;
  }
}

async function open(folder: URL): Promise<Register> {
  const [{ initSync, country_code }, module] = await Promise.all([
    import('@roniemartinez/iptocc/web'),
    readFile(new URL('countries.wasm', folder)),
  ]);
  initSync({ module });
  return country_code;
}
