import { rgbaToThumbHash } from 'thumbhash';
import type { Inspection, RenderedPicture } from '../../core/media/media-reader.js';
import { renditionSizes } from '../../core/media/renditions.js';
import type { PictureMetadata } from './metadata.js';
import type { MetadataSource } from './metadata-reader.js';
import { type Picture, withPicture } from './picture.js';
import { decodeFailed, Refusal } from './refusals.js';
import { pixelsOf, type SmallPicture, sharpOf, smallPicture } from './small-picture.js';

export interface InspectOrder {
  readonly path: string;
  /** Where temporary files may be made. */
  readonly folder: string;
  readonly maxPixels: number;
}

/** Looks at a file (`MediaReader.inspect`). The picture is decoded once, into a small one from which all else is made. */
export async function inspectPicture(
  order: InspectOrder,
  readMetadata: (source: MetadataSource) => Promise<PictureMetadata>,
): Promise<Inspection> {
  try {
    return await withPicture(order, async (picture): Promise<Inspection> => {
      const { small, damaged } = await decode(picture);
      const { width, height, contentType, orientation, alpha } = picture;
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
          thumbhash: await thumbhash(small),
          dominantColor: await dominantColor(small),
          ...(await readMetadata({ path: order.path, contentType, xmp: picture.xmp })),
        },
      };
    });
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', error: error.error };
    throw error;
  }
}

async function decode(picture: Picture): Promise<{ small: SmallPicture; damaged: boolean }> {
  const order = { longestSide: renditionSizes.thumb };
  try {
    return { small: await smallPicture(picture, { ...order, failOn: 'error' }), damaged: picture.damaged };
  } catch {
    const small = await smallPicture(picture, { ...order, failOn: 'none' }).catch(() => {
      throw decodeFailed();
    });
    return { small, damaged: true };
  }
}

async function thumb(small: SmallPicture, alpha: boolean): Promise<RenderedPicture> {
  return alpha
    ? { bytes: await sharpOf(small).webp({ quality: 80 }).toBuffer(), contentType: 'image/webp' }
    : { bytes: await sharpOf(small).jpeg({ quality: 80 }).toBuffer(), contentType: 'image/jpeg' };
}

async function thumbhash(small: SmallPicture): Promise<string> {
  const smaller = sharpOf(small).resize({ width: 100, height: 100, fit: 'inside', withoutEnlargement: true });
  const { data, raw } = await pixelsOf(smaller.ensureAlpha());
  return Buffer.from(rgbaToThumbHash(raw.width, raw.height, data)).toString('base64');
}

/** Transparent parts count as the white on which they would be shown. */
async function dominantColor(small: SmallPicture): Promise<string> {
  const opaque = await pixelsOf(sharpOf(small).flatten({ background: '#ffffff' }));
  const { dominant } = await sharpOf(opaque).stats();
  return `#${[dominant.r, dominant.g, dominant.b].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}
