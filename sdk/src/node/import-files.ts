import { stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import type { ImportOptions, ImportResult } from '../import/import-run.js';
import { runImport } from '../import/run-import.js';
import type { PhotoService } from '../photo-service.js';
import { fileSource } from './file-source.js';
import { type FoundFile, findPhotos, type UnreadableFile } from './find-photos.js';
import { HashPool, unreadable } from './hash-pool.js';
import { Connections } from './put-file.js';
import { stateFile } from './state-file.js';

export interface FileImportOptions extends Omit<ImportOptions, 'memory'> {
  /**
   * Where the state of the run is stored: after an interruption, the same call continues where it stopped. It also saves hashing what did not change.
   * Use one for each set of files.
   */
  readonly stateFile?: string;
}

export interface FileFailure {
  /** As it was given, or found. */
  readonly path: string;
  /** One of the API's item errors such as `not_an_image`, or `unreadable`, `file_changed`, `upload_refused`. */
  readonly code: string;
  readonly message: string;
}

export interface FileImportResult extends Omit<ImportResult, 'failed'> {
  readonly failed: readonly FileFailure[];
  /** Files of the folders that do not look like photos. */
  readonly skipped: number;
}

/** Imports every photo under a folder. See `importFiles`. */
export function importFolder(
  client: PhotoService,
  folder: string,
  options: FileImportOptions = {},
): Promise<FileImportResult> {
  return importFiles(client, [folder], options);
}

/**
 * Imports files, and the photos under folders (by their endings; hidden files are left out, links to folders are not followed). Content is
 * hashed in worker threads; what the library has already is not sent; 500 files cost one write.
 *
 * One bad file never stops the others: `failed` names it and says why. Rejects with `ApiError` or `ConnectionError` where nothing can go on,
 * and with the reason of `signal`; with a `stateFile` the same call then goes on.
 */
export async function importFiles(
  client: PhotoService,
  paths: readonly string[],
  { stateFile: statePath, ...options }: FileImportOptions = {},
): Promise<FileImportResult> {
  const found = await find(paths);
  const pool = new HashPool();
  const connections = new Connections();
  try {
    const sources = found.files.map((file) => fileSource(file, { pool, connections }));
    const memory = statePath === undefined ? {} : { memory: stateFile(statePath) };
    const { failed, total, ...result } = await runImport(client, sources, { ...options, ...memory });
    const pathOf = new Map(found.files.map(({ ref, path }) => [ref, path]));
    const unseen = found.unseen.map(({ path, problem }) => {
      const { code, message } = unreadable(problem);
      return { path, code, message };
    });
    const refused = failed.map(({ ref, code, message }) => ({ path: pathOf.get(ref) ?? ref, code, message }));
    return { ...result, total: total + unseen.length, failed: [...unseen, ...refused], skipped: found.skipped };
  } finally {
    connections.close();
    await pool.close();
  }
}

interface Found {
  readonly files: readonly (FoundFile & { readonly ref: string })[];
  readonly unseen: readonly UnreadableFile[];
  readonly skipped: number;
}

/** Each file once, however often it was named. */
async function find(paths: readonly string[]): Promise<Found> {
  const files = new Map<string, FoundFile & { ref: string }>();
  const unseen: UnreadableFile[] = [];
  let skipped = 0;
  for (const given of paths) {
    const within = dirname(resolve(given));
    const stats = await stat(given, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
      unseen.push({ path: given, problem: error.code ?? error.message });
      return null;
    });
    if (stats === null) continue;
    const found = stats.isDirectory()
      ? await findPhotos(given)
      : { files: [{ path: given, stats }], unseen: [], skipped: 0 };
    for (const file of found.files) {
      const absolute = resolve(file.path);
      if (!files.has(absolute)) files.set(absolute, { ...file, ref: relative(within, absolute).split(sep).join('/') });
    }
    unseen.push(...found.unseen);
    skipped += found.skipped;
  }
  return { files: distinct([...files]), unseen, skipped };
}

/** Files of different folders that would be called the same are called by their whole paths. */
function distinct(files: readonly (readonly [string, FoundFile & { ref: string }])[]): (FoundFile & { ref: string })[] {
  const counts = new Map<string, number>();
  for (const [, { ref }] of files) counts.set(ref, (counts.get(ref) ?? 0) + 1);
  return files.map(([absolute, file]) => (counts.get(file.ref) === 1 ? file : { ...file, ref: absolute }));
}
