import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { notFound } from '../core/shared/errors.js';
import { NoKeyRequired } from '../http/access.js';
import { shapeStyles } from './picture.js';

const folder = new URL('./assets/', import.meta.url);
const packages = createRequire(import.meta.url);
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The SHA-256 implementation for browsers that offer none to the page: the files of its package, which import each other. */
const hash = pathToFileURL(packages.resolve('@noble/hashes/sha2.js'));

/** The script that draws the blurred previews of photos: its package is this file. */
const thumbhash = pathToFileURL(packages.resolve('thumbhash'));

/** The typeface, for the languages with Latin letters; others are displayed in a typeface of the reader's system. */
const typeface = pathToFileURL(packages.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'));

/**
 * Everything in `assets/`, the typeface, the hash in its own folder, and the blurred previews. Scripts have the names that the build gives them; run from
 * the sources, as tests do where no browser is, some of them are still TypeScript.
 */
const assets: ReadonlyMap<string, Asset> = new Map([
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) !== '' && !name.endsWith('.d.ts'))
    .map((name) => asset(name.replace(/\.ts$/, '.js'), new URL(name, folder))),
  asset('styles/photo-grid.css', new URL('styles/photo-grid.css', folder), shapeStyles),
  ...['sha2.js', '_md.js', '_u64.js', 'utils.js'].map((name) => asset(`noble-hashes/${name}`, new URL(name, hash))),
  asset('thumbhash.js', thumbhash),
  ...['inter-latin-wght-normal.woff2', 'inter-latin-ext-wght-normal.woff2'].map((name) =>
    asset(`styles/${name}`, new URL(name, typeface)),
  ),
]);

function asset(name: string, file: URL, end = ''): readonly [string, Asset] {
  const bytes = Buffer.concat([readFileSync(file), Buffer.from(end)]);
  return [name, { type: types[extname(name)] ?? 'application/octet-stream', bytes }];
}

/** Part of every address of an asset: different bytes get different addresses, so browsers may cache them indefinitely. */
export const assetsVersion = [...assets.values()]
  .reduce((sum, { bytes }) => sum.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 12);

export function findAsset(name: string): Asset | undefined {
  return assets.get(name);
}

/** The address of a file of `assets/`. Throws when there is none: a page would lack its style or script. */
export function assetUrl(name: string): string {
  if (!assets.has(name)) throw new Error(`There is no asset ${name}.`);
  return `/settings/assets/${assetsVersion}/${name}`;
}

/** For a worker, which has the policy of its own file, not that of the page (HTML §10.2.4): it may import our other scripts, and do nothing else. */
const SCRIPT_POLICY =
  "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/**
 * Sends an asset. While nodes are updated one after another, one may be asked for the version of another: what it sends then must not be kept under
 * that address.
 */
export function sendAsset(response: Response, version: string, { type, bytes }: Asset): void {
  const isOurs = version === assetsVersion;
  response.setHeader('Cache-Control', isOurs ? 'public, max-age=31536000, immutable' : 'no-store');
  response.setHeader('Content-Type', type);
  response.end(bytes);
}

@Controller('settings/assets')
@NoKeyRequired()
export class AssetsController {
  @Get([':version/:name', ':version/:folder/:name'])
  show(
    @Param() { version, folder, name }: { version: string; folder?: string; name: string },
    @Res() response: Response,
  ): void {
    const asset = findAsset(folder === undefined ? name : `${folder}/${name}`);
    if (asset === undefined) throw notFound('asset');
    if (asset.type.startsWith('text/javascript')) response.setHeader('Content-Security-Policy', SCRIPT_POLICY);
    sendAsset(response, version, asset);
  }
}
