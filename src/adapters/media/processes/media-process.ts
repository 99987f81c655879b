import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { ReaderFailure } from '../../../core/media/media-reader.js';
import { DomainError } from '../../../core/shared/errors.js';
import { TimeLimit, usageOf, writtenBy } from '../../process-usage.js';
import { childEnvironment, type Launch, type ProcessLimits } from '../isolation/isolation.js';
import { encodeFrame, type Frame, type FrameBounds, FrameError, FrameReader, readyAnswer } from '../media-channel.js';
import type { MediaJob, SentJob } from '../media-child.js';
import { MAX_TEMPORARY_FILES, PICTURE, type ProcessFolder } from './scratch.js';

/**
 * The bounds of a decoder: memory and time are settings (`MEDIA_MEMORY_BYTES`, `MEDIA_TIMEOUT_SECONDS`; defaults in child-process-media-reader.ts).
 * `#requireLimits` and `TimeLimit` hold it to them, and the kernel does (`resourceLimits`, isolation/isolation.ts). The thread that reads metadata has
 * its own (`MetadataReader`).
 */
export interface ProcessBounds extends ProcessLimits {
  /** Milliseconds that one job may take, not counting those for which it waited for a processor: see `TimeLimit`. */
  readonly timeoutMs: number;
}

/** A question to a process, and how its answer is read: within bounds, and by `check`, which throws `FrameError`. */
export interface Question<Answer> {
  readonly job: MediaJob;
  readonly bounds: FrameBounds;
  readonly check: (frame: Frame) => Answer;
}

const WATCH_MS = 100;
/** Time that a process which has closed the channel, and is not seen to be the one that decodes, may take to end. */
const UNHEARD_MS = 1000;
/** A decoder has sixteen; each takes memory of the kernel. */
const MAX_THREADS = 64;
/** Multiples of `maxTemporaryBytes` that a process may write in its life, and after which it is replaced when it has nothing to do. */
const [MOST_WRITTEN, WORN_OUT] = [6, 4];
/** Characters of its standard error for one job; a decoder that was taken over may write without end. */
const MAX_ERROR_BYTES = 1024 * 1024;
/** Characters: the stack of an error that ends Node, whose message comes first. */
const LAST_WORDS = 2000;
/** A machine on which a process does not even start within this time is too busy for pictures now. */
const START_MS = 60_000;

/**
 * One child process. Runs one job at a time; after failing at one by dying, or being killed for exceeding a limit, it cannot be used again.
 */
