import { type FileHandle, open } from 'node:fs/promises';
import { rgbaToThumbHash } from 'thumbhash';
import { acceptedFormats, formatBySignature, formatOf } from '../../core/media/formats.js';
import {
  type Inspection,
  type PictureFacts,
  type RenderedPicture,
  renditionSizes,
} from '../../core/media/media-reader.js';
import type { Companion } from '../../core/media/picture-metadata.js';
import { layoutOf, type Size, within } from '../../core/media/transformation.js';
import { type Box, Boxes, bytesAt } from './formats/file-bytes.js';
import type { PictureMetadata } from './metadata.js';
import type { MetadataSource } from './metadata-reader.js';
import { withPicture } from './picture.js';
import {
  channelOffsets,
  isCutJpeg,
  isDecoderLimit,
  type Picture,
  type PictureOrder,
  type SmallPicture,
  sharpOf,
  smallPicture,
} from './small-picture.js';
import { beyondDecoder, decodeFailed, HEAD_BYTES, Refusal } from './sniff.js';

/** Inspects a file (`MediaReader.inspect`). The picture is decoded once, into a small one from which everything else is made. */
export async function inspectPicture(
  order: PictureOrder,
  readMetadata: (source: MetadataSource) => Promise<PictureMetadata>,
): Promise<Inspection> {
  try {
    return await withPicture(order, async (picture): Promise<Inspection> => {
      const { small, damaged } = await decode(picture, order.folder);
      const { width, height, contentType, orientation, alpha, metadataPath: path, exif, xmp, iptc } = picture;
      return {
        outcome: 'picture',
        thumb: await thumb(small, alpha),
        facts: {
          contentType,
          width,
          height,
          orientation,
          alpha,
          damaged,
          ...blurredPreview(small),
          phash: perceptualHash(small),
          companion: await companionOf(order.path, { contentType, xmp }),
          ...(await readMetadata({ path, contentType, exif, xmp, iptc })),
        },
      };
    });
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', error: error.error };
    throw error;
  }
}

interface Decoded {
  readonly small: SmallPicture;
  readonly damaged: boolean;
}

async function decode(picture: Picture, folder: string): Promise<Decoded> {
  const decoded = picture.isJpeg ? await decodeJpeg(picture, folder) : await decodeAny(picture);
  if (decoded.damaged && isBlank(decoded.small, picture)) throw decodeFailed();
  return decoded;
}

/** Data that end early are only a warning to libjpeg, as are bytes that are not missed. */
async function decodeJpeg(picture: Picture, folder: string): Promise<Decoded> {
  try {
    return {
      small: await smallPicture(picture, { ...thumbSize(picture), failOn: 'warning' }),
      damaged: picture.damaged,
    };
  } catch (error) {
    const decoded = await decodeAny(picture);
    const isDamaged = decoded.damaged || (await isCutJpeg(picture, folder, String(error)));
    return { ...decoded, damaged: isDamaged };
  }
}

async function decodeAny(picture: Picture): Promise<Decoded> {
  const size = thumbSize(picture);
  try {
    return { small: await smallPicture(picture, { ...size, failOn: 'error' }), damaged: picture.damaged };
  } catch {
    const small = await smallPicture(picture, { ...size, failOn: 'none' }).catch((error) => {
      throw isDecoderLimit(error) ? beyondDecoder(picture.contentType) : decodeFailed();
    });
    return { small, damaged: true };
  }
}

function thumbSize(picture: Picture): Size {
  return layoutOf(picture, within(renditionSizes.thumb, 'jpeg')).scaled;
}

/** Samples by which decoders fill what they have not decoded. */
const FILLS = [0, 128, 255];
/** Pixels around the first block of a JPEG, which libjpeg makes up when there is none. */
const MADE_UP = 32 * 32;

