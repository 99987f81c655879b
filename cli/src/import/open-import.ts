import { stat } from 'node:fs/promises';
import type { PhotoService } from 'photo-service-sdk';
import { UsageError } from '../exit-codes.js';
import type { RestoreResult } from '../export/restore-export.js';
import { folderSource } from '../sources/folder-source.js';
import { importSource, type SourceImportOptions, type SourceImportResult } from '../sources/import-source.js';
import type { PhotoSource } from '../sources/photo-source.js';

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
    const { importUrlList, readUrls } = await import('./url-list.js');
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
