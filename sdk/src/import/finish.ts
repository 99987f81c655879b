import { ApiError } from '../errors.js';
import { pause } from '../pause.js';
import type { Import, ImportPhoto } from '../resources.js';
import type { ImportResult, ImportRun } from './import-run.js';
import type { ImportRecord } from './import-state.js';

/** Interval between polls of an import that is being processed: 20 a minute, of 300 reads. */
const LOOK_AGAIN_MS = 3000;
const FIRST_LOOKS_MS = 200;

const ENDED: ReadonlySet<string> = new Set(['completed', 'completed_with_errors', 'cancelled', 'expired']);

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

/** Resolves with the import once the service has finished it. */
async function ended(run: ImportRun, id: number, onChange: (subject: Import) => void): Promise<Import> {
  for (let wait = FIRST_LOOKS_MS; ; wait = Math.min(LOOK_AGAIN_MS, wait * 1.5)) {
    const subject = await run.client.imports.get(id, { signal: run.signal });
    onChange(subject);
    if (ENDED.has(subject.status)) return subject;
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

/** The outcome of an import of this run. */
export interface Outcome {
  readonly subject: Import;
  readonly record: ImportRecord;
}

/** Waits for the service to finish an import. */
export async function settle(run: ImportRun, record: ImportRecord): Promise<Outcome> {
  const id = record.id as number;
  const subject = await ended(run, id, ({ counts }) => {
    // Those that are ready are published together at the end: without them nothing would seem to happen until then.
    run.tally.processed(id, counts.total - counts.awaitingUpload - (counts.fetching ?? 0) - counts.processing);
  });
  return { subject, record };
}

/** Returns the result of a run whose imports have ended. */
export function resultOf({ tally, failures }: ImportRun, total: number, subjects: readonly Import[]): ImportResult {
  return {
    dryRun: false,
    total,
    imported: subjects.reduce((sum, { counts }) => sum + counts.imported, 0),
    duplicates: subjects.reduce((sum, { counts }) => sum + counts.duplicate, 0),
    failed: [...failures.values()],
    bytesUploaded: tally.now().bytes.uploaded,
    imports: subjects.map(({ id, status }) => ({ id, status })),
  };
}
