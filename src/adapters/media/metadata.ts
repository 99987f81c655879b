import tzLookup from '@photostructure/tz-lookup';
import type { WrittenTimes } from '../../core/media/capture-time.js';
import type { PictureFacts } from '../../core/media/media-reader.js';
import {
  type FieldValues,
  type FileField,
  fileFields,
  type PhotoField,
  photoFields,
  valuesOf,
} from '../../core/media/photo-fields.js';
import type { Camera, ExifTags, Exposure, GeoPoint } from '../../core/media/picture-metadata.js';
import { cleanText, truncate } from '../../core/shared/text.js';

/** One tag as returned by ExifReader: `value` as in the file, `description` for people. Untrusted: any of it may be anything. */
export interface Tag {
  readonly value?: unknown;
  readonly description?: unknown;
}

/** Tags by name. The names in XMP are the file's own, without their namespace. */
export type FileTags = Readonly<Record<'exif' | 'xmp' | 'iptc', Readonly<Record<string, Tag>>>>;

/** The metadata of a file, beyond its pixels. */
export type PictureMetadata = Pick<PictureFacts, FileField | 'camera' | 'exposure' | 'times' | 'positionZone' | 'exif'>;

/** Converts tags to facts. Whatever is missing, malformed or out of range is null. */
export function metadataOf(tags: FileTags): PictureMetadata {
  const values = valuesOf(fileFields, (name) => readers[name](tags, photoFields[name])) as FieldValues<FileField>;
  return {
    ...values,
    camera: camera(tags),
    exposure: exposure(tags),
    times: times(tags),
    positionZone: values.location && tzLookup(values.location.latitude, values.location.longitude),
    exif: flatTags(tags),
  };
}

/** Finds the value of a field among the tags that its declaration names. */
type FieldReader = (tags: FileTags, field: PhotoField) => unknown;

/** By kind, for fields without rules of their own. */
const byKind: Readonly<Record<PhotoField['kind'], FieldReader>> = {
  text: (tags, field) => texts(tags, field)[0] ?? null,
  texts: (tags, field) => field.stored(named(tags, field).flatMap(entries) as never),
  whole: (tags, field) => numbers(tags, field)[0] ?? null,
  flag: () => false,
  position: location,
};

/** The reader of each field that a file can state. */
const readers: Readonly<Record<FileField, FieldReader>> = {
  ...valuesOf(fileFields, (name) => byKind[photoFields[name].kind]),
  description: (tags, field) =>
    texts(tags, field).find((text) => !placeholders.some((each) => each.test(text))) ?? null,
  // -1 means "rejected" in XMP: no rating, whatever EXIF says.
  rating: (tags, field) => {
    const [stars = -1] = numbers(tags, field);
    const { min, max } = photoFields.rating;
    return stars >= min && stars <= max ? Math.round(stars) : null;
  },
  creator: (tags, field) => {
    const names = named(tags, field).map((tag) => cut(entries(tag).join('; '), photoFields.creator.max));
    return names.find((text) => text !== null) ?? null;
  },
  keywords: (tags, field) => {
    const { hierarchicalSubject } = tags.xmp;
    const words = named(tags, field).flatMap((tag) => {
      // Lightroom's paths.
      return tag === hierarchicalSubject ? entries(tag).map((path) => path.replaceAll('|', '/')) : entries(tag);
    });
    return field.stored(words as never);
  },
};

/** The tags that the field's declaration names and the file has. */
function named(tags: FileTags, { fileTags }: PhotoField): Tag[] {
  return fileTags.flatMap((each) => {
    const colon = each.indexOf(':');
    const found = tags[each.slice(0, colon) as keyof FileTags][each.slice(colon + 1)];
    return found === undefined ? [] : [found];
  });
}

function texts(tags: FileTags, field: PhotoField): string[] {
  const max = 'max' in field ? field.max : 0;
  return named(tags, field).flatMap((tag) => textOf(tag, max) ?? []);
}

function numbers(tags: FileTags, field: PhotoField): number[] {
  return named(tags, field).flatMap((tag) => numberOf(tag) ?? []);
}

/** Each of the texts of a tag that may have several: a list in XMP, repeated in IPTC, where ExifReader returns a list of tags. */
function entries(tag: Tag): string[] {
  const items: unknown = Array.isArray(tag) ? tag : tag.value;
  const isList = Array.isArray(items) && items.every((item) => typeof item === 'object' && item !== null);
  return (isList ? (items as Tag[]) : [tag]).flatMap((item) => textOf(item, MAX_EXIF_TEXT) ?? []);
}

/** The texts that cameras and phones write by default into fields for people's texts. */
const placeholders: readonly RegExp[] = [
  /^(sony dsc|default|untitled|cof|dav|edf|fbt|mde|oznor|r?hdr|sdr)$/i,
  /^(exif[_ ]jpeg|dcim\\|<digimax|<kenox).*$/i,
  /^.*digital (still )?camera$/i,
];

