import { copyFile, type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from 'sharp';
import sharp from 'sharp';
import { isRawType } from '../../core/media/formats.js';
import { asDecoded, declaredColours, isAdobeRgbByTiff, pngColours } from './formats/declared-colours.js';
import { Boxes, bytesAt, inMemory } from './formats/file-bytes.js';
import { decodeHeif, type HeifStructure, heifStructure } from './formats/heif.js';
import { type EmbeddedMetadata, pngMetadata } from './formats/png.js';
import { OTHER_RAW, type RawFile } from './formats/raw-file.js';
import { tiffPage, withUnpackedTiff, writePixelTiff } from './formats/tiff-picture.js';
import { TiffReader, tiffHeader, tiffOf } from './formats/tiff-reader.js';
import { readRaw, withRawPicture } from './raw-picture.js';
import { isDecoderLimit, isTurned, type Picture, swapped } from './small-picture.js';
import {
  beyondDecoder,
  decodeFailed,
  fileEmpty,
  HEAD_BYTES,
  isHeif,
  mayBeRaw,
  notAnImage,
  requireDensity,
  requirePictureSize,
  sniff,
  unsupportedFeature,
  unsupportedFormat,
} from './sniff.js';

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

interface OpenFile extends PictureOrder {
  readonly contentType: string;
  readonly file: FileHandle;
}

async function withOrdinaryPicture<T>(order: OpenFile, work: (picture: Picture) => Promise<T>): Promise<T> {
  const { contentType, file } = order;
  if (contentType === 'image/tiff') return withTiff(order, work);
  if (!isHeif(contentType) && contentType !== 'image/avif') return work(await opened(order, null));
  const structure = await heifStructure(file);
  if (structure === null && (await isSequence(file)))
    throw unsupportedFeature('Image sequences without a single image');
  // Its type says which codec it has, its brands need not.
  const isAv1 = structure?.codec ? structure.codec === 'av01' : contentType === 'image/avif';
  return isAv1 ? withAvif(order, structure, work) : withHeif(order, structure, work);
}

/** Opens what sharp decodes as it is. */
async function opened(order: OpenFile, structure: HeifStructure | null): Promise<Picture> {
  const { path, maxPixels, contentType, file } = order;
  const { header, unlimited } = await headerOf(path);
  if (header === null) throw unlimited ? beyondDecoder(contentType) : decodeFailed();
  // In a TIFF whose directories cannot be read.
  if (header.channels > 4 && header.space !== 'cmyk') throw unsupportedFeature(`Files of ${header.channels} channels`);
  const found = await embeddedMetadata(file, contentType);
  const heif = header.format === 'heif';
  const written = header.orientation ?? (found.exif && (await orientationIn(found.exif)));
  const orientation = heif ? 1 : exifOrientation(written);
  const lying = { width: header.width, height: header.height };
  const { width, height } = heif ? header.autoOrient : isTurned(orientation) ? swapped(lying) : lying;
  requirePictureSize(width, height, maxPixels);
  requireDensity({ contentType, width, height, sizeBytes: (await file.stat()).size });
  return {
    path,
    contentType: heif ? 'image/avif' : contentType,
    width,
    height,
    orientation,
    alpha: header.hasAlpha,
    colours: await declaredColours({
      header,
      ...(contentType === 'image/png' ? await pngColours(file) : { codePoints: structure?.codePoints ?? null }),
    }),
    page: 0,
    unlimited,
    damaged: false,
    metadataPath: path,
    exif: header.exif ?? found.exif,
    xmp: header.xmp ?? found.xmp,
    iptc: found.iptc,
  };
}

/** Reads the metadata that libvips does not find. */
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

/** The header as libvips reads it; null when it cannot. Without limits of a decoder only where these are what is in the way: ours hold. */
async function headerOf(path: string): Promise<{ header: Metadata | null; unlimited: boolean }> {
  const read = (unlimited: boolean) => sharp(path, { failOn: 'none', limitInputPixels: false, unlimited }).metadata();
  try {
    return { header: await read(false), unlimited: false };
  } catch (error) {
    const unlimited = isDecoderLimit(error);
    return { header: unlimited ? await read(true).catch(() => null) : null, unlimited };
  }
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

async function withTiff<T>(order: OpenFile, work: (picture: Picture) => Promise<T>): Promise<T> {
  const { path, folder, file, maxPixels } = order;
  const page = await tiffPage(file);
  if (page === null) return work(await opened(order, null));
  requirePictureSize(page.width, page.height, maxPixels);
  return withUnpackedTiff({ page, path, folder }, async (decoded) => {
    const { header } = decoded;
    requirePictureSize(header.width, header.height, maxPixels);
    const size = { width: header.width, height: header.height };
    const orientation = exifOrientation(header.orientation);
    return work({
      ...(isTurned(orientation) ? swapped(size) : size),
      path: decoded.path,
      page: decoded.page,
      contentType: order.contentType,
      orientation,
      alpha: page.alphaChannel !== null,
      colours: decoded.isSrgb
        ? asDecoded
        : await declaredColours({ header, codePoints: null, isAdobeRgb: await isAdobeRgbByTiff(file) }),
      unlimited: false,
      damaged: decoded.damaged,
      metadataPath: path,
      exif: header.exif,
      xmp: header.xmp,
    });
  });
}

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
    await copyFile(order.path, path);
    const copy = await open(path, 'r+');
    try {
      await copy.write('avif', MAJOR_BRAND_AT, 'latin1');
    } finally {
      await copy.close();
    }
    return await work({ ...(await opened({ ...order, path }, structure)), metadataPath: order.path });
  } finally {
    await rm(path, { force: true });
  }
}

async function withHeif<T>(
  { path, folder, maxPixels, contentType }: OpenFile,
  structure: HeifStructure | null,
  work: (picture: Picture) => Promise<T>,
): Promise<T> {
  const { icc, exif, xmp } = (await headerOf(path)).header ?? {};
  const colours = await declaredColours({
    header: { space: 'srgb', depth: 'uchar', icc, exif },
    codePoints: structure?.codePoints ?? null,
  });
  // 8 bits are too few for more light than sRGB has.
  const isHighRange = colours.space?.tone !== undefined;
  const space = isHighRange ? colours.space : null;
  const decoded = decodeHeif(await readFile(path), { maxPixels, space, structure });
  const { width, height, channels, damaged } = decoded;
  const tiff = join(folder, 'heif.tif');
  try {
    await writePixelTiff(tiff, decoded, icc);
    const facts = { contentType, width, height, orientation: 1, alpha: channels === 4, damaged };
    return await work({
      ...facts,
      path: tiff,
      colours: isHighRange ? asDecoded : colours,
      page: 0,
      unlimited: false,
      metadataPath: path,
      exif,
      xmp,
    });
  } finally {
    await rm(tiff, { force: true });
  }
}

/** Frames in a track. */
async function isSequence(file: FileHandle): Promise<boolean> {
  const boxes = await new Boxes(file).within(0, (await file.stat()).size);
  return boxes.some(({ type }) => type === 'moov');
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
const XMP_LABEL = '!\xff\x0bXMP DataXMP';

/** The XMP packet of a GIF, with what follows it in its block, from the bytes at its beginning; undefined when there is none. */
function gifXmp(bytes: Uint8Array): Uint8Array | undefined {
  const label = Buffer.from(XMP_LABEL, 'latin1');
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
