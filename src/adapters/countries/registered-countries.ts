import { readFile } from 'node:fs/promises';
import { type IpCountries, normalizeAddress } from '../../core/access/ip-list.js';
import { Lazy } from '../shared-work.js';

const builtFolder = new URL('./register/', import.meta.url);
/** The codes that registries write where they name no country: the European Union, Asia and the Pacific, none at all. */
const NO_COUNTRIES: readonly string[] = ['EU', 'AP', 'ZZ'];

type Register = (address: string) => string | null;

/**
 * Countries as the five regional internet registries have them, by the package `iptocc`: a reader and its data in one WebAssembly module. It
 * is loaded at the first question, as most processes are never asked.
 */
export class RegisteredCountries implements IpCountries {
  readonly #register: Lazy<Register>;

  /** @param folder What `bin/build/datasets.js` has written. */
  constructor(folder: URL = builtFolder) {
    this.#register = new Lazy(() => open(folder));
  }

  async countryOf(address: string): Promise<string | null> {
    const normal = normalizeAddress(address);
    if (normal === null) return null;
    const country = (await this.#register.get())(normal);
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
