import type { PhotoService } from '../photo-service.js';
import type { ImportPhoto } from '../resources.js';
import { beginRun } from './begin-run.js';
import { dryRun } from './dry-run.js';
import { fillImport } from './fill-import.js';
import { failedItems, type Outcome, resultOf, settle, statusOf } from './finish.js';
import type { ImportOptions, ImportResult, ImportRun } from './import-run.js';
import type { ImportRecord } from './import-state.js';
import { isRefused } from './picture-types.js';
import { type HashedFile, hashedFile, otherRef } from './register.js';
import type { ImportSource } from './source.js';

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
  requireNames(sources);
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const bytes = sources.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const run = await beginRun(client, { files: sources.length, bytes }, options, signal);
  const sendable = sources.filter((source) => isSendable(run, source));
  if (options.dryRun) return dryRun(run, sources.length, sendable);
  try {
    return await importAll(run, sources.length, sendable);
  } catch (error) {
    stop.abort(error);
    // In any case: what is known now saves the next run work.
    await run.state.save().catch(() => undefined);
    throw error;
  }
}

function requireNames(sources: readonly ImportSource[]): void {
  const seen = new Set<string>();
  for (const { ref } of sources) {
    if (seen.has(ref)) throw new TypeError(`Two files of the import have the reference ${JSON.stringify(ref)}.`);
    seen.add(ref);
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

async function importAll(run: ImportRun, total: number, sources: readonly ImportSource[]): Promise<ImportResult> {
  const closing = await resumeImports(run);
  const left = sources.filter((source) => !isIn(run, closing, source));
  run.tally.count('hashed', sources.length - left.length);
  run.tally.count('registered', sources.length - left.length);
  for (const [record, files] of assigned(run, left, closing)) {
    if (files.length === 0 && record.id === null) run.state.ended(record);
    else await fillImport(run, record, files).then(() => closing.push(record));
  }
  run.tally.enter('processing');
  const outcomes = await Promise.all(closing.map((record) => settle(run, record)));
  const subjects = outcomes.map(({ subject }) => subject);
  await recordFailures(run, sources, outcomes);
  for (const record of closing) run.state.ended(record);
  await run.state.finish();
  run.tally.enter('done');
  return resultOf(run, total, subjects);
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
  for (const group of groups.values()) group.push(...fresh.splice(0, run.limits.maxPhotos - group.length));
  while (fresh.length > 0) groups.set(run.state.newImport(), fresh.splice(0, run.limits.maxPhotos));
  return groups;
}

/** Reads why items failed, and reports it for their files. */
async function recordFailures(
  run: ImportRun,
  sources: readonly ImportSource[],
  outcomes: readonly Outcome[],
): Promise<void> {
  for (const { subject, record } of outcomes) {
    const mine = sources.filter((source) => run.state.importOf(source) === record);
    if (!subject.status.startsWith('completed')) {
      for (const source of mine)
        run.fail(source, `import_${subject.status}`, `Import ${subject.id} was ${subject.status}.`);
    }
    if (subject.counts.failed === 0) continue;
    const items = await failedItems(run, subject.id);
    for (const source of mine) {
      const file = hashedFile(source, run.state.hashOf(source) ?? '');
      const item = items.get(otherRef(file)) ?? items.get(file.clientRef);
      if (item?.error && isOf(item, file) && !run.failures.has(source.ref)) {
        run.fail(source, item.error.code, item.error.message);
      }
    }
  }
}

/** Whether it is an item of this content, and not of what the file was when an earlier run registered it. */
function isOf({ sha256, error }: ImportPhoto, file: HashedFile): boolean {
  return sha256 === file.sha256 || error?.code === 'checksum_mismatch' || error?.code === 'size_mismatch';
}
