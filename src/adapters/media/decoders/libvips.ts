import sharp, { type Metadata } from 'sharp';
import {
  beyondDecoder,
  decodeFailed,
  requireDensity,
  requirePictureSize,
  unsupportedFeature,
} from '../formats/accepted.js';
import { declaredColours, pngColours } from '../formats/declared-colours.js';
import { pngMetadata } from '../formats/embedded-metadata.js';
import { bytesAt, inMemory, type PictureInput, TiffReader, tiffHeader, tiffOf } from '../formats/file-bytes.js';
import type { HeifStructure } from '../formats/heif.js';
import {
  allowLoaders,
  isDecoderLimit,
  type OpenFile,
  type OpenPicture,
  type Picture,
  uprightSize,
} from '../scaled-picture.js';

/** A GIF's blocks are not searched beyond this for its first frame and its metadata. */
const GIF_HEAD_BYTES = 1024 * 1024;

/** The loaders of the types that have one of their own: libvips asks each that it may use whether a file is its, and twice. */
const loaders = { 'image/jpeg': 'Jpeg', 'image/png': 'Png', 'image/webp': 'Webp', 'image/gif': 'Nsgif' } as const;

/** Opens what sharp decodes as it is. */
export const open: OpenPicture = async (order, work) => {
  const loader = loaders[order.contentType as keyof typeof loaders];
  if (loader !== undefined) allowLoaders([loader]);
  if (order.contentType === 'image/gif') {
    const frame = firstFrame(await bytesAt(order.file, 0, GIF_HEAD_BYTES));
    if (frame) requirePictureSize(frame.width, frame.height, order.maxPixels);
  }
  return work(await opened(order, null));
};

/** The picture as libvips tells of it; the structure is that of an AVIF. */
export async function opened(order: OpenFile, structure: HeifStructure | null): Promise<Picture> {
  const { input, maxPixels, contentType, file } = order;
  const { header, unlimited } = await headerOf(input);
  if (header === null) throw unlimited ? beyondDecoder(contentType) : decodeFailed();
  // In a TIFF whose directories cannot be read.
  if (header.channels > 4 && header.space !== 'cmyk') throw unsupportedFeature(`Files of ${header.channels} channels`);
  // The metadata that libvips does not find.
  const found = contentType === 'image/png' ? await pngMetadata(file) : null;
  const packet = contentType === 'image/gif' ? gifXmp(await bytesAt(file, 0, GIF_HEAD_BYTES)) : found?.xmp;
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
    xmp: header.xmp ?? packet,
    iptc: found?.iptc,
  };
}

const ORIENTATION = 274;

async function orientationIn(exif: Uint8Array): Promise<number | undefined> {
  const source = inMemory(tiffOf(exif));
  const header = await tiffHeader(source, 0);
  if (header === null) return undefined;
  const tiff = new TiffReader(source, 0, header.little);
  const main = await tiff.directory(header.first);
  return (await tiff.number(main?.entries.get(ORIENTATION))) ?? undefined;
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

/**
 * Width and height that the first frame of a GIF declares, from the bytes at its beginning; null when they end before it. A frame may be
 * larger than the canvas, and decoders allocate memory for it.
 */
export function firstFrame(bytes: Uint8Array): { readonly width: number; readonly height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const { kind, start } of blocks(bytes)) {
    if (kind === IMAGE) return { width: view.getUint16(start + 5, true), height: view.getUint16(start + 7, true) };
  }
  return null;
}

const EXTENSION = 0x21;
const IMAGE = 0x2c;

/** The XMP packet of a GIF, with what follows it in its block, from the bytes at its beginning; undefined when there is none. */
function gifXmp(bytes: Uint8Array): Uint8Array | undefined {
  const label = Buffer.from('!\xff\x0bXMP DataXMP', 'latin1');
  for (const { start, end } of blocks(bytes)) {
    const packet = start + label.length;
    if (label.equals(bytes.subarray(start, packet))) return bytes.subarray(packet, end);
  }
  return undefined;
}

/** The images and extensions of a GIF (GIF89a, 20 and 24 to 26), while they are whole as far as their headers. */
function* blocks(
  bytes: Uint8Array,
): Generator<{ readonly kind: number; readonly start: number; readonly end: number }> {
  const byte = (at: number) => bytes[at] ?? 0;
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let start = 13 + colours(byte(10));
  while (start + 10 <= bytes.length) {
    const kind = byte(start);
    if (kind !== IMAGE && kind !== EXTENSION) return;
    // An extension begins with a label, an image with its size, colours and the width of its codes. Sub-blocks follow, each preceded by its
    // length, until an empty one.
    let end = start + (kind === EXTENSION ? 2 : 11 + colours(byte(start + 9)));
    while (byte(end) !== 0) end += byte(end) + 1;
    yield { kind, start, end };
    start = end + 1;
  }
}
