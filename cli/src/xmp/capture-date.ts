/** A date and time of XMP: what the clock showed, and its offset where one is written. */
interface CaptureDate {
  /** `YYYY-MM-DDTHH:MM:SS[.sss]`. */
  readonly local: string;
  /** `+01:00`; null when there is none. */
  readonly offset: string | null;
}

/** ISO 8601 as XMP has it, or the form of EXIF, which some programs copy. */
const WRITTEN = /^(\d{4})([-:])(\d\d)\2(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?\d*)?\s*(Z|[+-]\d\d:\d\d)?$/;
const MAX_OFFSET_MINUTES = 14 * 60;

/** Null for anything that does not have a time of day, or that no calendar has. */
export function readCaptureDate(text: string): CaptureDate | null {
  const match = WRITTEN.exec(text.trim());
  if (match === null) return null;
  const [, year, , month, day, hour, minute, second = '00', fraction = '', zone] = match;
  const seconds = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const at = Date.parse(`${seconds}Z`);
  // Date.parse moves days that do not exist to others.
  if (year === '0000' || Number.isNaN(at) || !new Date(at).toISOString().startsWith(seconds)) return null;
  return { local: seconds + fraction, offset: zone === 'Z' ? '+00:00' : validOffset(zone) };
}

function validOffset(text: string | undefined): string | null {
  const [, hours, minutes] = /^[+-](\d\d):(\d\d)$/.exec(text ?? '') ?? [];
  if (text === undefined || hours === undefined || Number(minutes) > 59) return null;
  return Number(hours) * 60 + Number(minutes) <= MAX_OFFSET_MINUTES ? text : null;
}

/** Returns an offset from UTC, in minutes, as text: `+05:45`. */
export function offsetText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
