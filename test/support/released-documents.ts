import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDocument } from './breaking-changes.js';

const folder = join(__dirname, '../../docs/openapi');

/** What each release documented, oldest first: those that clients may have been written for. */
export function releasedDocuments(name: string): { readonly version: string; readonly document: ApiDocument }[] {
  const parts = (version: string) => version.split('.').map(Number);
  return readdirSync(folder)
    .flatMap((file) => new RegExp(`^${name}-([0-9.]+)\\.json$`).exec(file)?.[1] ?? [])
    .sort((a, b) => parts(a).reduce((order, part, at) => order || part - (parts(b)[at] ?? 0), 0))
    .map((version) => ({
      version,
      document: JSON.parse(readFileSync(join(folder, `${name}-${version}.json`), 'utf8')),
    }));
}
