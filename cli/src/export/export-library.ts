import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ApiError, type Import, type Photo, type PhotoService } from 'photo-service-sdk';
import { makeFolder, writeWhole } from 'photo-service-sdk/node';
import { forEachConcurrently } from '../download/for-each-concurrently.js';
import { openTargetFolder } from '../download/target-folder.js';
import { type SyncOptions, syncFolder } from '../sync/sync-folder.js';
import { type Layout, loadSyncState } from '../sync/synced-files.js';
import {
  byDate,
  CHECKSUMS,
  checksumLine,
  type ExportedPhoto,
  type ExportHead,
  HEAD,
  IMPORTS,
  linesOf,
  ORIGINALS,
  PHOTOS,
  TAGS,
  thumbOf,
} from './export-format.js';
import { exportPages } from './export-pages.js';

const MODE = 0o666;

/**
 * Exports everything that a key can read into a folder: originals with their sidecars, all fields of the API as JSON, checksums, and pages to look
 * at it. A later run goes on where one was interrupted, and brings a complete export up to date. From its first change until its end, it is not a
 * complete export.
 */
export async function exportLibrary(
  client: PhotoService,
  folder: string,
  // `by` is the way in which originals are put into folders.
  { by, signal, onStep }: Pick<SyncOptions, 'signal' | 'onStep'> & { readonly by: 'date' | 'tag' },
) {
  await openTargetFolder(folder);
  const beforeChange = () => rm(join(folder, HEAD), { force: true });
  const layout: Layout = by === 'date' ? byDate : ({ tags }) => tags[0]?.name ?? 'untagged';
  const settings = { full: true, deletes: true, sidecars: true, layout, beforeChange, signal, onStep };
  const result = await syncFolder(client, join(folder, ORIGINALS), settings);
  const all = await client.photos
    .list({ sort: 'id', limit: 100, trashed: 'any', include: ['urls'] }, { signal })
    .toArray();
  const tags = await client.tags.list({ limit: 100 }, { signal }).toArray();
  const { files } = await loadSyncState(join(folder, ORIGINALS), client.baseUrl);
  const photos = all.flatMap(({ urls: _, ...photo }): ExportedPhoto[] => {
    const file = files[photo.id];
    // Of another content: it changed while the export was made.
    return photo.trashedAt === null && file?.sha256 === photo.sha256 ? [{ ...photo, path: file.name }] : [];
  });
  const imports = await importsOf(client, photos, signal);
  await beforeChange();
  const thumbs = await fetchThumbs(all, folder, signal);
  const write = (name: string, text: string) => writeWhole(join(folder, name), text, MODE);
  await write(PHOTOS, linesOf(photos));
  await write(TAGS, linesOf(tags));
  await write(IMPORTS, linesOf(imports));
  const sums = photos.flatMap(({ id, path, sha256 }) => {
    const { sidecar } = files[id] ?? {};
    return [checksumLine(sha256, path), ...(sidecar ? [checksumLine(sidecar.sha256, sidecar.name)] : [])];
  });
  await write(CHECKSUMS, sums.join(''));
  await makeFolder(join(folder, 'pages'));
  for (const { path, html } of exportPages(photos, thumbs)) await write(path, html);
  const counts = { photos: photos.length, tags: tags.length, imports: imports.length };
  // Their originals cannot be downloaded.
  const trashed = all.filter(({ trashedAt }) => trashedAt !== null).length;
  const complete = photos.length === all.length - trashed;
  const head: ExportHead = {
    ...{ format: 'photo-service-export', version: 1, service: client.baseUrl },
    ...{ exportedAt: new Date().toISOString(), counts },
  };
  await write(HEAD, `${JSON.stringify(head, null, 2)}\n`);
  return { ...result, ...counts, trashed, complete };
}

/** The imports that the photos came with, as far as the service still has them. */
async function importsOf(client: PhotoService, photos: readonly Photo[], signal: AbortSignal): Promise<Import[]> {
  const imports: Import[] = [];
  for (const id of new Set(photos.flatMap(({ importId }) => importId ?? []))) {
    try {
      imports.push(await client.imports.get(id, { signal }));
    } catch (error) {
      // A key that may not write may not read imports either.
      if (error instanceof ApiError && error.status === 403) return imports;
      // A year after its end an import is gone.
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }
  return imports;
}

const THUMBS_AT_ONCE = 4;
/** The service's are a few ten kB. */
const MAX_THUMB_BYTES = 4 * 1024 * 1024;

/**
 * Fetches a small picture of each photo for the pages, by signed addresses, which use no budget. They are not part of the photos: one that
 * cannot be had is left out, and all of them for a key that gets no such addresses.
 * @returns The photos that have one.
 */
export async function fetchThumbs(
  photos: readonly Photo[],
  folder: string,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const fetched = new Set<number>();
  await makeFolder(dirname(join(folder, thumbOf({ id: 0, rotation: 0 }))));
  await forEachConcurrently(THUMBS_AT_ONCE, photos, async (photo) => {
    const path = join(folder, thumbOf(photo));
    const isThere = (await stat(path).catch(() => null))?.isFile() ?? false;
    if (isThere || (await fetchThumb(photo.urls?.thumb, path, signal))) fetched.add(photo.id);
  });
  return fetched;
}

async function fetchThumb(url: string | undefined, path: string, signal: AbortSignal): Promise<boolean> {
  if (url === undefined) return false;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) return false;
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      // Leaving the loop ends the stream: the rest of what is too much is not read.
      if (length > MAX_THUMB_BYTES) return false;
      chunks.push(chunk);
    }
    await writeWhole(path, Buffer.concat(chunks), MODE);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw error;
    return false;
  }
}
