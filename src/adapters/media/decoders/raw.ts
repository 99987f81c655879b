import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { renditionSizes } from '../../../core/media/media-reader.js';
import { decodeFailed, noPreview, requireDensity, requirePictureSize } from '../formats/accepted.js';
import { declaredColours } from '../formats/declared-colours.js';
import { segments } from '../formats/embedded-metadata.js';
import { type ByteSource, bytesAt, type Range, tiffDirectory, written } from '../formats/file-bytes.js';
import {
  EXIF_POINTER,
  GPS_POINTER,
  type MetadataDirectories,
  OTHER_RAW,
  type RawFile,
  readCr3,
  readRaf,
  readTiffRaw,
} from '../formats/raw-file.js';
import {
  NEW_FILE,
  type OpenFile,
  type OpenPicture,
  type Picture,
  uprightSize,
  withTemporary,
} from '../scaled-picture.js';

/** Longest side that a preview must have: smaller ones are for a camera's own display. */
const MIN_PREVIEW = renditionSizes.small;
const CHUNK_BYTES = 1024 * 1024;

/** Returns what the file says if it is a raw file, by its structure alone; null when it is not. */
export async function readRaw(file: ByteSource): Promise<RawFile | typeof OTHER_RAW | null> {
  return (await readTiffRaw(file)) ?? (await readRaf(file)) ?? (await readCr3(file));
}

/** Opens the largest preview. */
export const open: OpenPicture = async (order, work) => {
  const { file, folder } = order;
  const raw = await readRaw(file);
  // Its first bytes are all that it has of a raw file.
  if (raw === null || raw === OTHER_RAW) throw decodeFailed();
  const preview = await largestPreview(file, raw, file.size);
  if (preview === null || preview.longestSide < MIN_PREVIEW)
    throw isCut(raw, file.size).preview ? decodeFailed() : noPreview(raw.contentType, MIN_PREVIEW);
  return withTemporary(join(folder, 'preview.jpg'), async (path) => {
    await writeFile(path, chunks(file, preview), NEW_FILE);
    return work(await previewPicture(order, raw, { path, preview }));
  });
};

async function previewPicture(
  { contentType, file, maxPixels }: OpenFile,
  raw: RawFile,
  { path, preview }: { readonly path: string; readonly preview: Preview },
): Promise<Picture> {
  const header = await sharp(path, { failOn: 'none', limitInputPixels: false })
    .metadata()
    .catch(() => {
      throw decodeFailed();
    });
  requirePictureSize(header.width, header.height, maxPixels);
  const { width, height } = header;
  requireDensity(contentType, { width, height }, preview.length);
  const orientation = [header.orientation, raw.orientation].find((value) => value && value >= 1 && value <= 8) ?? 1;
  return {
    input: path,
    contentType,
    isJpeg: true,
    ...uprightSize({ width, height }, orientation),
    orientation,
    alpha: false,
    colours: await declaredColours({ header, codePoints: null, isAdobeRgb: raw.isAdobeRgb }),
    damaged: isCut(raw, file.size).sensorData,
    metadataInput: path,
    exif: raw.metadata ? metadataTiff(raw.metadata.little, raw.metadata) : undefined,
    xmp: raw.xmp ?? header.xmp,
  };
}

async function* chunks(file: ByteSource, { start, length }: Range): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += CHUNK_BYTES) {
    yield await bytesAt(file, start + at, Math.min(CHUNK_BYTES, length - at));
  }
}

const LONG = 4;

/**
 * A small TIFF of only these tags, as EXIF is stored in other formats: readers of EXIF understand neither the headers of all raw formats nor
 * directories in several places, and are not given the whole file.
 */
function metadataTiff(little: boolean, { main, exif, gps }: MetadataDirectories): Buffer {
  const pointer = (tag: number, to: number) => ({ tag, type: LONG, count: 1, value: written(to, 4, little) });
  const withPointers = (exifAt: number, gpsAt: number) =>
    tiffDirectory([...main, pointer(EXIF_POINTER, exifAt), pointer(GPS_POINTER, gpsAt)], 8, little);
  const exifAt = 8 + withPointers(0, 0).length;
  const inExif = tiffDirectory(exif, exifAt, little);
  const gpsAt = exifAt + inExif.length;
  const header = [Buffer.from(little ? 'II' : 'MM'), written(42, 2, little), written(8, 4, little)];
  return Buffer.concat([...header, withPointers(exifAt, gpsAt), inExif, tiffDirectory(gps, gpsAt, little)]);
}

/** Real files have up to four. */
const MAX_JPEGS = 32;
/** Baseline, extended and progressive (ITU-T T.81, table B.1). Sensor data are lossless JPEGs. */
const FRAMES_OF_PICTURES = [0xc0, 0xc1, 0xc2];
const FRAMES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];

interface Preview extends Range {
  readonly longestSide: number;
}

/**
 * The preview with the most pixels; of several of that size, the one with the most bytes. Null when the file contains none in full.
 * @param size Of the file, in bytes.
 */
export async function largestPreview(file: ByteSource, raw: RawFile, size: number): Promise<Preview | null> {
  let largest: (Preview & { readonly pixels: number }) | null = null;
  for (const { start, length } of raw.jpegs.slice(0, MAX_JPEGS)) {
    if (length === 0 || start + length > size) continue;
    const frame = await frameOf(file, start);
    if (frame === null) continue;
    const pixels = frame.width * frame.height;
    const isLarger = largest === null || pixels > largest.pixels;
    if (!isLarger && (pixels < (largest?.pixels ?? 0) || length <= (largest?.length ?? 0))) continue;
    largest = { start, length, pixels, longestSide: Math.max(frame.width, frame.height) };
  }
  return largest;
}

/** Whether the file ends before all that it says it contains. */
function isCut({ jpegs, sensorData }: RawFile, size: number): { preview: boolean; sensorData: boolean } {
  const beyond = ({ start, length }: Range) => start + length > size;
  return { preview: jpegs.some(beyond), sensorData: sensorData.some(beyond) };
}

/** Size of the picture that a JPEG contains; null when it is none for people to look at. */
async function frameOf(file: ByteSource, start: number): Promise<{ width: number; height: number } | null> {
  for await (const { marker, start: content } of segments(file, start)) {
    if (!FRAMES.includes(marker)) continue;
    if (!FRAMES_OF_PICTURES.includes(marker)) return null;
    const frame = await bytesAt(file, content, 5);
    return frame.length < 5 ? null : { width: frame.readUInt16BE(3), height: frame.readUInt16BE(1) };
  }
  return null;
}