export class MediaProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #alive = true;
  /** It has started, and anything that happens from then on is caused by its job. */
  #ready = false;
  #begin: () => void = () => undefined;
  readonly #begun = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });
  /** It has said that it is ready. */
  readonly #greet: () => Promise<void>;
  #settle: ((outcome: Frame | Error) => void) | null = null;
  /** The reader of the frame that is expected; null: none is. */
  #reader: FrameReader | null = new FrameReader({ maxJsonBytes: 100, maxBytes: 0 });
  readonly #channel: Socket | undefined;
  #errorBytes = 0;
  /** Why we killed it. */
  #verdict: string | null = null;
  #lastWords = '';
  /** The way in which it ended. */
  #how = 'has not started';

  #isCounting = false;
  readonly #watch = setInterval(() => this.#requireLimits(), WATCH_MS).unref();
  /** Id of the process that decodes, if it is not the one that we started. */
  #inner: number | null = null;

  constructor(
    private readonly launch: Launch,
    readonly folder: ProcessFolder,
    private readonly bounds: ProcessBounds,
  ) {
    const { child, channel, innerParent } = start(launch, folder.path);
    this.#child = child;
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#errorBytes += text.length;
      if (this.#errorBytes > MAX_ERROR_BYTES) this.#kill('was stopped: it wrote too much to its standard error');
      this.#lastWords = `${this.#lastWords}${text}`.slice(-LAST_WORDS);
    });
    this.#channel = channel;
    this.#channel?.on('data', (chunk) => this.#receive(chunk));
    this.#channel?.on('error', () => undefined);
    // As a rule because it is ending, and then how it does is told by its end.
    this.#channel?.on('close', () => {
      if (this.#inner !== null) signalled(this.#inner, 'SIGKILL');
      else setTimeout(() => this.#alive && this.#signal(), UNHEARD_MS).unref();
    });
    this.#greet = async () => {
      const parent = await innerParent;
      this.#inner = parent === null ? null : childOf(parent);
      // Its memory could not be monitored, nor would it end when its parent does.
      if (parent !== null && this.#inner === null) return this.#kill('cannot be seen in /proc');
      this.#ready = true;
      this.#begin();
    };
    this.#ended = new Promise((resolve) => {
      const gone = (why: string) => {
        clearInterval(this.#watch);
        this.#alive = false;
        this.#how = why;
        this.#settle?.(this.#failure(`The media process ${this.#verdict ?? why}.`));
        resolve();
      };
      this.#child.once('error', (error) => gone(`cannot be used: ${error.message}`));
      this.#child.once('exit', (code, signal) => {
        // bubblewrap reports a signal as a code over 128, as shells do.
        const [name] = Object.entries(constants.signals).find(([, number]) => number + 128 === code) ?? [];
        gone(`ended (${signal ?? name ?? `code ${code}`})${this.#words()}`);
      });
    });
    this.#rest();
  }

  /** It has not ended, as far as can be told: bubblewrap reports the end of the process inside a moment later. */
  get alive(): boolean {
    return this.#alive && (this.#inner === null || signalled(this.#inner, 0));
  }

  get busy(): boolean {
    return this.#settle !== null;
  }

  /** Id of the process that decodes; 0 when it could not be started. */
  get pid(): number {
    return this.#inner ?? this.#child.pid ?? 0;
  }

  /** Null once it has started; otherwise why it could not, and then it has ended. */
  async started(): Promise<string | null> {
    this.#ref();
    const limit = this.#limit(START_MS);
    await Promise.race([this.#begun, this.#ended]);
    limit.stop();
    if (this.#alive) this.#rest();
    return this.#ready ? null : `It ${this.#verdict ?? this.#how}.`;
  }

  /**
   * The result, as `check` returns it. Errors: `ReaderFailure` when the process ends before it, by itself or because it exceeded a limit, and
   * when its answer is not within the bounds, or is none that `check` returns (`FrameError`); `service_unavailable` when it could not even
   * start. The process has then ended.
   * @param picture Its bytes; null: it was handed over as a file.
   */
  async run<Answer>({ job, bounds, check }: Question<Answer>, picture: Uint8Array | null): Promise<Answer> {
    this.#ref();
    this.#errorBytes = 0;
    let limit = this.#ready ? null : this.#limit(START_MS);
    try {
      const outcome = await new Promise<Frame | Error>((resolve) => {
        this.#settle = resolve;
        if (!this.#alive)
          resolve(this.#failure(`The media process exited before it finished its job${this.#words()}.`));
        void this.#begun.then(() => {
          limit?.stop();
          limit = this.#limit(this.bounds.timeoutMs);
          this.#reader = new FrameReader(bounds);
          // Where that fails, the channel is closed.
          const sent: SentJob = { ...job, path: picture === null ? PICTURE : null };
          this.#channel?.write(encodeFrame(sent, picture ?? undefined));
        });
      });
      if (outcome instanceof Error) throw outcome;
      return check(outcome);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#kill(`was stopped: of its answer, ${error.message}`);
      throw this.#failure(`The media process ${this.#verdict}.`);
    } finally {
      this.#settle = null;
      limit?.stop();
      if (this.#alive) this.#rest();
      if (this.#verdict !== null) await this.#ended;
    }
  }

  /** Ends it, whatever it is doing, and what it has started, where that can be told. Resolves when all have ended. */
  async end(): Promise<void> {
    this.#child.ref();
    this.#kill('was stopped');
    await this.#ended;
    await this.launch.endOthers?.();
  }

  /** An idle process does not keep this one alive. */
  #rest(): void {
    this.#child.unref();
    this.#channel?.unref();
    (this.#child.stderr as { unref?(): void } | null)?.unref?.();
  }

  #ref(): void {
    this.#child.ref();
    this.#channel?.ref();
  }

  /** One frame is expected at the start, and one for each job; anything else ends it. */
  #receive(chunk: Buffer): void {
    try {
      if (this.#reader === null) throw new FrameError('more bytes follow it');
      const frame = this.#reader.push(chunk);
      if (frame === null) return;
      this.#reader = null;
      if (this.#ready) {
        this.#settle?.(frame);
      } else {
        readyAnswer(frame.json, 'first frame');
        void this.#greet();
      }
    } catch (error) {
      this.#channel?.destroy();
      this.#kill(`was stopped: of its answer, ${(error as Error).message}`);
    }
  }

  #limit(milliseconds: number): TimeLimit {
    const verdict = `was stopped: it took more than ${milliseconds / 1000} seconds`;
    return new TimeLimit(
      () => this.pid,
      milliseconds,
      () => this.#kill(verdict),
    );
  }

  #kill(verdict: string): void {
    this.#verdict ??= verdict;
    this.#signal();
  }

  #signal(): void {
    // bubblewrap exits once the process inside has.
    if (this.#inner === null || !this.#alive || !signalled(this.#inner, 'SIGKILL')) this.#child.kill('SIGKILL');
  }

  /** From its start to its end: what was taken over chooses when it exceeds a limit. */
  #requireLimits(): void {
    if (!this.#alive) return;
    const { maxMemoryBytes, maxTemporaryBytes } = this.bounds;
    const { memory, threads } = usageOf(this.pid) ?? { memory: 0, threads: 0 };
    if (memory > maxMemoryBytes) this.#kill(`was stopped: it used more than ${mebibytes(maxMemoryBytes)} of memory`);
    if (threads > MAX_THREADS) this.#kill(`was stopped: it had more than ${MAX_THREADS} threads`);
    if (this.launch.othersOf?.(this.pid)) this.#kill('was stopped: it started another process');
    if (this.launch.temporaryFileSystem === undefined && (writtenBy(this.pid) ?? 0) > MOST_WRITTEN * maxTemporaryBytes)
      this.#kill(`was stopped: it wrote more than ${mebibytes(MOST_WRITTEN * maxTemporaryBytes)}`);
    this.#requireFewFiles().catch(() => undefined);
  }

  async #requireFewFiles(): Promise<void> {
    if (this.#isCounting) return;
    this.#isCounting = true;
    try {
      const { bytes, files } = await this.#temporaryFiles();
      const { maxTemporaryBytes } = this.bounds;
      if (bytes > maxTemporaryBytes)
        this.#kill(`was stopped: its temporary files had more than ${mebibytes(maxTemporaryBytes)}`);
      if (files > MAX_TEMPORARY_FILES)
        this.#kill(`was stopped: it had more than ${MAX_TEMPORARY_FILES} temporary files`);
    } finally {
      this.#isCounting = false;
    }
  }

  async #temporaryFiles(): Promise<{ bytes: number; files: number }> {
    const { temporaryFileSystem: place } = this.launch;
    if (place === undefined) return this.folder.temporaryFiles();
    // Until then nothing of the picture's runs.
    if (this.#inner === null) return { bytes: 0, files: 0 };
    // The process can change nothing on the way there: the root and its folder are read-only.
    const { bsize, blocks, bfree, files, ffree } = await statfs(`/proc/${this.pid}/root${place}`);
    return { bytes: bsize * (blocks - bfree), files: files - ffree };
  }

  /** It has written so much that it should be replaced, where what it deleted and keeps open is not counted otherwise. */
  get isWornOut(): boolean {
    const { temporaryFileSystem } = this.launch;
    return temporaryFileSystem === undefined && (writtenBy(this.pid) ?? 0) > WORN_OUT * this.bounds.maxTemporaryBytes;
  }

  #failure(what: string): Error {
    return this.#ready ? new ReaderFailure(what) : new DomainError('service_unavailable', what);
  }

  #words(): string {
    return this.#lastWords.trim() === '' ? '' : `: ${this.#lastWords.trim()}`;
  }
}

