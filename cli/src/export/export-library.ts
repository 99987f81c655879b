import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, type Import, type Photo, type PhotoService } from 'photo-service-sdk';
import { makeFolder, writeWhole } from 'photo-service-sdk/node';
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
} from '../export-format.js';
import { type SyncResult, syncFolder } from '../sync-folder.js';
import type { Layout } from '../sync-names.js';
import { loadSyncState } from '../sync-state.js';
import { openTargetFolder } from '../target-folder.js';
import { exportPages } from './export-pages.js';
import { fetchThumbs } from './fetch-thumbs.js';

interface ExportOptions {
  /** The way in which originals are put into folders. */
  readonly by: 'date' | 'tag';
  readonly signal: AbortSignal;
  readonly onStep: (result: SyncResult) => void;
}

interface ExportResult extends SyncResult {
  readonly photos: number;
  readonly tags: number;
  readonly imports: number;
  /** Photos in the trash: their originals cannot be downloaded. */
  readonly trashed: number;
  readonly complete: boolean;
}

const LAYOUTS: Readonly<Record<ExportOptions['by'], Layout>> = {
  date: byDate,
  tag: ({ tags }) => tags[0]?.name ?? 'untagged',
};
const MODE = 0o666;

/**
 * Exports everything that a key can read into a folder: originals with their sidecars, all fields of the API as JSON, checksums, and pages to look
 * at it. A later run goes on where one was interrupted, and brings a complete export up to date. From its first change until its end, it is not a
 * complete export.
 */
export async function exportLibrary(
  client: PhotoService,
  folder: string,
  { by, signal, onStep }: ExportOptions,
): Promise<ExportResult> {
  await openTargetFolder(folder);
  const beforeChange = () => rm(join(folder, HEAD), { force: true });
  const settings = { full: true, deletes: true, sidecars: true, layout: LAYOUTS[by], beforeChange, signal, onStep };
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
  await write(CHECKSUMS, checksums(photos, files));
  await makeFolder(join(folder, 'pages'));
  for (const { path, html } of exportPages(photos, thumbs)) await write(path, html);
  const counts = { photos: photos.length, tags: tags.length, imports: imports.length };
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

function checksums(
  photos: readonly ExportedPhoto[],
  files: Awaited<ReturnType<typeof loadSyncState>>['files'],
): string {
  const lines = photos.flatMap(({ id, path, sha256 }) => {
    const { sidecar } = files[id] ?? {};
    const those = [{ sha256, path }, ...(sidecar ? [{ sha256: sidecar.sha256, path: sidecar.name }] : [])];
    return those.map((each) => checksumLine(each.sha256, each.path));
  });
  return lines.join('');
}
