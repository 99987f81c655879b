import { MAX_LATITUDE, MAX_LONGITUDE } from '../../../core/photos/photo-values.js';

/** West, south, east, north in degrees; a box whose west is greater than its east crosses 180°. */
export type Box = readonly [west: number, south: number, east: number, north: number];

/** A box of an address, `-9.5,38.7,-9.1,38.8`; null when it is none. */
export function parseBox(text: string): Box | null {
  const parts = text.split(',');
  if (parts.length !== 4 || !parts.every((part) => /^-?[0-9]{1,3}(\.[0-9]{1,15})?$/.test(part))) return null;
  const [west = 0, south = 0, east = 0, north = 0] = parts.map(Number);
  const isInside = [west, east].every((at) => Math.abs(at) <= MAX_LONGITUDE) && south >= -MAX_LATITUDE;
  return isInside && south <= north && north <= MAX_LATITUDE ? [west, south, east, north] : null;
}

/** To about a metre. */
export function boxText(box: Box): string {
  return box.map((degrees) => Number(degrees.toFixed(5))).join();
}

/** `38.7° N to 38.8° N, 9.5° W to 9.1° W`; the text itself when it is no box. */
export function boxInWords(text: string): string {
  const box = parseBox(text);
  if (box === null) return text;
  const [west, south, east, north] = box;
  const latitude = (degrees: number) => inWords(degrees, 'N', 'S');
  const longitude = (degrees: number) => inWords(degrees, 'E', 'W');
  return `${latitude(south)} to ${latitude(north)}, ${longitude(west)} to ${longitude(east)}`;
}

function inWords(degrees: number, positive: string, negative: string): string {
  const size = Number(Math.abs(degrees).toFixed(2));
  return `${size}°${size === 0 ? '' : ` ${degrees > 0 ? positive : negative}`}`;
}
