import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

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

/** Everything in `assets/`, as it stands there. */
const assets: ReadonlyMap<string, Asset> = new Map(
  readdirSync(folder).map((name) => {
    const bytes = readFileSync(new URL(name, folder));
    return [name, { type: types[extname(name)] ?? 'application/octet-stream', bytes }];
  }),
);

/** Part of every address of an asset: with other bytes they have other addresses, so browsers may keep them for ever. */
const version = [...assets.values()]
  .reduce((hash, { bytes }) => hash.update(bytes), createHash('sha256'))
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
