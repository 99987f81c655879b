import type { GeoPoint } from '../../core/media/picture-metadata.js';
import { type FileTags, numberOf, rationalOf, type Tag, textOf } from './tags.js';

/**
 * Where the picture was taken, by EXIF, else by XMP. Null unless latitude and longitude both exist with their hemispheres and are valid;
 * 0/0, which receivers write before they have a position, is dropped. An implausible altitude alone is null.
 */
export function location({ exif, xmp }: FileTags): GeoPoint | null {
  const byExif = point(
    exifDegrees(exif, 'GPSLatitude'),
    exifDegrees(exif, 'GPSLongitude'),
    altitude(rationalOf(exif['GPSAltitude']), numberOf(exif['GPSAltitudeRef'])),
  );
  return (
    byExif ??
    point(
      xmpDegrees(xmp['GPSLatitude'], 'N', 'S'),
      xmpDegrees(xmp['GPSLongitude'], 'E', 'W'),
      altitude(xmpRational(xmp['GPSAltitude']), numberOf(xmp['GPSAltitudeRef'])),
    )
  );
}

function point(latitude: number | null, longitude: number | null, above: number | null): GeoPoint | null {
  if (latitude === null || longitude === null) return null;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  if (latitude === 0 && longitude === 0) return null;
  return { latitude, longitude, altitude: above };
}

/**
 * Degrees in EXIF, north and east positive: three rationals (degrees, minutes, seconds) under a name that ends in `Latitude` or
 * `Longitude`, and the hemisphere beside it. Null when either is missing or out of range.
 */
export function exifDegrees(exif: FileTags['exif'], name: string): number | null {
  const value = exif[name]?.value;
  if (!Array.isArray(value) || value.length !== 3) return null;
  const [d, m, s] = value.map((part: unknown) => rationalOf({ value: part }));
  const [positive, negative, most] = name.endsWith('Latitude') ? (['N', 'S', 90] as const) : (['E', 'W', 180] as const);
  const found = signed(d, m, s, textOf(exif[`${name}Ref`], 10), positive, negative);
  return found !== null && Math.abs(found) <= most ? found : null;
}

/** `DDD,MM.mmk` or `DDD,MM,SSk`, k being the hemisphere (XMP, Exif part). */
function xmpDegrees(tag: Tag | undefined, positive: string, negative: string): number | null {
  const [, d, m, s = '0', ref] =
    /^(\d{1,3}),(\d{1,2}(?:\.\d+)?)(?:,(\d{1,2}(?:\.\d+)?))?([NSEW])$/.exec(textOf(tag, 40) ?? '') ?? [];
  return d === undefined ? null : signed(Number(d), Number(m), Number(s), ref ?? null, positive, negative);
}

function signed(
  d: number | null | undefined,
  m: number | null | undefined,
  s: number | null | undefined,
  ref: string | null,
  positive: string,
  negative: string,
): number | null {
  if (d === null || d === undefined || m === null || m === undefined || s === null || s === undefined) return null;
  const hemisphere = ref?.[0]?.toUpperCase();
  if (d < 0 || m < 0 || s < 0 || (hemisphere !== positive && hemisphere !== negative)) return null;
  // A centimetre: more digits are noise of the division.
  const size = Number((d + m / 60 + s / 3600).toFixed(7));
  // -0 is not 0 in JSON's readers.
  return hemisphere === negative && size !== 0 ? -size : size;
}

/** In metres, above the sea or the ellipsoid; references 1 and 3 (EXIF 3.0) mean below. Null when implausible. */
export function altitude(metres: number | null, ref: number | null): number | null {
  if (metres === null) return null;
  const above = ref === 1 || ref === 3 ? -metres : metres;
  return above >= -12_000 && above <= 100_000 ? above + 0 : null;
}

function xmpRational(tag: Tag | undefined): number | null {
  const [, numerator, denominator = '1'] = /^(-?\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(textOf(tag, 40) ?? '') ?? [];
  const value = Number(numerator) / Number(denominator);
  return Number.isFinite(value) ? value : null;
}
