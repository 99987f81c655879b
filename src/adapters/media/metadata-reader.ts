import { Worker } from 'node:worker_threads';
import { metadataOf, type PictureMetadata } from './metadata.js';

export interface MetadataSource {
  /** The file; of a raw file, its preview. */
  readonly path: string;
  readonly contentType: string;
  /** The metadata that was found with the picture (`Picture`). */
  readonly exif: Uint8Array | undefined;
  readonly xmp: Uint8Array | undefined;
  readonly iptc?: Uint8Array | undefined;
}

export interface MetadataRequest extends MetadataSource {
  readonly id: number;
}

interface MetadataAnswer {
  readonly id: number;
  readonly metadata: PictureMetadata | null;
}

/** The thread's first message, before any request. */
export const LOADED = 0;

const TIMEOUT_MS = 5000;
const MAX_HEAP_MIB = 256;

/** Reads metadata in a separate thread, which is replaced when it does not answer. One file at a time. */
export class MetadataReader {
  #thread: Worker | null = null;
  #requests = 0;
  #settle: (answer: MetadataAnswer | null) => void = () => undefined;

  /** `parent` is the process id of the parent of this process, without which it must not continue. */
  constructor(private readonly parent: number) {}

  /** Never throws: metadata that cannot be read within time and limits is treated as absent. */
  async read(source: MetadataSource): Promise<PictureMetadata> {
    this.#requests += 1;
    const answer = await this.#ask({ ...source, id: this.#requests });
    if (answer === null) {
      await this.#thread?.terminate();
    }
    return answer?.metadata ?? metadataOf({ exif: {}, xmp: {}, iptc: {} });
  }

  /** Resolves when the thread has started, so that the first file need not wait; or cannot be started, which costs metadata only. */
  async load(): Promise<void> {
    const thread = this.#start();
    await new Promise<unknown>((resolve) => {
      thread.once('message', resolve);
      thread.once('exit', resolve);
    });
  }

  #start(): Worker {
    if (this.#thread !== null) return this.#thread;
    const thread = new Worker(new URL('./metadata-thread.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
      workerData: this.parent,
    });
    thread.on('message', (answer: MetadataAnswer) => this.#settle(answer));
    // A thread that runs out of memory ends with an error; its end is all that counts.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = null;
      this.#settle(null);
    });
    this.#thread = thread;
    return thread;
  }

  async #ask(request: MetadataRequest): Promise<MetadataAnswer | null> {
    const thread = this.#start();
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<MetadataAnswer | null>((resolve) => {
      this.#settle = (given) => {
        if (given === null || given.id === request.id) resolve(given);
      };
      timer = setTimeout(() => resolve(null), TIMEOUT_MS);
    });
    thread.postMessage(request);
    return answer.finally(() => clearTimeout(timer));
  }
}
