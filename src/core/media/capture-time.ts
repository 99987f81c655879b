import { MINUTE, SECOND } from '../shared/clock.js';
import type { GeoPoint } from './picture-metadata.js';
import { formatOffset, instantOf, offsetAt, offsetsAround, parseOffset, wasInUse, zoneAsStored } from './zones.js';

export type TakenAtSource =
  | 'exif_offset'
  | 'gps_time'
  | 'gps_position'
  | 'customer_default'
  | 'filename'
  | 'client'
  | 'none';

export interface CaptureTime {
  readonly takenAt: Date | null;
  /** The time that the camera's clock showed: `YYYY-MM-DDTHH:MM:SS[.sss]`, no zone. */
  readonly takenAtLocal: string | null;
  /** `+01:00` or an IANA name. */
  readonly timeZone: string | null;
  readonly takenAtSource: TakenAtSource;
}

/**
 * The dates that a file contains, unparsed. Clocks in `YYYY:MM:DD HH:MM:SS` (EXIF) or ISO 8601 (XMP, IPTC), offsets as `+03:00`. Absent is
 * null. The reader passes them on; the rules are here.
 */
export interface WrittenTimes {
  readonly original: string | null;
  readonly originalSubSec: string | null;
  readonly originalOffset: string | null;
  readonly digitized: string | null;
  readonly digitizedSubSec: string | null;
  readonly digitizedOffset: string | null;
  /** `DateTime`: when the file was changed. Never a capture time; it only confirms `changedOffset`. */
  readonly changed: string | null;
  readonly changedOffset: string | null;
  /** `photoshop:DateCreated`, offset included where written. */
  readonly xmpCreated: string | null;
  /** `exif:DateTimeOriginal` inside XMP, offset included where written. */
  readonly xmpOriginal: string | null;
  /** `xmp:CreateDate`: when the picture was digitized (MWG guidelines), offset included where written. */
  readonly xmpDigitized: string | null;
  /** IPTC DateCreated + TimeCreated as `YYYY-MM-DDTHH:MM:SS[±HH:MM]`. */
  readonly iptcCreated: string | null;
  /** GPSDateStamp + GPSTimeStamp in UTC: `YYYY-MM-DDTHH:MM:SS`. */
  readonly gpsUtc: string | null;
}

export interface CaptureHints {
  readonly location: GeoPoint | null;
  /** IANA zone of the position, if known: the media reader looks it up (adapters/media/metadata.ts). */
  readonly positionZone: string | null;
  /** The import's zone, else the customer's (`timeOf`, imports/publish.ts): of a clock without an offset and a position. */
  readonly defaultTimeZone: string;
  /** If its name may say when it was taken. */
  readonly filename?: string | null;
}

export const UNKNOWN_TIME: CaptureTime = { takenAt: null, takenAtLocal: null, timeZone: null, takenAtSource: 'none' };

/**
 * When a picture was taken, according to its file. The first clock that can be parsed is used, with the first zone that applies to it. An
 * offset is valid only for the clock beside which it was written: that of the file's last change, or of an edited copy of the date, is used
 * when that clock shows the same second. Without any clock nothing is known, whatever GPS says, unless the file's name states a date. What a
 * client says takes precedence (`timeOf`, imports/publish.ts).
 */
