import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import type { Size, Transformation } from '../../core/media/transformation.js';
import { systemCode } from '../local-blobs/files.js';
import { type ColourSpace, converter } from './formats/colour-space.js';
import type { Colours } from './formats/declared-colours.js';
import {
  type ByteSource,
  bytesAt,
  type PictureInput,
  type StoredEntry,
  tiffDirectory,
  wholeOf,
  withSource,
  written,
} from './formats/file-bytes.js';

/** Pixels of a whole picture, scaled down: sRGB, 8 bits, with alpha or without. */
export interface ScaledPicture {
  readonly data: Buffer;
  readonly raw: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

/** Offsets of a pixel's values from its first, which is red: with grey, all three colours are the same. Alpha null: there is none. */
export function channelOffsets(channels: ScaledPicture['raw']['channels']) {
  const isGrey = channels <= 2;
  const hasAlpha = channels === 2 || channels === 4;
  return { green: isGrey ? 0 : 1, blue: isGrey ? 0 : 2, alpha: hasAlpha ? channels - 1 : null };
}

/** One file at a time and no cache, so that memory is limited by one picture; and only the loaders of the accepted types. */
export function restrictSharp(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  allowLoaders(allLoaders);
}

/** In the words of libvips. */
export const allLoaders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'] as const;

/** Has libvips use these loaders only, for files and for bytes in memory, until the next call. */
export function allowLoaders(types: readonly (typeof allLoaders)[number][]): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: types.flatMap((type) => [`VipsForeignLoad${type}File`, `VipsForeignLoad${type}Buffer`]) });
}

/**
 * Decodes a whole picture into an upright one that is scaled down. Every byte goes through the decoder: shrink-on-load of JPEG and WebP skips none.
 * Rotation comes last, because rotating the large picture would need all of it in memory.
 * @param failOn Whether damage is an error or is tolerated; of a JPEG, also whether a warning is one.
 */
export async function scaledPicture(
  picture: Picture,
  order: Size,
  failOn: 'warning' | 'error' | 'none',
): Promise<ScaledPicture> {
  const size = uprightSize(order, picture.orientation);
  const lying = await decoded(picture, size, { failOn, unlimited: picture.unlimited ?? false }).catch(async (error) => {
    const isLimit =
      isDecoderLimit(error) || (failOn === 'none' && picture.isJpeg && (await withSource(picture.input, hasFewScans)));
    if (picture.unlimited || !isLimit) throw error;
    return decoded(picture, size, { failOn, unlimited: true });
  });
  const { turn, mirror } = orientations[picture.orientation] ?? upright;
  return turn === 0 && !mirror ? lying : pixelsOf(sharpOf(lying).rotate(turn).flop(mirror));
}

/** Whether a decoder gave up because of a limit of its own, below ours. */
export function isDecoderLimit(error: unknown): boolean {
  return error instanceof Error && /Security limit exceeded|exceeds channel limit/.test(error.message);
}

/** Whether the system is what failed, as a full disk does, which says nothing of the picture. */
export function isOfSystem(error: unknown): boolean {
  return systemCode(error) !== null || /No space left|Write error/i.test(String(error));
}

async function decoded(
  { input, page = 0, colours }: Picture,
  { width, height }: Size,
  options: Pick<SharpOptions, 'failOn' | 'unlimited'>,
): Promise<ScaledPicture> {
  const { space, ignoreIcc } = colours;
  // The size was checked when the picture was opened.
  const whole = sharp(input, { ...options, page, limitInputPixels: false, ignoreIcc });
  const lying = whole.resize(width, height, { fit: 'fill' });
  return space === null ? pixelsOf(lying.toColourspace('srgb')) : converted(lying, space, colours.samples);
}

const DEPTHS = { srgb: 'uchar', rgb16: 'ushort', scrgb: 'float', 'b-w': 'float' } as const;

/** The pixels in sRGB, from another space: scaled there, as sharp would not know what else to do. */
async function converted(lying: Sharp, space: ColourSpace, samples: Colours['samples']): Promise<ScaledPicture> {
  const depth = DEPTHS[samples];
  const pipeline = lying.toColourspace(samples).raw({ depth });
  const { data, info } = await pipeline.toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const views = {
    uchar: () => [data, 0xff] as const,
    ushort: () => [new Uint16Array(data.buffer, data.byteOffset, data.length / 2), 0xffff] as const,
    float: () => [new Float32Array(data.buffer, data.byteOffset, data.length / 4), 1] as const,
  };
  const [values, max] = views[depth]();
  return { data: converter(space, max)(values, channels), raw: { width, height, channels } };
}

/** The size with which a picture that lies as an orientation says is upright, or lies if it is upright. */
export function uprightSize(size: Size, orientation: number): Size {
  return (orientations[orientation] ?? upright).turn % 180 === 0 ? size : swapped(size);
}

export function swapped<T extends Size>(size: T): T {
  return { ...size, width: size.height, height: size.width };
}

