import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { isRawType } from '../../core/media/formats.js';
import { bytesAt } from './file-bytes.js';
import type { Picture } from './sharp-picture.js';

/** Whether libjpeg decodes it: a JPEG, or the preview of a raw file. */
export function isJpeg({ contentType }: Pick<Picture, 'contentType'>): boolean {
  return contentType === 'image/jpeg' || isRawType(contentType);
}

/** Warnings of libjpeg after which a part of the picture is missing or wrong. Others tell of bytes that nothing is missed of. */
const LOSSES = /premature end|bad huffman code|instead of RST/i;
/** The end of the picture: all of it was decoded before. */
const AFTER_THE_PICTURE = /before marker 0xd9/i;

/**
 * Whether a part of a JPEG is missing or wrong, by the warning with which its decoding ended. libjpeg only tells the first: what another
 * might hide is decoded without all that has no pixels.
 */
export async function isCutJpeg(picture: Picture, folder: string, warning: string): Promise<boolean> {
  if (LOSSES.test(warning)) return true;
  if (AFTER_THE_PICTURE.test(warning)) return false;
  const path = join(folder, 'bare.jpg');
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      for (const part of pixelsOf(await readFile(picture.path))) await file.writeFile(part);
    } finally {
      await file.close();
    }
    const decoded = sharp(path, { failOn: 'warning', limitInputPixels: false }).stats();
    return await decoded.then(() => false).catch((error: Error) => LOSSES.test(error.message));
  } finally {
    await rm(path, { force: true });
  }
}

const START_OF_SCAN = 0xda;

/** What a decoder needs to find the pixels: no comments, and no segments of applications. */
function pixelsOf(jpeg: Buffer): readonly Buffer[] {
  const parts = [jpeg.subarray(0, 2)];
  for (let at = 2; at + 4 <= jpeg.length; ) {
    const marker = jpeg[at + 1] ?? 0;
    // Bytes between segments, which no reader of JPEG minds, and padding.
    if (jpeg[at] !== 0xff || marker === 0 || marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === START_OF_SCAN) return [...parts, jpeg.subarray(at)];
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    const isOfApplication = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
    if (!isOfApplication) parts.push(jpeg.subarray(at, end));
    at = end;
  }
  return parts;
}

/** As libvips has it, which gives up after 100 warnings, too, unless both are unlimited. */
const MAX_SCANS = 100;
const CHUNK_BYTES = 1024 * 1024;

/** Whether a JPEG may be decoded however often libjpeg warns: a few bytes of each of thousands of scans cost the time of the whole picture. */
export async function hasFewScans(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    return (await scansIn(file)) <= MAX_SCANS;
  } finally {
    await file.close();
  }
}

async function scansIn(file: FileHandle): Promise<number> {
  const marker = Buffer.from([0xff, START_OF_SCAN]);
  let scans = 0;
  for (let start = 0; ; start += CHUNK_BYTES) {
    // One byte more, for a marker across the border.
    const chunk = await bytesAt(file, start, CHUNK_BYTES + 1);
    for (let at = chunk.indexOf(marker); at >= 0; at = chunk.indexOf(marker, at + 2)) scans += 1;
    if (chunk.length <= CHUNK_BYTES) return scans;
  }
}