export function captureTime(times: WrittenTimes, hints: CaptureHints): CaptureTime {
  const original = readClock(times.original, times.originalSubSec);
  const digitized = readClock(times.digitized, times.digitizedSubSec);
  const xmpOriginal = readClock(times.xmpOriginal);
  const xmpCreated = readClock(times.xmpCreated);
  const iptc = readClock(times.iptcCreated);
  const exif = original ?? digitized;
  const xmpDigitized = readClock(times.xmpDigitized);
  const clock = exif ?? xmpOriginal ?? xmpCreated ?? xmpDigitized ?? iptc;
  if (clock === null) {
    const named = readFilename(hints.filename ?? null);
    if (named === null) return UNKNOWN_TIME;
    return inZone(named, hints.positionZone ?? hints.defaultTimeZone, 'filename');
  }

  const beside = (other: WrittenClock | null, offset: string | null | undefined) =>
    other?.text.slice(0, 19) === clock.text.slice(0, 19) ? readOffset(offset) : null;
  const written =
    readOffset(times.originalOffset) ??
    beside(exif, exif?.offset) ??
    beside(digitized, times.digitizedOffset) ??
    beside(readClock(times.changed), times.changedOffset) ??
    beside(xmpOriginal, xmpOriginal?.offset) ??
    beside(xmpCreated, xmpCreated?.offset) ??
    beside(xmpDigitized, xmpDigitized?.offset) ??
    // IPTC's format requires an offset, so programs invent one when they copy EXIF's clock there.
    (exif === null ? beside(iptc, iptc?.offset) : null);
  if (written !== null) return inZone(clock, written, 'exif_offset');

  const byGps = gpsOffset(clock, readClock(times.gpsUtc), hints.positionZone);
  if (byGps !== null) return inZone(clock, byGps, 'gps_time');
  if (hints.positionZone !== null && isTimeZone(hints.positionZone)) {
    return inZone(clock, hints.positionZone, 'gps_position');
  }
  return inZone(clock, hints.defaultTimeZone, 'customer_default');
}

/** All three fields from an instant with its offset, as a client sends it; `Z` becomes `+00:00`. Null unless `parseInstant` accepts it. */
export function fromInstant(rfc3339WithOffset: string): CaptureTime | null {
  const parts = instantParts(rfc3339WithOffset);
  if (parts === null) return null;
  const { clock, offset } = parts;
  return {
    takenAt: new Date(clock.at - offset),
    takenAtLocal: clock.text,
    timeZone: formatOffset(offset),
    takenAtSource: 'client',
  };
}

/**
 * All three fields from a local time and its zone, as a client sends them. Null unless both are valid and the instant is in the years 0001
 * to 9999.
 */
export function fromWallClock(local: string, timeZone: string): CaptureTime | null {
  const clock = isLocalTime(local) ? readClock(local) : null;
  if (clock === null || !isTimeZone(timeZone)) return null;
  const known = inZone(clock, zoneAsStored(timeZone), 'client');
  return known.takenAt === null ? null : known;
}

/** `YYYY-MM-DDTHH:MM:SS[.sss]` on an existing day, in the years 0001 to 9999. More digits are accepted and truncated to milliseconds. */
export function isLocalTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?$/.test(text) && readClock(text) !== null;
}

/** Normalizes a text that `isLocalTime` accepts to no fraction or three digits. */
export function localTime(text: string): string | null {
  return isLocalTime(text) ? (readClock(text)?.text ?? null) : null;
}

/** A local time so many seconds later by its own clock, with its fraction. Beyond the years 0001 to 9999, a text that is no local time. */
export function shiftLocalTime(local: string, seconds: number): string {
  const text = new Date(Date.parse(`${local}Z`) + seconds * SECOND).toISOString().slice(0, -1);
  return local.includes('.') ? text : text.slice(0, -'.000'.length);
}

/** `+01:00` or an IANA name this runtime knows, in any case. Other spellings of an offset (`+01`, `+0100`, `Z`) are not zones. */
export function isTimeZone(text: string): boolean {
  return offsetAt(text, 0) !== null;
}

/**
 * The instant of an RFC 3339 text with an offset, truncated to milliseconds. Null when malformed, on a day or at a second that does not
 * exist (leap seconds are refused), with an offset over 14 hours, or outside the years 0001 to 9999.
 */
export function parseInstant(text: string): Date | null {
  const parts = instantParts(text);
  return parts && new Date(parts.clock.at - parts.offset);
}

interface WrittenClock {
  /** Milliseconds since 1970 if the clock had shown UTC. */
  readonly at: number;
  /** `YYYY-MM-DDTHH:MM:SS[.sss]`. */
  readonly text: string;
  readonly offset: string | null;
}

/** Some cameras pad with blanks instead of zeros. */
const WRITTEN_CLOCK =
  /^(\d{4})([:-])([ \d]\d)\2([ \d]\d)[T ]([ \d]\d):([ \d]\d)(?::([ \d]\d)(?:[.,](\d+))?)?\s*(Z|[+-]\d\d:?\d\d)?$/;

