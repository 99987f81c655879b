import type { GeoPoint } from '../media/picture-metadata.js';
import type { Place } from './place.js';

/** Names the places of positions, without asking anybody. */
export interface Gazetteer {
  /**
   * The country of a position, by its borders on land and at sea, and the region and city nearest to it in that country. Null where there is
   * no country: at sea beyond territorial waters.
   */
  placeOf(position: Pick<GeoPoint, 'latitude' | 'longitude'>): Promise<Place | null>;
}

/** Null without a position. */
export function placeAt(
  gazetteer: Gazetteer,
  position: Pick<GeoPoint, 'latitude' | 'longitude'> | null,
): Promise<Place | null> {
  return position === null ? Promise.resolve(null) : gazetteer.placeOf(position);
}
