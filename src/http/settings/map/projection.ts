import type { MapBox } from '../../../core/photos/map/map.js';

/**
 * Positions on the map: Mercator's projection, as tile servers have it, in steps of 1/25 degree of longitude from the upper left corner
 * (bin/world-map.js).
 */
const STEPS = 25;
/** Steps from one edge of the world to the other. */
export const WORLD = 360 * STEPS;
/** The map is a square that ends here. */
const MAX_MAP_LATITUDE = 85.0511;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export function pointAt(latitude: number, longitude: number): Point {
  const bounded = Math.max(-MAX_MAP_LATITUDE, Math.min(MAX_MAP_LATITUDE, latitude));
  const north = (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (bounded * Math.PI) / 360));
  return { x: (longitude + 180) * STEPS, y: (180 - north) * STEPS };
}

/** Without the empty ends of the earth, which Mercator's map makes large. */
export const WHOLE: MapBox = { west: -180, south: -58, east: 180, north: 78 };

/** A part of the map: its upper left corner, and how wide and high it is. */
export interface View extends Point {
  readonly width: number;
  readonly height: number;
}

/** The part of the map that shows the box. A box across 180° continues beyond the right edge. */
export function viewOf({ west, south, east, north }: MapBox): View {
  const [upperLeft, lowerRight] = [pointAt(north, west), pointAt(south, east + (west > east ? 360 : 0))];
  const width = Math.max(lowerRight.x - upperLeft.x, 0.001);
  const height = Math.max(lowerRight.y - upperLeft.y, 0.001);
  return { ...upperLeft, width, height };
}
