import { ApiError } from '../errors.js';
import type { NewImport, UploadTarget } from '../resources.js';
import { failedItems, finalize } from './finish.js';
import type { ImportOptions, ImportRun } from './import-run.js';
import type { ImportRecord } from './import-state.js';
import { type HashedFile, hashedFile, type Registered, register } from './register.js';
import { FileProblem, type ImportSource } from './source.js';
import { chunks, mapAhead, TaskQueue } from './task-queue.js';
import { upload } from './upload.js';

/** Files that are hashed ahead of the batch they go into. */
const HASH_AHEAD = 64;
const UPLOADS = 6;
/** The number of times that files get fresh upload targets before their import goes on without them. */
const ROUNDS = 4;

/**
 * Brings files into one import, up to the point where the service has been asked to finish it: hashes, registers in batches, and sends what
 * the service lacks while the next batch is being hashed.
 */
export async function fillImport(run: ImportRun, record: ImportRecord, files: readonly ImportSource[]): Promise<void> {
  const id = await opened(run, record);
  const before = record.id === null ? new Map() : await failedItems(run, id);
  record.id = id;
  await run.state.save();
  const refs = new Map<string, HashedFile>();
  const filling = new Filling(run, id);
  const batch: HashedFile[] = [];
  for await (const file of mapAhead(files, HASH_AHEAD, (source) => hashed(run, source))) {
    if (file === null) continue;
    run.state.remember(file.source, file.sha256, record);
    refs.set(file.clientRef, file);
    const earlier = before.get(file.clientRef);
    // It was sent and found bad by the run before this one: the same bytes would fare no better.
    if (earlier?.sha256 === file.sha256 && isFinal(earlier.error?.code)) {
      run.fail(file.source, earlier.error.code, earlier.error.message);
      continue;
    }
    if (batch.push(file) >= run.limits.batchSize) await filling.add(batch.splice(0));
  }
  if (batch.length > 0) await filling.add(batch);
  await filling.complete();

  record.phase = 'finalizing';
  await run.state.save();
  const missing = await finalize(run, id, 'reject');
  if (missing.length === 0) return;
  const sendable = missing.flatMap((ref) => refs.get(ref) ?? []).filter(({ source }) => !run.failures.has(source.ref));
  await filling.add(sendable, true);
  await filling.complete();
  // What is missing now was given up, or belongs to files that are gone.
  await finalize(run, id, 'fail');
}

/** The options that the import itself has. */
const SETTINGS = [
  ...(['name', 'source', 'tagNames', 'tagIds', 'tagDuplicates', 'defaultTimeZone'] as const),
  ...(['dateFromFilename', 'duplicatePolicy', 'restoreTrashed'] as const),
] as const satisfies readonly (keyof ImportOptions & keyof NewImport)[];

/** The import of a record, which is created if there is none yet. */
export async function opened({ client, options, signal }: ImportRun, { clientRef, id }: ImportRecord): Promise<number> {
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

/** Null: the file cannot be read, which has been noted. */
export async function hashed(run: ImportRun, source: ImportSource): Promise<HashedFile | null> {
  try {
    const sha256 = run.state.hashOf(source) ?? (await source.sha256(run.signal));
    run.tally.count('hashed');
    return hashedFile(source, sha256);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof FileProblem)) throw error;
    run.fail(source, error.code, error.message);
    return null;
  }
}

/** Not final: what went wrong on the way, and may go right the next time. */
function isFinal(code: string | undefined): boolean {
  const passing = ['upload_missing', 'checksum_mismatch', 'size_mismatch', 'processing_failed', 'duplicate_of_failed'];
  return code !== undefined && ![...passing, 'quota_exceeded'].includes(code);
}

/** Registers and sends; files whose target went stale are registered again, together. */
class Filling {
  private readonly tasks: TaskQueue;
  private stale: HashedFile[] = [];
  /** Targets that were given out in a round before this one are not even tried once one of them was refused. */
  private refusedRound = -1;
  private round = 0;

  constructor(
    private readonly run: ImportRun,
    private readonly importId: number,
  ) {
    this.tasks = new TaskQueue(Math.min(16, Math.max(1, run.options.uploads ?? UPLOADS)));
  }

  /** Registers a batch, and lets its files be sent. */
  async add(files: readonly HashedFile[], again = false): Promise<void> {
    if (files.length === 0) return;
    this.tasks.throwFailure();
    const { tally } = this.run;
    const registered = await register(this.run, this.importId, files);
    if (!again) tally.count('registered', registered.length);
    for (const each of registered) this.take(each, again);
  }

  /** Resolves when everything was sent, or noted as failed. */
  async complete(): Promise<void> {
    await this.tasks.idle();
    while (this.stale.length > 0) {
      const files = this.stale.splice(0);
      this.round += 1;
      if (this.round > ROUNDS) {
        for (const { source } of files) this.run.fail(source, 'upload_refused', 'Every upload URL was refused.');
        return;
      }
      for (const batch of chunks(files, this.run.limits.batchSize)) await this.add(batch, true);
      await this.tasks.idle();
    }
  }

  private take({ file, item, error }: Registered, again: boolean): void {
    const { run } = this;
    if (error !== null || item === null) {
      run.fail(
        file.source,
        error?.code ?? 'processing_failed',
        error?.message ?? 'The service did not accept the file.',
      );
    } else if (item.status === 'duplicate') {
      if (!again) run.tally.count('duplicates');
    } else if (item.upload !== null) {
      if (!again) run.tally.bytes('toUpload', file.source.sizeBytes);
      this.send(file, item.upload);
    } else if (item.status === 'failed' || item.status === 'cancelled') {
      run.fail(file.source, item.error?.code ?? 'cancelled', item.error?.message ?? 'The item was cancelled.');
    }
    // Else the service has the bytes already, from this run or an earlier one.
  }

  private send(file: HashedFile, target: UploadTarget): void {
    const { round } = this;
    this.tasks.add(async () => {
      const outcome = round <= this.refusedRound ? 'stale' : await upload(this.run, file, target);
      if (outcome === 'sent') this.run.tally.count('uploaded');
      if (outcome !== 'stale') return;
      this.refusedRound = Math.max(this.refusedRound, round);
      this.stale.push(file);
    });
  }
}
