import type { DetailsBuilder } from '../details-builder.js';
import { readCaptureDate } from './capture-date.js';
import { takeKeywords } from './keywords.js';
import { readAltitude, readDegrees } from './position.js';
import { storeRemainder } from './sidecar-remainder.js';
import { XmlProblem } from './xml.js';
import { ns, Xmp } from './xmp.js';

/** Larger ones hold more than metadata. */
export const MAX_SIDECAR_BYTES = 8 * 1024 * 1024;

/**
 * Adds what a sidecar says of its photo. What has no field of its own is stored with the photo, and comes out again with `writeSidecar`; the
 * orientation is among that, since the pixels of a file are turned by the file itself.
 */
export function readSidecar(bytes: Uint8Array, details: DetailsBuilder): void {
  const xmp = parsed(bytes, details);
  if (xmp === null) return;
  details.title(xmp.localized(ns.dc, 'title'));
  details.description(xmp.localized(ns.dc, 'description'));
  details.copyright(xmp.localized(ns.dc, 'rights'));
  for (const local of ['title', 'description', 'rights']) xmp.removeLocalized(ns.dc, local);
  details.creator(xmp.list(ns.dc, 'creator').join('; '));
  xmp.remove(ns.dc, 'creator');
  details.favorite(xmp.text(ns.phs, 'Favorite')?.toLowerCase() === 'true');
  xmp.remove(ns.phs, 'Favorite');
  takeRating(xmp, details);
  takePosition(xmp, details);
  takeTime(xmp, details);
  for (const tag of takeKeywords(xmp)) details.tag(tag);
  const remainder = storeRemainder(xmp);
  if (remainder === null) details.lose('xmp', 'too_long', 'properties without a field of their own');
  else for (const [key, value] of Object.entries(remainder)) details.note(key, value);
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

function parsed(bytes: Uint8Array, details: DetailsBuilder): Xmp | null {
  try {
    return Xmp.parse(decoded(bytes));
  } catch (error) {
    if (!(error instanceof XmlProblem)) throw error;
    details.lose('xmp', 'unreadable', error.message);
    return null;
  }
}

/** XMP is UTF-8, or UTF-16 with its mark. */
function decoded(bytes: Uint8Array): string {
  const mark = `${bytes[0]},${bytes[1]}`;
  const encoding = mark === '254,255' ? 'utf-16be' : mark === '255,254' ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** -1 says that the photo was rejected: no rating here, and -1 again in a sidecar of ours. */
function takeRating(xmp: Xmp, details: DetailsBuilder): void {
  const text = xmp.text(ns.xmp, 'Rating');
  if (text === null) return;
  const stars = Number(text);
  if (stars === -1) return;
  details.rating(stars);
  if (stars >= 0 && stars <= 5) xmp.remove(ns.xmp, 'Rating');
}

function takePosition(xmp: Xmp, details: DetailsBuilder): void {
  const latitude = readDegrees(xmp.text(ns.exif, 'GPSLatitude'), 'S');
  const longitude = readDegrees(xmp.text(ns.exif, 'GPSLongitude'), 'W');
  if (latitude === null || longitude === null) return;
  const altitude = readAltitude(xmp.text(ns.exif, 'GPSAltitude'), xmp.text(ns.exif, 'GPSAltitudeRef'));
  details.location(latitude, longitude, altitude);
  for (const local of ['GPSLatitude', 'GPSLongitude', 'GPSAltitude', 'GPSAltitudeRef']) xmp.remove(ns.exif, local);
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
  const best = dates.find(({ local, offset }) => offset !== null && sameSecond(local, first.local)) ?? first;
  if (best.offset === null) details.takenAtLocal(first.local);
  else details.takenAt(first.local + best.offset);
  for (const { uri, local, date } of written) if (date !== null && local !== 'CreateDate') xmp.remove(uri, local);
}

function sameSecond(one: string, other: string): boolean {
  return one.slice(0, 19) === other.slice(0, 19);
}
