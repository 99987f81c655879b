import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MediaIsolation, WantedIsolation } from '../../core/media/isolation.js';
import {
  type InspectBounds,
  type Inspection,
  MAX_RENDITIONS_AT_ONCE,
  type MediaReader,
  ReaderFailure,
  type RenderedPicture,
  type RenditionOrder,
  type Sniffed,
} from '../../core/media/media-reader.js';
import { DomainError } from '../../core/shared/errors.js';
import { FairLimit } from './fair-limit.js';
import { type ChosenIsolation, chooseIsolation } from './isolation/choose-isolation.js';
import type { Isolation, ProgramFiles } from './isolation/isolation.js';
import { programFiles } from './isolation/program-files.js';
import type { MediaAnswer, MediaJob } from './media-job.js';
import { MediaProcess, type ProcessBounds } from './media-process.js';
import { heldMemory } from './process-memory.js';
import { openScratch, type Scratch } from './scratch.js';
import { formats, sniff } from './sniff.js';

export interface MediaReaderOptions extends Partial<ProcessBounds> {
  /**
   * Where files are stored while they are read; created when missing. Its disk must have space for twice the pictures that are read at the
   * same time, and unpacked HEIC.
   */
  readonly scratchDir: string;
  /** Number of concurrent pictures, default 2, plus one for a customer that would have to wait for others; each may use `maxMemoryBytes`. */
  readonly processes?: number;
  /** Called for every process that is replaced: it died, or was killed (`died`), or used much memory when idle (`grown`). Must not throw. */
  readonly onReplaced?: (cause: 'died' | 'grown') => void;
  /** How strongly processes are isolated from the rest of the machine; default: the best level that works. */
  readonly isolation?: WantedIsolation;
  /** The compiled `media-child.js`. */
  readonly childScript?: string;
  /** Folders and files that the script loads, in addition to its packages; default: the whole program. */
  readonly childFiles?: readonly string[];
}

/** Whose turn it is, and whether alone. */
type Turn = Pick<InspectBounds, 'customerId' | 'alone'>;
type Order = (path: string) => MediaJob;

/** Memory that an idle process may use; above, it is replaced, so that one large picture does not use memory permanently. */
const IDLE_MEMORY_BYTES = 300 * 1024 ** 2;

/**
 * Reads pictures in child processes, which are started when first needed and replaced when they die, hang (60 seconds unless the options
 * say otherwise) or use too much memory (1 GiB): `ReaderFailure`. Bytes go through a file, so that no picture is in this process's memory.
 */
export class ChildProcessMediaReader implements MediaReader {
  readonly formats = formats;
  readonly #options: Required<MediaReaderOptions>;
  readonly #processes = new Set<MediaProcess>();
  readonly #idle: MediaProcess[] = [];
  readonly #running: FairLimit;
  /** One for pictures that are being inspected, or are next; one for renditions that are being made, or are next. */
  readonly #nextInspected: FairLimit;
  readonly #nextRendered: FairLimit;
  readonly #program: ProgramFiles;
  #scratch: Promise<Scratch> | null = null;
  #chosen: Promise<ChosenIsolation> | null = null;
  #names = 0;
  #closed = false;
  readonly #calls = new Set<Promise<MediaAnswer>>();

