import tzLookup from '@photostructure/tz-lookup';

/** The zone of a position, by its IANA name; null where there is none. */
export function zoneAt(position: { readonly latitude: number; readonly longitude: number } | null): string | null {
  if (position === null) return null;
  try {
    return tzLookup(position.latitude, position.longitude);
  } catch {
    return null;
  }
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