function camera({ exif, xmp }: FileTags): Camera | null {
  const known = {
    make: textOf(exif['Make'], 255) ?? textOf(xmp['Make'], 255),
    model: textOf(exif['Model'], 255) ?? textOf(xmp['Model'], 255),
    lens: textOf(exif['LensModel'], 255) ?? textOf(xmp['Lens'], 255),
  };
  return orNull({ ...known, lens: known.lens !== null && /[^\s-]/.test(known.lens) ? known.lens : null });
}

function exposure({ exif }: FileTags): Exposure | null {
  const flash = within(exif['Flash'], 0, 0xffff);
  const fNumber = within(exif['FNumber'], 0.01, 1000);
  const focalLength = within(exif['FocalLength'], 0.01, 100_000);
  const seconds = within(exif['ExposureTime'], 0, 86_400);
  // Some cameras write two of what should be one.
  const iso = exif['ISOSpeedRatings'];
  return orNull({
    iso: within(Array.isArray(iso?.value) ? { value: iso.value[0] } : iso, 1, 10_000_000),
    fNumber: fNumber && round(fNumber),
    // `1/250` below a third of a second, as cameras show it.
    exposureTime: seconds ? (seconds < 0.3 ? `1/${Math.round(1 / seconds)}` : String(round(seconds))) : null,
    focalLength: focalLength && round(focalLength),
    focalLength35mm: within(exif['FocalLengthIn35mmFilm'], 1, 100_000),
    flash: flash === null ? null : (flash & 1) === 1,
  });
}

function times({ exif, xmp, iptc }: FileTags): WrittenTimes {
  const written = (name: string) => textOf(exif[name], 40);
  return {
    original: written('DateTimeOriginal'),
    originalSubSec: written('SubSecTimeOriginal'),
    originalOffset: written('OffsetTimeOriginal'),
    digitized: written('DateTimeDigitized'),
    digitizedSubSec: written('SubSecTimeDigitized'),
    digitizedOffset: written('OffsetTimeDigitized'),
    changed: written('DateTime'),
    changedOffset: written('OffsetTime'),
    xmpCreated: textOf(xmp['DateCreated'], 40),
    xmpOriginal: textOf(xmp['DateTimeOriginal'], 40),
    xmpDigitized: textOf(xmp['CreateDate'], 40),
    iptcCreated: iptcClock(iptc),
    gpsUtc: gpsUtc(exif),
  };
}

/**
 * `CCYYMMDD` and `HHMMSS±HHMM` (IPTC-IIM 4.2, 2:55 and 2:60), which some programs write with the separators of EXIF, without seconds or
 * without an offset.
 */
