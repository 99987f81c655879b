import { open as openFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { renditionSizes } from '../../../core/media/media-reader.js';
import { decodeFailed, noPreview, requireDensity, requirePictureSize } from '../formats/accepted.js';
import { declaredColours } from '../formats/declared-colours.js';
import { type ByteSource, bytesAt, type Range } from '../formats/file-bytes.js';
import { isCut, largestPreview, metadataTiff, OTHER_RAW, type Preview, type RawFile } from '../formats/raw-file.js';
import { readCr3, readRaf, readTiffRaw } from '../formats/raw-readers.js';
import { isTurned, type OpenFile, type OpenPicture, type Picture, swapped } from '../scaled-picture.js';

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
  const path = join(folder, 'preview.jpg');
  try {
    await copy(file, preview, path);
    return await work(await opened(order, raw, { path, preview }));
  } finally {
    await rm(path, { force: true });
  }
};

async function opened(
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
  const size = isTurned(orientation) ? swapped({ width, height }) : { width, height };
  return {
    input: path,
    contentType,
    isJpeg: true,
    ...size,
    orientation,
    alpha: false,
    colours: await declaredColours({ header, codePoints: null, isAdobeRgb: raw.isAdobeRgb }),
    damaged: isCut(raw, file.size).sensorData,
    metadataInput: path,
    exif: raw.metadata ? metadataTiff(raw.metadata.little, raw.metadata) : undefined,
    xmp: raw.xmp ?? header.xmp,
  };
}

async function copy(from: ByteSource, { start, length }: Range, path: string): Promise<void> {
  const to = await openFile(path, 'wx', 0o600);
  try {
    for (let at = 0; at < length; at += CHUNK_BYTES) {
      // `writeFile`, which goes on where a call wrote only some of its bytes, as on a disk that is nearly full.
      await to.writeFile(await bytesAt(from, start + at, Math.min(CHUNK_BYTES, length - at)));
    }
  } finally {
    await to.close();
  }
}
