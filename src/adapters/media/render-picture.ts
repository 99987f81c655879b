import type { RenderedPicture, RenditionOrder } from '../../core/media/media-reader.js';
import { withPicture } from './picture.js';
import { Refusal } from './refusals.js';
import { sharpOf, smallPicture } from './small-picture.js';

export interface RenderOrder extends Pick<RenditionOrder, 'longestSide' | 'format' | 'rotation'> {
  readonly path: string;
  /** Where temporary files may be created. */
  readonly folder: string;
}

/**
 * Makes a rendition (`MediaReader.render`). An accepted picture is rendered even if limits were lowered since; damage was reported when it
 * was accepted. sharp writes sRGB and no metadata unless it is asked to.
 */
export async function renderPicture(order: RenderOrder): Promise<RenderedPicture | null> {
  const { path, folder, longestSide, format, rotation } = order;
  try {
    return await withPicture({ path, folder, maxPixels: Number.POSITIVE_INFINITY }, async (picture) => {
      // sharp only rejects because of the picture: the order itself is valid.
      const small = await smallPicture(picture, { longestSide, failOn: 'none' }).catch(() => null);
      if (small === null) return null;
      const turned = sharpOf(small).rotate(rotation);
      const encoded =
        format === 'webp'
          ? turned.webp({ quality: 80 })
          : turned.flatten({ background: '#ffffff' }).jpeg({ quality: 80 });
      return { bytes: await encoded.toBuffer(), contentType: `image/${format}` };
    });
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
