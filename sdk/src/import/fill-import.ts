import { chunks } from '../listing.js';
import type { UploadTarget } from '../resources.js';
import { failedItems, finalize, openImport, type Registered, registerAs } from './import-calls.js';
import type { ImportRecord } from './import-state.js';
import type { ImportRun } from './run.js';
import { FileProblem, type HashedFile, type ImportSource } from './source.js';
import { upload } from './upload.js';

/** Files that are hashed ahead of the batch they go into. */
const HASH_AHEAD = 64;
const UPLOADS = 6;
/** The number of times that files get fresh upload targets before their import goes on without them. */
const ROUNDS = 4;
const LONGEST_REF = 200;
/** The codes of failures on the way, which may not come the next time. */
const PASSING = [
  ...['upload_missing', 'checksum_mismatch', 'size_mismatch', 'processing_failed', 'duplicate_of_failed'],
  'quota_exceeded',
];

/**
 * Brings files into one import, up to the point where the service has been asked to finish it: hashes, registers in batches, and sends what
 * the service lacks while the next batch is being hashed.
 */
export async function fillImport(run: ImportRun, record: ImportRecord, files: readonly ImportSource[]): Promise<void> {
  const id = await openImport(run, record);
  const before: Awaited<ReturnType<typeof failedItems>> = record.id === null ? new Map() : await failedItems(run, id);
  record.id = id;
  await run.state.save();
  const refs = new Map<string, HashedFile>();
  const filling = new Filling(run, id);
  const batch: HashedFile[] = [];
  for await (const file of hashedAhead(run, files)) {
    run.state.remember(file.source, file.sha256, record);
    refs.set(file.clientRef, file);
    const { sha256, error } = before.get(file.clientRef) ?? {};
    // It was sent and found bad by the run before this one: the same bytes would fare no better.
    if (sha256 === file.sha256 && error && !PASSING.includes(error.code)) {
      run.fail(file.source, error.code, error.message);
      continue;
    }
    if (batch.push(file) >= run.limits.importBatchSize) await filling.add(batch.splice(0));
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

/**
 * The files that can be read, with their hashes, in order; why others cannot is noted. When the consumer stops early, or one file ends the
 * run, hashing in progress is left to end by itself.
 */
export async function* hashedAhead(run: ImportRun, files: readonly ImportSource[]): AsyncGenerator<HashedFile> {
  const pending: Promise<HashedFile | null>[] = [];
  for (const source of files) {
    const result = hashed(run, source);
    // It is awaited later; until then its failure must not count as unhandled.
    result.catch(() => undefined);
    pending.push(result);
    if (pending.length < HASH_AHEAD) continue;
    const file = await pending.shift();
    if (file) yield file;
  }
  for (const result of pending) {
    const file = await result;
    if (file) yield file;
  }
}

/** Null: the file cannot be read, which has been noted. */
async function hashed(run: ImportRun, source: ImportSource): Promise<HashedFile | null> {
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
      for (const batch of chunks(files, this.run.limits.importBatchSize)) await this.add(batch, true);
      await this.tasks.idle();
    }
  }

  private take({ file, item, error }: Registered<HashedFile>, again: boolean): void {
    const { run } = this;
    if (error !== null || item === null) {
      const { code = 'processing_failed', message = 'The service did not accept the file.' } = error ?? {};
      run.fail(file.source, code, message);
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

/**
 * Registers up to a batch of files; registering the same ones again is how fresh upload targets are got. What is wrong with one file is said
 * of that file. Rejects where the import cannot go on.
 */
async function register(
  run: ImportRun,
  importId: number,
  files: readonly HashedFile[],
): Promise<readonly Registered<HashedFile>[]> {
  const send = (some: readonly HashedFile[]) =>
    registerAs(run, importId, some, ({ source, sha256, clientRef }) => {
      return { ...source.details, filename: source.filename, sizeBytes: source.sizeBytes, sha256, clientRef };
    });
  const answered = await send(files);
  const conflicts = answered.filter(({ error }) => error?.code === 'client_ref_conflict').map(({ file }) => file);
  if (conflicts.length === 0) return answered;
  // The file was another one when a run before this one registered it.
  const renamed = conflicts.map((file) => ({ ...file, clientRef: otherRef(file) }));
  const others = answered.filter(({ error }) => error?.code !== 'client_ref_conflict');
  return [...others, ...(await send(renamed))];
}

/** Runs tasks with limited concurrency, in the order in which they were added. The first failure ends them all. */
class TaskQueue {
  private readonly waiting: (() => Promise<void>)[] = [];
  private running = 0;
  private failure: { readonly reason: unknown } | null = null;
  private wake: () => void = () => {};

  constructor(private readonly concurrency: number) {}

  add(task: () => Promise<void>): void {
    this.waiting.push(task);
    this.next();
  }

  /** Resolves when all tasks are done; rejects with the first failure once none is running. */
  async idle(): Promise<void> {
    while (this.running > 0 || (this.waiting.length > 0 && !this.failure)) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.throwFailure();
  }

  /** For callers that keep adding tasks: add no more after a failure. */
  throwFailure(): void {
    if (this.failure) throw this.failure.reason;
  }

  private next(): void {
    while (this.running < this.concurrency && !this.failure) {
      const task = this.waiting.shift();
      if (task === undefined) return;
      this.running += 1;
      void task()
        .catch((reason: unknown) => {
          this.failure ??= { reason };
        })
        .finally(() => {
          this.running -= 1;
          this.next();
          this.wake();
        });
    }
  }
}
