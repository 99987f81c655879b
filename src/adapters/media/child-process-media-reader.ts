import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type InspectBounds,
  type Inspection,
  type MediaReader,
  ReaderFailure,
  type RenderedPicture,
  type RenditionOrder,
  type Sniffed,
} from '../../core/media/media-reader.js';
import { DomainError } from '../../core/shared/errors.js';
import type { MediaAnswer, MediaJob } from './media-job.js';
import { MediaProcess, type ProcessBounds } from './media-process.js';
import { Places } from './places.js';
import { heldMemory } from './process-memory.js';
import { openScratch, type Scratch } from './scratch.js';
import { formats, sniff } from './sniff.js';

export interface MediaReaderOptions extends Partial<ProcessBounds> {
  /** Where files are kept while they are looked at; made when missing. Its disk must hold twice the pictures that are looked at together, and HEIC unpacked. */
  readonly scratchDir: string;
  /** How many pictures at once, 2 when absent; each may hold `maxMemoryBytes`. */
  readonly processes?: number;
  /** Told of every process that is replaced: it died, or was ended (`died`), or held much memory when idle (`grown`). Must not throw. */
  readonly onReplaced?: (cause: 'died' | 'grown') => void;
  /** The compiled `media-child.js`. */
  readonly childScript?: string;
}

/** What an idle process may hold; above, it is replaced, so that one large picture does not cost memory for ever. */
const IDLE_MEMORY_BYTES = 300 * 1024 ** 2;

/**
 * Reads pictures in child processes, which are started when first needed and replaced when they die, hang (60 seconds unless
 * the options say otherwise) or take too much memory (1 GiB): `ReaderFailure`. Bytes go through a file, so that no picture is in
 * our own memory.
 */
export class ChildProcessMediaReader implements MediaReader {
  readonly formats = formats;
  readonly #options: Required<MediaReaderOptions>;
  readonly #processes = new Set<MediaProcess>();
  readonly #idle: MediaProcess[] = [];
  readonly #places: Places;
  /** For pictures that are looked at, or are the next. */
  readonly #next: Places;
  #scratch: Promise<Scratch> | null = null;
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
      ...options,
    };
    this.#places = new Places(this.#options.processes);
    this.#next = new Places(2 * this.#options.processes);
  }

  sniff(head: Uint8Array): Promise<Sniffed> {
    return sniff(head);
  }

  async inspect(bytes: AsyncIterable<Uint8Array>, { maxPixels, alone = false }: InspectBounds): Promise<Inspection> {
    // However many are to be looked at, few files lie here, and who waits for a rendition does not wait behind them all.
    await this.#next.take(false);
    const look = this.#run(bytes, alone, (path, folder) => ({ kind: 'inspect', path, folder, maxPixels }));
    const answer = await look.finally(() => this.#next.leave());
    if ('inspection' in answer) return answer.inspection;
    throw troubleIn(answer);
  }

  async render(bytes: AsyncIterable<Uint8Array>, order: RenditionOrder): Promise<RenderedPicture | null> {
    const { longestSide, format, rotation, alone = false } = order;
    const answer = await this.#run(bytes, alone, (path, folder) => ({
      kind: 'render',
      path,
      folder,
      longestSide,
      format,
      rotation,
    }));
    if ('rendered' in answer) return answer.rendered;
    throw troubleIn(answer);
  }

  /** The child processes there are now. For those who watch over the service. */
  get processes(): readonly { readonly pid: number; readonly busy: boolean }[] {
    return [...this.#processes].map(({ pid, busy }) => ({ pid, busy }));
  }

  /** Ends all child processes and removes all files. Calls that are under way reject, and so do later ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#processes].map((process) => process.end()));
    // Each removes its own files as it ends; one that is still writing would put another where all are being removed.
    await Promise.allSettled(this.#calls);
    this.#processes.clear();
    await (await this.#scratch)?.removeAll();
  }

  async #run(
    bytes: AsyncIterable<Uint8Array>,
    alone: boolean,
    order: (path: string, folder: string) => MediaJob,
  ): Promise<MediaAnswer> {
    this.#demandOpen();
    const call = this.#ask(bytes, alone, order);
    this.#calls.add(call);
    try {
      return await call;
    } catch (error) {
      // What we ended ourselves is not the picture's doing.
      throw this.#closed && error instanceof ReaderFailure ? closed() : error;
    } finally {
      this.#calls.delete(call);
    }
  }

  async #ask(
    bytes: AsyncIterable<Uint8Array>,
    alone: boolean,
    order: (path: string, folder: string) => MediaJob,
  ): Promise<MediaAnswer> {
    const scratch = await this.#openScratch();
    this.#names += 1;
    const name = `picture-${this.#names}`;
    try {
      const path = await scratch.spool(name, bytes);
      this.#demandOpen();
      await this.#places.take(alone);
      try {
        this.#demandOpen();
        if (alone) await this.#endIdle(scratch);
        const process = await this.#idleOrNew(scratch);
        try {
          return await process.run(order(path, process.folder));
        } finally {
          await this.#keepOrEnd(process, scratch);
        }
      } finally {
        this.#places.leave();
      }
    } finally {
      await scratch.unspool(name);
    }
  }

  /** Tried again by the next call when it could not be made. */
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

  async #idleOrNew(scratch: Scratch): Promise<MediaProcess> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.alive) return idle;
      await this.#discard(idle, scratch);
    }
    this.#names += 1;
    const folder = await scratch.folder(`process-${this.#names}`);
    this.#demandOpen();
    const process = new MediaProcess(this.#options.childScript, folder, this.#options);
    this.#processes.add(process);
    return process;
  }

  async #keepOrEnd(process: MediaProcess, scratch: Scratch): Promise<void> {
    const held = process.alive ? heldMemory(process.pid) : null;
    if (process.alive && !this.#closed && (held ?? 0) <= IDLE_MEMORY_BYTES) {
      this.#idle.push(process);
      return;
    }
    if (!this.#closed) this.#options.onReplaced(process.alive ? 'grown' : 'died');
    await this.#discard(process, scratch);
  }

  async #discard(process: MediaProcess, scratch: Scratch): Promise<void> {
    this.#processes.delete(process);
    await process.end();
    await scratch.remove(basename(process.folder));
  }

  #demandOpen(): void {
    if (this.#closed) throw closed();
  }
}

function closed(): DomainError {
  return new DomainError('service_unavailable', 'The media reader is closed.');
}

function troubleIn(answer: MediaAnswer): Error {
  if ('away' in answer) return new DomainError('service_unavailable', `Pictures cannot be read now: ${answer.away}`);
  return new ReaderFailure(
    `The media process failed: ${'trouble' in answer ? answer.trouble : 'it answered another question'}`,
  );
}
