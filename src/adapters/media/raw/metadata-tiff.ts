import type { TiffDirectory, TiffEntry, TiffReader } from '../tiff-reader.js';

/** A tag with its value as in the file. */
interface CopiedEntry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  readonly value: Buffer;
}

/** The directories of a raw file that contain metadata, each read from wherever the format has it. */
export interface MetadataDirectories {
  readonly main: readonly CopiedEntry[];
  readonly exif: readonly CopiedEntry[];
  readonly gps: readonly CopiedEntry[];
}

const LONG = 4;
const EXIF_POINTER = 34_665;
const GPS_POINTER = 34_853;
/** Pointers into the file, which lead elsewhere in the copy; XMP and what only the camera's maker can read, which are large. */
const NOT_COPIED = [273, 279, 324, 325, 330, 513, 514, 700, EXIF_POINTER, GPS_POINTER, 37_500, 40_965, 50_740];
/** The first tag of TIFF. Panasonic has tags of its own below. */
const FIRST_TAG = 254;
const MAX_VALUE_BYTES = 64 * 1024;

/** Tags of a main directory. */
export function mainEntries(tiff: TiffReader, directory: TiffDirectory | null): Promise<CopiedEntry[]> {
  return copied(tiff, directory, ({ tag }) => tag >= FIRST_TAG);
}

/** Tags of an EXIF or GPS directory. */
export function entriesOf(tiff: TiffReader, directory: TiffDirectory | null): Promise<CopiedEntry[]> {
  return copied(tiff, directory, () => true);
}

async function copied(
  tiff: TiffReader,
  directory: TiffDirectory | null,
  isWanted: (entry: TiffEntry) => boolean,
): Promise<CopiedEntry[]> {
  const entries: CopiedEntry[] = [];
  for (const entry of directory?.entries.values() ?? []) {
    if (NOT_COPIED.includes(entry.tag) || !isWanted(entry) || entry.length > MAX_VALUE_BYTES) continue;
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
