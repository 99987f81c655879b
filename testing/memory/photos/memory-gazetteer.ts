import type { Gazetteer, Place } from '../../../src/core/photos/places.js';

/** A world of few places, each a box of degrees: south, west, north, east. */
const boxes: readonly (readonly [south: number, west: number, north: number, east: number, place: Place])[] = [
  [48, 1.5, 49.2, 3.5, { country: 'FR', region: 'Île-de-France', city: 'Paris' }],
  [51, -1, 52, 0.5, { country: 'GB', region: 'England', city: 'London' }],
  [-18.5, 177, -16, 180, { country: 'FJ', region: 'Western', city: 'Lautoka' }],
  [13, 144.5, 14, 145, { country: 'GU', region: 'Hagatna', city: 'Hagåtña' }],
  [-90, -180, -85, 180, { country: 'AQ', region: null, city: null }],
];

export class MemoryGazetteer implements Gazetteer {
  async placeOf({ latitude, longitude }: { latitude: number; longitude: number }): Promise<Place | null> {
    const found = boxes.find(
      ([south, west, north, east]) => latitude >= south && latitude <= north && longitude >= west && longitude <= east,
    );
    return found?.[4] ?? null;
  }
}
