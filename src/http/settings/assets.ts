import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = new URL('./assets/', import.meta.url);
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The hash that browsers reckon where they have none of their own: its package's files, which name each other. */
const hash = pathToFileURL(createRequire(import.meta.url).resolve('@noble/hashes/sha2.js'));
const hashFiles = ['sha2.js', '_md.js', '_u64.js', 'utils.js'];

/** Everything in `assets/`, as it stands there, and the hash in a folder of its own. */
const assets: ReadonlyMap<string, Asset> = new Map([
  ...readdirSync(folder).map((name) => [name, read(new URL(name, folder))] as const),
  ...hashFiles.map((name) => [`noble-hashes/${name}`, read(new URL(name, hash))] as const),
]);

function read(file: URL): Asset {
  return { type: types[extname(file.pathname)] ?? 'application/octet-stream', bytes: readFileSync(file) };
}

/** Part of every address of an asset: with other bytes they have other addresses, so browsers may keep them for ever. */
const version = [...assets.values()]
  .reduce((sum, { bytes }) => sum.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 12);

export function findAsset(name: string): Asset | undefined {
  return assets.get(name);
}

/** The address of a file of `assets/`. Throws when there is none: a page would be without its style or script. */
export function assetUrl(name: string): string {
  if (!assets.has(name)) throw new Error(`There is no asset ${name}.`);
  return `/settings/assets/${version}/${name}`;
}
