import { type ChildProcess, fork } from 'node:child_process';
import { ReaderFailure } from '../../core/media/media-reader.js';
import { DomainError } from '../../core/shared/errors.js';
import { type MediaAnswer, type MediaJob, READY } from './media-job.js';
import { heldMemory } from './process-memory.js';

export interface ProcessBounds {
  /** Milliseconds that one job may take. */
  readonly timeoutMs: number;
  /** Bytes of memory that the process may hold (watched where there is /proc). */
  readonly maxMemoryBytes: number;
}

const WATCH_MS = 100;
/** A machine on which a process does not even begin within this has no room for pictures now. */
const START_MS = 60_000;

/** One child process. Runs one job at a time; once it has failed at one by dying, or being ended for going over a bound, it is of no more use. */
export class MediaProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #alive = true;
  /** It has started, and what happens from then on is the doing of its job. */
  #ready = false;
  #begin: () => void = () => undefined;
  readonly #begun: Promise<void>;
  #settle: ((outcome: MediaAnswer | Error) => void) | null = null;
  /** Why we killed it. */
  #verdict: string | null = null;
  #lastWords = '';

  constructor(
    script: string,
    readonly folder: string,
    private readonly bounds: ProcessBounds,
  ) {
    this.#child = fork(script, [String(process.pid)], {
      // Of our environment, which has secrets, nothing but what programs need to run at all.
      env: childEnvironment(folder),
      execArgv: ['--max-old-space-size=512'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#lastWords = `${this.#lastWords}${text}`.slice(-500);
    });
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
    this.#child.on('message', (answer: MediaAnswer | typeof READY) => {
      if (answer !== READY) return this.#settle?.(answer);
      this.#ready = true;
      this.#begin();
    });
    this.#ended = new Promise((resolve) => {
      const gone = (why: string) => {
        this.#alive = false;
        this.#settle?.(this.#failure(`The media process ${this.#verdict ?? why}.`));
        resolve();
      };
      this.#child.once('error', (error) => gone(`could not be used: ${error.message}`));
      this.#child.once('exit', (code, signal) => gone(`ended (${signal ?? `code ${code}`})${this.#words()}`));
    });
    this.#rest();
  }

  get alive(): boolean {
    return this.#alive;
  }

  get busy(): boolean {
    return this.#settle !== null;
  }

  /** 0 when it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * The answer. Errors: `ReaderFailure` when the process ends before it, by itself or because it went over a bound;
   * `service_unavailable` when it could not even begin. The process has then ended.
   */
  async run(job: MediaJob): Promise<MediaAnswer> {
    this.#child.ref();
    this.#child.channel?.ref();
    let timer = this.#bound(START_MS);
    const watch = setInterval(() => this.#demandMemory(), WATCH_MS);
    try {
      const outcome = await new Promise<MediaAnswer | Error>((resolve) => {
        this.#settle = resolve;
        if (!this.#alive) resolve(this.#failure(`The media process ended before its job${this.#words()}.`));
        void this.#begun.then(() => {
          clearTimeout(timer);
          timer = this.#bound(this.bounds.timeoutMs);
          this.#child.send(job, (error) => error && this.#kill(`could not be reached: ${error.message}`));
        });
      });
      if (outcome instanceof Error) throw outcome;
      return outcome;
    } finally {
      this.#settle = null;
      clearTimeout(timer);
      clearInterval(watch);
      if (this.#alive) this.#rest();
      if (this.#verdict !== null) await this.#ended;
    }
  }

  /** Ends it, whatever it does. Resolves when it is gone. */
  async end(): Promise<void> {
    this.#child.ref();
    this.#kill('was ended');
    await this.#ended;
  }

  /** A process without work keeps nobody from ending. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    (this.#child.stderr as { unref?(): void } | null)?.unref?.();
  }

  #bound(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#kill(`was ended: it took more than ${milliseconds / 1000} seconds`), milliseconds);
  }

  #kill(verdict: string): void {
    this.#verdict ??= verdict;
    this.#child.kill('SIGKILL');
  }

  #demandMemory(): void {
    const held = heldMemory(this.pid);
    if (held === null || held <= this.bounds.maxMemoryBytes || this.#settle === null) return;
    this.#kill(`was ended: it took more than ${Math.round(this.bounds.maxMemoryBytes / 1024 ** 2)} MiB of memory`);
  }

  #failure(what: string): Error {
    return this.#ready ? new ReaderFailure(what) : new DomainError('service_unavailable', what);
  }

  #words(): string {
    return this.#lastWords.trim() === '' ? '' : `, saying: ${this.#lastWords.trim()}`;
  }
}

function childEnvironment(folder: string): NodeJS.ProcessEnv {
  const kept = ['PATH', 'NODE_ENV', 'SystemRoot'].map((name) => [name, process.env[name]]);
  return {
    ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)),
    TZ: 'UTC',
    TMPDIR: folder,
    VIPS_CONCURRENCY: '1',
    VIPS_BLOCK_UNTRUSTED: '1',
  };
}
