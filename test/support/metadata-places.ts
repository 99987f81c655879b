import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { present } from './tenant.js';

/** Pictures of 1.4 megapixels of noise: what stands behind such a picture is more than a megabyte into the file. */
const [WIDTH, HEIGHT] = [1400, 1000];
const CHANNELS = 3;

/** What all of the pictures here say of themselves. */
export const said = { make: 'Acme', model: 'Nine', lens: '50mm', taken: '2024:05:07 09:33:04', offset: '+08:00' };

const exif = {
  IFD0: { Make: said.make, Model: said.model },
  IFD2: { DateTimeOriginal: said.taken, OffsetTimeOriginal: said.offset, LensModel: said.lens },
};

/** Reproducible, and larger than its pixels when compressed. */
function noise(): Buffer {
  const bytes = Buffer.alloc(WIDTH * HEIGHT * CHANNELS);
  for (let at = 0, state = 1; at < bytes.length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export function pictureWithExif() {
  return sharp(noise(), { raw: { width: WIDTH, height: HEIGHT, channels: CHANNELS } }).withExif(exif);
}

/** 1.5 MB that say nothing. */
const FAR = 1_500_000;

// JPEG: segments of a marker, a length and content, in front of the picture.

interface Segment {
  readonly marker: number;
  readonly content: Buffer;
}

function takeApartJpeg(jpeg: Buffer): { segments: Segment[]; picture: Buffer } {
  const segments: Segment[] = [];
  let at = 2;
  for (; jpeg[at + 1] !== 0xda; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    segments.push({ marker: present(jpeg[at + 1]), content: jpeg.subarray(at + 4, end) });
  }
  return { segments, picture: jpeg.subarray(at) };
}

function putTogetherJpeg(segments: readonly Segment[], picture: Buffer): Buffer {
  const parts = segments.map(({ marker, content }) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(content.length + 2, 2);
    return Buffer.concat([head, content]);
  });
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...parts, picture]);
}

const isExif = ({ marker, content }: Segment) => marker === 0xe1 && content.toString('latin1', 0, 4) === 'Exif';

export function jpegWithExifFarIn(jpeg: Buffer): Buffer {
  const { segments, picture } = takeApartJpeg(jpeg);
  const silent = Array.from({ length: Math.ceil(FAR / 65_000) }, () => ({
    marker: 0xef,
    content: Buffer.alloc(65_000),
  }));
  return putTogetherJpeg([...silent, ...segments], picture);
}

/** As large EXIF is written: each further segment goes on where the one before it was full. */
export function jpegWithExifInPieces(jpeg: Buffer): Buffer {
  const { segments, picture } = takeApartJpeg(jpeg);
  const content = present(segments.find(isExif)).content.subarray(6);
  const half = Math.floor(content.length / 2);
  const pieces = [content.subarray(0, half), content.subarray(half)].map((piece) => ({
    marker: 0xe1,
    content: Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), piece]),
  }));
  return putTogetherJpeg([...pieces, ...segments.filter((segment) => !isExif(segment))], picture);
}

/** A title and a time in IPTC, in Photoshop's resources, which are cut into so many segments. */
export function jpegWithIptc(jpeg: Buffer, pieces: number): Buffer {
  const { segments, picture } = takeApartJpeg(jpeg);
  const record = (number: number, text: string) => {
    const head = Buffer.from([0x1c, 2, number, 0, text.length]);
    return Buffer.concat([head, Buffer.from(text, 'latin1')]);
  };
  const records = Buffer.concat([record(5, 'A title'), record(55, '20200102'), record(60, '030405+0100')]);
  const resource = (id: number, bytes: Buffer) => {
    const head = Buffer.from('8BIM\0\0\0\0\0\0\0\0', 'latin1');
    head.writeUInt16BE(id, 4);
    head.writeUInt32BE(bytes.length, 8);
    return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)]);
  };
  // Something else of Photoshop's comes first, of an odd length.
  const resources = Buffer.concat([resource(0x03ed, Buffer.alloc(17)), resource(0x0404, records)]);
  const size = Math.ceil(resources.length / pieces);
  const cut = Array.from({ length: pieces }, (_, piece) => ({
    marker: 0xed,
    content: Buffer.concat([
      Buffer.from('Photoshop 3.0\0', 'latin1'),
      resources.subarray(piece * size, (piece + 1) * size),
    ]),
  }));
  return putTogetherJpeg([...segments, ...cut], picture);
}

// PNG: chunks of a length, a type, content and a checksum.

