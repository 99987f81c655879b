import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Photo } from 'photo-service-sdk';
import type { DetailsBuilder } from '../details-builder.js';
import { offsetText, readCaptureDate } from './capture-date.js';
import { XmlProblem } from './xml.js';
import { ns, Xmp } from './xmp.js';

/** Larger ones hold more than metadata. */
export const MAX_SIDECAR_BYTES = 8 * 1024 * 1024;

/**
 * Adds what a sidecar says of its photo. What has no field of its own is stored with the photo, and comes out again with `sidecarText`; the
 * orientation is among that, since the pixels of a file are turned by the file itself.
 */
export function readSidecar(bytes: Uint8Array, details: DetailsBuilder): void {
  let xmp: Xmp;
  try {
    xmp = Xmp.parse(decoded(bytes));
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    details.lose('xmp', 'unreadable', error.message);
    return;
  }
  details.text('title', xmp.localized(ns.dc, 'title'));
  details.text('description', xmp.localized(ns.dc, 'description'));
  details.text('copyright', xmp.localized(ns.dc, 'rights'));
  for (const local of ['title', 'description', 'rights']) xmp.removeLocalized(ns.dc, local);
  details.text('creator', xmp.list(ns.dc, 'creator').join('; '));
  xmp.remove(ns.dc, 'creator');
  details.favorite(xmp.text(ns.phs, 'Favorite')?.toLowerCase() === 'true');
  xmp.remove(ns.phs, 'Favorite');
  const rating = xmp.text(ns.xmp, 'Rating');
  const stars = Number(rating);
  // -1 says that the photo was rejected: no rating here, and -1 again in a sidecar of ours.
  if (rating !== null && stars !== -1) {
    details.rating(stars);
    if (stars >= 0 && stars <= 5) xmp.remove(ns.xmp, 'Rating');
  }
  takePosition(xmp, details);
  takeTime(xmp, details);
  for (const tag of takeKeywords(xmp)) details.tag(tag);
  if (xmp.isEmpty) return;
  // What is beyond the fields of a photo becomes its metadata: compressed, in pieces that fit.
  const stored = deflateRawSync(Buffer.from(xmp.compact()), { level: 9 }).toString('base64url');
  const isLong = stored.length > MAX_REMAINDER_KEYS * VALUE_LENGTH;
  if (isLong) details.lose('xmp', 'too_long', 'properties without a field of their own');
  for (let at = 0; !isLong && at * VALUE_LENGTH < stored.length; at += 1)
    details.note(`${REMAINDER_PREFIX}${at + 1}`, stored.slice(at * VALUE_LENGTH, (at + 1) * VALUE_LENGTH));
}

/** The extension of the file that a sidecar belongs to, in lower case; null if it does not say. */
export function sidecarForExtension(bytes: Uint8Array): string | null {
  try {
    return Xmp.parse(decoded(bytes)).text(ns.photoshop, 'SidecarForExtension')?.toLowerCase() ?? null;
  } catch (error) {
    if (error instanceof XmlProblem) return null;
    throw error;
  }
}

