import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  type DecoderPriority,
  type InspectBounds,
  type Inspection,
  MAX_RENDITIONS_AT_ONCE,
  type MediaIsolation,
  type MediaReader,
  type PictureBytes,
  ReaderFailure,
  type RenderedPicture,
  type RenditionOrder,
  type Sniffed,
  type WantedIsolation,
} from '../../core/media/media-reader.js';
import { DomainError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { onDisk, unlessAbsent } from '../local-blobs/files.js';
import { formats, sniff } from './formats/accepted.js';
import { programFiles, TEMPORARY } from './isolation/isolation.js';
import {
  FrameError,
  INSPECTION_BOUNDS,
  type InspectionAnswer,
  inspectionAnswer,
  MAX_SENT_BYTES,
  RENDITION_BOUNDS,
  renditionAnswer,
} from './media-channel.js';
import type { MediaProcess, ProcessBounds, Question } from './processes/media-process.js';
import { closed, MediaProcessPool, type PoolOptions } from './processes/media-process-pool.js';

export interface MediaReaderOptions extends Partial<ProcessBounds & Pick<PoolOptions, 'onReplaced' | 'idleMs'>> {
  /**
   * Where files are stored while they are read; created when missing. Its disk must have space for twice the pictures that are read at the
   * same time, and unpacked HEIC and JPEG XL.
   */
  readonly scratchDir: string;
  /** Number of concurrent pictures, default 2, plus one for a customer that would have to wait for others; each may use `maxMemoryBytes`. */
  readonly processes?: number;
  /** The degree to which processes are isolated from the rest of the machine; default: the best level that works. */
  readonly isolation?: WantedIsolation;
  readonly priority?: DecoderPriority;
  /** The compiled `media-child.js`. */
  readonly childScript?: string;
  /** Folders and files that the script loads, in addition to its packages; default: the whole program. */
  readonly childFiles?: readonly string[];
}

/** Whose turn it is, and whether alone. */
type Turn = Pick<InspectBounds, 'customerId' | 'alone'>;

/**
 * Reads pictures in child processes, which are started when needed, ended when nothing was asked for a minute, and replaced when they die,
 * hang (60 seconds unless the options say otherwise) or use too much memory (1 GiB): `ReaderFailure`. A small picture is sent to its process;
 * the bytes of a larger one go through a file, so that they are in no process's memory.
 */
export class ChildProcessMediaReader implements MediaReader {
  readonly formats = formats;
  readonly #pool: MediaProcessPool;
  readonly #running: FairLimit;
  /** One for pictures that are being inspected, or are next; one for renditions that are being made, or are next. */
  readonly #nextInspected: FairLimit;
  readonly #nextRendered: FairLimit;
  #names = 0;
  #closed = false;
  readonly #calls = new Set<Promise<unknown>>();

  constructor(options: MediaReaderOptions) {
    const all = {
      processes: 2,
      idleMs: 60_000,
      childScript: fileURLToPath(new URL('./media-child.js', import.meta.url)),
      timeoutMs: 60_000,
      maxMemoryBytes: 1024 ** 3,
      // A HEIC of 210 megapixels is 840 MB unpacked.
      maxTemporaryBytes: 1024 ** 3,
      onReplaced: () => undefined,
      isolation: 'auto' as const,
      priority: 'idle' as const,
      childFiles: [fileURLToPath(new URL('../..', import.meta.url))],
      ...options,
    };
    this.#pool = new MediaProcessPool(programFiles(all.childScript, all.childFiles), all);
    this.#running = new FairLimit(all.processes);
    this.#nextInspected = new FairLimit(2 * all.processes);
    this.#nextRendered = new FairLimit(2 * all.processes);
  }

  sniff(head: Uint8Array): Promise<Sniffed> {
    return sniff(head);
  }

  async inspect(bytes: PictureBytes, { maxPixels, ...bounds }: InspectBounds): Promise<Inspection> {
    return await this.#inTurn(this.#nextInspected, bytes, bounds, {
      job: { kind: 'inspect', folder: TEMPORARY, maxPixels },
      bounds: INSPECTION_BOUNDS,
      check: ({ json, bytes: thumb }) => {
        const answer = inspectionAnswer(json, 'answer');
        requireBytes(thumb, answer.kind === 'picture');
        if (answer.kind === 'refused') return { outcome: 'refused', error: answer.error };
        if (answer.kind !== 'picture') throw errorIn(answer);
        const { facts, contentType } = answer;
        if (facts.width * facts.height > maxPixels) throw new FrameError('it has more pixels than are accepted');
        return { outcome: 'picture', facts, thumb: { bytes: thumb, contentType } };
      },
    });
  }

  async render(bytes: PictureBytes, order: RenditionOrder): Promise<RenderedPicture | null> {
    const { customerId, alone: _, ...picture } = order;
    if (this.#nextRendered.asked(customerId) >= MAX_RENDITIONS_AT_ONCE) {
      const message = `${MAX_RENDITIONS_AT_ONCE} renditions of this account are already being created. Try again in a moment.`;
      throw new DomainError('service_unavailable', message);
    }
    return await this.#inTurn(this.#nextRendered, bytes, order, {
      job: { kind: 'render', folder: TEMPORARY, ...picture },
      bounds: RENDITION_BOUNDS,
      check: ({ json, bytes: rendered }) => {
        const answer = renditionAnswer(json, 'answer');
        requireBytes(rendered, answer.kind === 'rendered');
        if (answer.kind === 'undecodable') return null;
        if (answer.kind !== 'rendered') throw errorIn(answer);
        if (answer.contentType !== `image/${order.format}`) throw new FrameError('it is of another format');
        return { bytes: rendered, contentType: answer.contentType };
      },
    });
  }

  /**
   * The isolation level, which is chosen once, by starting a process: call it when the service starts. Errors: `service_unavailable` when
   * the requested level does not work here, or the scratch folder cannot be created.
   */
  async isolation(): Promise<MediaIsolation> {
    const { level, refused } = await this.#pool.isolation.get();
    return { level, refused };
  }

  /** The current child processes, for monitoring. */
  get processes(): readonly { readonly pid: number; readonly busy: boolean }[] {
    return this.#pool.processes;
  }

  /** Ends all child processes and removes all files. Calls in progress reject, and so do later ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.end();
    // Each removes its own files as it ends; one that is still writing would create another while all are being removed.
    await Promise.allSettled(this.#calls);
    await this.#pool.removeFiles();
  }

  /** However many calls wait, there are few files, and a rendition does not wait behind all pending inspections. */
  async #inTurn<T>(next: FairLimit, bytes: PictureBytes, turn: Turn, question: Question<T>): Promise<T> {
    await next.acquire(turn.customerId);
    try {
      this.#requireOpen();
      const call = this.#ask(bytes, turn, question);
      this.#calls.add(call);
      return await call.finally(() => this.#calls.delete(call));
    } catch (error) {
      // A process that we ended ourselves is not the picture's fault.
      throw this.#closed && error instanceof ReaderFailure ? closed() : error;
    } finally {
      next.release(turn.customerId);
    }
  }

  async #ask<T>(bytes: PictureBytes, turn: Turn, question: Question<T>): Promise<T> {
    const scratch = await this.#pool.scratch.get();
    await this.#pool.isolation.get();
    const picture = await smallOrLarge(bytes);
    if (Buffer.isBuffer(picture)) return this.#use(null, turn, (process) => process.run(question, picture));
    this.#names += 1;
    const name = `picture-${this.#names}`;
    try {
      await scratch.spool(name, picture).finally(picture.end);
      return await this.#use(name, turn, (process) => process.run(question, null));
    } finally {
      await scratch.unspool(name);
    }
  }

  async #use<T>(file: string | null, turn: Turn, work: (process: MediaProcess) => Promise<T>): Promise<T> {
    const { customerId, alone = false } = turn;
    this.#requireOpen();
    await this.#running.acquire(customerId, { alone });
    try {
      this.#requireOpen();
      if (alone) await this.#pool.endIdle();
      return await this.#pool.use(file, work);
    } finally {
      this.#running.release(customerId);
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw closed();
  }
}

