import { segments } from './embedded-metadata.js';
import {
  type ByteSource,
  bytesAt,
  type Range,
  type TiffDirectory,
  type TiffEntry,
  type TiffReader,
} from './file-bytes.js';

export interface RawFile {
  readonly contentType: string;
  /** Where it says that JPEGs are: previews of several sizes, and what turns out to be sensor data compressed as a JPEG. */
  readonly jpegs: readonly Range[];
  /** The orientation as in EXIF, of sensor data and previews alike. Null when the preview itself contains it. */
  readonly orientation: number | null;
  /** Its EXIF says so of its previews. */
  readonly isAdobeRgb: boolean;
  /** Where its sensor data should be, as far as its format says so reliably. */
  readonly sensorData: readonly Range[];
  /** Null: those of the preview are all there is. */
  readonly metadata: (MetadataDirectories & { readonly little: boolean }) | null;
  readonly xmp: Uint8Array | null;
}

/** A raw file of a camera whose format is not accepted. */
export const OTHER_RAW = 'other raw';

/** Reads a file of one family of raw formats; null when it is not one. */
export type RawReader = (file: ByteSource) => Promise<RawFile | typeof OTHER_RAW | null>;

/** A tag with its value as in the file. */
type CopiedEntry = Pick<TiffEntry, 'tag' | 'type' | 'count'> & { readonly value: Buffer };

/** The directories of a raw file that contain metadata, each read from wherever the format has it. */
type MetadataDirectories = Readonly<Record<'main' | 'exif' | 'gps', readonly CopiedEntry[]>>;

const LONG = 4;
const EXIF_POINTER = 34_665;
const GPS_POINTER = 34_853;
/** Pointers into the file, which lead elsewhere in the copy; XMP and what only the camera's maker can read, which are large. */
const NOT_COPIED = [273, 279, 324, 325, 330, 513, 514, 700, EXIF_POINTER, GPS_POINTER, 37_500, 40_965, 50_740];
/** The first tag of a main directory that TIFF has. Panasonic has tags of its own below. */
export const FIRST_TAG = 254;
const MAX_VALUE_BYTES = 64 * 1024;

/** Tags of a directory. */
export async function entriesOf(
  tiff: TiffReader,
  directory: TiffDirectory | null,
  firstTag = 0,
): Promise<CopiedEntry[]> {
  const entries: CopiedEntry[] = [];
  for (const entry of directory?.entries.values() ?? []) {
    if (NOT_COPIED.includes(entry.tag) || entry.tag < firstTag || entry.length > MAX_VALUE_BYTES) continue;
    const value = await tiff.value(entry);
    if (value !== null) entries.push({ tag: entry.tag, type: entry.type, count: entry.count, value });
  }
  return entries;
}

/**
 * A small TIFF of only these tags, as EXIF is stored in other formats: readers of EXIF understand neither the headers of all raw formats nor
 * directories in several places, and are not given the whole file.
 */
export function metadataTiff(little: boolean, { main, exif, gps }: MetadataDirectories): Buffer {
  const long = (value: number) => {
    const bytes = Buffer.alloc(4);
    if (little) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  };
  const short = (value: number) => Buffer.from(little ? [value & 0xff, value >> 8] : [value >> 8, value & 0xff]);
  const pointer = (tag: number, to: number): CopiedEntry => ({ tag, type: LONG, count: 1, value: long(to) });
  const directory = (entries: readonly CopiedEntry[], at: number) => {
    let end = at + 2 + 12 * entries.length + 4;
    const values: Buffer[] = [];
    const fields = entries
      .toSorted((a, b) => a.tag - b.tag)
      .map(({ tag, type, count, value }) => {
        const head = [short(tag), short(type), long(count)];
        if (value.length <= 4) return Buffer.concat([...head, value, Buffer.alloc(4 - value.length)]);
        const even = Buffer.concat([value, Buffer.alloc(value.length % 2)]);
        values.push(even);
        end += even.length;
        return Buffer.concat([...head, long(end - even.length)]);
      });
    return Buffer.concat([short(entries.length), ...fields, long(0), ...values]);
  };
  // The length of a directory does not depend on where it begins.
  const exifLength = directory(exif, 0).length;
  const withPointers = (exifAt: number, gpsAt: number) =>
    directory([...main, pointer(EXIF_POINTER, exifAt), pointer(GPS_POINTER, gpsAt)], 8);
  const exifAt = 8 + withPointers(0, 0).length;
  const gpsAt = exifAt + exifLength;
  const header = Buffer.concat([Buffer.from(little ? 'II' : 'MM'), short(42), long(8)]);
  return Buffer.concat([header, withPointers(exifAt, gpsAt), directory(exif, exifAt), directory(gps, gpsAt)]);
}

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
export function isCut({ jpegs, sensorData }: RawFile, size: number): { preview: boolean; sensorData: boolean } {
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
