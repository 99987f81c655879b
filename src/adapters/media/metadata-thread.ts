import { parentPort, Worker, workerData } from 'node:worker_threads';
import ExifReader from 'exifreader';
import { formatOf } from '../../core/media/formats.js';
import { headOf, jpegAroundIptc, splitMetadata } from './formats/embedded-metadata.js';
import { type PictureInput, tiffOf, wholeOf, withSource } from './formats/file-bytes.js';
import { NEW_SPACE_MIB } from './media-channel.js';
import { type FileTags, metadataOf, type PictureMetadata, type Tag } from './metadata.js';
import type { Picture } from './scaled-picture.js';

/** A picture (of a raw file, its preview), and the metadata that was found with it. */
type MetadataSource = Pick<Picture, 'input' | 'contentType' | 'exif' | 'xmp' | 'iptc'>;

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
    const request = { ...source, id: this.#requests };
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

/** Bytes of each of EXIF, XMP and IPTC, inflated. Nothing that is read here needs more; depth maps in XMP do. */
const MAX_BYTES = 1024 * 1024;

const RDF_END = '</rdf:RDF>';

const options = {
  expanded: true,
  includeTags: { exif: true, iptc: true },
  decompress: { maxDecompressedSize: MAX_BYTES },
} as const;

/**
 * Reads metadata, and treats as absent what cannot be read. Takes as long, and as much memory, as the file makes it: run it where both are limited,
 * or for little.
 */
export async function readMetadata({ xmp, ...source }: MetadataSource): Promise<PictureMetadata> {
  // A file without any EXIF or IPTC is an error to ExifReader, and may still have XMP.
  const inFile = await tagsIn(source).catch((): Tags => ({}));
  const { exif = {}, iptc = {} } = inFile;
  return metadataOf({ exif: known(exif), iptc: known(iptc), xmp: known(xmp ? xmpTags(xmp) : {}) });
}

/** ExifReader's word for a value that is outside of the file. */
const FAULTY = '<faulty value>';

function known(tags: Readonly<Record<string, Tag>>): Readonly<Record<string, Tag>> {
  return Object.fromEntries(
    Object.entries(tags).filter(([, { value, description }]) => value !== FAULTY && description !== FAULTY),
  );
}

type Tags = Partial<Pick<FileTags, 'exif' | 'iptc'>>;

/** The tags, wherever files of this format have them. */
async function tagsIn({ input, contentType, exif, iptc }: Omit<MetadataSource, 'xmp'>): Promise<Tags> {
  switch (formatOf(contentType)?.metadata) {
    case 'segments':
      return jpegTags(input);
    case 'directories': {
      // A TIFF's directory and its values may be anywhere in it.
      const { exif: inTiff, iptc: ofTiff } = ExifReader.load(await wholeOf(input), options);
      return { ...(inTiff ? { exif: inTiff } : {}), ...(ofTiff ? { iptc: ofTiff } : {}) } as Tags;
    }
    case 'preview': {
      // The tags of a raw file, and those of its preview that it does not have itself: with some makers, that is all of them.
      const inPreview = await jpegTags(input);
      return exif ? { ...inPreview, exif: { ...inPreview.exif, ...exifTags(exif).exif } } : inPreview;
    }
    case 'decoder':
      return { ...(exif && exifTags(exif)), ...(iptc && iptcTags(iptc)) };
    default:
      return fileTags(input);
  }
}

async function jpegTags(input: PictureInput): Promise<Tags> {
  const tags = await fileTags(input).catch((): Tags => ({}));
  try {
    // Metadata that span several segments: ExifReader takes one of them for all.
    const { exif, iptc } = await withSource(input, (file) => splitMetadata(file, MAX_BYTES));
    return { ...tags, ...(exif && exifTags(exif)), ...(iptc && iptcTags(iptc)) };
  } catch {
    return tags;
  }
}

/** EXIF on its own: a TIFF, in some containers with the prefix that it has in JPEG. */
function exifTags(bytes: Uint8Array): Tags {
  if (bytes.length > MAX_BYTES) return {};
  const { exif } = ExifReader.load(Buffer.from(tiffOf(bytes)), options);
  return (exif ? { exif } : {}) as Tags;
}

/** IPTC records on their own. */
function iptcTags(records: Uint8Array): Tags {
  const jpeg = jpegAroundIptc(Buffer.from(records));
  const { iptc } = jpeg === null ? {} : ExifReader.load(jpeg, options);
  return (iptc ? { iptc } : {}) as Tags;
}

async function fileTags(input: PictureInput): Promise<Tags> {
  // `auto` reads the parts of the file that contain metadata, not the whole.
  const found = { ...options, includeOffsets: true, length: 'auto' } as const;
  const { exif, iptc, metadataRange } = await (typeof input === 'string'
    ? ExifReader.load(input, found)
    : ExifReader.load(input, found));
  const sizeOf = (type: string) =>
    (metadataRange?.blocks ?? []).reduce((sum, block) => sum + (block.type === type ? block.end - block.start : 0), 0);
  return {
    ...(exif && sizeOf('exif') <= MAX_BYTES ? { exif } : {}),
    ...(iptc && sizeOf('iptc') <= MAX_BYTES ? { iptc } : {}),
  } as Tags;
}

/**
 * ExifReader reads XMP by itself when it begins as a packet, with the element that is usual around RDF. Other programs have other names for
 * it (`x:xapmeta`), or none, and some leave the end of an older, longer packet behind a new one: what counts is the first RDF.
 */
function xmpTags(xmp: Uint8Array): FileTags['xmp'] {
  if (xmp.length > MAX_BYTES) return {};
  const text = new TextDecoder().decode(xmp);
  const [start, end] = [text.indexOf('<rdf:RDF'), text.indexOf(RDF_END)];
  if (start < 0 || end < start) return {};
  const rdf = text.slice(start, end + RDF_END.length);
  const packet = `<?xpacket begin="" id=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">${rdf}</x:xmpmeta>`;
  try {
    const { xmp: tags } = ExifReader.load(Buffer.from(packet), { expanded: true, includeTags: { xmp: true } });
    return (tags ?? {}) as FileTags['xmp'];
  } catch {
    return {};
  }
}

/**
 * A thread of the child, so that metadata which takes endless time, or all memory, costs the metadata only and not the picture
 * (`MetadataReader` ends it then).
 */
if (parentPort !== null && typeof workerData === 'number') {
  const child = parentPort;
  child.on('message', async ({ id, input, ...source }: MetadataSource & { id: number }) => {
    // A message brings the bytes of a buffer, and not that it is one.
    const read = readMetadata({ ...source, input: typeof input === 'string' ? input : Buffer.from(input) });
    child.postMessage({ id, metadata: await read.catch(() => null) });
  });
  // The first message, before any request. Everything is loaded: from now on time is spent on the file.
  child.postMessage({ id: 0, metadata: null });
  // A busy child does not notice that its parent is gone; this thread does.
  setInterval(() => {
    if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
  }, 1000);
}
