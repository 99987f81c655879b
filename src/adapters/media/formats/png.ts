import { inflateSync } from 'node:zlib';
import { type ByteSource, bytesAt } from './file-bytes.js';
import { iptcOf } from './jpeg-metadata.js';

/** The metadata as in the file: EXIF as a TIFF, perhaps after `Exif\0\0`, IPTC records, an XMP packet. */
export interface EmbeddedMetadata {
  readonly exif?: Uint8Array | undefined;
  readonly iptc?: Uint8Array | undefined;
  readonly xmp?: Uint8Array | undefined;
}

interface Chunk {
  readonly type: string;
  /** Start of its content, in bytes from the start of the file. */
  readonly start: number;
  readonly length: number;
}

/** Bytes of one chunk, and inflated. Hexadecimal digits take two bytes of each. */
const MAX_CHUNK_BYTES = 3 * 1024 * 1024;
/** Encoders write some kilobytes of pixels in each. */
const MAX_CHUNKS = 32_768;

/** The chunks of a PNG (third edition, 5.3), in their order. */
export async function* pngChunks(file: ByteSource): AsyncGenerator<Chunk> {
  for (let at = 8, seen = 0; seen < MAX_CHUNKS; seen += 1) {
    const head = await bytesAt(file, at, 8);
    if (head.length < 8) return;
    const length = head.readUInt32BE(0);
    yield { type: head.toString('latin1', 4, 8), start: at + 8, length };
    at += 12 + length;
  }
}

/**
 * The metadata of a PNG, wherever it stands: libvips reads only what precedes the pixels, but phones and older ExifTools write it after
 * them. Before there was `eXIf`, ImageMagick and others wrote text chunks named `Raw profile type …`, with hexadecimal digits.
 */
export async function pngMetadata(file: ByteSource): Promise<EmbeddedMetadata> {
  const texts = new Map<string, Buffer>();
  let exif: Buffer | undefined;
  for await (const { type, start, length } of pngChunks(file)) {
    if (length > MAX_CHUNK_BYTES) continue;
    if (type === 'eXIf') exif ??= await bytesAt(file, start, length);
    else if (TEXTS.includes(type)) {
      const text = textIn(type, await bytesAt(file, start, length));
      if (text !== null && !texts.has(text.keyword)) texts.set(text.keyword, text.bytes);
    }
  }
  const profile = (name: string) => profileIn(texts.get(`Raw profile type ${name}`));
  const app1 = profile('APP1');
  const isXmp = app1?.toString('latin1', 0, XMP_HEAD.length) === XMP_HEAD;
  const resources = profile('iptc') ?? profile('8bim');
  return {
    exif: exif ?? profile('exif') ?? (isXmp ? undefined : app1),
    iptc: resources && iptcOf(resources),
    xmp: texts.get('XML:com.adobe.xmp') ?? profile('xmp') ?? (isXmp ? app1?.subarray(XMP_HEAD.length) : undefined),
  };
}

/** The bytes that precede XMP in an APP1 segment of a JPEG. */
const XMP_HEAD = 'http://ns.adobe.com/xap/1.0/\0';
const TEXTS = ['tEXt', 'zTXt', 'iTXt'];

/** 11.3.3: a keyword, and its text, compressed in zTXt and sometimes in iTXt; null where it is malformed or too long. */
function textIn(type: string, chunk: Buffer): { keyword: string; bytes: Buffer } | null {
  const end = chunk.indexOf(0);
  if (end < 0) return null;
  const keyword = chunk.toString('latin1', 0, end);
  if (type === 'tEXt') return { keyword, bytes: chunk.subarray(end + 1) };
  if (type === 'zTXt') return inflated(keyword, chunk.subarray(end + 2));
  // A flag, a method, the language and the translated keyword come first.
  const text = chunk.indexOf(0, chunk.indexOf(0, end + 3) + 1) + 1;
  return chunk[end + 1] === 1 ? inflated(keyword, chunk.subarray(text)) : { keyword, bytes: chunk.subarray(text) };
}

function inflated(keyword: string, bytes: Buffer): { keyword: string; bytes: Buffer } | null {
  try {
    return { keyword, bytes: inflateSync(bytes, { maxOutputLength: MAX_CHUNK_BYTES }) };
  } catch {
    return null;
  }
}

/** A line with a name, one with the number of bytes, then their digits on any number of lines. */
function profileIn(text: Buffer | undefined): Buffer | undefined {
  const [, size, ...lines] = text?.toString('latin1').trimStart().split('\n') ?? [];
  return size === undefined ? undefined : Buffer.from(lines.join(''), 'hex').subarray(0, Number(size) || 0);
}
