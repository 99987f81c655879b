import { open as openFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unsupportedFeature } from '../formats/accepted.js';
import { asDecoded, declaredColours } from '../formats/declared-colours.js';
import { Boxes, copyOf, wholeOf } from '../formats/file-bytes.js';
import { decodeHeif, type HeifStructure, heifStructure } from '../formats/heif.js';
import { type OpenFile, type OpenPicture, type Picture, writePixelTiff } from '../scaled-picture.js';
import { headerOf, opened } from './libvips.js';

const AVIF = 'image/avif';

/** Opens the primary picture of a HEIF file: libvips decodes AV1, libheif the others. */
export const open: OpenPicture = async (order, work) => {
  const { contentType, file } = order;
  const structure = await heifStructure(file);
  // Frames in a track.
  if (structure === null && (await new Boxes(file).within(0, file.size)).some(({ type }) => type === 'moov'))
    throw unsupportedFeature('Image sequences without a single image');
  // Its type says which codec it has, its brands need not.
  const isAv1 = structure?.codec ? structure.codec === 'av01' : contentType === AVIF;
  return isAv1 ? withAvif({ ...order, contentType: AVIF }, structure, work) : withHeif(order, structure, work);
};

/** Major brands by which libvips takes a file for one that libheif decodes. */
const KNOWN_BRANDS = ['avif', 'mif1', 'heic', 'heix'];
const MAJOR_BRAND_AT = 8;

async function withAvif<T>(
  order: OpenFile,
  structure: HeifStructure | null,
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  if (structure === null || KNOWN_BRANDS.includes(structure.majorBrand)) return work(await opened(order, structure));
  // The first picture of a sequence, which is decoded like any other once the file says that it is one.
  const path = join(order.folder, 'picture.avif');
  try {
    await copyOf(order.input, path);
    const copy = await openFile(path, 'r+');
    try {
      await copy.write('avif', MAJOR_BRAND_AT, 'latin1');
    } finally {
      await copy.close();
    }
    return await work({ ...(await opened({ ...order, input: path }, structure)), metadataInput: order.input });
  } finally {
    await rm(path, { force: true });
  }
}

async function withHeif<T>(
  { input, folder, maxPixels, contentType }: OpenFile,
  structure: HeifStructure | null,
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  const { icc, exif, xmp } = (await headerOf(input)).header ?? {};
  const colours = await declaredColours({
    header: { space: 'srgb', depth: 'uchar', icc, exif },
    codePoints: structure?.codePoints ?? null,
  });
  // 8 bits are too few for more light than sRGB has.
  const isHighRange = colours.space?.tone !== undefined;
  const space = isHighRange ? colours.space : null;
  const decoded = decodeHeif(await wholeOf(input), { contentType, maxPixels, space, structure });
  const { width, height, channels, damaged } = decoded;
  const tiff = join(folder, 'pixels');
  try {
    await writePixelTiff(tiff, decoded, icc);
    const facts = { contentType, isJpeg: false, width, height, orientation: 1, alpha: channels === 4, damaged };
    return await work({
      ...facts,
      input: tiff,
      colours: isHighRange ? asDecoded : colours,
      metadataInput: input,
      exif,
      xmp,
    });
  } finally {
    await rm(tiff, { force: true });
  }
}