function iptcClock(iptc: FileTags['iptc']): string | null {
  const written = (name: string) => {
    const bytes = iptc[name]?.value;
    return Array.isArray(bytes) ? Buffer.from(bytes.slice(0, 40)).toString('latin1').trim() : '';
  };
  const [, year, month, day] = /^(\d{4})[:-]?(\d\d)[:-]?(\d\d)$/.exec(written('Date Created')) ?? [];
  const [, hour, minute, second = '00', sign, ...offset] =
    /^(\d\d):?(\d\d)(?::?(\d\d))?(?:([+-])(\d\d):?(\d\d))?$/.exec(written('Time Created')) ?? [];
  const zone = sign === undefined ? '' : `${sign}${offset.join(':')}`;
  return year === undefined || hour === undefined ? null : `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}

function gpsUtc(exif: FileTags['exif']): string | null {
  const [date, time] = [textOf(exif['GPSDateStamp'], 40), exif['GPSTimeStamp']?.value];
  if (date === null || !Array.isArray(time) || time.length !== 3) return null;
  const parts = time.map((part: unknown) => rationalOf({ value: part }));
  if (!parts.every((part) => part !== null && part >= 0 && part < 100)) return null;
  return `${date.replaceAll(':', '-')}T${parts.map((part) => String(Math.floor(part ?? 0)).padStart(2, '0')).join(':')}`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function orNull<T extends object>(known: T): T | null {
  return Object.values(known).some((value) => value !== null) ? known : null;
}

/** Bytes of all tags as JSON. */
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
function flatTags({ exif, xmp, iptc }: FileTags): ExifTags {
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
  if (parts.length > 16) return describedValue(tag);
  if (isRational(parts) && !PAIRS.test(name)) return quotient(parts);
  const numbers = parts.map((part) => (isRational(part) ? quotient(part) : numberOf({ value: part })));
  return numbers.includes(null) ? null : numbers.join(', ');
}

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
  if (typeof description !== 'string') return null;
  const isBytes = Array.isArray(value) && value.length > 16 && value.every((item) => typeof item === 'number');
  // Bytes whose only description is the numbers themselves, or a remark in brackets.
  const isBinary = isBytes && (description.startsWith('[') || description.startsWith(value.slice(0, 16).join(', ')));
  return isBinary ? null : plainText(description);
}

function plainText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = truncate(cleanText(value), MAX_EXIF_TEXT);
  return text === '' ? null : text;
}

/**
 * Where the picture was taken, by EXIF, else by XMP. Null unless latitude and longitude both exist with their hemispheres and are valid;
 * 0/0, which receivers write before they have a position, is dropped. An implausible altitude alone is null.
 */
function location({ exif, xmp }: FileTags): GeoPoint | null {
  const written = textOf(xmp['GPSAltitude'], 40) ?? '';
  const [, numerator, denominator = '1'] = /^(-?\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(written) ?? [];
  const above = Number(numerator) / Number(denominator);
  return (
    point(
      exifDegrees(exif, 'GPSLatitude'),
      exifDegrees(exif, 'GPSLongitude'),
      altitude(rationalOf(exif['GPSAltitude']), numberOf(exif['GPSAltitudeRef'])),
    ) ??
    point(
      xmpDegrees(xmp['GPSLatitude'], 'N', 'S'),
      xmpDegrees(xmp['GPSLongitude'], 'E', 'W'),
      altitude(Number.isFinite(above) ? above : null, numberOf(xmp['GPSAltitudeRef'])),
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
function exifDegrees(exif: FileTags['exif'], name: string): number | null {
  const value = exif[name]?.value;
  if (!Array.isArray(value) || value.length !== 3) return null;
  const parts = value.map((part: unknown) => rationalOf({ value: part }));
  const [positive, negative, most] = name.endsWith('Latitude') ? (['N', 'S', 90] as const) : (['E', 'W', 180] as const);
  const found = signed(parts, textOf(exif[`${name}Ref`], 10), positive, negative);
  return found !== null && Math.abs(found) <= most ? found : null;
}

/** `DDD,MM.mmk` or `DDD,MM,SSk`, k being the hemisphere (XMP, Exif part). */
function xmpDegrees(tag: Tag | undefined, positive: string, negative: string): number | null {
  const [, d, m, s = '0', ref] =
    /^(\d{1,3}),(\d{1,2}(?:\.\d+)?)(?:,(\d{1,2}(?:\.\d+)?))?([NSEW])$/.exec(textOf(tag, 40) ?? '') ?? [];
  return d === undefined ? null : signed([d, m, s].map(Number), ref ?? null, positive, negative);
}

function signed(
  parts: readonly (number | null)[],
  ref: string | null,
  positive: string,
  negative: string,
): number | null {
  const [d, m, s] = parts.filter((part) => part !== null && part >= 0) as number[];
  const hemisphere = ref?.[0]?.toUpperCase();
  if (d === undefined || m === undefined || s === undefined) return null;
  if (hemisphere !== positive && hemisphere !== negative) return null;
  // A centimetre: more digits are noise of the division.
  const size = Number((d + m / 60 + s / 3600).toFixed(7));
  // -0 is not 0 in JSON's readers.
  return hemisphere === negative && size !== 0 ? -size : size;
}

/** In metres, above the sea or the ellipsoid; references 1 and 3 (EXIF 3.0) mean below. Null when implausible. */
function altitude(metres: number | null, ref: number | null): number | null {
  if (metres === null) return null;
  const above = ref === 1 || ref === 3 ? -metres : metres;
  return above >= -12_000 && above <= 100_000 ? above + 0 : null;
}

/** Text of a tag, cleaned and truncated to `max` code points; null when it is missing or empty. */
function textOf(tag: Tag | undefined, max: number): string | null {
  return cut(writtenText(tag?.value) ?? (typeof tag?.description === 'string' ? tag.description : ''), max);
}

/** Text, cleaned and truncated; null when nothing is left of it. */
function cut(written: string, max: number): string | null {
  const text = truncate(cleanText(written), max).trim();
  return text === '' ? null : text;
}

/** EXIF has a list of one string; XMP a string, or the same text in several languages, of which the default is used. */
function writtenText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const items: readonly unknown[] = value;
  const language = (item: unknown) => (item as { attributes?: { lang?: unknown } | null } | null)?.attributes?.lang;
  const inLanguage = items.find((item) => language(item) === 'x-default') ?? items[0];
  if (typeof inLanguage === 'string') return inLanguage;
  return typeof inLanguage === 'object' && inLanguage !== null && 'value' in inLanguage
    ? writtenText(inLanguage.value)
    : null;
}

/** A number, or text that is one; null for everything else. */
function numberOf(tag: Tag | undefined): number | null {
  const value = typeof tag?.value === 'string' && tag.value.trim() !== '' ? Number(tag.value) : tag?.value;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A number, or numerator ÷ denominator, or the first of several numbers; null for everything else, n/0 included. */
function rationalOf(tag: Tag | undefined): number | null {
  const value = tag?.value;
  if (!Array.isArray(value)) return numberOf(tag);
  const [first, second]: unknown[] = value;
  if (typeof first !== 'number') return null;
  const quotient = value.length === 2 && typeof second === 'number' ? first / second : first;
  return Number.isFinite(quotient) ? quotient : null;
}

/** A number in this range; null for everything else. */
function within(tag: Tag | undefined, min: number, max: number): number | null {
  const value = rationalOf(tag);
  return value !== null && value >= min && value <= max ? value : null;
}
