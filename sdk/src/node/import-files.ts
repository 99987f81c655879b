import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PhotoServiceError } from '../errors.js';
import type { ImportMemory, ImportState } from '../import/import-state.js';
import type { ImportOptions, ImportResult } from '../import/run.js';
import { runImport } from '../import/run-import.js';
import type { PhotoService } from '../photo-service.js';
import { type FindOptions, findPhotos } from './find-photos.js';
import { unreadable } from './hash-pool.js';
import { makeFolder } from './make-folder.js';
import { SourceFactory } from './source-factory.js';
import { writeWhole } from './whole-files.js';

export interface FileImportOptions extends Omit<ImportOptions, 'memory'>, FindOptions {
  /**
   * Where the state of the run is stored: after an interruption, the same call continues where it stopped. It also saves hashing what did not change.
   * Use one for each set of files.
   */
  readonly stateFile?: string;
}

export interface FileFailure {
  /** The path as it was given, or found. */
  readonly path: string;
  /** One of the API's item errors such as `not_an_image`, or `unreadable`, `file_changed`, `upload_refused`. */
  readonly code: string;
  readonly message: string;
}

export interface FileImportResult extends Omit<ImportResult, 'failed'> {
  readonly failed: readonly FileFailure[];
  /** Files of the folders that do not look like photos, and what was left out; the folder of a system is one. */
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
 * Imports files, and the photos under folders (by their endings or else by their first bytes; hidden files are left out, links to folders are not followed). Content is
 * hashed in worker threads; what the library has already is not sent; 500 files cost one write.
 *
 * One bad file never stops the others: `failed` names it and says why. Rejects with `ApiError` or `ConnectionError` where nothing can go on,
 * and with the reason of `signal`; with a `stateFile` the same call then goes on.
 */
export async function importFiles(
  client: PhotoService,
  paths: readonly string[],
  { stateFile: statePath, exclude, ...options }: FileImportOptions = {},
): Promise<FileImportResult> {
  const found = await findPhotos(paths, { exclude });
  const factory = new SourceFactory();
  try {
    const sources = found.files.map((file) => factory.file(file));
    const memory = statePath === undefined ? {} : { memory: stateFile(statePath) };
    const { failed, total, ...result } = await runImport(client, sources, { ...options, ...memory });
    const pathOf = new Map(found.files.map(({ ref, path }) => [ref, path]));
    const unseen = found.unseen.map(({ path, problem }) => {
      const { code, message } = unreadable(problem);
      return { path, code, message };
    });
    const unsupported = found.unsupported.map(({ path, format }) => ({
      path,
      code: 'unsupported_format',
      message: `${format} files are not supported.`,
    }));
    const refused = failed.map(({ ref, code, message }) => ({ path: pathOf.get(ref) ?? ref, code, message }));
    return {
      ...result,
      total: total + unseen.length + unsupported.length,
      failed: [...unseen, ...unsupported, ...refused],
      skipped: found.others.length + found.leftOut.length,
    };
  } finally {
    await factory.close();
  }
}

/**
 * Stores the state of an import in a file (mode 0600, in a folder created with 0700), replaced as a whole at each change. It contains no
 * key. A file that cannot be parsed is refused: it may have been named by mistake.
 */
export function stateFile(path: string): ImportMemory {
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      if (text === null) return null;
      try {
        const state = JSON.parse(text) as ImportState;
        if (state.version === 1 && Array.isArray(state.imports) && typeof state.files === 'object') return state;
      } catch {
        // Reported below.
      }
      throw new PhotoServiceError(`${path} is not the state of an import. Choose another file, or remove this one.`);
    },
    async save(state) {
      await makeFolder(dirname(path), 0o700);
      await writeWhole(path, `${JSON.stringify(state)}\n`);
    },
  };
}
