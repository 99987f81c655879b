import type { Photo } from 'photo-service-sdk';
import { offsetBetween } from './capture-date.js';
import { setKeywords } from './keywords.js';
import { writeAltitude, writeDegrees } from './position.js';
import { readRemainder } from './sidecar-remainder.js';
import { ns } from './xmp.js';

/** The fields of a photo that a sidecar describes. */
export type DescribedPhoto = Pick<
  Photo,
  | ('title' | 'description' | 'rating' | 'favorite' | 'creator' | 'copyright')
  | ('location' | 'takenAt' | 'takenAtLocal' | 'tags' | 'metadata')
>;

/**
 * The XMP sidecar of a photo, in the properties that the guidelines of the Metadata Working Group (2.0) name, and those that Lightroom,
 * darktable and digiKam read. The rest of a sidecar that came with the photo is part of it again.
 */
export function writeSidecar(photo: DescribedPhoto): string {
  const { title, description, rating, favorite, creator, copyright, location, takenAt, takenAtLocal, tags, metadata } =
    photo;
  const xmp = readRemainder(metadata ?? {});
  if (title !== null) xmp.setLocalized(ns.dc, 'title', title);
  if (description !== null) xmp.setLocalized(ns.dc, 'description', description);
  if (rating !== null) xmp.setText(ns.xmp, 'Rating', String(rating));
  // No program has a property for favourites that others read.
  if (favorite) xmp.setText(ns.phs, 'Favorite', 'True');
  if (creator !== null) xmp.setList(ns.dc, 'creator', namesIn(creator), 'Seq');
  if (copyright !== null) xmp.setLocalized(ns.dc, 'rights', copyright);
  if (takenAt !== null && takenAtLocal !== null) {
    const date = takenAtLocal + offsetBetween(takenAtLocal, takenAt);
    xmp.setText(ns.photoshop, 'DateCreated', date);
    xmp.setText(ns.exif, 'DateTimeOriginal', date);
  }
  if (location !== null) {
    xmp.setText(ns.exif, 'GPSLatitude', writeDegrees(location.latitude, 'N', 'S'));
    xmp.setText(ns.exif, 'GPSLongitude', writeDegrees(location.longitude, 'E', 'W'));
    if (location.altitude !== null) {
      xmp.setText(ns.exif, 'GPSAltitude', writeAltitude(location.altitude));
      xmp.setText(ns.exif, 'GPSAltitudeRef', location.altitude < 0 ? '1' : '0');
    }
  }
  setKeywords(
    xmp,
    tags.map(({ name }) => name),
  );
  return xmp.toString();
}

/** The names in a creator, where they become that text again when they are read. */
function namesIn(creator: string): readonly string[] {
  const names = creator.split('; ');
  return names.every((name) => name !== '' && name === name.trim()) ? names : [creator];
}
