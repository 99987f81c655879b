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

interface SourceOptions {
  readonly sidecars: boolean;
  readonly timeZone?: string;
  /** The paths to leave out of folders and buckets. */
  readonly exclude?: readonly string[] | undefined;
}

/** The way to open each source; what only one of them needs is loaded with it. */
const openers: Readonly<
  Record<
    Exclude<ImportName, 'urls'>,
    (places: readonly string[], options: SourceOptions) => PhotoSource | Promise<PhotoSource>
  >
> = {
  folder: folderSource,
  takeout: async (places, { timeZone = null }) =>
    (await import('../sources/takeout-source.js')).takeoutSource(places, { timeZone }),
  immich: async (places) =>
    (await import('../sources/immich-source.js')).immichSource(onlyOne(places), process.env['IMMICH_API_KEY']),
  photoprism: async (places) => (await import('../sources/photoprism-source.js')).photoprismSource(places),
  flickr: async (places) => (await import('../sources/flickr-source.js')).flickrSource(places),
  s3: async (places, options) => {
    const { s3Settings, s3Source } = await import('../sources/s3-source.js');
    return s3Source(onlyOne(places), s3Settings(process.env), options);
  },
  'photo-service': async (places) => (await import('../export/restore-export.js')).photoServiceSource(onlyOne(places)),
};

/**
 * Opens what is to be imported.
 * @throws UsageError for places that are not there.
 */
export async function openImport(
  name: ImportName,
  places: readonly string[],
  options: SourceOptions,
): Promise<{
  run(client: PhotoService, options: SourceImportOptions): Promise<SourceImportResult & Partial<RestoreResult>>;
  close?(): Promise<void>;
}> {
  if (name === 'urls') {
    const { importUrlList, readUrls } = await import('./url-list.js');
    const urls = await readUrls(onlyOne(places));
    return { run: (client, settings) => importUrlList(client, urls, settings) };
  }
  // A mistyped path is reported before the others are imported.
  for (const path of name === 'immich' || name === 's3' ? [] : places) {
    await stat(path).catch((error: NodeJS.ErrnoException) => {
      // What cannot be read is one file of many, and is said of that.
      if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') return;
      throw new UsageError(`There is no file or folder ${path}.`);
    });
  }
  const source = await openers[name](places, options);
  const close = async () => source.close?.();
  if (name !== 'photo-service') return { run: (client, settings) => importSource(client, source, settings), close };
  const { restoreExport } = await import('../export/restore-export.js');
  return { run: (client, settings) => restoreExport(client, onlyOne(places), settings), close };
}

/** @throws UsageError for several places. */
function onlyOne(places: readonly string[]): string {
  const [place, ...others] = places;
  if (place === undefined || others.length > 0) throw new UsageError('Give exactly one place to import from.');
  return place;
}
