import type { FileHandle } from 'node:fs/promises';
import { bytesAt } from '../file-bytes.js';
import { type TiffDirectory, TiffReader } from '../tiff-reader.js';
import type { Range } from './raw-file.js';

const MAKER_NOTE = 37_500;
const CAMERA_SETTINGS = 0x2020;
const PREVIEW = [0x101, 0x102] as const;

/** What a maker note begins with, byte order included; its directory follows, and its offsets count from its beginning. */
const HEADERS = ['OLYMPUS\0II\x03\0', 'OM SYSTEM\0\0\0II\x04\0'];
const LONGEST_HEADER = 16;

/**
 * The preview of an ORF, which no directory of TIFF points to: it is in the camera settings of the maker note. Cameras from before 2004 have it
 * elsewhere.
 */
export async function olympusPreview(
  file: FileHandle,
  tiff: TiffReader,
  exif: TiffDirectory | null,
): Promise<readonly Range[]> {
  const note = exif?.entries.get(MAKER_NOTE);
  if (note === undefined) return [];
  const head = (await bytesAt(file, note.start, LONGEST_HEADER)).toString('latin1');
  const header = HEADERS.find((known) => head.startsWith(known));
  if (header === undefined) return [];
  const maker = new TiffReader(file, note.start, tiff.little);
  const settings = (await maker.directory(header.length))?.entries.get(CAMERA_SETTINGS);
  if (settings === undefined) return [];
  // Whether the entry is a pointer or the directory itself depends on the camera.
  const at = settings.length <= 4 ? await maker.number(settings) : settings.start - note.start;
  const [start, length] = PREVIEW;
  const entries = (await maker.directory(at ?? 0))?.entries;
  const [from, size] = [await maker.number(entries?.get(start)), await maker.number(entries?.get(length))];
  return from === null || size === null ? [] : [{ start: note.start + from, length: size }];
}
