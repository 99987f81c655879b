import tzLookup from '@photostructure/tz-lookup';
import type { DetailsBuilder } from '../details-builder.js';
import { offsetText, readCaptureDate } from '../xmp/capture-date.js';
import type { ArchiveFile } from './archive.js';
import { headOf } from './streams.js';

interface FileFacts {
  /** `YYYY-MM-DDTHH:MM:SS` of the camera's clock. */
  readonly clock: string | null;
  /** `+01:00`. */
  readonly offset: string | null;
  readonly position: { readonly latitude: number; readonly longitude: number } | null;
}

/** Adds the capture time and the position of a photo, unless its file says the same: it says it more exactly. */
export function addTimeAndPlace(
  details: DetailsBuilder,
  // Apart from its file: seconds since 1970 in UTC, and where the photo was taken, or the zone that the user gave.
  known: {
    readonly instant: number | null;
    readonly position: (NonNullable<FileFacts['position']> & { readonly altitude?: number | null }) | null;
    readonly zone: string | null;
  },
  facts: FileFacts,
): void {
  const { position } = known;
  // Within about 100 m.
  const isNear = (a: number, b: number | undefined) => b !== undefined && Math.abs(a - b) < 0.001;
  const { latitude, longitude } = facts.position ?? {};
  if (position !== null && !(isNear(position.latitude, latitude) && isNear(position.longitude, longitude)))
    details.location(position.latitude, position.longitude, position.altitude);
  const moment = captureMoment(known.instant, facts, known.zone);
  if (moment === null) return;
  if ('local' in moment) {
    details.takenAtLocal(moment.local, moment.timeZone);
    return;
  }
  details.takenAt(moment.takenAt);
  if (!moment.isZoneKnown) details.lose('timeZone', 'incomplete', moment.takenAt);
}

/** The details to send about the capture time; null: none, the file itself gives it. */
type CaptureMoment =
  | { readonly takenAt: string; readonly isZoneKnown: boolean }
  | { readonly local: string; readonly timeZone: string }
  | null;

const QUARTER = 15 * 60;
const MAX_OFFSET = 14 * 3600;

/**
 * The capture time from the instant that a service gives, in whole seconds of UTC, and what the file says. The file keeps the last word on its
 * clock and zone as long as both agree. They differ where a person corrected the time, or where the file has no offset: then the difference
 * between clock and instant is the offset.
 * @param zone Where the photo was taken, or the zone that the user gave; null when not known.
 */
export function captureMoment(
  instant: number | null,
  file: Pick<FileFacts, 'clock' | 'offset'>,
  zone: string | null,
): CaptureMoment {
  if (instant === null) return null;
  const utc = new Date(instant * 1000).toISOString().slice(0, 19);
  if (file.clock === null) return fromInstant(instant, zone);
  // Without an offset, the clock is often taken for UTC.
  if (file.clock === utc) return null;
  const difference = Date.parse(`${file.clock}Z`) / 1000 - instant;
  if (file.offset !== null) {
    const [hours = 0, minutes = 0] = file.offset.slice(1).split(':').map(Number);
    const offset = (file.offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
    return difference === offset ? null : { takenAt: rfc3339(instant, offset), isZoneKnown: true };
  }
  if (difference % QUARTER === 0 && Math.abs(difference) <= MAX_OFFSET)
    return { local: file.clock, timeZone: offsetText(difference / 60) };
  return fromInstant(instant, zone);
}

function fromInstant(instant: number, zone: string | null): CaptureMoment {
  const local = zone === null ? null : inZone(instant, zone);
  if (local !== null && zone !== null) return { local, timeZone: zone };
  return { takenAt: rfc3339(instant, 0), isZoneKnown: false };
}

function rfc3339(instant: number, offset: number): string {
  return new Date((instant + offset) * 1000).toISOString().slice(0, 19) + offsetText(offset / 60);
}

/**
 * Returns the time that clocks in a zone, an IANA name or an offset such as `+05:45`, show at an instant, in seconds since 1970: `YYYY-MM-DDTHH:MM:SS`. Null for a zone that
 * is not known.
 */
export function inZone(instant: number, zone: string): string | null {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (sign !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
    return new Date((instant + offset) * 1000).toISOString().slice(0, 19);
  }
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    return format.format(instant * 1000).replace(' ', 'T');
  } catch {
    return null;
  }
}

/** The zone of a position, by its IANA name; null where there is none. */
export function zoneAt(position: { readonly latitude: number; readonly longitude: number } | null): string | null {
  if (position === null) return null;
  try {
    return tzLookup(position.latitude, position.longitude);
  } catch {
    return null;
  }
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
    const text = (tag: unknown) => {
      const first = [(tag as { value?: unknown } | undefined)?.value].flat()[0];
      return typeof first === 'string' ? first.trim() : '';
    };
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

function positionOf({ Latitude, Longitude }: { Latitude?: unknown; Longitude?: unknown }): FileFacts['position'] {
  if (typeof Latitude !== 'number' || typeof Longitude !== 'number') return null;
  return Number.isFinite(Latitude + Longitude) ? { latitude: Latitude, longitude: Longitude } : null;
}
