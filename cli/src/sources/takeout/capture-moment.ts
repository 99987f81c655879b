import { inZone } from './zones.js';

/** The capture time that a file itself gives. */
export interface FileTimes {
  /** `YYYY-MM-DDTHH:MM:SS` of the camera's clock. */
  readonly clock: string | null;
  /** `+01:00`. */
  readonly offset: string | null;
}

/** The details to send about the capture time; null: none, the file itself gives it. */
export type CaptureMoment =
  | { readonly takenAt: string; readonly isZoneKnown: boolean }
  | { readonly local: string; readonly timeZone: string }
  | null;

const QUARTER = 15 * 60;
const MAX_OFFSET = 14 * 3600;

/**
 * The capture time from the instant that Takeout gives, in whole seconds of UTC, and what the file says. The file keeps the last word on its
 * clock and zone as long as both agree. They differ where a person corrected the time, or where the file has no offset: then the difference
 * between clock and instant is the offset.
 * @param zone Where the photo was taken, or the zone that the user gave; null when not known.
 */
export function captureMoment(instant: number | null, file: FileTimes, zone: string | null): CaptureMoment {
  if (instant === null) return null;
  const utc = new Date(instant * 1000).toISOString().slice(0, 19);
  if (file.clock === null) return fromInstant(instant, zone);
  // Without an offset, the clock is often taken for UTC.
  if (file.clock === utc) return null;
  const difference = Date.parse(`${file.clock}Z`) / 1000 - instant;
  if (file.offset !== null) {
    const offset = secondsOf(file.offset);
    return difference === offset ? null : { takenAt: rfc3339(instant, offset), isZoneKnown: true };
  }
  if (difference % QUARTER === 0 && Math.abs(difference) <= MAX_OFFSET)
    return { local: file.clock, timeZone: offsetText(difference) };
  return fromInstant(instant, zone);
}

function fromInstant(instant: number, zone: string | null): CaptureMoment {
  const local = zone === null ? null : inZone(instant, zone);
  if (local !== null && zone !== null) return { local, timeZone: zone };
  return { takenAt: rfc3339(instant, 0), isZoneKnown: false };
}

function rfc3339(instant: number, offset: number): string {
  return new Date((instant + offset) * 1000).toISOString().slice(0, 19) + offsetText(offset);
}

function secondsOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60);
}

function offsetText(seconds: number): string {
  const minutes = Math.round(Math.abs(seconds) / 60);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
