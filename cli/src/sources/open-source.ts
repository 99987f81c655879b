import { stat } from 'node:fs/promises';
import { UsageError } from '../exit-codes.js';
import { folderSource } from './folder-source.js';
import type { PhotoSource } from './photo-source.js';

/** Where `phs import --from` can import from. */
export const sourceNames = ['folder', 'takeout', 'immich', 'photoprism', 'flickr', 's3', 'photo-service'] as const;
export type SourceName = (typeof sourceNames)[number];

export interface SourceOptions {
  readonly sidecars: boolean;
  readonly timeZone?: string;
  /** The paths to leave out of folders and buckets. */
  readonly exclude?: readonly string[] | undefined;
}

/**
 * Opens a source; what only one of them needs is loaded with it.
 * @throws UsageError for places that are not there.
 */
export async function openSource(
  name: SourceName,
  places: readonly string[],
  options: SourceOptions,
): Promise<PhotoSource> {
  if (name !== 'immich' && name !== 's3') await requirePaths(places);
  switch (name) {
    case 'folder':
      return folderSource(places, options);
    case 'takeout': {
      const { takeoutSource } = await import('./takeout-source.js');
      return takeoutSource(places, { timeZone: options.timeZone ?? null });
    }
    case 'immich': {
      const { immichSource } = await import('./immich-source.js');
      return immichSource(onlyOne(places), process.env['IMMICH_API_KEY']);
    }
    case 'photoprism': {
      const { photoprismSource } = await import('./photoprism-source.js');
      return photoprismSource(places);
    }
    case 'flickr': {
      const { flickrSource } = await import('./flickr-source.js');
      return flickrSource(places);
    }
    case 's3': {
      const { s3Settings, s3Source } = await import('./s3-source.js');
      return s3Source(onlyOne(places), s3Settings(process.env), options);
    }
    case 'photo-service': {
      const { photoServiceSource } = await import('./photo-service-source.js');
      return photoServiceSource(onlyOne(places));
    }
  }
}

/** @throws UsageError for several places. */
export function onlyOne(places: readonly string[]): string {
  const [place, ...others] = places;
  if (place === undefined || others.length > 0) throw new UsageError('Give exactly one place to import from.');
  return place;
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