/** Null for a text that is not a date and time, or not one of the calendar: `0000:00:00`, 30 February, blanks. */
function readClock(written: string | null, subSec: string | null = null): WrittenClock | null {
  const match = WRITTEN_CLOCK.exec(written?.trim() ?? '');
  if (match === null) return null;
  const [, year, , month, day, hour, minute, second = '00', fraction, offset = null] = match;
  const seconds = `${year}-${month}-${day}T${hour}:${minute}:${second}`.replaceAll(' ', '0');
  const at = Date.parse(`${seconds}Z`);
  // Date.parse moves a date that does not exist (30 February, 24:00) to one that does: the text would differ afterwards.
  if (year === '0000' || Number.isNaN(at) || !new Date(at).toISOString().startsWith(seconds)) return null;
  const digits = fraction ?? (/^\d+/.exec(subSec?.trim() ?? '') ?? [''])[0];
  if (digits === '') return { at, text: seconds, offset };
  const milliseconds = digits.slice(0, 3).padEnd(3, '0');
  return { at: at + Number(milliseconds), text: `${seconds}.${milliseconds}`, offset };
}

/** A date of this century or the last: `IMG_20240615_101112`, `2024-06-15 10.11.12`, `IMG-20240615-WA0001`. */
const NAMED_DATE = /(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)/g;
/** The time that may follow it. */
const NAMED_TIME = /^(?:[-_ T.]| at )?(\d\d)([-_.:]?)(\d\d)\2(\d\d)(?:[-_.]?(\d{3}))?(?!\d)/;

/** The first date that a file's name states, with its time; midnight if what follows is none. */
function readFilename(filename: string | null): WrittenClock | null {
  for (const match of filename?.matchAll(NAMED_DATE) ?? []) {
    const [date, year, , month, day] = match;
    const rest = match.input.slice(match.index + date.length);
    const [time, hour, , minute, second, milliseconds = null] = NAMED_TIME.exec(rest) ?? [];
    const at = (clock: string, fraction: string | null) => readClock(`${year}-${month}-${day}T${clock}`, fraction);
    const timed = time === undefined ? null : at(`${hour}:${minute}:${second}`, milliseconds);
    const named = timed ?? (/^\d/.test(rest) ? null : at('00:00:00', null));
    if (named !== null) return named;
  }
  return null;
}

/** `±HH:MM` from the spellings of cameras and programs (`+0300`, `Z`); null when blank, over 14 hours or not an offset. */
function readOffset(written: string | null | undefined): string | null {
  const [, zulu, sign, hours, minutes] = /^(?:(Z)|([+-])(\d\d):?(\d\d))$/.exec(written?.trim() ?? '') ?? [];
  if (zulu !== undefined) return '+00:00';
  const offset = sign === undefined ? null : parseOffset(`${sign}${hours}:${minutes}`);
  return offset === null ? null : formatOffset(offset);
}

/**
 * Zones differ by quarters of an hour; the remainder is the age of the receiver's position. One that is older gives an offset which no zone
 * had at that time, or not the zone of the position, be it in its summer or winter time.
 */
function gpsOffset(clock: WrittenClock, gps: WrittenClock | null, positionZone: string | null): string | null {
  if (gps === null) return null;
  const quarter = 15 * MINUTE;
  const offset = Math.round((clock.at - gps.at) / quarter) * quarter;
  const inUse = positionZone === null ? null : offsetsAround(positionZone, gps.at);
  return (inUse?.includes(offset) ?? wasInUse(offset, gps.at)) ? formatOffset(offset) : null;
}

function inZone(clock: WrittenClock, timeZone: string, takenAtSource: TakenAtSource): CaptureTime {
  const instant = instantOf(clock.at, timeZone);
  if (instant === null || !inYears(instant)) return UNKNOWN_TIME;
  return { takenAt: new Date(instant), takenAtLocal: clock.text, timeZone, takenAtSource };
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function instantParts(text: string): { readonly clock: WrittenClock; readonly offset: number } | null {
  const clock = RFC_3339.test(text) ? readClock(text) : null;
  const zone = readOffset(clock?.offset);
  const offset = zone === null ? null : offsetAt(zone, 0);
  return clock !== null && offset !== null && inYears(clock.at - offset) ? { clock, offset } : null;
}

const FIRST = Date.parse('0001-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Beyond these, RFC 3339 cannot express the instant. */
function inYears(instant: number): boolean {
  return instant >= FIRST && instant <= LAST;
}
