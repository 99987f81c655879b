import { ApiError, PhotoServiceError } from '../errors.js';
import type { ImportPhoto, NewImportPhoto } from '../resources.js';
import type { ImportRun } from './import-run.js';
import type { ImportSource } from './source.js';

/** A file whose content is known. */
export interface HashedFile {
  readonly source: ImportSource;
  readonly sha256: string;
  /** The name of its item in the import. */
  readonly clientRef: string;
}

/** The answer of the service for a file: its item, or the reason why there is none. */
export interface Registered<T = HashedFile> {
  readonly file: T;
  readonly item: ImportPhoto | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const LONGEST_REF = 200;

/** Readable where it can be; the content is part of a name that had to be cut, so that no two files share one. */
export function hashedFile(source: ImportSource, sha256: string): HashedFile {
  const plain = source.ref.replace(/\p{Cc}/gu, '�');
  const isFit = plain === source.ref && plain.length <= LONGEST_REF;
  return { source, sha256, clientRef: isFit ? plain : `…${plain.slice(-120)}~${sha256.slice(0, 16)}` };
}

/** The name of its item where the plain one is taken, by what the file was in an earlier run. */
export function otherRef({ clientRef, sha256 }: HashedFile): string {
  return `${clientRef.slice(-180)}~${sha256.slice(0, 16)}`;
}

/**
 * Registers up to a batch of files; registering the same ones again is how fresh upload targets are got. What is wrong with one file is said
 * of that file. Rejects where the import cannot go on.
 */
export async function register(
  run: ImportRun,
  importId: number,
  files: readonly HashedFile[],
): Promise<readonly Registered[]> {
  const answered = await send(run, importId, files);
  const conflicts = answered.filter(({ error }) => error?.code === 'client_ref_conflict').map(({ file }) => file);
  if (conflicts.length === 0) return answered;
  // The file was another one when a run before this one registered it.
  const renamed = conflicts.map((file) => ({ ...file, clientRef: otherRef(file) }));
  const others = answered.filter(({ error }) => error?.code !== 'client_ref_conflict');
  return [...others, ...(await send(run, importId, renamed))];
}

function send(run: ImportRun, importId: number, files: readonly HashedFile[]): Promise<readonly Registered[]> {
  return registerAs(run, importId, files, ({ source, sha256, clientRef }) => {
    return { ...source.details, filename: source.filename, sizeBytes: source.sizeBytes, sha256, clientRef };
  });
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
    if (error.code === 'no_photos_accepted') return matched(files, resultsOf(error));
    if (error.code === 'quota_exceeded') return files.map((file) => ({ file, item: null, error }));
    throw error;
  }
}

interface Result {
  readonly index: number;
  readonly photo: ImportPhoto | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** The outcomes in the details of a refusal; what is none of them says nothing of any file. */
function resultsOf({ details }: ApiError): readonly Result[] {
  const { results } = details;
  const all: readonly Partial<Result>[] = Array.isArray(results) ? results : [];
  return all.flatMap(({ index, error }) =>
    typeof index === 'number' && typeof error?.code === 'string' && typeof error.message === 'string'
      ? { index, photo: null, error }
      : [],
  );
}

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
