import { inflateSync } from 'node:zlib';
import { type ByteSource, bytesAt, inMemory, type Range } from './file-bytes.js';

const EXIF = Buffer.from('Exif\0\0', 'latin1');
const PHOTOSHOP = Buffer.from('Photoshop 3.0\0', 'latin1');
const IPTC_RESOURCE = 0x0404;

const APP1 = 0xe1;
const APP13 = 0xed;
const START_OF_SCAN = 0xda;
const MAX_SEGMENTS = 2000;

/**
 * The metadata of a JPEG that is larger than a segment (64 KiB) and so spans several: EXIF continues in further APP1 segments, as ExifTool
 * writes it, and Photoshop's resources, including IPTC, in further APP13 segments. Segments beyond `maxBytes` are omitted, and so are EXIF (as
 * a TIFF) and IPTC records that do not span several.
 */
export async function splitMetadata(file: ByteSource, maxBytes: number): Promise<{ exif?: Buffer; iptc?: Buffer }> {
  const [exif, photoshop]: [Buffer[], Buffer[]] = [[], []];
  let size = 0;
  for await (const { marker, start, length } of segments(file)) {
    if ((marker !== APP1 && marker !== APP13) || size > maxBytes) continue;
    const head = marker === APP1 ? EXIF : PHOTOSHOP;
    if (!(await bytesAt(file, start, head.length)).equals(head)) continue;
    const bytes = await bytesAt(file, start + head.length, length - head.length);
    size += bytes.length;
    if (marker === APP13) photoshop.push(bytes);
    // A second TIFF is separate metadata, not a continuation.
    else if (exif.length === 0 || !['II*\0', 'MM\0*'].includes(bytes.toString('latin1', 0, 4))) exif.push(bytes);
  }
  const iptc = photoshop.length > 1 ? iptcOf(Buffer.concat(photoshop)) : undefined;
  return { ...(exif.length > 1 && { exif: Buffer.concat(exif) }), ...(iptc && { iptc }) };
}

/** Enough to see that a scan follows. */
const SCAN_HEAD_BYTES = 64;

/** All that precedes the picture, and the beginning of its first scan; null when that is more than `maxBytes`. */
export async function headOf(file: ByteSource, maxBytes: number): Promise<Buffer | null> {
  const head = await bytesAt(file, 0, maxBytes + SCAN_HEAD_BYTES);
  let end = 0;
  for await (const { start, length } of segments(inMemory(head))) {
    end = start + length;
    if (end > maxBytes) return null;
  }
  return head.subarray(0, end + SCAN_HEAD_BYTES);
}

/** The contents of segments before the picture (ITU-T T.81, B.1.1) of the JPEG at `from`; none if nothing there begins as a JPEG. */
export async function* segments(file: ByteSource, from = 0): AsyncGenerator<Range & { readonly marker: number }> {
  if (!(await bytesAt(file, from, 2)).equals(Buffer.from([0xff, 0xd8]))) return;
  for (let at = from + 2, seen = 0; seen < MAX_SEGMENTS; seen += 1) {
    const head = await bytesAt(file, at, 4);
    const marker = head[1] ?? START_OF_SCAN;
    if (head.length < 4 || head[0] !== 0xff || marker === START_OF_SCAN) return;
    // Any number of 0xff may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = head.readUInt16BE(2);
    yield { marker, start: at + 4, length: length - 2 };
    at += 2 + length;
  }
}

/** The IPTC records among Photoshop's resources: `8BIM`, its number, a name, a size, its bytes, each part padded to an even length. */
function iptcOf(resources: Buffer): Buffer | undefined {
  for (let at = 0; at + 12 <= resources.length && resources.toString('latin1', at, at + 4) === '8BIM'; ) {
    const id = resources.readUInt16BE(at + 4);
    const name = 1 + (resources[at + 6] ?? 0);
    const sizeAt = at + 6 + name + (name % 2);
    if (sizeAt + 4 > resources.length) return undefined;
    const size = resources.readUInt32BE(sizeAt);
    if (id === IPTC_RESOURCE) return resources.subarray(sizeAt + 4, sizeAt + 4 + size);
    at = sizeAt + 4 + size + (size % 2);
  }
  return undefined;
}

/** The smallest JPEG that contains these IPTC records; null if they do not fit into one segment. */
export function jpegAroundIptc(iptc: Buffer): Buffer | null {
  const padding = Buffer.alloc(iptc.length % 2);
  const resource = Buffer.alloc(12);
  resource.write('8BIM', 'latin1');
  resource.writeUInt16BE(IPTC_RESOURCE, 4);
  resource.writeUInt32BE(iptc.length, 8);
  const content = Buffer.concat([PHOTOSHOP, resource, iptc, padding]);
  if (content.length + 2 > 0xffff) return null;
  const head = Buffer.from([0xff, 0xd8, 0xff, APP13, 0, 0]);
  head.writeUInt16BE(content.length + 2, 4);
  return Buffer.concat([head, content, Buffer.from([0xff, 0xd9])]);
}

/** The metadata as in the file: EXIF as a TIFF, perhaps after `Exif\0\0`, IPTC records, an XMP packet. */
export interface EmbeddedMetadata {
  readonly exif?: Uint8Array | undefined;
  readonly iptc?: Uint8Array | undefined;
  readonly xmp?: Uint8Array | undefined;
}

/** Bytes of one chunk, and inflated. Hexadecimal digits take two bytes of each. */
const MAX_CHUNK_BYTES = 3 * 1024 * 1024;
/** Encoders write some kilobytes of pixels in each. */
const MAX_CHUNKS = 32_768;

/** The contents of the chunks of a PNG (third edition, 5.3), in their order. */
export async function* pngChunks(file: ByteSource): AsyncGenerator<Range & { readonly type: string }> {
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
  // A line with a name, one with the number of bytes, then their digits on any number of lines.
  const profile = (name: string) => {
    const text = texts.get(`Raw profile type ${name}`)?.toString('latin1');
    const [, size, ...lines] = text?.trimStart().split('\n') ?? [];
    return size === undefined ? undefined : Buffer.from(lines.join(''), 'hex').subarray(0, Number(size) || 0);
  };
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
