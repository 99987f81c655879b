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

/** What clocks in a zone show at an instant, in seconds since 1970: `YYYY-MM-DDTHH:MM:SS`. Null for a zone that is not known. */
export function inZone(instant: number, zone: string): string | null {
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    return format.format(instant * 1000).replace(' ', 'T');
  } catch {
    return null;
  }
}
