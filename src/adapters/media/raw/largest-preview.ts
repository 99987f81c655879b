import type { FileHandle } from 'node:fs/promises';
import { bytesAt } from '../file-bytes.js';
import { segments } from '../jpeg-metadata.js';
import type { Range, RawFile } from './raw-file.js';

/** Real files have up to four. */
const MAX_JPEGS = 32;
/** Baseline, extended and progressive (ITU-T T.81, table B.1). Sensor data are lossless JPEGs. */
const FRAMES_OF_PICTURES = [0xc0, 0xc1, 0xc2];
const FRAMES = [0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];

export interface Preview extends Range {
  readonly longestSide: number;
}

/**
 * The preview with the most pixels; of several of that size, the one with the most bytes. Null when the file contains none in full.
 * @param size Of the file, in bytes.
 */
export async function largestPreview(file: FileHandle, raw: RawFile, size: number): Promise<Preview | null> {
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
export function isCut({ jpegs, sensorData }: RawFile, size: number): { preview: boolean; sensorData: boolean } {
  const beyond = ({ start, length }: Range) => start + length > size;
  return { preview: jpegs.some(beyond), sensorData: sensorData.some(beyond) };
}

/** Size of the picture that a JPEG contains; null when it is none for people to look at. */
async function frameOf(file: FileHandle, start: number): Promise<{ width: number; height: number } | null> {
  for await (const { marker, start: content } of segments(file, start)) {
    if (!FRAMES.includes(marker)) continue;
    if (!FRAMES_OF_PICTURES.includes(marker)) return null;
    const frame = await bytesAt(file, content, 5);
    return frame.length < 5 ? null : { width: frame.readUInt16BE(3), height: frame.readUInt16BE(1) };
  }
  return null;
}