/** Starts a process. Returns with it the id of the parent of the process that decodes; null where that is this process. */
function start(launch: Launch, folder: string) {
  const { command, args, filter, reportsChildPid } = launch;
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...childEnvironment, PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', filter ? 'pipe' : 'ignore', reportsChildPid ? 'pipe' : 'ignore'],
  });
  // Absent if not even pipes could be created (EMFILE): then `error` follows.
  const pipes = (child.stdio ?? []) as readonly (Readable | Writable | null | undefined)[];
  const [, , , channel, filterPipe, infoPipe] = pipes;
  // If the other side does not read it, it has ended, which is reported elsewhere.
  if (filterPipe) (filterPipe as Writable).on('error', () => undefined).end(filter);
  const info = infoPipe ? json(infoPipe as Readable) : Promise.resolve(null);
  const innerParent = info.then(
    (info) => (info as { 'child-pid': number } | null)?.['child-pid'] ?? null,
    () => null,
  );
  return { child, channel: channel as Socket | undefined, innerParent };
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}

/** The first child of a process; null if it has none, or the kernel does not list them (CONFIG_PROC_CHILDREN). */
function childOf(pid: number): number | null {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]) || null;
  } catch {
    return null;
  }
}

/** False when there is no such process. */
function signalled(pid: number, signal: 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
