import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  Inspection,
  MediaReader,
  RenderedPicture,
  RenditionOrder,
  Sniffed,
} from '../../core/media/media-reader.js';
import type { MediaAnswer, MediaJob } from './media-job.js';
import { MediaProcess, type ProcessBounds } from './media-process.js';
import { heldMemory } from './process-memory.js';
import { openScratch, type Scratch } from './scratch.js';
import { formats, sniff } from './sniff.js';

export interface MediaReaderOptions extends Partial<ProcessBounds> {
  /** Where files are kept while they are looked at; made when missing. Its disk must hold the pictures that are looked at together, and HEIC unpacked. */
  readonly scratchDir: string;
  /** How many pictures at once; each may hold `maxMemoryBytes`. */
  readonly processes?: number;
  /** The compiled `media-child.js`. */
  readonly childScript?: string;
}

/** What an idle process may hold; above, it is replaced, so that one large picture does not cost memory for ever. */
const IDLE_MEMORY_BYTES = 300 * 1024 ** 2;

/**
 * Reads pictures in child processes, which are started when first needed and replaced when they die, hang (60 seconds) or take
 * too much memory (1 GiB); the call then rejects. Bytes go through a file, so that no picture is in our own memory.
 */
export class ChildProcessMediaReader implements MediaReader {
  readonly formats = formats;
  readonly #options: Required<MediaReaderOptions>;
  readonly #processes = new Set<MediaProcess>();
  readonly #idle: MediaProcess[] = [];
  /** Calls that wait for one of the `processes` places. */
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  #scratch: Promise<Scratch> | null = null;
  #names = 0;
  #closed = false;
  readonly #calls = new Set<Promise<MediaAnswer>>();

  constructor(options: MediaReaderOptions) {
    this.#options = {
      processes: Math.min(2, availableParallelism()),
      childScript: fileURLToPath(new URL('./media-child.js', import.meta.url)),
      timeoutMs: 60_000,
      maxMemoryBytes: 1024 ** 3,
      ...options,
    };
  }

  sniff(head: Uint8Array): Promise<Sniffed> {
    return sniff(head);
  }

  async inspect(bytes: AsyncIterable<Uint8Array>, { maxPixels }: { readonly maxPixels: number }): Promise<Inspection> {
    const answer = await this.#run(bytes, (path, folder) => ({ kind: 'inspect', path, folder, maxPixels }));
    if ('inspection' in answer) return answer.inspection;
    throw troubleIn(answer);
  }

  async render(bytes: AsyncIterable<Uint8Array>, order: RenditionOrder): Promise<RenderedPicture | null> {
    const { longestSide, format, rotation } = order;
    const answer = await this.#run(bytes, (path, folder) => ({
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
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#processes].map((process) => process.end()));
    // Each removes its own files as it ends; one that is still writing would put another where all are being removed.
    await Promise.allSettled(this.#calls);
    this.#processes.clear();
    await (await this.#scratch)?.removeAll();
  }

  async #run(
    bytes: AsyncIterable<Uint8Array>,
    order: (path: string, folder: string) => MediaJob,
  ): Promise<MediaAnswer> {
    this.#demandOpen();
    const call = this.#ask(bytes, order);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  async #ask(
    bytes: AsyncIterable<Uint8Array>,
    order: (path: string, folder: string) => MediaJob,
  ): Promise<MediaAnswer> {
    this.#scratch ??= openScratch(this.#options.scratchDir);
    const scratch = await this.#scratch;
    this.#names += 1;
    const name = `picture-${this.#names}`;
    try {
      const path = await scratch.spool(name, bytes);
      this.#demandOpen();
      await this.#takePlace();
      try {
        const process = await this.#idleOrNew(scratch);
        try {
          return await process.run(order(path, process.folder));
        } finally {
          await this.#keepOrEnd(process, scratch);
        }
      } finally {
        this.#leavePlace();
      }
    } finally {
      await scratch.remove(name);
    }
  }

  async #takePlace(): Promise<void> {
    if (this.#taken < this.#options.processes) this.#taken += 1;
    else await new Promise<void>((wake) => this.#waiting.push(wake));
  }

  /** The place goes straight to who waits longest. */
  #leavePlace(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken -= 1;
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
    const held = process.alive ? await heldMemory(process.pid) : null;
    if (process.alive && !this.#closed && (held ?? 0) <= IDLE_MEMORY_BYTES) this.#idle.push(process);
    else await this.#discard(process, scratch);
  }

  async #discard(process: MediaProcess, scratch: Scratch): Promise<void> {
    this.#processes.delete(process);
    await process.end();
    await scratch.remove(basename(process.folder));
  }

  #demandOpen(): void {
    if (this.#closed) throw new Error('The media reader is closed.');
  }
}

function troubleIn(answer: MediaAnswer): Error {
  return new Error(
    `The media process failed: ${'trouble' in answer ? answer.trouble : 'it answered another question'}`,
  );
}