/** Whether nothing was decoded, in all likelihood. */
function isBlank({ data, raw: { channels } }: SmallPicture, picture: Picture): boolean {
  const madeUp = picture.isJpeg ? MADE_UP / (picture.width * picture.height) : 0;
  const { alpha } = channelOffsets(channels);
  const differing = (fill: number) =>
    data.reduce((sum, sample, at) => sum + Number(sample !== fill && at % channels !== alpha), 0);
  return FILLS.some((fill) => differing(fill) <= (fill === 128 && madeUp < 1 ? madeUp * data.length : 0));
}

async function thumb(small: SmallPicture, alpha: boolean): Promise<RenderedPicture> {
  return alpha
    ? { bytes: await sharpOf(small).webp({ quality: 80 }).toBuffer(), contentType: 'image/webp' }
    : { bytes: await sharpOf(small).jpeg({ quality: 80 }).toBuffer(), contentType: 'image/jpeg' };
}

/** Maximum longest side in pixels that ThumbHash accepts; it stores seven waves of them. */
const LONGEST_SIDE = 100;

/** Returns what can be displayed before the picture has loaded. */
function blurredPreview(small: SmallPicture): Pick<PictureFacts, 'thumbhash' | 'dominantColor'> {
  return { thumbhash: thumbhash(small), dominantColor: dominantColor(small) };
}

/** For square blocks of pixels, each with its average visible colour. */
function thumbhash({ data, raw: { width, height, channels } }: SmallPicture): string {
  const side = Math.ceil(Math.max(width, height) / LONGEST_SIDE);
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)];
  const rgba = new Uint8Array(columns * rows * 4);
  const { green, blue, alpha } = channelOffsets(channels);
  for (let row = 0, place = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, place += 4) {
      let [reds, greens, blues, seen, pixels] = [0, 0, 0, 0, 0];
      for (let y = row * side; y < Math.min(height, (row + 1) * side); y += 1) {
        for (let x = column * side; x < Math.min(width, (column + 1) * side); x += 1) {
          const at = (y * width + x) * channels;
          const weight = alpha === null ? 255 : (data[at + alpha] ?? 0);
          reds += (data[at] ?? 0) * weight;
          greens += (data[at + green] ?? 0) * weight;
          blues += (data[at + blue] ?? 0) * weight;
          seen += weight;
          pixels += 1;
        }
      }
      if (seen === 0) continue;
      rgba[place] = Math.round(reds / seen);
      rgba[place + 1] = Math.round(greens / seen);
      rgba[place + 2] = Math.round(blues / seen);
      rgba[place + 3] = Math.round(seen / pixels);
    }
  }
  return Buffer.from(rgbaToThumbHash(columns, rows, rgba)).toString('base64');
}

/**
 * The colour that most pixels are close to, `#rrggbb`: red, green and blue are quantized to sixteen steps each, and represented by the
 * middle of the step. Transparent parts count as the white background on which they would be displayed.
 */
function dominantColor({ data, raw: { channels } }: SmallPicture): string {
  const { green, blue, alpha } = channelOffsets(channels);
  const counts = new Uint32Array(0x1000);
  for (let at = 0; at < data.length; at += channels) {
    const seen = alpha === null ? 255 : (data[at + alpha] ?? 0);
    const r = onWhite(data[at] ?? 0, seen);
    const g = onWhite(data[at + green] ?? 0, seen);
    const b = onWhite(data[at + blue] ?? 0, seen);
    const colour = ((r & 0xf0) << 4) | (g & 0xf0) | (b >> 4);
    counts[colour] = (counts[colour] ?? 0) + 1;
  }
  const most = counts.reduce((best, count, colour) => (count > (counts[best] ?? 0) ? colour : best), 0);
  const digits = most.toString(16).padStart(3, '0');
  return `#${[...digits].map((digit) => `${digit}8`).join('')}`;
}

function onWhite(value: number, alpha: number): number {
  return alpha === 255 ? value : Math.floor((value * alpha + 255 * (255 - alpha)) / 255);
}

/** Pixels of a side of the picture that is transformed, and of the block of low frequencies that are compared. */
const SIDE = 32;
const LOW = 8;
/** Root mean square of the low frequencies, in levels of brightness, below which a picture has nothing to compare: it is plain. */
const MIN_CONTRAST = 1;

