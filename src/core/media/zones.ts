import { HOUR, MINUTE } from '../shared/clock.js';

/** The largest offset of any place's clock from UTC (Pacific/Kiritimati). */
const MAX_OFFSET = 14 * HOUR;

export const MAX_ZONE = 64;

/** Milliseconds east of UTC of `±HH:MM`, at most 14 hours; null for everything else. */
export function parseOffset(text: string): number | null {
  const [, sign, hours, minutes] = /^([+-])(\d\d):([0-5]\d)$/.exec(text) ?? [];
  if (sign === undefined) return null;
  const size = Number(hours) * HOUR + Number(minutes) * MINUTE;
  if (size > MAX_OFFSET) return null;
  return sign === '-' ? 0 - size : size;
}

/** `±HH:MM` of milliseconds east of UTC, which must be whole minutes. UTC itself is `+00:00`. */
export function formatOffset(offset: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(size / HOUR))}:${two((size % HOUR) / MINUTE)}`;
}

/** The zone's offset east of UTC at an instant, in milliseconds. Null when it is not a zone. */
export function offsetAt(zone: string, instant: number): number | null {
  return parseOffset(zone) ?? ianaOffsetAt(zone, instant);
}

/**
 * The instant at which clocks of the zone show `clock`, which is given as if it were UTC. Null when it is not a zone. If the clocks were
 * put back and showed it twice, the first of the two. If they were put forward and never showed it, the offset in force afterwards applies.
 */
export function instantOf(clock: number, zone: string): number | null {
  // No zone changes its clocks twice within these two days, so the only candidates are the offsets at their ends.
  const before = offsetAt(zone, clock - 24 * HOUR);
  const after = offsetAt(zone, clock + 24 * HOUR);
  if (before === null || after === null) return null;
  const fits = [before, after].filter((offset) => offsetAt(zone, clock - offset) === offset);
  return clock - (fits.length > 0 ? Math.max(...fits) : after);
}

const HALF_YEAR = 182 * 24 * HOUR;

/** A zone's offsets in the year around an instant: where clocks are changed, summer and winter time. Null when it is not a zone. */
export function offsetsAround(zone: string, instant: number): readonly number[] | null {
  const offsets = [0, -HALF_YEAR, HALF_YEAR].map((shift) => offsetAt(zone, instant + shift));
  return offsets.every((offset) => offset !== null) ? offsets : null;
}

/** Offsets of parts of hours that some place had in these years, since there is GPS (IANA's time zone database). */
const PARTS_OF_HOURS: readonly (readonly [offset: string, first: number, last: number])[] = [
  ['-09:30', 1980, 9999],
  ['-08:30', 1980, 1998],
  ['-04:30', 2007, 2016],
  ['-03:30', 1980, 9999],
  ['-02:30', 1980, 9999],
  ['+03:30', 1980, 9999],
  ['+04:30', 1980, 9999],
  ['+05:30', 1980, 9999],
  ['+05:45', 1986, 9999],
  ['+06:30', 1980, 9999],
  ['+07:30', 1980, 1981],
  ['+08:30', 2015, 2018],
  ['+08:45', 1980, 9999],
  ['+09:30', 1980, 9999],
  ['+09:45', 2006, 2009],
  ['+10:30', 1980, 9999],
  ['+11:30', 1980, 2015],
  ['+12:45', 1980, 9999],
  ['+13:45', 1980, 9999],
];

/** Whether clocks somewhere showed this many milliseconds more than UTC in the year of an instant. */
export function wasInUse(offset: number, instant: number): boolean {
  if (offset % HOUR === 0) return offset >= -12 * HOUR && offset <= MAX_OFFSET;
  const year = new Date(instant).getUTCFullYear();
  return PARTS_OF_HOURS.some(([text, first, last]) => parseOffset(text) === offset && year >= first && year <= last);
}

/** The IANA spelling of each name, by its lower case: a zone that is sent in lower case is stored so. */
const spellings = new Map([
  ...[...Intl.supportedValuesOf('timeZone'), 'UTC'].map((name) => [name.toLowerCase(), name] as const),
  ['-00:00', '+00:00'] as const,
]);

/**
 * A zone as it is stored. Any case of a name is accepted, but programs that read zone files, Python's and Java's among them, only know IANA's.
 * Another name of a zone stays that name; this runtime may not know its spelling.
 */
export function zoneAsStored(zone: string): string {
  return spellings.get(zone.toLowerCase()) ?? zone;
}

/** Creating a format costs far more than using it. Keyed case-insensitively, as Intl reads names, so that spellings cannot fill it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat | null {
  // Newer runtimes accept `+0100` and the like as names; here a name begins with a letter.
  if (zone.length > MAX_ZONE || !/^[A-Za-z]/.test(zone)) return null;
  const key = zone.toLowerCase();
  const known = formats.get(key);
  if (known) return known;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(key, format);
    return format;
  } catch {
    return null;
  }
}

function ianaOffsetAt(zone: string, instant: number): number | null {
  const format = formatOf(zone);
  if (format === null) return null;
  const shown = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(shown.get(type));
  const year = shown.get('era') === 'BC' ? 1 - part('year') : part('year');
  // Not Date.UTC: it reads the years 0 to 99 as 1900 to 1999.
  const local = new Date(0);
  local.setUTCFullYear(year, part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'));
  return local.getTime() - Math.floor(instant / 1000) * 1000;
}