  constructor(options: MediaReaderOptions) {
    this.#options = {
      processes: 2,
      childScript: fileURLToPath(new URL('./media-child.js', import.meta.url)),
      timeoutMs: 60_000,
      maxMemoryBytes: 1024 ** 3,
      onReplaced: () => undefined,
      isolation: 'auto',
      childFiles: [fileURLToPath(new URL('../..', import.meta.url))],
      ...options,
    };
    this.#program = programFiles(this.#options.childScript, this.#options.childFiles);
    this.#running = new FairLimit(this.#options.processes);
    this.#nextInspected = new FairLimit(2 * this.#options.processes);
    this.#nextRendered = new FairLimit(2 * this.#options.processes);
  }

  sniff(head: Uint8Array): Promise<Sniffed> {
    return sniff(head);
  }

  async inspect(bytes: AsyncIterable<Uint8Array>, { maxPixels, ...bounds }: InspectBounds): Promise<Inspection> {
    const answer = await this.#inTurn(this.#nextInspected, bytes, bounds, (path) => ({
      kind: 'inspect',
      path,
      folder: '.',
      maxPixels,
    }));
    if (hasPart(answer, 'inspection')) return answer.inspection;
    throw troubleIn(answer);
  }

  async render(bytes: AsyncIterable<Uint8Array>, order: RenditionOrder): Promise<RenderedPicture | null> {
    const { longestSide, format, rotation, customerId } = order;
    if (this.#nextRendered.asked(customerId) >= MAX_RENDITIONS_AT_ONCE) throw tooManyRenditions();
    const answer = await this.#inTurn(this.#nextRendered, bytes, order, (path) => ({
      kind: 'render',
      path,
      folder: '.',
      longestSide,
      format,
      rotation,
    }));
    if (hasPart(answer, 'rendered')) return answer.rendered;
    throw troubleIn(answer);
  }

  /**
   * The isolation level, which is chosen once, by starting a process: call it when the service starts. Errors: `service_unavailable` when
   * the requested level does not work here, or the scratch folder cannot be created.
   */
  async isolation(): Promise<MediaIsolation> {
    const { level, refused } = await this.#isolation();
    return { level, refused };
  }

  async #isolation(): Promise<ChosenIsolation> {
    this.#chosen ??= this.#openScratch().then((scratch) => this.#choose(scratch));
    try {
      return await this.#chosen;
    } catch (error) {
      this.#chosen = null;
      throw error;
    }
  }

  /** The current child processes, for monitoring. */
  get processes(): readonly { readonly pid: number; readonly busy: boolean }[] {
    return [...this.#processes].map(({ pid, busy }) => ({ pid, busy }));
  }

  /** Ends all child processes and removes all files. Calls in progress reject, and so do later ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#processes].map((process) => process.end()));
    // Each removes its own files as it ends; one that is still writing would create another while all are being removed.
    await Promise.allSettled(this.#calls);
    this.#processes.clear();
    await (await this.#scratch)?.removeAll();
  }

  /** However many calls wait, there are few files, and a rendition does not wait behind all pending inspections. */
  async #inTurn(next: FairLimit, bytes: AsyncIterable<Uint8Array>, turn: Turn, order: Order): Promise<MediaAnswer> {
    await next.acquire(turn.customerId);
    try {
      return await this.#run(bytes, turn, order);
    } finally {
      next.release(turn.customerId);
    }
  }

  async #run(bytes: AsyncIterable<Uint8Array>, turn: Turn, order: Order): Promise<MediaAnswer> {
    this.#requireOpen();
    const call = this.#ask(bytes, turn, order);
    this.#calls.add(call);
    try {
      return await call;
    } catch (error) {
      // A process that we ended ourselves is not the picture's fault.
      throw this.#closed && error instanceof ReaderFailure ? closed() : error;
    } finally {
      this.#calls.delete(call);
    }
  }

  async #ask(
    bytes: AsyncIterable<Uint8Array>,
    { customerId, alone = false }: Turn,
    order: Order,
  ): Promise<MediaAnswer> {
    const scratch = await this.#openScratch();
    const { isolation } = await this.#isolation();
    this.#names += 1;
    const name = `picture-${this.#names}`;
    try {
      await scratch.spool(name, bytes);
      this.#requireOpen();
      await this.#running.acquire(customerId, { alone });
      try {
        this.#requireOpen();
        if (alone) await this.#endIdle(scratch);
        const process = await this.#idleOrNew(scratch, isolation);
        try {
          return await process.run(order(await scratch.handOver(name, process.folder, process.owner)));
        } finally {
          await this.#keepOrEnd(process, scratch);
        }
      } finally {
        this.#running.release(customerId);
      }
    } finally {
      await scratch.unspool(name);
    }
  }

  /** Retried by the next call if it could not be created. */
  async #openScratch(): Promise<Scratch> {
    this.#scratch ??= openScratch(this.#options.scratchDir);
    try {
      return await this.#scratch;
    } catch (error) {
      this.#scratch = null;
      throw error;
    }
  }

  async #endIdle(scratch: Scratch): Promise<void> {
    for (const idle of this.#idle.splice(0)) await this.#discard(idle, scratch);
  }

  /** The process that shows that a level works is the first to be used. */
  #choose(scratch: Scratch): Promise<ChosenIsolation> {
    return chooseIsolation(this.#options.isolation, async (isolation) => {
      const process = await this.#new(scratch, isolation).catch(reasonOf);
      if (typeof process === 'string') return process;
      const reason = await process.started();
      if (reason === null && !this.#closed) this.#idle.push(process);
      else await this.#discard(process, scratch);
      return reason;
    });
  }

  async #idleOrNew(scratch: Scratch, isolation: Isolation): Promise<MediaProcess> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.alive) return idle;
      await this.#discard(idle, scratch);
    }
    return this.#new(scratch, isolation);
  }

  async #new(scratch: Scratch, isolation: Isolation): Promise<MediaProcess> {
    this.#names += 1;
    const owner = isolation.nextOwner();
    const folder = await scratch.folder(`process-${this.#names}`, owner);
    this.#requireOpen();
    const process = new MediaProcess(isolation.launch(this.#program, folder, owner), folder, owner, this.#options);
    this.#processes.add(process);
    return process;
  }

  async #keepOrEnd(process: MediaProcess, scratch: Scratch): Promise<void> {
    const isEmptied = await scratch.takeBack(process.folder).then(
      () => true,
      () => false,
    );
    const held = process.alive ? heldMemory(process.pid) : null;
    // The slot that is reserved for a customer without one adds one process, for as long as it is needed.
    const isOneTooMany = this.#processes.size > this.#options.processes;
    if (isEmptied && process.alive && !this.#closed && !isOneTooMany && (held ?? 0) <= IDLE_MEMORY_BYTES) {
      this.#idle.push(process);
      return;
    }
    if (!this.#closed && !(process.alive && isOneTooMany)) this.#options.onReplaced(process.alive ? 'grown' : 'died');
    await this.#discard(process, scratch);
  }

  async #discard(process: MediaProcess, scratch: Scratch): Promise<void> {
    this.#processes.delete(process);
    await process.end();
    await scratch.remove(basename(process.folder));
  }

  #requireOpen(): void {
    if (this.#closed) throw closed();
  }
}

/** Results of a decoder process are no more trusted than its input. */
function hasPart<Part extends string>(
  answer: MediaAnswer,
  part: Part,
): answer is Extract<MediaAnswer, Record<Part, unknown>> {
  return typeof answer === 'object' && answer !== null && part in answer;
}

function closed(): DomainError {
  return new DomainError('service_unavailable', 'The media reader is closed.');
}

/** Why there is no process at a level: its folder could not be created, or given to another account. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

function tooManyRenditions(): DomainError {
  const message = `${MAX_RENDITIONS_AT_ONCE} renditions of this account are being made already. Try again in a moment.`;
  return new DomainError('service_unavailable', message);
}

function troubleIn(answer: MediaAnswer): Error {
  if (hasPart(answer, 'away'))
    return new DomainError('service_unavailable', `Pictures cannot be read now: ${answer.away}`);
  return new ReaderFailure(
    `The media process failed: ${hasPart(answer, 'trouble') ? answer.trouble : 'it answered another question'}`,
  );
}