export function pngWithExif(png: Buffer, where: 'behind' | 'far in'): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    chunks.push(png.subarray(at, at + 12 + png.readUInt32BE(at)));
  }
  const typeOf = (chunk: Buffer) => chunk.toString('latin1', 4, 8);
  const own = present(chunks.find((chunk) => typeOf(chunk) === 'eXIf'));
  const others = chunks.filter((chunk) => chunk !== own);
  const silent = pngChunk('tEXt', Buffer.concat([Buffer.from('Comment\0'), Buffer.alloc(FAR, 'x')]));
  const order =
    where === 'behind'
      ? [...others.slice(0, -1), own, ...others.slice(-1)]
      : [...others.slice(0, 1), silent, own, ...others.slice(1)];
  return Buffer.concat([png.subarray(0, 8), ...order]);
}

/** @param kind The type of its chunk, perhaps with `, compressed`. */
export function pngWithText(
  png: Buffer,
  kind: string,
  keyword: string,
  text: Buffer,
  where: 'in front' | 'behind',
): Buffer {
  const [type = ''] = kind.split(',');
  const isCompressed = type === 'zTXt' || kind.endsWith('compressed');
  const between = { tEXt: '\0', zTXt: '\0\0', iTXt: `\0${isCompressed ? '\x01' : '\0'}\0\0\0` }[type] ?? '';
  const head = Buffer.from(`${keyword}${between}`, 'latin1');
  const chunk = pngChunk(type, Buffer.concat([head, isCompressed ? deflateSync(text) : text]));
  // After IHDR, or before IEND.
  const at = where === 'in front' ? 33 : png.length - 12;
  return Buffer.concat([png.subarray(0, at), chunk, png.subarray(at)]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, checksum]);
}

// WebP: chunks of a type, a length and content, padded to an even length.

/** sharp writes EXIF where the format has it, behind the picture; others write it in front. */
export function webpWithExifInFront(webp: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 12; at + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(at + 4);
    chunks.push(webp.subarray(at, at + 8 + size + (size % 2)));
    at += 8 + size + (size % 2);
  }
  const own = present(chunks.find((chunk) => chunk.toString('latin1', 0, 4) === 'EXIF'));
  const others = chunks.filter((chunk) => chunk !== own);
  return Buffer.concat([webp.subarray(0, 12), ...others.slice(0, 1), own, ...others.slice(1)]);
}

// TIFF: directories, and what they refer to, anywhere in the file.

/** A grey TIFF whose directories stand in front of its pixels or behind them. */
export function tiffWithExif(where: 'in front' | 'behind'): Buffer {
  const pixels = noise();
  const [side, count] = [Math.floor(Math.sqrt(pixels.length)), 8];
  const directoryAt = where === 'in front' ? 8 : 8 + pixels.length;
  const text = (words: string) => Buffer.from(`${words}\0`, 'latin1');
  const [own, camera] = [2 + 12 * (count + 2) + 4, 2 + 12 * 3 + 4];
  const texts = [said.make, said.model, said.taken, said.offset, said.lens].map(text);
  const textAt = texts.map((_, at) => directoryAt + own + camera + Buffer.concat(texts.slice(0, at)).length);
  const end = directoryAt + own + camera + Buffer.concat(texts).length;
  const pixelsAt = where === 'in front' ? end : 8;
  const entry = (tag: number, type: 2 | 3 | 4, values: number, value: number) => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16LE(tag);
    bytes.writeUInt16LE(type, 2);
    bytes.writeUInt32LE(values, 4);
    bytes.writeUInt32LE(value, 8);
    return bytes;
  };
  const written = (tag: number, at: number) => entry(tag, 2, present(texts[at]).length, present(textAt[at]));
  const directory = (entries: readonly Buffer[]) => {
    const head = Buffer.alloc(2);
    head.writeUInt16LE(entries.length);
    return Buffer.concat([head, ...entries, Buffer.alloc(4)]);
  };
  const first = directory([
    entry(256, 4, 1, side),
    entry(257, 4, 1, side),
    entry(258, 3, 1, 8),
    entry(259, 3, 1, 1),
    entry(262, 3, 1, 1),
    written(271, 0),
    written(272, 1),
    entry(273, 4, 1, pixelsAt),
    entry(279, 4, 1, side * side),
    entry(34_665, 4, 1, directoryAt + own),
  ]);
  const second = directory([written(36_867, 2), written(36_881, 3), written(42_036, 4)]);
  const directories = Buffer.concat([first, second, ...texts]);
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(directoryAt, 4);
  return Buffer.concat(where === 'in front' ? [header, directories, pixels] : [header, pixels, directories]);
}

// AVIF and HEIC: boxes; `meta` says where in the file each item's pieces are.

interface HeifLayout {
  /** `meta` stands behind the bytes of the items. */
  readonly metaBehind: boolean;
  /** The EXIF item is in two pieces. */
  readonly inPieces: boolean;
}

