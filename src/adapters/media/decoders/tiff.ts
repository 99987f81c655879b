import { requirePictureSize } from '../formats/accepted.js';
import { asDecoded, declaredColours, isAdobeRgbByTiff } from '../formats/declared-colours.js';
import { tiffPage, withUnpackedTiff } from '../formats/tiff-picture.js';
import { isTurned, type OpenPicture, swapped } from '../scaled-picture.js';
import { exifOrientation, opened } from './libvips.js';

/** Opens the largest page of a TIFF in full resolution, decoded here where libvips does not know its compression or samples. */
export const open: OpenPicture = async (order, work) => {
  const { input, folder, file, maxPixels } = order;
  const page = await tiffPage(file);
  if (page === null) return work(await opened(order, null));
  requirePictureSize(page.width, page.height, maxPixels);
  return withUnpackedTiff({ page, input, folder }, async (decoded) => {
    const { header } = decoded;
    requirePictureSize(header.width, header.height, maxPixels);
    const size = { width: header.width, height: header.height };
    const orientation = exifOrientation(header.orientation);
    return work({
      ...(isTurned(orientation) ? swapped(size) : size),
      input: decoded.input,
      page: decoded.page,
      contentType: order.contentType,
      isJpeg: false,
      orientation,
      alpha: page.alphaChannel !== null,
      colours: decoded.isSrgb
        ? asDecoded
        : await declaredColours({ header, codePoints: null, isAdobeRgb: await isAdobeRgbByTiff(file) }),
      damaged: decoded.damaged,
      metadataInput: input,
      exif: header.exif,
      xmp: header.xmp,
    });
  });
};