const upright = { turn: 0, mirror: false };

/** The transformation that makes a picture upright: mirrored left to right, then rotated clockwise, which is the order that sharp uses. */
const orientations: Readonly<Record<number, typeof upright>> = {
  1: upright,
  2: { turn: 0, mirror: true },
  3: { turn: 180, mirror: false },
  4: { turn: 180, mirror: true },
  5: { turn: 270, mirror: true },
  6: { turn: 90, mirror: false },
  7: { turn: 90, mirror: true },
  8: { turn: 270, mirror: false },
};

export function sharpOf({ data, raw }: ScaledPicture): Sharp {
  return sharp(data, { raw });
}

export async function pixelsOf(pipeline: Sharp): Promise<ScaledPicture> {
  const { data, info } = await pipeline.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data, raw: { width: info.width, height: info.height, channels: info.channels } };
}

/** Measured at 1280 pixels: effort 1 costs 2.5 times the processor time of 0, effort 4 more than 50 times, for files at most 3 % smaller. */
const AVIF_EFFORT = 0;
/** A palette is exact up to so many colors. */
const PALETTE_COLORS = 256;

/** Writes a thumb or another rendition, without metadata. */
export function encoded(pixels: ScaledPicture, { format, quality, background }: Transformation): Promise<Buffer> {
  const picture = sharpOf(pixels);
  const encoders = {
    jpeg: () => picture.flatten({ background: background === null ? '#ffffff' : `#${background}` }).jpeg({ quality }),
    webp: () => picture.webp({ quality }),
    avif: () => picture.avif({ quality, effort: AVIF_EFFORT }),
    png: () => picture.png({ palette: hasFewColors(pixels), quality: 100, dither: 0 }),
  };
  return encoders[format]().toBuffer();
}

/** Whether a palette has room for every color. Most pictures have too many within their first rows. */
function hasFewColors({ data, raw: { channels } }: ScaledPicture): boolean {
  const colors = new Set<number>();
  for (let at = 0; at < data.length && colors.size <= PALETTE_COLORS; at += channels) {
    colors.add(data.readUIntBE(at, channels));
  }
  return colors.size <= PALETTE_COLORS;
}

export interface PictureOrder {
  readonly input: PictureInput;
  /** Where temporary files may be created. */
  readonly folder: string;
  readonly maxPixels: number;
}

export interface OpenFile extends PictureOrder {
  readonly contentType: string;
  /** The same bytes. */
  readonly file: ByteSource;
}

/**
 * Opens a file of a format for `work`: what a module of the folder `decoders` exports as `open`. Throws refusals; over `maxPixels` before it
 * decodes anything. Whatever it writes is under `folder`, and is gone afterwards.
 */
export type OpenPicture = <T>(file: OpenFile, work: (picture: Picture) => Promise<T>) => Promise<T>;

/** A picture in a file that sharp can decode, known by its header. */
export interface Picture {
  /** Decoded by sharp: the picture itself, the file that a HEIC or JPEG XL was decoded into, or the preview of a raw file. */
  readonly input: PictureInput;
  readonly contentType: string;
  /** Whether libjpeg decodes it: a JPEG, or the preview of a raw file. */
  readonly isJpeg: boolean;
  /** Upright. */
  readonly width: number;
  readonly height: number;
  /** Orientation of what is to be decoded, as in EXIF; 1 where EXIF's does not apply. */
  readonly orientation: number;
  readonly alpha: boolean;
  readonly colours: Colours;
  /** Which of its pages is decoded; default: the first. */
  readonly page?: number;
  /** It is within our limits and beyond those of its decoder. */
  readonly unlimited?: boolean;
  /** Found to be damaged while opening it. */
  readonly damaged: boolean;
  /** Read for metadata, in addition to those below. */
  readonly metadataInput: PictureInput;
  /** Metadata as libvips finds it, in a raw file, or where libvips does not look. */
  readonly exif: Uint8Array | undefined;
  readonly xmp: Uint8Array | undefined;
  readonly iptc?: Uint8Array | undefined;
}

/** Warnings of libjpeg after which a part of the picture is missing or wrong. Others tell of bytes that nothing is missed of. */
const LOSSES = /premature end|bad huffman code|instead of RST/i;
/** The end of the picture: all of it was decoded before. */
const AFTER_THE_PICTURE = /before marker 0xd9/i;

/**
 * Whether a part of a JPEG is missing or wrong, by the warning with which its decoding ended. libjpeg only tells the first: what another
 * might hide is decoded without all that has no pixels.
 */
export async function isCutJpeg(picture: Picture, folder: string, warning: string): Promise<boolean> {
  if (LOSSES.test(warning)) return true;
  if (AFTER_THE_PICTURE.test(warning)) return false;
  return withTemporary(join(folder, 'bare.jpg'), async (path) => {
    await writeFile(path, segmentsWithPixels(await wholeOf(picture.input)), NEW_FILE);
    try {
      await sharp(path, { failOn: 'warning', limitInputPixels: false }).stats();
      return false;
    } catch (error) {
      if (isOfSystem(error)) throw error;
      return LOSSES.test(String(error));
    }
  });
}

