import { Worker } from 'node:worker_threads';
import { formatOf } from '../../core/media/formats.js';
import { headOf } from './formats/embedded-metadata.js';
import { withSource } from './formats/file-bytes.js';
import { NEW_SPACE_MIB } from './media-channel.js';
import { metadataOf, type PictureMetadata } from './metadata.js';
import { type MetadataRequest, type MetadataSource, readMetadata } from './metadata-thread.js';

interface MetadataAnswer {
  readonly id: number;
  readonly metadata: PictureMetadata | null;
}

const TIMEOUT_MS = 5000;
/** Node counts three spaces for new objects. */
const HEAP = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 3 * NEW_SPACE_MIB };

/**
 * Bytes of metadata that are read by the thread of the decoder itself. ExifReader decodes at most four times as many as it is given, in a time
 * that grows with their square at worst (zeros at the end of a text): a tenth of a second for so many, of which real files take half a millisecond.
 */
const MAX_SHORT_BYTES = 16 * 1024;

/** Reads metadata: a little of it at once; what may take endless time, or all memory, in a thread, which is replaced when it does not answer. One file at a time. */
export class MetadataReader {
  #thread: Worker | null = null;
  #requests = 0;
  #settle: (answer: MetadataAnswer | null) => void = () => undefined;

  /** `parent` is the process id of the parent of this process, without which it must not continue. */
  constructor(private readonly parent: number) {}

  /** Never throws: metadata that cannot be read within time and limits is treated as absent. */
  async read(source: MetadataSource): Promise<PictureMetadata> {
    const short = await shortSource(source).catch(() => null);
    const metadata = short === null ? await this.#readInThread(source) : await readMetadata(short).catch(() => null);
    return metadata ?? metadataOf({ exif: {}, xmp: {}, iptc: {} });
  }

  /**
   * Resolves when the thread has started, which ends this process when its parent is gone, even while this thread computes and does not hear of
   * it; or when it cannot be started, which costs metadata only.
   */
  async watchParent(): Promise<void> {
    if (this.#thread !== null) return;
    const thread = this.#start();
    await new Promise<unknown>((resolve) => {
      thread.once('message', resolve);
      thread.once('exit', resolve);
    });
  }

  #start(): Worker {
    if (this.#thread !== null) return this.#thread;
    const thread = new Worker(new URL('./metadata-thread.js', import.meta.url), {
      resourceLimits: HEAP,
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

  async #readInThread(source: MetadataSource): Promise<PictureMetadata | null> {
    // Its start takes none of the time of the file.
    await this.watchParent();
    this.#requests += 1;
    const request: MetadataRequest = { ...source, id: this.#requests };
    const thread = this.#start();
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<MetadataAnswer | null>((resolve) => {
      this.#settle = (given) => {
        if (given === null || given.id === request.id) resolve(given);
      };
      timer = setTimeout(() => resolve(null), TIMEOUT_MS);
    });
    thread.postMessage(request);
    const answer = await answered.finally(() => clearTimeout(timer));
    if (answer === null) await this.#thread?.terminate();
    return answer?.metadata ?? null;
  }
}

/** The same metadata without the picture, where they are few and none of them is XMP, whose parser has no such limits; null otherwise. */
async function shortSource(source: MetadataSource): Promise<MetadataSource | null> {
  if (source.xmp !== undefined) return null;
  const isShort = [source.exif, source.iptc].every((bytes) => (bytes?.length ?? 0) <= MAX_SHORT_BYTES);
  switch (formatOf(source.contentType)?.metadata) {
    case 'decoder':
      return isShort ? source : null;
    case 'segments': {
      const input = await withSource(source.input, (file) => headOf(file, MAX_SHORT_BYTES));
      return input && { ...source, input };
    }
    default:
      return null;
  }
}
