import { chunks, hex } from '../listing.js';
import type { PhotoService } from '../photo-service.js';
import type { PhotoDetails } from '../resources.js';
import { failedItems, finalize, openImport, registerAs, settle, statusOf } from './import-calls.js';
import type { ImportRecord } from './import-state.js';
import { beginRun, type ImportOptions, type ImportResult, type ImportRun, resultOf } from './run.js';
import { photoName } from './source.js';

/** A file on another server, which the service fetches itself. */
export interface UrlToImport {
  /** `https`, at most 2,000 characters. Its query may be a secret: nothing of this library stores or shows it. */
  readonly url: string;
  /** Identifies the file within its run, and in later runs. Default: the URL without its query. */
  readonly ref?: string;
  /** The file name of the photo. Default: the last part of the URL's path. */
  readonly filename?: string;
  /** The details that are known of the photo besides its file. */
  readonly details?: PhotoDetails;
}

/** Nothing passes through the client: there is nothing to send, and nothing to compare beforehand. */
export type UrlImportOptions = Omit<ImportOptions, 'uploads' | 'dryRun'>;

interface Source extends UrlToImport {
  readonly ref: string;
}

/**
 * Imports files by URL: one write for each 500 and two more for each 10,000. Resolves when each has arrived or failed, which takes up to
 * about 15 minutes for a server that does not respond. Rejects with `ApiError` or `ConnectionError` if it cannot continue; the same call
 * with the same `memory` then waits for the same imports. A URL whose query differs from that of an earlier run is the same file.
 * @throws TypeError for something that is not a URL.
 */
export async function importUrls(
  client: PhotoService,
  urls: readonly UrlToImport[],
  options: UrlImportOptions = {},
): Promise<ImportResult> {
  const sources = await withRefs(urls);
  const { signal = new AbortController().signal } = options;
  const run = await beginRun(client, { files: sources.length, bytes: 0 }, options, signal);
  const parts = chunks(sources, run.limits.importMaxPhotos);
  const records: ImportRecord[] = [];
  for (const part of parts) records.push(await requestImport(run, part));
  run.tally.enter('processing');
  const subjects = [];
  for (const [at, record] of records.entries()) {
    const subject = await settle(run, record);
    subjects.push(subject);
    const items = await failedItems(run, subject.id);
    for (const source of parts[at] ?? []) {
      const error = items.get(source.ref)?.error;
      if (error) run.fail(source, error.code, error.message);
      else if (!subject.status.startsWith('completed'))
        run.fail(source, `import_${subject.status}`, `Import ${subject.id} was ${subject.status}.`);
    }
    run.state.ended(record);
  }
  await run.state.finish();
  run.tally.enter('done');
  return resultOf(run, subjects);
}

/** Asks for the files of one import; for one that an earlier run has finalized, nothing more. */
async function requestImport(run: ImportRun, sources: readonly Source[]): Promise<ImportRecord> {
  const clientRef = `sdk:urls:${await digest(JSON.stringify(sources.map(({ ref }) => ref)))}`;
  const known = run.state.imports.find((record) => record.clientRef === clientRef);
  const status = known?.id ? await statusOf(run, known.id) : null;
  if (known && (status === 'processing' || status?.startsWith('completed'))) return known;
  if (known) run.state.ended(known);
  const record = run.state.newImport(clientRef);
  const id = await openImport(run, record);
  record.id = id;
  await run.state.save();
  const toItem = ({ url, ref, filename, details }: Source) => {
    let name = filename ?? new URL(url).pathname.split('/').at(-1) ?? '';
    try {
      if (filename === undefined) name = decodeURIComponent(name);
    } catch {
      // As it is, where it is no text that was encoded.
    }
    return { ...details, filename: photoName(name), clientRef: ref, sourceUrl: url };
  };
  for (const batch of chunks(sources, run.limits.importBatchSize)) {
    for (const { file, error } of await registerAs(run, id, batch, toItem)) {
      if (error) run.fail(file, error.code, error.message);
      else run.tally.count('registered');
      run.tally.count('hashed');
    }
  }
  record.phase = 'finalizing';
  await run.state.save();
  await finalize(run, id, 'fail');
  return record;
}

const LONGEST_REF = 200;

/** URLs that differ in their query only, and those that are too long, are told apart by a hash. */
async function withRefs(urls: readonly UrlToImport[]): Promise<readonly Source[]> {
  const plain = urls.map(({ url, ref }) => {
    if (!URL.canParse(url)) throw new TypeError('Something that is to be imported is not a URL.');
    const { origin, pathname } = new URL(url);
    return ref ?? origin + pathname;
  });
  const times = new Map<string, number>();
  for (const ref of plain) times.set(ref, (times.get(ref) ?? 0) + 1);
  const sources = urls.map(async (source, at): Promise<Source> => {
    const ref = plain[at] ?? '';
    if (times.get(ref) === 1 && ref.length <= LONGEST_REF) return { ...source, ref };
    return { ...source, ref: `${ref.slice(0, LONGEST_REF - 20)}~${(await digest(source.url)).slice(0, 16)}` };
  });
  // The same URL twice is one file.
  return [...new Map((await Promise.all(sources)).map((source) => [source.ref, source])).values()];
}

async function digest(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))).slice(0, 32);
}
