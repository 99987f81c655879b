import type { Inspection, RenderedPicture } from '../../core/media/media-reader.js';
import { renditionSizes } from '../../core/media/renditions.js';
import { layoutOf, within } from '../../core/media/transformation.js';
import { blurredPreview } from './blurred-preview.js';
import { companionOf } from './companion.js';
import type { PictureMetadata } from './metadata.js';
import type { MetadataSource } from './metadata-reader.js';
import { perceptualHash } from './perceptual-hash.js';
import { type Picture, withPicture } from './picture.js';
import { beyondDecoder, decodeFailed, Refusal } from './refusals.js';
import { channelOffsets, isDecoderLimit, type SmallPicture, sharpOf, smallPicture } from './small-picture.js';

export interface InspectOrder {
  readonly path: string;
  /** Where temporary files may be created. */
  readonly folder: string;
  readonly maxPixels: number;
}

/** Inspects a file (`MediaReader.inspect`). The picture is decoded once, into a small one from which everything else is made. */
export async function inspectPicture(
  order: InspectOrder,
  readMetadata: (source: MetadataSource) => Promise<PictureMetadata>,
): Promise<Inspection> {
  try {
    return await withPicture(order, async (picture): Promise<Inspection> => {
      const { small, damaged } = await decode(picture);
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

async function decode(picture: Picture): Promise<{ small: SmallPicture; damaged: boolean }> {
  const { small, damaged } = await decodeTolerantly(picture);
  if (damaged && isBlank(small)) throw decodeFailed();
  return { small, damaged };
}

async function decodeTolerantly(picture: Picture): Promise<{ small: SmallPicture; damaged: boolean }> {
  const order = layoutOf(picture, within(renditionSizes.thumb, 'jpeg')).scaled;
  try {
    return { small: await smallPicture(picture, { ...order, failOn: 'error' }), damaged: picture.damaged };
  } catch {
    const small = await smallPicture(picture, { ...order, failOn: 'none' }).catch((error) => {
      throw isDecoderLimit(error) ? beyondDecoder(picture.contentType) : decodeFailed();
    });
    return { small, damaged: true };
  }
}

/** Samples by which decoders fill what they have not decoded. */
const FILL = [0, 128, 255];

/** Whether nothing was decoded, in all likelihood. */
function isBlank({ data, raw: { channels } }: SmallPicture): boolean {
  const { alpha } = channelOffsets(channels);
  const [first = 0] = data;
  return FILL.includes(first) && data.every((sample, at) => sample === first || at % channels === alpha);
}

async function thumb(small: SmallPicture, alpha: boolean): Promise<RenderedPicture> {
  return alpha
    ? { bytes: await sharpOf(small).webp({ quality: 80 }).toBuffer(), contentType: 'image/webp' }
    : { bytes: await sharpOf(small).jpeg({ quality: 80 }).toBuffer(), contentType: 'image/jpeg' };
}