/** `cos((2x + 1) · u · π / 2N)`: the waves of a discrete cosine transform (DCT-II), by frequency. */
const WAVES = Array.from({ length: LOW }, (_, u) =>
  Float64Array.from({ length: SIDE }, (_, x) => Math.cos(((2 * x + 1) * u * Math.PI) / (2 * SIDE))),
);

/**
 * The perceptual hash of a picture, 16 hex digits: for each of its 64 lowest frequencies whether it is stronger than their median (pHash, by
 * DCT of 32 × 32 pixels of brightness). Pictures that look alike differ in few bits. Null for a plain picture, which would be like all others.
 */
export function perceptualHash(small: SmallPicture): string | null {
  const low = lowFrequencies(brightness(small));
  const others = low.slice(1).reduce((sum, value) => sum + value ** 2, 0) / (low.length - 1);
  if (Math.sqrt(others) / (SIDE * SIDE * 0.5) < MIN_CONTRAST) return null;
  const sorted = low.toSorted();
  const median = ((sorted[low.length / 2 - 1] ?? 0) + (sorted[low.length / 2] ?? 0)) / 2;
  const bits = Array.from(low, (value) => (value > median ? '1' : '0')).join('');
  return BigInt(`0b${bits}`).toString(16).padStart(16, '0');
}

/** Row by row, from the constant part on. */
function lowFrequencies(pixels: Float64Array): Float64Array {
  const low = new Float64Array(LOW * LOW);
  for (const [v, across] of WAVES.entries()) {
    const rows = Float64Array.from({ length: SIDE }, (_, y) =>
      across.reduce((sum, wave, x) => sum + wave * (pixels[y * SIDE + x] ?? 0), 0),
    );
    for (const [u, down] of WAVES.entries()) {
      low[u * LOW + v] = down.reduce((sum, wave, y) => sum + wave * (rows[y] ?? 0), 0);
    }
  }
  return low;
}

/** The mean brightness (Rec. 601) of each of 32 × 32 parts of the picture, on white; a pixel on a border counts for both sides by its share. */
function brightness({ data, raw: { width, height, channels } }: SmallPicture): Float64Array {
  const [columns, rows] = [shares(width), shares(height)];
  const sums = new Float64Array(SIDE * SIDE);
  const line = new Float64Array(SIDE);
  const { green, blue, alpha } = channelOffsets(channels);
  for (let y = 0, at = 0; y < height; y += 1) {
    line.fill(0);
    for (let x = 0; x < width; x += 1, at += channels) {
      const seen = alpha === null ? 1 : (data[at + alpha] ?? 0) / 255;
      const value = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + green] ?? 0) + 0.114 * (data[at + blue] ?? 0);
      share(columns, x, value * seen + 255 * (1 - seen), line);
    }
    for (let place = rows.begins[y] ?? 0; place < (rows.begins[y + 1] ?? 0); place += 1) {
      const [row, down] = [(rows.parts[place] ?? 0) * SIDE, rows.sizes[place] ?? 0];
      for (let column = 0; column < SIDE; column += 1) {
        sums[row + column] = (sums[row + column] ?? 0) + (line[column] ?? 0) * down;
      }
    }
  }
  return sums;
}

/** To which of 32 parts each pixel of a line belongs, and how much of the part it is: from `begins` of the pixel to that of the next. */
interface Shares {
  readonly begins: Int32Array;
  readonly parts: Uint8Array;
  readonly sizes: Float64Array;
}

function shares(length: number): Shares {
  const scale = SIDE / length;
  const [begins, parts, sizes]: [number[], number[], number[]] = [[], [], []];
  for (let pixel = 0; pixel < length; pixel += 1) {
    begins.push(parts.length);
    const [from, to] = [pixel * scale, (pixel + 1) * scale];
    for (let part = Math.floor(from); part < Math.min(SIDE, Math.ceil(to)); part += 1) {
      parts.push(part);
      sizes.push(Math.min(to, part + 1) - Math.max(from, part));
    }
  }
  begins.push(parts.length);
  return { begins: Int32Array.from(begins), parts: Uint8Array.from(parts), sizes: Float64Array.from(sizes) };
}

