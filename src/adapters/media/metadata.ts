import tzLookup from '@photostructure/tz-lookup';
import type { WrittenTimes } from '../../core/media/capture-time.js';
import type { PictureFacts } from '../../core/media/media-reader.js';
import type { Camera, Exposure, GeoPoint } from '../../core/media/picture-metadata.js';
import { flatTags } from './flat-tags.js';
import { location } from './location.js';
import { type FileTags, numberOf, rationalOf, type Tag, textOf } from './tags.js';

/** The metadata of a file, beyond its pixels. */
export type PictureMetadata = Pick<
  PictureFacts,
  'title' | 'description' | 'location' | 'rating' | 'camera' | 'exposure' | 'times' | 'positionZone' | 'exif'
>;

/** Converts tags to facts. Whatever is missing, malformed or out of range is null. */
export function metadataOf(tags: FileTags): PictureMetadata {
  const place = location(tags);
  return {
    title: textOf(tags.xmp['title'], 255) ?? textOf(tags.iptc['Object Name'], 255),
    description: description(tags),
    location: place,
    rating: rating(tags),
    camera: camera(tags),
    exposure: exposure(tags),
    times: times(tags),
    positionZone: place && zoneAt(place),
    exif: flatTags(tags),
  };
}

/** What cameras and phones write by default into fields for people's texts. */
const placeholders: readonly RegExp[] = [
  /^(sony dsc|default|untitled|cof|dav|edf|fbt|mde|oznor|r?hdr|sdr)$/i,
  /^(exif[_ ]jpeg|dcim\\|<digimax|<kenox).*$/i,
  /^.*digital (still )?camera$/i,
];

function description({ exif, xmp, iptc }: FileTags): string | null {
  const tags = [xmp['description'], iptc['Caption/Abstract'], exif['ImageDescription']];
  const isWritten = (text: string | null) => text !== null && !placeholders.some((each) => each.test(text));
  return tags.map((tag) => textOf(tag, 10_000)).find(isWritten) ?? null;
}

/** -1 means "rejected" in XMP: no rating. */
function rating({ exif, xmp }: FileTags): number | null {
  const stars = numberOf(xmp['Rating']) ?? numberOf(exif['Rating']);
  return stars !== null && stars >= 0 && stars <= 5 ? Math.round(stars) : null;
}

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
  return orNull({
    iso: within(firstOf(exif['ISOSpeedRatings']), 1, 10_000_000),
    fNumber: fNumber && round(fNumber),
    exposureTime: exposureTime(rationalOf(exif['ExposureTime'])),
    focalLength: focalLength && round(focalLength),
    focalLength35mm: within(exif['FocalLengthIn35mmFilm'], 1, 100_000),
    flash: flash === null ? null : (flash & 1) === 1,
  });
}

/** Up to a day; `1/250` below a third of a second, as cameras show it. */
function exposureTime(seconds: number | null): string | null {
  if (seconds === null || seconds <= 0 || seconds > 86_400) return null;
  return seconds < 0.3 ? `1/${Math.round(1 / seconds)}` : String(round(seconds));
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

function zoneAt({ latitude, longitude }: GeoPoint): string | null {
  try {
    return tzLookup(latitude, longitude);
  } catch {
    return null;
  }
}

/** Some cameras write two of what should be one. */
function firstOf(tag: Tag | undefined): Tag | undefined {
  return Array.isArray(tag?.value) ? { value: tag.value[0] } : tag;
}

function within(tag: Tag | undefined, min: number, max: number): number | null {
  const value = rationalOf(tag);
  return value !== null && value >= min && value <= max ? value : null;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function orNull<T extends object>(known: T): T | null {
  return Object.values(known).some((value) => value !== null) ? known : null;
}
