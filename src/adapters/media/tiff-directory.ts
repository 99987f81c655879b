import type { FileHandle } from 'node:fs/promises';

const DNG_VERSION = 50_706;
const NEW_SUBFILE_TYPE = 254;
const COMPRESSION = 259;
const PHOTOMETRIC = 262;
const SUB_IFDS = 330;
/** Sensor data (TIFF/EP, ISO 12234-2), and linear raw (DNG). */
const RAW_PHOTOMETRIC = [32_803, 34_892];
/** Sony, Samsung, Nikon, Pentax. */
const RAW_COMPRESSION = [32_767, 32_769, 32_770, 34_713, 65_535];

/**
 * Whether a TIFF is a camera's raw file. Those begin with a directory like any TIFF, whose picture is a small preview: treated as a TIFF, a
 * photo of 40 megapixels would be reduced to its preview.
 */
export async function isRawTiff(file: FileHandle): Promise<boolean> {
  const first = await firstDirectory(file);
  if (first.has(DNG_VERSION)) return true;
  if (RAW_PHOTOMETRIC.includes(first.get(PHOTOMETRIC) ?? 0)) return true;
  if (RAW_COMPRESSION.includes(first.get(COMPRESSION) ?? 0)) return true;
  return first.has(SUB_IFDS) && ((first.get(NEW_SUBFILE_TYPE) ?? 0) & 1) === 1;
}

/** Tags of the first directory with their first value, if it is a short or a long that is stored in the entry itself; otherwise 0. */
async function firstDirectory(file: FileHandle): Promise<ReadonlyMap<number, number>> {
  const tags = new Map<number, number>();
  const header = await bytesAt(file, 0, 8);
  if (header.length < 8) return tags;
  const little = header.readUInt16BE(0) === 0x4949;
  const short = (bytes: Buffer, at: number) => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (bytes: Buffer, at: number) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (short(header, 2) !== 42) return tags;
  const start = long(header, 4);
  const count = await bytesAt(file, start, 2);
  if (count.length < 2) return tags;
  const entries = await bytesAt(file, start + 2, 12 * short(count, 0));
  for (let at = 0; at + 12 <= entries.length; at += 12) {
    const [type, values] = [short(entries, at + 2), long(entries, at + 4)];
    const value =
      type === 3 && values <= 2 ? short(entries, at + 8) : type === 4 && values === 1 ? long(entries, at + 8) : 0;
    tags.set(short(entries, at), value);
  }
  return tags;
}

/** Fewer when the file ends before. */
export async function bytesAt(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
  return buffer.subarray(0, bytesRead);
}
