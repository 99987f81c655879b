import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ImportOptions, importUrls, type PhotoService, type UrlToImport } from 'photo-service-sdk';
import { stateFile } from 'photo-service-sdk/node';
import { UsageError } from '../exit-codes.js';
import type { RestoreResult } from '../export/restore-export.js';
import { type Login, stateFolder } from '../login.js';
import { folderSource } from '../sources/folder-source.js';
import {
  importSource,
  type PhotoSource,
  type SourceImportOptions,
  type SourceImportResult,
} from '../sources/photo-source.js';

/** The values of `phs import --from`. */
export const importNames = [
  'folder',
  'takeout',
  'immich',
  'photoprism',
  'flickr',
  's3',
  'photo-service',
  'urls',
] as const;
export type ImportName = (typeof importNames)[number];

interface OpenImport {
  run(client: PhotoService, options: SourceImportOptions): Promise<SourceImportResult & Partial<RestoreResult>>;
  close(): Promise<void>;
}

interface SourceOptions {
  readonly sidecars: boolean;
  readonly timeZone?: string;
  /** The paths to leave out of folders and buckets. */
  readonly exclude?: readonly string[] | undefined;
}

/**
 * Opens what is to be imported.
 * @throws UsageError for places that are not there.
 */
export async function openImport(
  name: ImportName,
  places: readonly string[],
  options: SourceOptions,
): Promise<OpenImport> {
  if (name === 'urls') {
    const urls = await readUrls(onlyOne(places));
    return { run: (client, settings) => importUrlList(client, urls, settings), close: () => Promise.resolve() };
  }
  const source = await openSource(name, places, options);
  const close = () => source.close();
  if (name !== 'photo-service') return { run: (client, settings) => importSource(client, source, settings), close };
  const { restoreExport } = await import('../export/restore-export.js');
  return { run: (client, settings) => restoreExport(client, onlyOne(places), settings), close };
}

/** Opens a source; what only one of them needs is loaded with it. */
async function openSource(
  name: Exclude<ImportName, 'urls'>,
  places: readonly string[],
  options: SourceOptions,
): Promise<PhotoSource> {
  if (name !== 'immich' && name !== 's3') await requirePaths(places);
  switch (name) {
    case 'folder':
      return folderSource(places, options);
    case 'takeout': {
      const { takeoutSource } = await import('../sources/takeout-source.js');
      return takeoutSource(places, { timeZone: options.timeZone ?? null });
    }
    case 'immich': {
      const { immichSource } = await import('../sources/immich-source.js');
      return immichSource(onlyOne(places), process.env['IMMICH_API_KEY']);
    }
    case 'photoprism': {
      const { photoprismSource } = await import('../sources/photoprism-source.js');
      return photoprismSource(places);
    }
    case 'flickr': {
      const { flickrSource } = await import('../sources/flickr-source.js');
      return flickrSource(places);
    }
    case 's3': {
      const { s3Settings, s3Source } = await import('../sources/s3-source.js');
      return s3Source(onlyOne(places), s3Settings(process.env), options);
    }
    case 'photo-service': {
      const { photoServiceSource } = await import('../export/restore-export.js');
      return photoServiceSource(onlyOne(places));
    }
  }
}

/** Requires every path to exist: a mistyped one is reported before the others are imported. */
async function requirePaths(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await stat(path).catch((error: NodeJS.ErrnoException) => {
      // What cannot be read is one file of many, and is said of that.
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') return;
      throw new UsageError(`There is no file or folder ${path}.`);
    });
  }
}

/** @throws UsageError for several places. */
function onlyOne(places: readonly string[]): string {
  const [place, ...others] = places;
  if (place === undefined || others.length > 0) throw new UsageError('Give exactly one place to import from.');
  return place;
}

/**
 * The URLs of a list, one on each line; empty lines and those that begin with # are left out. `-` is standard input.
 * @throws UsageError for a line that is not a URL. The message contains nothing of it: it may be a secret.
 */
export async function readUrls(path: string): Promise<readonly UrlToImport[]> {
  const lines = (await contentOf(path)).split('\n').map((line) => line.trim());
  return lines.flatMap((url, at) => {
    if (url === '' || url.startsWith('#')) return [];
    if (!URL.canParse(url)) throw new UsageError(`Line ${at + 1} of the list is not a URL.`);
    return { url };
  });
}

async function contentOf(path: string): Promise<string> {
  if (path === '-') return text(process.stdin);
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`The list ${path} cannot be read: ${error.code}.`);
  });
}

/** Has the service fetch files; nothing passes through this machine. */
export async function importUrlList(
  client: PhotoService,
  urls: readonly UrlToImport[],
  { stateFile: statePath, uploads: _, dryRun, ...options }: SourceImportOptions,
): Promise<SourceImportResult> {
  if (dryRun) throw new UsageError('--dry-run cannot compare files that are on another server.');
  const { failed, ...result } = await importUrls(client, urls, { ...options, memory: stateFile(statePath) });
  return {
    ...result,
    failed: failed.map(({ ref, code, message }) => ({ path: ref, code, message })),
    skipped: 0,
    skippedFiles: [],
    losses: [],
  };
}

/**
 * The file of the state (photo-service-sdk, import/import-state.ts), under `~/.local/state/photo-service/imports/`. One for each service, key,
 * source, set of paths and set of options: a run goes on only with what it was begun with, and never with
 * what was begun in another account.
 */
export function importStateFile(
  { url, token }: Login,
  from: ImportName,
  paths: readonly string[],
  options: ImportOptions,
): string {
  const { uploads: _, dryRun: __, tagDuplicates: ___, ...lasting } = options;
  const places = paths.map((path) => resolve(path)).sort();
  const what = JSON.stringify([url.replace(/\/{1,9}$/, ''), token, places, lasting, from]);
  return join(stateFolder(), 'imports', `${createHash('sha256').update(what).digest('hex').slice(0, 20)}.json`);
}