const START_OF_SCAN = 0xda;

/** Returns what a decoder needs to find the pixels: no comments, and no segments of applications. */
function segmentsWithPixels(jpeg: Buffer): readonly Buffer[] {
  const parts = [jpeg.subarray(0, 2)];
  for (let at = 2; at + 4 <= jpeg.length; ) {
    const marker = jpeg[at + 1] ?? 0;
    // Bytes between segments, which no reader of JPEG minds, and padding.
    if (jpeg[at] !== 0xff || marker === 0 || marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === START_OF_SCAN) return [...parts, jpeg.subarray(at)];
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    const isOfApplication = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
    if (!isOfApplication) parts.push(jpeg.subarray(at, end));
    at = end;
  }
  return parts;
}

/** The limit that libvips has, too, which gives up after 100 warnings as well, unless both are unlimited. */
const MAX_SCANS = 100;
const CHUNK_BYTES = 1024 * 1024;

/** Whether a JPEG may be decoded however often libjpeg warns: a few bytes of each of thousands of scans cost the time of the whole picture. */
async function hasFewScans(file: ByteSource): Promise<boolean> {
  const marker = Buffer.from([0xff, START_OF_SCAN]);
  let scans = 0;
  for (let start = 0; ; start += CHUNK_BYTES) {
    // One byte more, for a marker across the border.
    const chunk = await bytesAt(file, start, CHUNK_BYTES + 1);
    for (let at = chunk.indexOf(marker); at >= 0; at = chunk.indexOf(marker, at + 2)) scans += 1;
    if (chunk.length <= CHUNK_BYTES) return scans <= MAX_SCANS;
  }
}

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** RGB, or RGB with alpha that is not multiplied in. */
  readonly channels: 3 | 4;
  /** Asked for one after the other, from the top. */
  row(y: number): Uint8Array | Promise<Uint8Array>;
}

export interface DecodedPixels extends Pixels {
  /** Some of it could not be decoded and is left blank, or the file ends before it. */
  readonly damaged: boolean;
}

const [SHORT, LONG, BYTES] = [3, 4, 7];
const ROWS_PER_STRIP = 64;

/**
 * Writes pixels as a plain TIFF 6.0 file with their colour profile: the one form in which libvips takes both raw pixels and a profile, and
 * reads them from disk in strips rather than hold them all.
 */
export async function writePixelTiff(path: string, pixels: Pixels, profile: Uint8Array | undefined): Promise<void> {
  const { width, height, channels } = pixels;
  const rowBytes = width * channels;
  const rowsOfStrips = Array.from({ length: Math.ceil(height / ROWS_PER_STRIP) }, (_, strip) =>
    Math.min(ROWS_PER_STRIP, height - strip * ROWS_PER_STRIP),
  );
  const lengths = rowsOfStrips.map((rows) => rows * rowBytes);
  const startsFrom = (start: number) => rowsOfStrips.map((_, strip) => start + strip * ROWS_PER_STRIP * rowBytes);
  const numbers = (tag: number, type: number, values: readonly number[]): StoredEntry => {
    const value = Buffer.concat(values.map((each) => written(each, type === SHORT ? 2 : 4, true)));
    return { tag, type, count: values.length, value };
  };
  const directory = (firstPixel: number) =>
    tiffDirectory(
      [
        numbers(256, LONG, [width]),
        numbers(257, LONG, [height]),
        numbers(258, SHORT, Array(channels).fill(8)),
        numbers(259, SHORT, [1]),
        numbers(262, SHORT, [2]),
        numbers(273, LONG, startsFrom(firstPixel)),
        numbers(277, SHORT, [channels]),
        numbers(278, LONG, [ROWS_PER_STRIP]),
        numbers(279, LONG, lengths),
        ...(channels === 4 ? [numbers(338, SHORT, [2])] : []),
        ...(profile ? [{ tag: 34_675, type: BYTES, count: profile.length, value: profile }] : []),
      ],
      8,
      true,
    );
  async function* parts() {
    yield Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
    yield directory(8 + directory(0).length);
    for (const [strip, count] of rowsOfStrips.entries()) {
      const rows: Uint8Array[] = [];
      for (let row = 0; row < count; row += 1) rows.push(await pixels.row(strip * ROWS_PER_STRIP + row));
      yield Buffer.concat(rows);
    }
  }
  await writeFile(path, parts(), NEW_FILE);
}

/** `writeFile` goes on where a call wrote only some of its bytes, as on a disk that is nearly full. */
export const NEW_FILE = { flag: 'wx', mode: 0o600 } as const;

/** Gives `work` the path of a temporary file to write, which is gone afterwards. */
export async function withTemporary<T>(path: string, work: (path: string) => Promise<T>): Promise<T> {
  try {
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}