interface Box {
  readonly type: string;
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** The same picture, its items in the order of the file, EXIF last and more than a megabyte in. */
export function heifWithExifFarIn(file: Buffer, { metaBehind, inPieces }: HeifLayout): Buffer {
  const boxOf = (boxes: readonly Box[], type: string) => present(boxes.find((box) => box.type === type));
  const top = boxesIn(file);
  const parts = boxesIn(boxOf(top, 'meta').content.subarray(4));
  const exifId = exifItem(boxOf(parts, 'iinf').content);
  const items = itemLocations(boxOf(parts, 'iloc').content);
  const bytesOf = (item: Item) => Buffer.concat(item.pieces.map(([at, size]) => file.subarray(at, at + size)));
  const stored: Buffer[] = [];
  const put = (bytes: Buffer): [number, number] => {
    const at = Buffer.concat(stored).length;
    stored.push(bytes);
    return [at, bytes.length];
  };
  const inFile = items.filter(({ method }) => method === 0);
  const moved = new Map(inFile.filter(({ id }) => id !== exifId).map((item) => [item.id, [put(bytesOf(item))]]));
  put(Buffer.alloc(FAR));
  const own = bytesOf(present(items.find(({ id }) => id === exifId)));
  const half = Math.floor(own.length / 2);
  const first = put(inPieces ? own.subarray(0, half) : own);
  if (inPieces) put(Buffer.alloc(100));
  moved.set(exifId, inPieces ? [first, put(own.subarray(half))] : [first]);
  const metaFrom = (start: number) => {
    const located = items.map((item) => ({
      ...item,
      pieces: moved.get(item.id)?.map(([at, size]): [number, number] => [at + start, size]) ?? item.pieces,
    }));
    const content = parts.map(({ type, whole }) => (type === 'iloc' ? box('iloc', writeLocations(located)) : whole));
    return box('meta', Buffer.concat([Buffer.alloc(4), ...content]));
  };
  const { whole: head } = boxOf(top, 'ftyp');
  const data = box('mdat', Buffer.concat(stored));
  if (metaBehind) return Buffer.concat([head, data, metaFrom(head.length + 8)]);
  return Buffer.concat([head, metaFrom(head.length + metaFrom(0).length + 8), data]);
}

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length; ) {
    const [short, type] = [bytes.readUInt32BE(at), bytes.toString('latin1', at + 4, at + 8)];
    const [size, head] = short === 1 ? [Number(bytes.readBigUInt64BE(at + 8)), 16] : [short || bytes.length - at, 8];
    boxes.push({ type, whole: bytes.subarray(at, at + size), content: bytes.subarray(at + head, at + size) });
    at += size;
  }
  return boxes;
}

function exifItem(iinf: Buffer): number {
  const entries = boxesIn(iinf.subarray(iinf[0] === 0 ? 6 : 8)).map(({ content }) => content);
  const own = entries.find((entry) => entry[0] === 2 && entry.toString('latin1', 8, 12) === 'Exif');
  return present(own).readUInt16BE(4);
}

interface Item {
  readonly id: number;
  /** 0: in the file; 1: in `meta` itself. */
  readonly method: number;
  /** Where each piece begins, and its length. */
  readonly pieces: readonly [number, number][];
}

/** ISO/IEC 14496-12, 8.11.3, in the versions that pictures have. */
function itemLocations(iloc: Buffer): Item[] {
  const version = present(iloc[0]);
  const [sizes, more] = [present(iloc[4]), present(iloc[5])];
  let at = 6;
  const next = (size: number) => {
    const value = size === 0 ? 0 : Number(BigInt(`0x${iloc.subarray(at, at + size).toString('hex')}`));
    at += size;
    return value;
  };
  return Array.from({ length: next(version < 2 ? 2 : 4) }, () => {
    const id = next(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : next(2);
    next(2);
    const base = next(more >> 4);
    const pieces = Array.from({ length: next(2) }, (): [number, number] => {
      if (version > 0) next(more & 15);
      return [base + next(sizes >> 4), next(sizes & 15)];
    });
    return { id, method, pieces };
  });
}

function writeLocations(items: readonly Item[]): Buffer {
  const numbers = items.flatMap(({ id, method, pieces }) => [
    [id, 2],
    [method, 2],
    [0, 2],
    [pieces.length, 2],
    ...pieces.flatMap(([at, size]) => [
      [at, 4],
      [size, 4],
    ]),
  ]);
  const bytes = numbers.map(([value = 0, size = 0]) => {
    const written = Buffer.alloc(size);
    written.writeUIntBE(value, 0, size);
    return written;
  });
  const count = Buffer.alloc(2);
  count.writeUInt16BE(items.length);
  return Buffer.concat([Buffer.from([1, 0, 0, 0, 0x44, 0]), count, ...bytes]);
}
