import { type ByteSource, bytesAt, inMemory } from './file-bytes.js';

/** EXIF as a TIFF, and IPTC records; each undefined unless it spans several segments. */
export interface SplitMetadata {
  readonly exif?: Buffer;
  readonly iptc?: Buffer;
}

const EXIF = Buffer.from('Exif\0\0', 'latin1');
const PHOTOSHOP = Buffer.from('Photoshop 3.0\0', 'latin1');
const IPTC_RESOURCE = 0x0404;

const APP1 = 0xe1;
const APP13 = 0xed;
const START_OF_SCAN = 0xda;
const MAX_SEGMENTS = 2000;

/**
 * The metadata of a JPEG that is larger than a segment (64 KiB) and so spans several: EXIF continues in further APP1 segments, as ExifTool
 * writes it, and Photoshop's resources, including IPTC, in further APP13 segments. Segments beyond `maxBytes` are omitted.
 */
export async function splitMetadata(file: ByteSource, maxBytes: number): Promise<SplitMetadata> {
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
    else if (exif.length === 0 || !isTiff(bytes)) exif.push(bytes);
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

interface Segment {
  readonly marker: number;
  /** Start of its content, in bytes from the start of the file. */
  readonly start: number;
  readonly length: number;
}

/** Segments before the picture (ITU-T T.81, B.1.1) of the JPEG at `from`; none if nothing there begins as a JPEG. */
export async function* segments(file: ByteSource, from = 0): AsyncGenerator<Segment> {
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

function isTiff(bytes: Buffer): boolean {
  return ['II*\0', 'MM\0*'].includes(bytes.toString('latin1', 0, 4));
}

/** The IPTC records among Photoshop's resources: `8BIM`, its number, a name, a size, its bytes, each part padded to an even length. */
export function iptcOf(resources: Buffer): Buffer | undefined {
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
