import { inflateSync } from 'node:zlib';
import { acceptedFormats, formatBySignature, formatOf } from '../../../core/media/formats.js';
import type { Companion } from '../../../core/media/picture-metadata.js';
import {
  Boxes,
  type ByteSource,
  bytesAt,
  HEAD_BYTES,
  inMemory,
  type PictureInput,
  type Range,
  withSource,
} from './file-bytes.js';

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
    const head = marker === APP1 ? Buffer.from('Exif\0\0', 'latin1') : PHOTOSHOP;
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
 * The metadata of a PNG (EXIF as a TIFF, perhaps after `Exif\0\0`, IPTC records, an XMP packet), wherever it stands: libvips reads only what
 * precedes the pixels, but phones and older ExifTools write it after them. Before there was `eXIf`, ImageMagick and others wrote text chunks
 * named `Raw profile type …`, with hexadecimal digits.
 */
export async function pngMetadata(file: ByteSource) {
  const texts = new Map<string, Buffer>();
  let exif: Buffer | undefined;
  for await (const { type, start, length } of pngChunks(file)) {
    if (length > MAX_CHUNK_BYTES) continue;
    if (type === 'eXIf') exif ??= await bytesAt(file, start, length);
    else if (['tEXt', 'zTXt', 'iTXt'].includes(type)) {
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

/** A GIF's blocks are not searched beyond this for its first frame and its metadata. */
const GIF_HEAD_BYTES = 1024 * 1024;

const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;
const GIF_XMP_LABEL = Buffer.from('!\xff\x0bXMP DataXMP', 'latin1');

/** Reads the images and extensions of a GIF (GIF89a, 20 and 24 to 26) from its beginning, while they are whole as far as their headers. */
export async function gifHead(file: ByteSource) {
  const bytes = await bytesAt(file, 0, GIF_HEAD_BYTES);
  const found: {
    /** The size that the first frame declares. It may be larger than the canvas, and decoders allocate memory for it. */
    frame?: { readonly width: number; readonly height: number };
    /** The XMP packet, with what follows it in its block. */
    xmp?: Uint8Array;
  } = {};
  const byte = (at: number) => bytes[at] ?? 0;
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let start = 13 + colours(byte(10));
  while (start + 10 <= bytes.length && [GIF_IMAGE, GIF_EXTENSION].includes(byte(start))) {
    const isImage = byte(start) === GIF_IMAGE;
    if (isImage) found.frame ??= { width: bytes.readUInt16LE(start + 5), height: bytes.readUInt16LE(start + 7) };
    // An extension begins with a label, an image with its size, colours and the width of its codes. Sub-blocks follow, each preceded by its
    // length, until an empty one.
    let end = start + (isImage ? 11 + colours(byte(start + 9)) : 2);
    while (byte(end) !== 0) end += byte(end) + 1;
    const packet = start + GIF_XMP_LABEL.length;
    if (GIF_XMP_LABEL.equals(bytes.subarray(start, packet))) found.xmp ??= bytes.subarray(packet, end);
    start = end + 1;
  }
  return found;
}

/** A limit of what is searched for places of films. */
const MAX_XMP_BYTES = 1024 * 1024;

/** The film of a motion photo, if there really is one; null otherwise. Its frames are not examined. */
export async function companionOf(
  input: PictureInput,
  { contentType, xmp }: { readonly contentType: string; readonly xmp: Uint8Array | undefined },
): Promise<Companion | null> {
  const place = formatOf(contentType)?.film;
  if (place === undefined) return null;
  return withSource(input, async (file) => {
    const boxes = place === 'box' ? await new Boxes(file).within(0, file.size) : [];
    // Motion Photo format 1.0 for HEIF: a box of its own.
    const inBoxes = boxes
      .filter(({ type }) => type === 'mpvd')
      .map(({ start, length, content }) => ({ start: content, length: start + length - content }));
    const parts = place === 'box' ? inBoxes : [...partsByXmp(xmp, file.size), ...(await partsBySamsung(file))];
    for (const part of parts) {
      const found = await filmIn(file, part);
      if (found !== null) return { type: 'video', contentType: found, offset: part.start, sizeBytes: part.length };
    }
    return null;
  });
}

/**
 * Motion Photo format 1.0: XMP lists what follows the picture, each with its length. Its predecessor, Micro Video, says how far from the
 * end the film begins.
 */
function partsByXmp(xmp: Uint8Array | undefined, size: number): readonly Range[] {
  if (xmp === undefined || xmp.length > MAX_XMP_BYTES) return [];
  const text = new TextDecoder().decode(xmp);
  const items = [...text.matchAll(/<[\w:]*Item\s[^<>]*>/g)].slice(0, 32).map(([item]) => ({
    isFilm: /:Semantic="MotionPhoto"/.test(item),
    length: Number(/:Length="(\d{1,12})"/.exec(item)?.[1] ?? 0),
    padding: Number(/:Padding="(\d{1,12})"/.exec(item)?.[1] ?? 0),
  }));
  const film = items.findIndex(({ isFilm }) => isFilm);
  const behind = items.slice(film).reduce((sum, { length, padding }) => sum + length + padding, 0);
  const length = items[film]?.length ?? 0;
  const micro = Number(/:MicroVideoOffset="(\d{1,12})"/.exec(text)?.[1] ?? 0);
  return [
    { start: size - behind, length },
    { start: size - micro, length: micro },
  ].filter((part) => part.length > 0);
}

/** Samsung: a directory at the end of the file of what is before it, each part with a name. Little-endian. */
async function partsBySamsung(file: ByteSource): Promise<readonly Range[]> {
  const { size } = file;
  const end = await bytesAt(file, Math.max(0, size - 8), 8);
  if (end.toString('latin1', 4) !== 'SEFT') return [];
  const length = end.readUInt32LE(0);
  const start = size - 8 - length;
  const directory = start < 0 || length > 12 + 12 * 64 ? Buffer.alloc(0) : await bytesAt(file, start, length);
  if (directory.length < 12 || directory.toString('latin1', 0, 4) !== 'SEFH') return [];
  const parts: Range[] = [];
  for (let at = 12; at + 12 <= directory.length; at += 12) {
    const [from, bytes] = [start - directory.readUInt32LE(at + 4), directory.readUInt32LE(at + 8)];
    const name = Buffer.from('MotionPhoto_Data', 'latin1');
    const head = from < 0 ? Buffer.alloc(0) : await bytesAt(file, from, 8 + name.length);
    if (!head.subarray(8).equals(name)) continue;
    parts.push({ start: from + head.length, length: bytes - head.length });
  }
  return parts;
}

/** The type of the film, if the part is inside the file and is a film by its boxes. */
async function filmIn(file: ByteSource, { start, length }: Range): Promise<Companion['contentType'] | null> {
  if (start <= 0 || length <= 0 || start + length > file.size) return null;
  const boxes = await new Boxes(file).within(start, start + length);
  const [type] = boxes;
  const isFilm = type?.type === 'ftyp' && boxes.some((box) => box.type === 'moov' || box.type === 'moof');
  if (!isFilm) return null;
  // What is built like a film may be a picture.
  if (formatBySignature(acceptedFormats, await bytesAt(file, start, HEAD_BYTES)) !== undefined) return null;
  const brand = (await bytesAt(file, type.content, 4)).toString('latin1');
  return brand === 'qt  ' ? 'video/quicktime' : 'video/mp4';
}