/** Bytes of which some may have been read. */
interface BegunBytes extends PictureBytes {
  /** Ends their source, whether the others were read or not. */
  readonly end?: () => Promise<unknown>;
}

/** The bytes of a small picture, read once; or those of a large one, of which nothing is held in memory. Errors: those of `bytes`, unchanged. */
async function smallOrLarge(bytes: PictureBytes): Promise<Buffer | BegunBytes> {
  const path = (await bytes.file?.()) ?? null;
  const found = path === null ? null : await onDisk(() => smallFile(path));
  if (found === 'large') return { file: async () => path, [Symbol.asyncIterator]: () => bytes[Symbol.asyncIterator]() };
  return found ?? gathered(bytes);
}

/** Null when there is none: it was deleted a moment ago. */
async function smallFile(path: string): Promise<Buffer | 'large' | null> {
  const file = await open(path, 'r').catch(unlessAbsent);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    return size > MAX_SENT_BYTES ? 'large' : await file.readFile();
  } finally {
    await file.close();
  }
}

/** Its chunks are copied: their memory is the source's again once the next one is asked for. */
async function gathered(bytes: AsyncIterable<Uint8Array>): Promise<Buffer | BegunBytes> {
  const chunks = bytes[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  for (let length = 0; length <= MAX_SENT_BYTES; ) {
    const { done, value } = await chunks.next();
    if (done) return Buffer.concat(first);
    first.push(Buffer.from(value));
    length += value.length;
  }
  return {
    async *[Symbol.asyncIterator]() {
      yield* first;
      yield* { [Symbol.asyncIterator]: () => chunks };
    },
    end: async () => chunks.return?.(),
  };
}

function requireBytes(bytes: Buffer, areExpected: boolean): void {
  if (bytes.length > 0 !== areExpected) throw new FrameError('it has bytes without a picture, or none with one');
}

function errorIn(answer: Extract<InspectionAnswer, { kind: 'failed' | 'unavailable' }>): Error {
  return answer.kind === 'unavailable'
    ? new DomainError('service_unavailable', `Images cannot be read at the moment: ${answer.code}`)
    : new ReaderFailure(`The media process failed: ${answer.message}`);
}

/**
 * A concurrency limit shared between customers: waiting calls take turns by customer, and a customer with nothing in progress does not wait
 * for others: there is one extra slot for this. A call that must run alone runs beside no other of its own customer, and delays no one
 * else. Within one customer, first come, first served.
 */
export class FairLimit {
  /** In the order of their turns. */
  readonly #waiting = new Map<Id, { readonly alone: boolean; readonly wake: () => void }[]>();
  readonly #taken = new Map<Id, number>();
  /** Customers with a running call that must be alone. */
  readonly #alone = new Set<Id>();

  constructor(private readonly count: number) {}

  /** Number of a customer's running and waiting calls. */
  asked(customerId: Id): number {
    return (this.#taken.get(customerId) ?? 0) + (this.#waiting.get(customerId)?.length ?? 0);
  }

  /** Resolves with a slot, which must be released. */
  async acquire(customerId: Id, { alone = false }: { alone?: boolean } = {}): Promise<void> {
    const turn = new Promise<void>((wake) => {
      const queue = this.#waiting.get(customerId) ?? [];
      this.#waiting.set(customerId, [...queue, { alone, wake }]);
    });
    this.#letIn();
    await turn;
  }

  release(customerId: Id): void {
    const taken = (this.#taken.get(customerId) ?? 0) - 1;
    if (taken > 0) this.#taken.set(customerId, taken);
    else this.#taken.delete(customerId);
    this.#alone.delete(customerId);
    this.#letIn();
  }

  #letIn(): void {
    for (let next = this.#nextCustomer(); next !== null; next = this.#nextCustomer()) {
      const [first, ...others] = this.#waiting.get(next) ?? [];
      // Its next turn comes after everyone else's.
      this.#waiting.delete(next);
      if (others.length > 0) this.#waiting.set(next, others);
      this.#taken.set(next, (this.#taken.get(next) ?? 0) + 1);
      if (first?.alone) this.#alone.add(next);
      first?.wake();
    }
  }

  /**
   * The customer whose turn it is, if there is a slot. A call that must run alone blocks later calls of its customer, or it might never get
   * its turn.
   */
  #nextCustomer(): Id | null {
    for (const [customerId, [first]] of this.#waiting) {
      const mayBegin = first?.alone ? !this.#taken.has(customerId) : !this.#alone.has(customerId);
      const free = this.count - [...this.#taken.values()].reduce((sum, taken) => sum + taken, 0);
      if (mayBegin && (free > 0 || (free === 0 && !this.#taken.has(customerId)))) return customerId;
    }
    return null;
  }
}
