import type { GeoPoint } from '../media/picture-metadata.js';

/** Where a photo was taken, in words. Derived from its location. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  /** In the country's first division: a state, a province, a region. Null where no city is near. */
  readonly region: string | null;
  readonly city: string | null;
}

/** Made for the first country that is named: reading the names of all of them would take 10 ms of every start. */
let english: Intl.DisplayNames | undefined;

/** In English; what has no name, or is no code, remains as it is. */
export function countryName(code: string): string {
  // Node 22 and newer take nothing else.
  if (!/^[a-z]{2}$/i.test(code)) return code;
  english ??= new Intl.DisplayNames('en', { type: 'region' });
  return english.of(code) ?? code;
}

/** Everything that names the place, for people and for a search. */
export function placeNames({ country, region, city }: Place): string[] {
  return [...new Set([city, region, countryName(country)])].filter((name) => name !== null);
}

/** Names the places of positions, without asking another service. */
export interface Gazetteer {
  /**
   * The country of a position, by its borders on land and at sea, and the region and city nearest to it in that country. Null where there is
   * no country: at sea beyond territorial waters.
   */
  placeOf(position: Pick<GeoPoint, 'latitude' | 'longitude'>): Promise<Place | null>;
}

/**
 * The place of a position, null without one. Asked when a photo is published (imports/publish.ts), and when its location is edited (edit-photo.ts,
 * bulk-edits/run-bulk-edit.ts), at no other time. The data: borders of OpenStreetMap, names of GeoNames (adapters/places/geonames-gazetteer.ts).
 */
export function placeAt(
  gazetteer: Gazetteer,
  position: Pick<GeoPoint, 'latitude' | 'longitude'> | null,
): Promise<Place | null> {
  return position === null ? Promise.resolve(null) : gazetteer.placeOf(position);
}
