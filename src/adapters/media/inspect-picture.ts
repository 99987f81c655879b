import { defaultFormat, type Inspection, type RenderedPicture, renditionSizes } from '../../core/media/media-reader.js';
import { layoutOf, type Size, within } from '../../core/media/transformation.js';
import { companionOf } from './formats/motion-photo.js';
import type { MetadataReader } from './metadata-reader.js';
import { withPicture } from './picture.js';
import { hashesOf } from './picture-hashes.js';
import { beyondDecoder, decodeFailed, Refusal } from './refusals.js';
import {
  channelOffsets,
  encoded,
  isCutJpeg,
  isDecoderLimit,
  type Picture,
  type PictureOrder,
  type ScaledPicture,
  scaledPicture,
} from './scaled-picture.js';

/** Inspects a file (`MediaReader.inspect`). The picture is decoded once, into a scaled one from which everything else is made. */
export async function inspectPicture(order: PictureOrder, metadata: MetadataReader): Promise<Inspection> {
  try {
    return await withPicture(order, metadata, async (picture): Promise<Inspection> => {
      const { scaled, damaged } = await decode(picture, order.folder);
      const { width, height, contentType, orientation, alpha, metadataInput, exif, xmp, iptc } = picture;
      return {
        outcome: 'picture',
        thumb: await thumb(scaled, alpha),
        facts: {
          contentType,
          width,
          height,
          orientation,
          alpha,
          damaged,
          ...hashesOf(scaled),
          companion: await companionOf(order.input, { contentType, xmp }),
          ...(await metadata.read({ input: metadataInput, contentType, exif, xmp, iptc })),
        },
      };
    });
  } catch (error) {
    if (error instanceof Refusal) return { outcome: 'refused', error: error.error };
    throw error;
  }
}

interface Decoded {
  readonly scaled: ScaledPicture;
  readonly damaged: boolean;
}

async function decode(picture: Picture, folder: string): Promise<Decoded> {
  const decoded = picture.isJpeg ? await decodeJpeg(picture, folder) : await decodeAny(picture);
  if (decoded.damaged && isBlank(decoded.scaled, picture)) throw decodeFailed();
  return decoded;
}

/** Data that end early are only a warning to libjpeg, as are bytes that are not missed. */
async function decodeJpeg(picture: Picture, folder: string): Promise<Decoded> {
  try {
    return {
      scaled: await scaledPicture(picture, { ...thumbSize(picture), failOn: 'warning' }),
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
    return { scaled: await scaledPicture(picture, { ...size, failOn: 'error' }), damaged: picture.damaged };
  } catch {
    const scaled = await scaledPicture(picture, { ...size, failOn: 'none' }).catch((error) => {
      throw isDecoderLimit(error) ? beyondDecoder(picture.contentType) : decodeFailed();
    });
    return { scaled, damaged: true };
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
function isBlank({ data, raw: { channels } }: ScaledPicture, picture: Picture): boolean {
  const madeUp = picture.isJpeg ? MADE_UP / (picture.width * picture.height) : 0;
  const { alpha } = channelOffsets(channels);
  const differing = (fill: number) =>
    data.reduce((sum, sample, at) => sum + Number(sample !== fill && at % channels !== alpha), 0);
  return FILLS.some((fill) => differing(fill) <= (fill === 128 && madeUp < 1 ? madeUp * data.length : 0));
}

async function thumb(scaled: ScaledPicture, alpha: boolean): Promise<RenderedPicture> {
  const format = defaultFormat({ alpha });
  return {
    bytes: await encoded(scaled, within(renditionSizes.thumb, format)),
    contentType: `image/${format}`,
  };
}
