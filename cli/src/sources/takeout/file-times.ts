import { readCaptureDate } from '../../xmp/capture-date.js';
import { type ArchiveFile, headOf } from '../archive/archive-file.js';
import type { FileTimes } from './capture-moment.js';

/** The facts in the metadata of a file. */
export interface FileFacts extends FileTimes {
  readonly position: { readonly latitude: number; readonly longitude: number } | null;
}

const NOTHING: FileFacts = { clock: null, offset: null, position: null };
/** JPEG has its metadata in front; other formats may have it anywhere. */
const MAX_JPEG_BYTES = 512 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The capture time and position of a photo, as the service will find them. Nothing where there are none, or they cannot be read.
 * @param most Bytes to read of it, where reading is dear.
 */
export async function fileFacts(file: Pick<ArchiveFile, 'path' | 'open'>, most = MAX_BYTES): Promise<FileFacts> {
  const { default: ExifReader } = await import('exifreader');
  try {
    const bytes = await headOf(file, /\.jpe?g$/i.test(file.path) ? MAX_JPEG_BYTES : most);
    const { exif = {}, xmp = {}, gps = {} } = ExifReader.load(bytes, { expanded: true });
    const text = (tag: unknown) => textOf((tag as { value?: unknown } | undefined)?.value);
    const original = readCaptureDate(text(exif.DateTimeOriginal));
    const digitized = readCaptureDate(text(exif.DateTimeDigitized));
    const written = ['DateTimeOriginal', 'DateCreated'].map((name) =>
      readCaptureDate(text((xmp as Record<string, unknown>)[name])),
    );
    const clock = [original, digitized, ...written].find((date) => date !== null) ?? null;
    if (clock === null) return { ...NOTHING, position: positionOf(gps) };
    const beside = (date: typeof clock | null, offset: unknown) =>
      date?.local === clock.local ? (readCaptureDate(`${clock.local}${text(offset)}`)?.offset ?? null) : null;
    const second = clock.local.slice(0, 19);
    const offset =
      beside(original, exif.OffsetTimeOriginal) ??
      beside(digitized, exif.OffsetTimeDigitized) ??
      // XMP repeats the clock of EXIF, often with an offset.
      written.find((date) => date?.offset && date.local.startsWith(second))?.offset ??
      null;
    return { clock: second, offset, position: positionOf(gps) };
  } catch {
    // Its format is another one, or its metadata is damaged.
    return NOTHING;
  }
}

function textOf(value: unknown): string {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first.trim() : '';
}

function positionOf({ Latitude, Longitude }: { Latitude?: unknown; Longitude?: unknown }): FileFacts['position'] {
  if (typeof Latitude !== 'number' || typeof Longitude !== 'number') return null;
  return Number.isFinite(Latitude + Longitude) ? { latitude: Latitude, longitude: Longitude } : null;
}
