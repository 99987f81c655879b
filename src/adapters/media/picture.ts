import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Metadata } from 'sharp';
import { isRawType } from '../../core/media/formats.js';
import { type Colours, declaredColours, isAdobeRgbByTiff, pngCodePoints } from './declared-colours.js';
import { bytesAt, inMemory } from './file-bytes.js';
import { firstFrame, gifXmp } from './gif-blocks.js';
import { decodeHeif } from './heif.js';
import { heifStructure } from './heif-structure.js';
import { writePixelTiff } from './pixel-tiff.js';
import { type EmbeddedMetadata, pngMetadata } from './png-metadata.js';
import { OTHER_RAW, type RawFile } from './raw/raw-file.js';
import { readRaw, withRawPicture } from './raw/raw-picture.js';
import { TiffReader, tiffHeader, tiffOf } from './raw/tiff-reader.js';
import {
  decodeFailed,
  fileEmpty,
  notAnImage,
  requireDensity,
  requirePictureSize,
  unsupportedFormat,
} from './refusals.js';
import { isTurned, swapped } from './small-picture.js';
import { HEAD_BYTES, isHeif, mayBeRaw, sniff } from './sniff.js';

/** A picture in a file that sharp can decode, known by its header. */
export interface Picture {
  /** What to decode: the file itself, what a HEIC was decoded into, or the preview of a raw file. */
  readonly path: string;
  readonly contentType: string;
  /** Upright. */
  readonly width: number;
  readonly height: number;
  /** Of what is to be decoded, as in EXIF; 1 where EXIF's does not apply. */
  readonly orientation: number;
  readonly alpha: boolean;
  readonly colours: Colours;
  /** More than 8 bits. */
  readonly isDeep: boolean;
  /** Found to be damaged while opening it. */
  readonly damaged: boolean;
  /** The file to read metadata from, in addition to those below. */
  readonly metadataPath: string;
  /** Metadata as libvips finds it, in a raw file, or where libvips does not look. */
  readonly exif: Uint8Array | undefined;
  readonly xmp: Uint8Array | undefined;
  readonly iptc?: Uint8Array | undefined;
}

interface PictureOrder {
  readonly path: string;
  readonly folder: string;
  readonly maxPixels: number;
}

/** A GIF's blocks are not searched beyond this for its first frame and its metadata. */
const GIF_HEAD_BYTES = 1024 * 1024;

/**
 * Opens a picture for `work`, whose temporary files are under `folder`. By its bytes only: the accepted types, and nothing over `maxPixels`
 * by its header, before anything is decoded. Throws refusals.
 */
export async function withPicture<T>(order: PictureOrder, work: (picture: Picture) => Promise<T>): Promise<T> {
  const file = await open(order.path, 'r');
  try {
    const { contentType, raw } = await acceptedType(file, order.maxPixels);
    if (raw !== null) return await withRawPicture({ ...order, raw, file }, work);
    return await withOrdinaryPicture({ ...order, contentType, file }, work);
  } finally {
    await file.close();
  }
}

async function withOrdinaryPicture<T>(
  { path, folder, maxPixels, contentType, file }: PictureOrder & { contentType: string; file: FileHandle },
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  const header = await sharp(path, { failOn: 'none', limitInputPixels: false })
    .metadata()
    .catch(() => null);
  if (isHeif(contentType) && header?.compression !== 'av1') {
    return withHeif({ path, folder, maxPixels, contentType, file, header }, work);
  }
  if (header === null) throw decodeFailed();
  const found = await embeddedMetadata(file, contentType);
  const heif = header.format === 'heif';
  const written = header.orientation ?? (found.exif && (await orientationIn(found.exif)));
  const orientation = heif ? 1 : exifOrientation(written);
  const lying = { width: header.width, height: header.height };
  const { width, height } = heif ? header.autoOrient : isTurned(orientation) ? swapped(lying) : lying;
  requirePictureSize(width, height, maxPixels);
  requireDensity({ contentType, width, height, sizeBytes: (await file.stat()).size });
  return work({
    path,
    contentType: heif ? 'image/avif' : contentType,
    width,
    height,
    orientation,
    alpha: header.hasAlpha,
    colours: await coloursOf(file, contentType, header),
    isDeep: header.depth === 'ushort',
    damaged: false,
    metadataPath: path,
    exif: header.exif ?? found.exif,
    xmp: header.xmp ?? found.xmp,
    iptc: found.iptc,
  });
}

/** What libvips does not find. */
async function embeddedMetadata(file: FileHandle, contentType: string): Promise<EmbeddedMetadata> {
  if (contentType === 'image/png') return pngMetadata(file);
  if (contentType !== 'image/gif') return {};
  return { xmp: gifXmp(await bytesAt(file, 0, GIF_HEAD_BYTES)) };
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

async function coloursOf(file: FileHandle, contentType: string, header: Metadata): Promise<Colours> {
  const codePoints = async () => {
    if (header.format === 'heif') return (await heifStructure(file))?.codePoints ?? null;
    return contentType === 'image/png' ? pngCodePoints(file) : null;
  };
  const isAdobeRgb = contentType === 'image/tiff' && (await isAdobeRgbByTiff(file));
  return declaredColours({ header, codePoints: await codePoints(), isAdobeRgb });
}

/** Values that EXIF does not have leave the picture as it is. */
function exifOrientation(value = 1): number {
  return value >= 1 && value <= 8 ? value : 1;
}

async function acceptedType(
  file: FileHandle,
  maxPixels: number,
): Promise<{ contentType: string; raw: RawFile | null }> {
  const head = await bytesAt(file, 0, HEAD_BYTES);
  if (head.length === 0) throw fileEmpty();
  const raw = mayBeRaw(head) ? await readRaw(file) : null;
  if (raw === OTHER_RAW) throw unsupportedFormat('camera raw');
  if (raw !== null) return { contentType: raw.contentType, raw };
  const sniffed = await sniff(head);
  if (sniffed.kind === 'not_an_image') throw notAnImage();
  if (sniffed.kind === 'unsupported') throw unsupportedFormat(sniffed.contentType);
  // What the first bytes took for a raw file is none.
  const contentType = isRawType(sniffed.contentType) ? 'image/tiff' : sniffed.contentType;
  if (contentType === 'image/gif') await requireFrameSize(file, maxPixels);
  return { contentType, raw: null };
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
  readonly file: FileHandle;
  readonly header: Metadata | null;
}

async function withHeif<T>(
  { path, folder, maxPixels, contentType, file, header }: HeifFile,
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  const { icc, exif, xmp } = header ?? {};
  const codePoints = (await heifStructure(file))?.codePoints ?? null;
  const colours = await declaredColours({ header: { space: 'srgb', icc, exif }, codePoints });
  // 8 bits are too few for more light than sRGB has.
  const isHighRange = colours.space?.tone !== undefined;
  const decoded = decodeHeif(await readFile(path), { maxPixels, space: isHighRange ? colours.space : null });
  const { width, height, channels, damaged } = decoded;
  const tiff = join(folder, 'heif.tif');
  try {
    await writePixelTiff(tiff, decoded, icc);
    const facts = { contentType, width, height, orientation: 1, alpha: channels === 4, damaged };
    return await work({
      ...facts,
      path: tiff,
      colours: isHighRange ? { space: null, ignoreIcc: false } : colours,
      isDeep: false,
      metadataPath: path,
      exif,
      xmp,
    });
  } finally {
    await rm(tiff, { force: true });
  }
}
