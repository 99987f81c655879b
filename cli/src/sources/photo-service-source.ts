import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Photo, PhotoDetails } from 'photo-service-sdk';
import { unreadable } from 'photo-service-sdk/node';
import { type ExportedPhoto, ORIGINALS, readExport } from '../export-format.js';
import type { PhotoSource, SourceItem } from './photo-source.js';

/** A folder that `phs export` has made. */
export async function photoServiceSource(folder: string): Promise<PhotoSource> {
  const { photos } = await readExport(folder);
  return {
    items: () => exportedItems(folder, photos),
    close: () => Promise.resolve(),
  };
}

/** These photos of an exported folder, with what the service does not take from their files. */
export async function* exportedItems(folder: string, photos: readonly ExportedPhoto[]): AsyncGenerator<SourceItem> {
  for (const photo of photos) {
    const path = join(folder, ORIGINALS, photo.path);
    const stats = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => error);
    if (stats instanceof Error) {
      const problem = unreadable(stats.code ?? stats.message).message;
      yield { kind: 'skipped', label: path, reason: 'unreadable', problem };
      continue;
    }
    const file = { path, stats, filename: photo.filename };
    yield { kind: 'photo', key: photo.path, label: path, file, details: detailsOf(photo), losses: [] };
  }
}

/** The details that come along as they are: all but the time, the tags, and where the bytes come from. */
const carried = {
  ...{ title: true, description: true, location: true, rating: true, favorite: true, creator: true, copyright: true },
  ...{ externalId: true, metadata: true },
} as const satisfies Readonly<
  Record<
    Exclude<keyof PhotoDetails, 'takenAt' | 'takenAtLocal' | 'timeZone' | 'tagIds' | 'tagNames' | 'sourceUrl'>,
    true
  >
>;

/** A time that was found in the file is found there again, and only then its source is the same. */
function detailsOf(photo: Photo): PhotoDetails {
  const { takenAtLocal, timeZone, takenAtSource, tags } = photo;
  const names = Object.keys(carried) as (keyof typeof carried)[];
  return {
    ...Object.fromEntries(names.map((name) => [name, photo[name]])),
    ...(takenAtSource === 'client' && { takenAtLocal, timeZone }),
    tagNames: tags.map(({ name }) => name),
  };
}
