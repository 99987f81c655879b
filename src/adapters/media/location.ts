import type { GeoPoint } from '../../core/photos/photo.js';
import { type FileTags, numberOf, rationalOf, type Tag, textOf } from './tags.js';

/**
 * Where the picture was taken, by EXIF, else by XMP. Null unless latitude and longitude are both there with their hemispheres and on
 * the globe; 0/0, which receivers write before they know, is dropped. An altitude that makes no sense is null by itself.
 */
export function location({ exif, xmp }: FileTags): GeoPoint | null {
  const byExif = point(
    degrees(exif['GPSLatitude'], exif['GPSLatitudeRef'], 'N', 'S'),
    degrees(exif['GPSLongitude'], exif['GPSLongitudeRef'], 'E', 'W'),
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

/** Three rationals: degrees, minutes, seconds. */
function degrees(tag: Tag | undefined, ref: Tag | undefined, positive: string, negative: string): number | null {
  if (!Array.isArray(tag?.value) || tag.value.length !== 3) return null;
  const [d, m, s] = tag.value.map((value: unknown) => rationalOf({ value }));
  return signed(d, m, s, textOf(ref, 10), positive, negative);
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
  const size = d + m / 60 + s / 3600;
  // -0 is not 0 in JSON's readers.
  return hemisphere === negative && size !== 0 ? -size : size;
}

/** Reference 1 and 3 (EXIF 3.0) mean below. */
function altitude(metres: number | null, ref: number | null): number | null {
  if (metres === null) return null;
  const above = ref === 1 || ref === 3 ? -metres : metres;
  return above >= -12_000 && above <= 100_000 ? above + 0 : null;
}

function xmpRational(tag: Tag | undefined): number | null {
  const [, numerator, denominator = '1'] = /^(-?\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(textOf(tag, 40) ?? '') ?? [];
  const value = Number(numerator) / Number(denominator);
  return Number.isFinite(value) ? value : null;
}