/** XMP is UTF-8, or UTF-16 with its mark. */
function decoded(bytes: Uint8Array): string {
  const mark = `${bytes[0]},${bytes[1]}`;
  const encoding = mark === '254,255' ? 'utf-16be' : mark === '255,254' ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

export type DescribedPhoto = Pick<
  Photo,
  | ('title' | 'description' | 'rating' | 'favorite' | 'creator' | 'copyright')
  | ('location' | 'takenAt' | 'takenAtLocal' | 'tags' | 'metadata')
>;

/**
 * The XMP sidecar of a photo, in the properties that the guidelines of the Metadata Working Group (2.0) name, and those that Lightroom,
 * darktable and digiKam read. `SyncSidecars` (sync/synced-files.ts) writes it beside the photo, and the download of everything that an account
 * has puts it into the archive (src/pages/account/export.controller.ts). The rest of a sidecar that came with the photo is part of it again.
 */
export function sidecarText(photo: DescribedPhoto): string {
  const { title, description, rating, favorite, creator, copyright, location, takenAt, takenAtLocal, tags, metadata } =
    photo;
  const xmp = readRemainder(metadata ?? {});
  if (title !== null) xmp.setLocalized(ns.dc, 'title', title);
  if (description !== null) xmp.setLocalized(ns.dc, 'description', description);
  if (rating !== null) xmp.setText(ns.xmp, 'Rating', String(rating));
  // No program has a property for favourites that others read.
  if (favorite) xmp.setText(ns.phs, 'Favorite', 'True');
  // Its names by themselves, where they become that text again when they are read.
  const names = creator?.split('; ') ?? [];
  const areNames = names.every((name) => name !== '' && name === name.trim());
  if (creator !== null) xmp.setList(ns.dc, 'creator', areNames ? names : [creator], 'Seq');
  if (copyright !== null) xmp.setLocalized(ns.dc, 'rights', copyright);
  if (takenAt !== null && takenAtLocal !== null) {
    const offset = Math.round((Date.parse(`${takenAtLocal}Z`) - Date.parse(takenAt)) / 60_000);
    const date = takenAtLocal + offsetText(offset);
    xmp.setText(ns.photoshop, 'DateCreated', date);
    xmp.setText(ns.exif, 'DateTimeOriginal', date);
  }
  if (location !== null) {
    xmp.setText(ns.exif, 'GPSLatitude', writeDegrees(location.latitude, 'N', 'S'));
    xmp.setText(ns.exif, 'GPSLongitude', writeDegrees(location.longitude, 'E', 'W'));
    if (location.altitude !== null) {
      xmp.setText(ns.exif, 'GPSAltitude', `${Math.round(Math.abs(location.altitude) * 1000)}/1000`);
      xmp.setText(ns.exif, 'GPSAltitudeRef', location.altitude < 0 ? '1' : '0');
    }
  }
  setKeywords(
    xmp,
    tags.map(({ name }) => name),
  );
  return xmp.toString();
}

function takePosition(xmp: Xmp, details: DetailsBuilder): void {
  const latitude = readDegrees(xmp.text(ns.exif, 'GPSLatitude'), 'S');
  const longitude = readDegrees(xmp.text(ns.exif, 'GPSLongitude'), 'W');
  if (latitude === null || longitude === null) return;
  // Metres from `3520/10`; a reference of 1 is below the sea.
  const written = xmp.text(ns.exif, 'GPSAltitude')?.trim() ?? '';
  const [, numerator, denominator = '1'] = /^(-?\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(written) ?? [];
  const metres = Number(numerator) / Number(denominator) / (xmp.text(ns.exif, 'GPSAltitudeRef') === '1' ? -1 : 1);
  details.location(latitude, longitude, Number.isFinite(metres) ? metres : null);
  for (const local of ['GPSLatitude', 'GPSLongitude', 'GPSAltitude', 'GPSAltitudeRef']) xmp.remove(ns.exif, local);
}

/** `48,51.5022N`, `48,51,30.1N`, or decimal degrees; null for anything else. */
function readDegrees(text: string | null, negative: 'S' | 'W'): number | null {
  const [, degrees, minutes = '0', seconds = '0', side] =
    /^(-?\d+(?:\.\d+)?)(?:,(\d+(?:\.\d+)?))?(?:,(\d+(?:\.\d+)?))?\s*([NSEW])?$/i.exec(text?.trim() ?? '') ?? [];
  if (degrees === undefined) return null;
  const size = Math.abs(Number(degrees)) + Number(minutes) / 60 + Number(seconds) / 3600;
  return Number((degrees.startsWith('-') !== (side?.toUpperCase() === negative) ? -size : size).toFixed(8));
}

/** Degrees and minutes, precise to a tenth of a millimetre. */
function writeDegrees(degrees: number, positive: 'N' | 'E', negative: 'S' | 'W'): string {
  const size = Math.abs(degrees);
  const whole = Math.floor(size);
  const minutes = ((size - whole) * 60).toFixed(7);
  // Rounding may fill the minutes up.
  const [shown, rest] = Number(minutes) >= 60 ? [whole + 1, '0.0000000'] : [whole, minutes];
  return `${shown},${rest}${degrees < 0 ? negative : positive}`;
}

/** When the photo was taken, in the order of how exactly a property means that. The digitization has a property of its own and stays there. */
function takeTime(xmp: Xmp, details: DetailsBuilder): void {
  const places = [
    [ns.exif, 'DateTimeOriginal'],
    [ns.photoshop, 'DateCreated'],
    [ns.xmp, 'CreateDate'],
  ] as const;
  const written = places.flatMap(([uri, local]) => {
    const text = xmp.text(uri, local);
    return text === null ? [] : { uri, local, text, date: readCaptureDate(text) };
  });
  const dates = written.flatMap(({ date }) => date ?? []);
  const [first] = dates;
  if (first === undefined) {
    for (const { local, text } of written) details.lose(local, 'incomplete', text);
    return;
  }
  // The same second with its offset says more.
  const second = first.local.slice(0, 19);
  const best = dates.find(({ local, offset }) => offset !== null && local.slice(0, 19) === second) ?? first;
  if (best.offset === null) details.takenAtLocal(first.local);
  else details.takenAt(first.local + best.offset);
  for (const { uri, local, date } of written) if (date !== null && local !== 'CreateDate') xmp.remove(uri, local);
}

/** Where programs write keywords with their place in a hierarchy, and what separates its levels. */
const HIERARCHIES = [
  { uri: ns.lr, local: 'hierarchicalSubject', separator: '|' },
  { uri: ns.digiKam, local: 'TagsList', separator: '/' },
  { uri: ns.MicrosoftPhoto, local: 'LastKeywordXMP', separator: '/' },
  { uri: ns.mediapro, local: 'CatalogSets', separator: '|' },
] as const;

/**
 * Takes the keywords out of a document, as tags. One in a hierarchy becomes a tag that is its path, `Places/France/Paris`. Programs list the
 * levels of a path as keywords of their own as well; those are no further tags. Notes of darktable to itself stay in the document.
 */
function takeKeywords(xmp: Xmp): string[] {
  const all: string[][] = [];
  const internal: string[][] = [];
  for (const { uri, local, separator } of HIERARCHIES) {
    const written = xmp.list(uri, local).map((text) => {
      const levels = text.split(separator).map((level) => level.trim());
      return { text, levels: levels.filter((level) => level !== '') };
    });
    const kept = written.filter(({ levels }) => isInternal(levels));
    xmp.setList(
      uri,
      local,
      kept.map(({ text }) => text),
    );
    all.push(...written.map(({ levels }) => levels));
    internal.push(...kept.map(({ levels }) => levels));
  }
  const paths = all.filter((levels) => !isInternal(levels));
  const flat = xmp.list(ns.dc, 'subject');
  const ours = new Set(paths.flat());
  const theirs = new Set(internal.flat());
  xmp.setList(
    ns.dc,
    'subject',
    flat.filter((keyword) => theirs.has(keyword) && !ours.has(keyword)),
  );
  const alone = flat.filter((keyword) => !ours.has(keyword) && !theirs.has(keyword));
  return [...new Set([...paths.map((path) => path.join('/')), ...alone])];
}

/** Whether it is one of darktable's tags for itself, such as `darktable|changed` and `darktable|format|orf`. */
function isInternal([first, ...rest]: readonly string[]): boolean {
  return first === 'darktable' && rest.length > 0;
}

/** Writes tags as keywords: flat, and where at least one is a path, as hierarchies too, beside those that `takeKeywords` left. */
function setKeywords(xmp: Xmp, tags: readonly string[]): void {
  const isHierarchical = tags.some(isPath) || HIERARCHIES.some(({ uri, local }) => xmp.get(uri, local) !== undefined);
  const hierarchy = isHierarchical ? tags.filter((tag) => isPath(tag) || !tag.includes('/')) : [];
  const add = (uri: string, local: string, values: readonly string[]) =>
    xmp.setList(uri, local, [...new Set([...values, ...xmp.list(uri, local)])]);
  add(ns.dc, 'subject', tags);
  // All of them: a keyword beside a path would be taken for a level of it.
  add(ns.digiKam, 'TagsList', hierarchy);
  const unambiguous = hierarchy.filter((tag) => !tag.includes('|'));
  add(
    ns.lr,
    'hierarchicalSubject',
    unambiguous.map((tag) => tag.replaceAll('/', '|')),
  );
}

function isPath(tag: string): boolean {
  const levels = tag.split('/');
  return levels.length > 1 && levels.every((level) => level !== '' && level === level.trim());
}

/** Metadata keys under which the rest of a sidecar is stored: `xmp.1`, `xmp.2` and so on. */
const REMAINDER_PREFIX = 'xmp.';
/** The share of the 50 keys that a photo can have. */
const MAX_REMAINDER_KEYS = 16;
const VALUE_LENGTH = 500;
/** The most that is read of what is stored: a value from another program does not fill the memory. */
const MAX_REMAINDER_BYTES = 4 * 1024 * 1024;

/** Returns what `readSidecar` has stored; empty where nothing is, or something else. */
function readRemainder(metadata: Readonly<Record<string, string>>): Xmp {
  let stored = '';
  for (let number = 1; Object.hasOwn(metadata, REMAINDER_PREFIX + number); number += 1)
    stored += metadata[REMAINDER_PREFIX + number];
  if (stored === '') return Xmp.empty();
  try {
    return Xmp.parse(
      inflateRawSync(Buffer.from(stored, 'base64url'), { maxOutputLength: MAX_REMAINDER_BYTES }).toString(),
    );
  } catch (error) {
    if (error instanceof XmlProblem || (error as NodeJS.ErrnoException).code !== undefined) return Xmp.empty();
    throw error;
  }
}
