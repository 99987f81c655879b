import sharp, { type Sharp, type SharpOptions } from 'sharp';
import type { Size } from '../../core/media/transformation.js';
import { type ColourSpace, converter } from './colour-space.js';
import type { Colours } from './declared-colours.js';
import { hasFewScans, isJpeg } from './jpeg-damage.js';
import type { Picture } from './sharp-picture.js';

/** Pixels of a whole picture, scaled down: sRGB, 8 bits, with alpha or without. */
export interface SmallPicture {
  readonly data: Buffer;
  readonly raw: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 };
}

/** Offsets of a pixel's values from its first, which is red: with grey, all three colours are the same. Alpha null: there is none. */
export function channelOffsets(channels: SmallPicture['raw']['channels']) {
  const isGrey = channels <= 2;
  const hasAlpha = channels === 2 || channels === 4;
  return { green: isGrey ? 0 : 1, blue: isGrey ? 0 : 2, alpha: hasAlpha ? channels - 1 : null };
}

export interface SmallOrder {
  /** Of the result, which is upright, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Whether damage is an error or is tolerated; of a JPEG, also whether a warning is one. */
  readonly failOn: 'warning' | 'error' | 'none';
}

/**
 * Decodes a whole picture into a small upright one. Every byte goes through the decoder: shrink-on-load of JPEG and WebP skips none.
 * Rotation comes last, because rotating the large picture would need all of it in memory.
 */
export async function smallPicture(picture: Picture, { failOn, ...order }: SmallOrder): Promise<SmallPicture> {
  const size = isTurned(picture.orientation) ? swapped(order) : order;
  const lying = await decoded(picture, size, { failOn, unlimited: picture.unlimited }).catch(async (error) => {
    const isLimit =
      isDecoderLimit(error) || (failOn === 'none' && isJpeg(picture) && (await hasFewScans(picture.path)));
    if (picture.unlimited || !isLimit) throw error;
    return decoded(picture, size, { failOn, unlimited: true });
  });
  return rotate(lying, picture.orientation);
}

/** Whether a decoder gave up because of a limit of its own, below ours. */
export function isDecoderLimit(error: unknown): boolean {
  return error instanceof Error && /Security limit exceeded|exceeds channel limit/.test(error.message);
}

async function decoded(
  { path, page, colours }: Picture,
  { width, height }: Size,
  options: Pick<SharpOptions, 'failOn' | 'unlimited'>,
): Promise<SmallPicture> {
  const { space, ignoreIcc } = colours;
  // The size was checked when the picture was opened.
  const input = sharp(path, { ...options, page, limitInputPixels: false, ignoreIcc });
  const lying = input.resize(width, height, { fit: 'fill' });
  return space === null ? pixelsOf(lying.toColourspace('srgb')) : converted(lying, space, colours.samples);
}

const DEPTHS = { srgb: 'uchar', rgb16: 'ushort', scrgb: 'float', 'b-w': 'float' } as const;

/** The pixels in sRGB, from another space: scaled there, as sharp would not know what else to do. */
async function converted(lying: Sharp, space: ColourSpace, samples: Colours['samples']): Promise<SmallPicture> {
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

/** As an EXIF orientation says. */
function rotate(small: SmallPicture, orientation: number): Promise<SmallPicture> | SmallPicture {
  const { turn, mirror } = orientations[orientation] ?? upright;
  if (turn === 0 && !mirror) return small;
  return pixelsOf(sharpOf(small).rotate(turn).flop(mirror));
}

/** Whether the orientation swaps width and height. */
export function isTurned(orientation: number): boolean {
  return (orientations[orientation] ?? upright).turn % 180 !== 0;
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

export function sharpOf({ data, raw }: SmallPicture): Sharp {
  return sharp(data, { raw });
}

export async function pixelsOf(pipeline: Sharp): Promise<SmallPicture> {
  const { data, info } = await pipeline.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data, raw: { width: info.width, height: info.height, channels: info.channels } };
}
