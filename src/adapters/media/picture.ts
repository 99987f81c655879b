import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Metadata } from 'sharp';
import { firstFrame } from './gif-frame.js';
import { decodeHeif } from './heif.js';
import { writePixelTiff } from './pixel-tiff.js';
import { decodeFailed, fileEmpty, notAnImage, requirePictureSize, tooFewBytes, unsupportedFormat } from './refusals.js';
import { HEAD_BYTES, isHeif, sniff } from './sniff.js';
import { bytesAt, isRawTiff } from './tiff-directory.js';

/** A picture in a file that sharp can decode, known by its header. */
export interface Picture {
  /** What to decode: the file itself, or what a HEIC was decoded into. */
  readonly path: string;
  readonly contentType: string;
  /** Upright. */
  readonly width: number;
  readonly height: number;
  /** EXIF's, if it applies; otherwise 1. */
  readonly orientation: number;
  readonly alpha: boolean;
  /** Found to be damaged while opening it. */
  readonly damaged: boolean;
  /** Metadata as libvips finds it. */
  readonly exif: Uint8Array | undefined;
  readonly xmp: Uint8Array | undefined;
}

/** A GIF's extensions are not searched beyond this for its first frame. */
const GIF_HEAD_BYTES = 1024 * 1024;

/**
 * Opens a picture for `work`, whose temporary files are under `folder`. By its bytes only: the accepted types, and nothing over `maxPixels`
 * by its header, before anything is decoded. Throws refusals.
 */
export async function withPicture<T>(
  { path, folder, maxPixels }: { path: string; folder: string; maxPixels: number },
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  const { contentType, sizeBytes } = await acceptedType(path, maxPixels);
  const header = await sharp(path, { failOn: 'none', limitInputPixels: false })
    .metadata()
    .catch(() => null);
  if (isHeif(contentType) && header?.compression !== 'av1') {
    return withHeif({ path, folder, maxPixels, contentType, header }, work);
  }
  if (header === null) throw decodeFailed();
  const { width, height } = header.autoOrient;
  requirePictureSize(width, height, maxPixels);
  requireDensity({ contentType, width, height, sizeBytes });
  const heif = header.format === 'heif';
  return work({
    path,
    contentType: heif ? 'image/avif' : contentType,
    width,
    height,
    orientation: heif ? 1 : exifOrientation(header.orientation),
    alpha: header.hasAlpha,
    damaged: false,
    exif: header.exif,
    xmp: header.xmp,
  });
}

/** Values that EXIF does not have leave the picture as it is. */
function exifOrientation(value = 1): number {
  return value >= 1 && value <= 8 ? value : 1;
}

async function acceptedType(path: string, maxPixels: number): Promise<{ contentType: string; sizeBytes: number }> {
  const file = await open(path, 'r');
  try {
    const head = await bytesAt(file, 0, HEAD_BYTES);
    if (head.length === 0) throw fileEmpty();
    const sniffed = await sniff(head);
    if (sniffed.kind === 'not_an_image') throw notAnImage();
    if (sniffed.kind === 'unsupported') throw unsupportedFormat(sniffed.contentType);
    if (sniffed.contentType === 'image/tiff' && (await isRawTiff(file))) throw unsupportedFormat('camera raw');
    if (sniffed.contentType === 'image/gif') await requireFrameSize(file, maxPixels);
    return { contentType: sniffed.contentType, sizeBytes: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

/**
 * Maximum number of pixels per byte of the file that the format can encode. Pictures of one colour, 64 megapixels, as small as encoders of
 * each format make them, reached 511 (JPEG), 8,258 (PNG) and 1,452 (GIF, whose codes can reach 2,730). The other formats have no such
 * limit: a WebP or AVIF of one colour takes a few bytes, whatever its size.
 */
const MAX_PIXELS_PER_BYTE: Readonly<Record<string, number>> = {
  'image/jpeg': 1000,
  'image/png': 10_000,
  'image/gif': 4000,
};

/** A header that declares many more pixels than the file can contain costs the time of all of them. */
function requireDensity(picture: { contentType: string; width: number; height: number; sizeBytes: number }): void {
  const { contentType, width, height, sizeBytes } = picture;
  const max = MAX_PIXELS_PER_BYTE[contentType] ?? Number.POSITIVE_INFINITY;
  if (width * height > max * sizeBytes) throw tooFewBytes(width, height, sizeBytes);
}

async function requireFrameSize(file: FileHandle, maxPixels: number): Promise<void> {
  const frame = firstFrame(await bytesAt(file, 0, GIF_HEAD_BYTES));
  if (frame) requirePictureSize(frame.width, frame.height, maxPixels);
}

interface HeifFile {
  readonly path: string;
  readonly folder: string;
  readonly maxPixels: number;
  readonly contentType: string;
  readonly header: Metadata | null;
}

async function withHeif<T>(
  { path, folder, maxPixels, contentType, header }: HeifFile,
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  const decoded = decodeHeif(await readFile(path), maxPixels);
  const { width, height, channels, damaged } = decoded;
  const tiff = join(folder, 'heif.tif');
  try {
    await writePixelTiff(tiff, decoded, header?.icc);
    const alpha = channels === 4;
    const metadata = { exif: header?.exif, xmp: header?.xmp };
    return await work({ path: tiff, contentType, width, height, orientation: 1, alpha, damaged, ...metadata });
  } finally {
    await rm(tiff, { force: true });
  }
}
