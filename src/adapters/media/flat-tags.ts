import type { ExifTags } from '../../core/media/picture-metadata.js';
import { cleanText, truncate } from '../../core/shared/text.js';
import { altitude, exifDegrees } from './location.js';
import { type FileTags, numberOf, rationalOf, type Tag } from './tags.js';

/** Of all tags as JSON. */
export const MAX_EXIF_BYTES = 64 * 1024;
/** Characters of one tag. */
export const MAX_EXIF_TEXT = 1000;

/** Pointers to other tags, padding, and data that only the camera's maker can read. */
const LEFT_OUT =
  /pointer|offset(?!time)|padding|makernote|thumbnail|^about$|^_raw$|applicationnotes|interchangeformat|subifds|iptc-naa|^icc|photoshopsettings|imagesourcedata|^strip|^tile/i;

/** Two whole numbers, where other pairs of numbers are one rational. */
const PAIRS = /^(ISOSpeedRatings|YCbCrSubSampling|PageNumber|SubjectLocation|SubjectArea|HalftoneHints|DotRange)$/;
/** Bytes that encode text. */
const SPELT = /^(XP|UserComment$|GPSProcessingMethod$|GPSAreaInformation$)|Version$/;
const COORDINATE = /^GPS(Dest)?(Latitude|Longitude)$/;

type Value = string | number | null;

/**
 * All tags on one level: EXIF's by their names, others as `XMP:…` and `IPTC:…`. Values are as in the file, for programs: numbers and codes
 * as numbers, rationals divided (`FNumber` 2.8), lists separated by commas, everything else as text. Coordinates are decimal degrees, south
 * and west negative; an altitude below sea level is negative too. Binary values are omitted; what does not fit into 64 KiB is cut off at
 * the end.
 */
export function flatTags({ exif, xmp, iptc }: FileTags): ExifTags {
  const flat: [string, string | number][] = [];
  let size = 2;
  const groups: readonly [string, FileTags['exif'], (name: string, tag: Tag) => Value][] = [
    ['', exif, (name, tag) => exifValue(exif, name, tag)],
    ['XMP:', xmp, (_, tag) => plainText(typeof tag.value === 'string' ? tag.value : tag.description)],
    ['IPTC:', iptc, (_, tag) => describedValue(tag)],
  ];
  for (const [prefix, group, read] of groups) {
    for (const [name, tag] of Object.entries(group)) {
      const value =
        LEFT_OUT.test(name.replaceAll(' ', '')) || !/^[\w .:/()-]{1,80}$/.test(name) ? null : read(name, tag);
      if (value === null) continue;
      const bytes = Buffer.byteLength(JSON.stringify([prefix + name, value]));
      if (size + bytes > MAX_EXIF_BYTES) return Object.fromEntries(flat);
      flat.push([prefix + name, value]);
      size += bytes;
    }
  }
  return Object.fromEntries(flat);
}

function exifValue(exif: FileTags['exif'], name: string, tag: Tag): Value {
  if (COORDINATE.test(name)) return exifDegrees(exif, name);
  if (name === 'GPSAltitude') return altitude(rationalOf(tag), numberOf(exif['GPSAltitudeRef']));
  if (name === 'GPSTimeStamp' || SPELT.test(name)) return describedValue(tag);
  const { value } = tag;
  if (typeof value === 'number') return finite(value);
  if (typeof value === 'string') return plainText(value);
  if (!Array.isArray(value) || value.length === 0) return describedValue(tag);
  const parts: readonly unknown[] = value;
  if (parts.every((part) => typeof part === 'string')) return plainText(parts.join(', '));
  if (parts.length > MOST_NUMBERS) return describedValue(tag);
  if (isRational(parts) && !PAIRS.test(name)) return quotient(parts);
  const numbers = parts.map((part) => (isRational(part) ? quotient(part) : numberOf({ value: part })));
  return numbers.includes(null) ? null : numbers.join(', ');
}

const MOST_NUMBERS = 16;

function isRational(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number');
}

/** Nine digits exceed the precision of any camera. */
function quotient([numerator, denominator]: readonly [number, number]): number | null {
  return finite(Number((numerator / denominator).toPrecision(9)));
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** ExifReader's description for people, for text in bytes. */
function describedValue({ value, description }: Tag): Value {
  if (typeof description === 'number') return finite(description);
  return typeof description !== 'string' || isBinary(value, description) ? null : plainText(description);
}

function plainText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = truncate(cleanText(value), MAX_EXIF_TEXT);
  return text === '' ? null : text;
}

/** A list of bytes whose only description is the numbers themselves, or a remark in brackets. */
function isBinary(value: unknown, description: string): boolean {
  if (!Array.isArray(value) || value.length <= 16 || !value.every((item) => typeof item === 'number')) return false;
  return description.startsWith('[') || description.startsWith(value.slice(0, 16).join(', '));
}
