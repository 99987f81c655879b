import sharp, { type Metadata } from 'sharp';
import {
  beyondDecoder,
  decodeFailed,
  requireDensity,
  requirePictureSize,
  unsupportedFeature,
} from '../formats/accepted.js';
import { declaredColours, pngColours } from '../formats/declared-colours.js';
import { gifHead, pngMetadata } from '../formats/embedded-metadata.js';
import { inMemory, openTiff, type PictureInput, tiffOf } from '../formats/file-bytes.js';
import type { HeifStructure } from '../formats/heif.js';
import {
  allowLoaders,
  isDecoderLimit,
  type OpenFile,
  type OpenPicture,
  type Picture,
  uprightSize,
} from '../scaled-picture.js';

/** The loaders of the types that have one of their own: libvips asks each that it may use whether a file is its, and twice. */
const loaders = { 'image/jpeg': 'Jpeg', 'image/png': 'Png', 'image/webp': 'Webp', 'image/gif': 'Nsgif' } as const;

/** Opens what sharp decodes as it is. */
export const open: OpenPicture = async (order, work) => {
  const { contentType, file, maxPixels } = order;
  const loader = loaders[contentType as keyof typeof loaders];
  if (loader !== undefined) allowLoaders([loader]);
  if (contentType !== 'image/gif') return work(await libvipsPicture(order, null));
  const { frame, xmp } = await gifHead(file);
  if (frame) requirePictureSize(frame.width, frame.height, maxPixels);
  const picture = await libvipsPicture(order, null);
  return work({ ...picture, xmp: picture.xmp ?? xmp });
};

/** The picture as libvips tells of it; the structure is that of an AVIF. */
export async function libvipsPicture(order: OpenFile, structure: HeifStructure | null): Promise<Picture> {
  const { input, maxPixels, contentType, file } = order;
  const { header, unlimited } = await headerOf(input);
  if (header === null) throw unlimited ? beyondDecoder(contentType) : decodeFailed();
  // In a TIFF whose directories cannot be read.
  if (header.channels > 4 && header.space !== 'cmyk') throw unsupportedFeature(`Files of ${header.channels} channels`);
  // The metadata that libvips does not find.
  const found = contentType === 'image/png' ? await pngMetadata(file) : null;
  const heif = header.format === 'heif';
  const written = header.orientation ?? (found?.exif && (await orientationIn(found.exif)));
  const orientation = heif ? 1 : exifOrientation(written);
  const { width, height } = heif ? header.autoOrient : uprightSize(header, orientation);
  requirePictureSize(width, height, maxPixels);
  requireDensity(contentType, { width, height }, file.size);
  return {
    input,
    contentType,
    isJpeg: header.format === 'jpeg',
    width,
    height,
    orientation,
    alpha: header.hasAlpha,
    colours: await declaredColours({
      header,
      ...(contentType === 'image/png' ? await pngColours(file) : { codePoints: structure?.codePoints ?? null }),
    }),
    unlimited,
    damaged: false,
    metadataInput: input,
    exif: header.exif ?? found?.exif,
    xmp: header.xmp ?? found?.xmp,
    iptc: found?.iptc,
  };
}

const ORIENTATION = 274;

async function orientationIn(exif: Uint8Array): Promise<number | undefined> {
  const found = await openTiff(inMemory(tiffOf(exif)));
  return (await found?.tiff.number(found.directory?.entries.get(ORIENTATION))) ?? undefined;
}

/** The header as libvips reads it; null when it cannot. Without limits of a decoder only where these are what is in the way: ours hold. */
export async function headerOf(
  input: PictureInput,
): Promise<{ readonly header: Metadata | null; readonly unlimited: boolean }> {
  const read = (unlimited: boolean) => sharp(input, { failOn: 'none', limitInputPixels: false, unlimited }).metadata();
  try {
    return { header: await read(false), unlimited: false };
  } catch (error) {
    const unlimited = isDecoderLimit(error);
    return { header: unlimited ? await read(true).catch(() => null) : null, unlimited };
  }
}

/** Values that EXIF does not have leave the picture as it is. */
export function exifOrientation(value = 1): number {
  return value >= 1 && value <= 8 ? value : 1;
}