function share({ begins, parts, sizes }: Shares, pixel: number, value: number, line: Float64Array): void {
  for (let place = begins[pixel] ?? 0; place < (begins[pixel + 1] ?? 0); place += 1) {
    const part = parts[place] ?? 0;
    line[part] = (line[part] ?? 0) + value * (sizes[place] ?? 0);
  }
}

/** A part of a file, where something says that there is a film. */
interface Part {
  readonly start: number;
  readonly length: number;
}

/** Limits of what is searched for places of films. */
const MAX_XMP_BYTES = 1024 * 1024;
const MAX_ITEMS = 32;
const MAX_TRAILER_ENTRIES = 64;

const QUICKTIME = 'qt  ';

/** The film of a motion photo, if there really is one; null otherwise. Its frames are not examined. */
export async function companionOf(
  path: string,
  { contentType, xmp }: { readonly contentType: string; readonly xmp: Uint8Array | undefined },
): Promise<Companion | null> {
  const place = formatOf(contentType)?.film;
  if (place === undefined) return null;
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const parts =
      place === 'box'
        ? await partsInBoxes(file, size)
        : [...partsByXmp(xmp, size), ...(await partsBySamsung(file, size))];
    for (const part of parts) {
      const found = await filmIn(file, part, size);
      if (found !== null) return { type: 'video', contentType: found, offset: part.start, sizeBytes: part.length };
    }
    return null;
  } finally {
    await file.close();
  }
}

/** Motion Photo format 1.0 for HEIF: a box of its own. */
async function partsInBoxes(file: FileHandle, size: number): Promise<readonly Part[]> {
  const boxes = await new Boxes(file).within(0, size);
  return boxes
    .filter(({ type }) => type === 'mpvd')
    .map(({ start, length, content }) => ({ start: content, length: start + length - content }));
}

/**
 * Motion Photo format 1.0: XMP lists what follows the picture, each with its length. Its predecessor, Micro Video, says how far from the
 * end the film begins.
 */
function partsByXmp(xmp: Uint8Array | undefined, size: number): readonly Part[] {
  if (xmp === undefined || xmp.length > MAX_XMP_BYTES) return [];
  const text = new TextDecoder().decode(xmp);
  const items = [...text.matchAll(/<[\w:]*Item\s[^<>]*>/g)].slice(0, MAX_ITEMS).map(([item]) => ({
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
async function partsBySamsung(file: FileHandle, size: number): Promise<readonly Part[]> {
  const end = await bytesAt(file, Math.max(0, size - 8), 8);
  if (end.toString('latin1', 4) !== 'SEFT') return [];
  const length = end.readUInt32LE(0);
  const start = size - 8 - length;
  const directory =
    start < 0 || length > 12 + 12 * MAX_TRAILER_ENTRIES ? Buffer.alloc(0) : await bytesAt(file, start, length);
  if (directory.length < 12 || directory.toString('latin1', 0, 4) !== 'SEFH') return [];
  const parts: Part[] = [];
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
async function filmIn(
  file: FileHandle,
  { start, length }: Part,
  size: number,
): Promise<Companion['contentType'] | null> {
  if (start <= 0 || length <= 0 || start + length > size) return null;
  const boxes: readonly Box[] = await new Boxes(file).within(start, start + length);
  const [type] = boxes;
  const isFilm = type?.type === 'ftyp' && boxes.some((box) => box.type === 'moov' || box.type === 'moof');
  if (!isFilm) return null;
  // What is built like a film may be a picture.
  if (formatBySignature(acceptedFormats, await bytesAt(file, start, HEAD_BYTES)) !== undefined) return null;
  const brand = (await bytesAt(file, type.content, 4)).toString('latin1');
  return brand === QUICKTIME ? 'video/quicktime' : 'video/mp4';
}
