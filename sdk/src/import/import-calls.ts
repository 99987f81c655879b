import { ApiError, PhotoServiceError } from '../errors.js';
import type { Import, ImportPhoto, NewImport, NewImportPhoto } from '../resources.js';
import { pause } from '../transport.js';
import type { ImportRecord } from './import-state.js';
import type { ImportOptions, ImportRun } from './run.js';

// The calls that bring one import through the service, whether this machine sends the files or the service fetches them.

/** The options that the import itself has. */
const SETTINGS = [
  ...(['name', 'source', 'tagNames', 'tagIds', 'tagDuplicates', 'defaultTimeZone'] as const),
  ...(['dateFromFilename', 'duplicatePolicy', 'restoreTrashed'] as const),
] as const satisfies readonly (keyof ImportOptions & keyof NewImport)[];

/** Creates the import of a record if there is none yet, and returns its id. */
export async function openImport(
  { client, options, signal }: ImportRun,
  { clientRef, id }: ImportRecord,
): Promise<number> {
  if (id !== null) return id;
  const given = SETTINGS.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  const wanted = { source: 'photo-service-sdk', ...Object.fromEntries(given), clientRef };
  const { keywordsAsTags } = options;
  try {
    const keywords = keywordsAsTags === undefined ? {} : { keywordsAsTags: keywordsAsTags !== false };
    return (await client.imports.create({ ...wanted, ...keywords }, { signal })).id;
  } catch (error) {
    const isRefused = error instanceof ApiError && error.code === 'scope_required';
    if (keywordsAsTags !== 'if_allowed' || !isRefused) throw error;
    const { id: without } = await client.imports.create(wanted, { signal });
    options.onKeywordsLeft?.();
    return without;
  }
}

/** The answer of the service for a file: its item, or the reason why there is none. */
export interface Registered<T> {
  readonly file: T;
  readonly item: ImportPhoto | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Registers files in the form that `toItem` gives them. */
export async function registerAs<T>(
  { client, signal }: ImportRun,
  importId: number,
  files: readonly T[],
  toItem: (file: T) => NewImportPhoto,
): Promise<readonly Registered<T>[]> {
  try {
    const { data } = await client.imports.register(importId, files.map(toItem), { signal });
    return matched(files, data);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'no_photos_accepted') {
      const { results } = error.details;
      const all: readonly Partial<Result>[] = Array.isArray(results) ? results : [];
      // What is no outcome says nothing of any file.
      const refusals = all.flatMap(({ index, error: reason }) =>
        typeof index === 'number' && typeof reason?.code === 'string' && typeof reason.message === 'string'
          ? { index, photo: null, error: reason }
          : [],
      );
      return matched(files, refusals);
    }
    if (error.code === 'quota_exceeded') return files.map((file) => ({ file, item: null, error }));
    throw error;
  }
}

type Result = Pick<Registered<unknown>, 'error'> & { readonly index: number; readonly photo: ImportPhoto | null };

/** @throws PhotoServiceError where the outcomes are not those of the files, each once. */
function matched<T>(files: readonly T[], results: readonly Result[]): Registered<T>[] {
  const named = new Set(results.map(({ index }) => index));
  const matches = results.flatMap(({ index, photo, error }) => {
    const file = files[index];
    return file === undefined ? [] : { file, item: photo, error };
  });
  if (matches.length === files.length && named.size === files.length) return matches;
  throw new PhotoServiceError(`The service returned ${results.length} outcomes for ${files.length} files.`);
}

/**
 * Asks the service to finish an import. Resolves with the names of items whose bytes are missing although they were not given up; empty: it
 * is finishing.
 * @param missing `reject` refuses while bytes are missing, `fail` gives those items up.
 */
export async function finalize(run: ImportRun, id: number, missing: 'reject' | 'fail'): Promise<readonly string[]> {
  try {
    await run.client.imports.finalize(id, { missingUploads: missing, signal: run.signal });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'uploads_incomplete') throw error;
    const items = await run.client.imports
      .photos(id, { photoStatus: 'awaiting_upload' }, { signal: run.signal })
      .toArray();
    return items.map(({ clientRef }) => clientRef ?? '');
  }
}

/** Interval between polls of an import that is being processed: 20 a minute, of 300 reads. */
const LOOK_AGAIN_MS = 3000;
const FIRST_LOOKS_MS = 200;

/** Waits for the service to finish an import, and resolves with it. */
export async function settle(run: ImportRun, { id }: ImportRecord): Promise<Import> {
  const importId = id as number;
  for (let wait = FIRST_LOOKS_MS; ; wait = Math.min(LOOK_AGAIN_MS, wait * 1.5)) {
    const subject = await run.client.imports.get(importId, { signal: run.signal });
    const { counts } = subject;
    // Those that are ready are published together at the end: without them nothing would seem to happen until then.
    run.tally.processed(importId, counts.total - counts.awaitingUpload - (counts.fetching ?? 0) - counts.processing);
    if (['completed', 'completed_with_errors', 'cancelled', 'expired'].includes(subject.status)) return subject;
    await pause(wait, run.signal);
  }
}

/** Items that failed, by their `clientRef`. */
export async function failedItems(run: ImportRun, id: number): Promise<ReadonlyMap<string, ImportPhoto>> {
  const items = new Map<string, ImportPhoto>();
  for await (const item of run.client.imports.photos(id, { photoStatus: 'failed' }, { signal: run.signal })) {
    if (item.clientRef !== null) items.set(item.clientRef, item);
  }
  return items;
}

/** Null: there is no such import. */
export async function statusOf({ client, signal }: ImportRun, id: number): Promise<string | null> {
  try {
    return (await client.imports.get(id, { signal })).status;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
