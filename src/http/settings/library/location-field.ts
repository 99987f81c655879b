import type { GeoPoint } from '../../../core/media/picture-metadata.js';
import { MAX_LATITUDE, MAX_LONGITUDE } from '../../../core/photos/photo-values.js';
import { invalid } from '../../../core/shared/errors.js';

/** `48.8584, 2.2945`, as maps show it to be copied; empty without a location. */
export function locationText(location: GeoPoint | null): string {
  return location === null ? '' : `${location.latitude}, ${location.longitude}`;
}

/** Latitude and longitude in degrees. Errors: `invalid_request`. */
export function readLocation(text: string): Omit<GeoPoint, 'altitude'> {
  const degrees = String.raw`([+-]?\d{1,3}(?:\.\d+)?)°?`;
  const parts = new RegExp(`^${degrees}[\\s,;]+${degrees}$`).exec(text);
  const [latitude, longitude] = [Number(parts?.[1] ?? Number.NaN), Number(parts?.[2] ?? Number.NaN)];
  if (Math.abs(latitude) <= MAX_LATITUDE && Math.abs(longitude) <= MAX_LONGITUDE) return { latitude, longitude };
  const message = 'Enter latitude and longitude in degrees, for example 48.8584, 2.2945.';
  throw invalid({ field: 'location', code: 'invalid_format', message });
}
