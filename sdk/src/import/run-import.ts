import { ApiError } from '../errors.js';
import { chunks } from '../listing.js';
import type { PhotoService } from '../photo-service.js';
import type { Import } from '../resources.js';
import { fillImport, hashedAhead, hashedFile, otherRef } from './fill-import.js';
import { failedItems, settle, statusOf } from './import-calls.js';
import type { ImportRecord } from './import-state.js';
import { isRefused } from './picture-types.js';
import { beginRun, type ImportOptions, type ImportResult, type ImportRun, resultOf } from './run.js';
import type { HashedFile, ImportSource } from './source.js';

/**
 * Imports files: their content is hashed, registered 500 at a time, sent to signed targets if the service lacks it, and published. That
 * costs one write for each 500 files and two more for each 10,000, so the write budget never causes a wait below about 14,000 files a
 * minute. One bad file never stops the others. Rejects with `ApiError` or `ConnectionError` if it cannot continue; the same call with the
 * same `memory` then resumes where this one stopped, and sends nothing twice.
 */
export async function runImport(
  client: PhotoService,
  sources: readonly ImportSource[],
  options: ImportOptions = {},
): Promise<ImportResult> {
  const seen = new Set<string>();
  for (const { ref } of sources) {
    if (seen.has(ref)) throw new TypeError(`Two files of the import have the reference ${JSON.stringify(ref)}.`);
    seen.add(ref);
  }
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const bytes = sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const run = await beginRun(client, { files: sources.length, bytes }, options, signal);
  const sendable = sources.filter((source) => isSendable(run, source));
  if (options.dryRun) return dryRun(run, sendable);
  try {
    return await importAll(run, sendable);
  } catch (error) {
    stop.abort(error);
    // In any case: what is known now saves the next run work.
    await run.state.save().catch(() => undefined);
    throw error;
  }
}

/** Files that are certain to be refused are not even read. */
function isSendable(run: ImportRun, source: ImportSource): boolean {
  const { maxFileBytes, formats } = run.limits;
  if (maxFileBytes !== null && source.sizeBytes > maxFileBytes) {
    run.fail(source, 'file_too_large', `The file has ${source.sizeBytes} bytes; the maximum is ${maxFileBytes}.`);
    return false;
  }
  if (formats !== null && isRefused(source.filename, formats)) {
    run.fail(source, 'unsupported_format', 'This service does not accept files of this format.');
    return false;
  }
  return true;
}

async function importAll(run: ImportRun, sources: readonly ImportSource[]): Promise<ImportResult> {
  const closing = await resumeImports(run);
  const left = sources.filter((source) => !isIn(run, closing, source));
  run.tally.count('hashed', sources.length - left.length);
  run.tally.count('registered', sources.length - left.length);
  for (const [record, files] of assigned(run, left, closing)) {
    if (files.length === 0 && record.id === null) run.state.ended(record);
    else await fillImport(run, record, files).then(() => closing.push(record));
  }
  run.tally.enter('processing');
  const subjects = await Promise.all(closing.map((record) => settle(run, record)));
  for (const [at, subject] of subjects.entries()) {
    const mine = sources.filter((source) => run.state.importOf(source) === closing[at]);
    await recordFailures(run, mine, subject);
  }
  for (const record of closing) run.state.ended(record);
  await run.state.finish();
  run.tally.enter('done');
  return resultOf(run, subjects);
}

/** Checks imports of an interrupted run: those that are still open are kept, those that are being finished are returned. */
async function resumeImports(run: ImportRun): Promise<ImportRecord[]> {
  const closing: ImportRecord[] = [];
  for (const record of [...run.state.imports]) {
    if (record.id === null) continue;
    const status = await statusOf(run, record.id);
    if (status === 'open') record.phase = 'open';
    else if (status === 'processing' || status?.startsWith('completed')) closing.push(record);
    else run.state.ended(record);
  }
  return closing;
}

/** Whether the content went into an import that is being finished. */
function isIn(run: ImportRun, closing: readonly ImportRecord[], source: ImportSource): boolean {
  const record = run.state.importOf(source);
  const sha256 = run.state.hashOf(source);
  if (record === null || sha256 === null || !closing.includes(record)) return false;
  run.state.remember(source, sha256, record);
  return true;
}

/** Which import each file belongs to: the one that it was in before, one with space, or a new one. */
function assigned(
  run: ImportRun,
  sources: readonly ImportSource[],
  closing: readonly ImportRecord[],
): ReadonlyMap<ImportRecord, ImportSource[]> {
  const open = run.state.imports.filter((record) => !closing.includes(record));
  const groups = new Map<ImportRecord, ImportSource[]>(open.map((record) => [record, []]));
  const fresh: ImportSource[] = [];
  for (const source of sources) {
    const record = run.state.importOf(source);
    const group = record && groups.get(record);
    (group ?? fresh).push(source);
  }
  for (const group of groups.values()) group.push(...fresh.splice(0, run.limits.importMaxPhotos - group.length));
  while (fresh.length > 0) groups.set(run.state.newImport(), fresh.splice(0, run.limits.importMaxPhotos));
  return groups;
}

/** Reads why items of an import failed, and reports it for their files. */
async function recordFailures(
  run: ImportRun,
  sources: readonly ImportSource[],
  { id, status, counts }: Import,
): Promise<void> {
  if (!status.startsWith('completed')) {
    for (const source of sources) run.fail(source, `import_${status}`, `Import ${id} was ${status}.`);
  }
  if (counts.failed === 0) return;
  const items = await failedItems(run, id);
  for (const source of sources) {
    const file = hashedFile(source, run.state.hashOf(source) ?? '');
    const { sha256, error } = items.get(otherRef(file)) ?? items.get(file.clientRef) ?? {};
    if (!error || run.failures.has(source.ref)) continue;
    // Otherwise it is an item of what the file was when an earlier run registered it.
    const isOfContent = sha256 === file.sha256 || error.code === 'checksum_mismatch' || error.code === 'size_mismatch';
    if (isOfContent) run.fail(source, error.code, error.message);
  }
}

/** Returns what an import would do: hashes the files and asks which of them are there, with one read for each 100. */
async function dryRun(run: ImportRun, sources: readonly ImportSource[]): Promise<ImportResult> {
  const files: HashedFile[] = [];
  for await (const file of hashedAhead(run, sources)) {
    run.state.remember(file.source, file.sha256, run.state.importOf(file.source));
    files.push(file);
  }
  await run.state.save();
  const fresh = new Map(files.map(({ sha256, source }) => [sha256, source.sizeBytes]));
  // Null: the key may not read photos.
  let known: string[] | null = [];
  try {
    for (const some of chunks([...fresh.keys()], 100)) {
      // What lies in the trash is not sent either.
      const photos = run.client.photos.list({ sha256: some, trashed: 'any', limit: 100 }, { signal: run.signal });
      for await (const { sha256 } of photos) known.push(sha256);
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.missingScope === null) throw error;
    known = null;
  }
  for (const hash of known ?? []) fresh.delete(hash);
  run.tally.enter('done');
  return {
    dryRun: true,
    total: run.tally.now().files.total,
    imported: known && fresh.size,
    duplicates: known && files.length - fresh.size,
    failed: [...run.failures.values()],
    bytesUploaded: known && [...fresh.values()].reduce((sum, bytes) => sum + bytes, 0),
    imports: [],
  };
}
