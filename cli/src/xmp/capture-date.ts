/** ISO 8601 as XMP has it, or the form of EXIF, which some programs copy. */
const WRITTEN = /^(\d{4})([-:])(\d\d)\2(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?\d*)?\s*(Z|[+-]\d\d:\d\d)?$/;

/**
 * Returns what the clock showed, `YYYY-MM-DDTHH:MM:SS[.sss]`, and its offset where one is written, such as `+01:00`. Null for anything that does
 * not have a time of day, or that no calendar has.
 */
export function readCaptureDate(text: string): { readonly local: string; readonly offset: string | null } | null {
  const match = WRITTEN.exec(text.trim());
  if (match === null) return null;
  const [, year, , month, day, hour, minute, second = '00', fraction = '', zone] = match;
  const seconds = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const at = Date.parse(`${seconds}Z`);
  // Date.parse moves days that do not exist to others.
  if (year === '0000' || Number.isNaN(at) || !new Date(at).toISOString().startsWith(seconds)) return null;
  const [hours = 0, minutes = 0] = zone?.slice(1).split(':').map(Number) ?? [];
  const isValid = minutes <= 59 && hours * 60 + minutes <= 14 * 60;
  return { local: seconds + fraction, offset: zone === 'Z' ? '+00:00' : zone !== undefined && isValid ? zone : null };
}

/** Returns an offset from UTC, in minutes, as text: `+05:45`. */
export function offsetText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
