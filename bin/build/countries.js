import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

const SOURCE = `Countries of IP addresses: statistics of the regional internet registries, Number Resource Organization, https://www.nro.net,
CC BY 4.0, https://creativecommons.org/licenses/by/4.0/

Their reader, iptocc, https://github.com/roniemartinez/IPToCC:

`;

/** Writes the countries in which IP addresses are registered, with what reads them, as `countries.wasm`. */
export function writeCountries(target) {
  const folder = dirname(require.resolve('@roniemartinez/iptocc/web'));
  mkdirSync(target, { recursive: true });
  copyFileSync(join(folder, 'iptocc_wasm_bg.wasm'), join(target, 'countries.wasm'));
  writeFileSync(join(target, 'licence.txt'), `${SOURCE}${readFileSync(join(folder, 'LICENSE-MIT'), 'utf8')}`);
}
