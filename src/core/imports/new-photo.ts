import { originalKey } from '../blobs/blob-key.js';
import type { Customer } from '../customers/customer.js';
import { type CaptureTime, captureTime, fromInstant, fromWallClock } from '../media/capture-time.js';
import type { PictureFacts } from '../media/media-reader.js';
import type { GeoPoint } from '../media/picture-metadata.js';
import type { Photo } from '../photos/photo.js';
import type { Place } from '../photos/place.js';
import type { Import } from './import.js';
import type { ImportPhoto } from './import-photo.js';

/** The photo that a ready item becomes: the client's values take precedence over those of the file. */
export function newPhoto(
  item: ImportPhoto,
  facts: PictureFacts,
  subject: Import,
  customer: Customer,
  { place, dupSeq, at }: { place: Place | null; dupSeq: number; at: Date },
): Photo {
  return {
    id: item.id,
    customerId: item.customerId,
    filename: item.filename,
    contentType: facts.contentType,
    sizeBytes: item.sizeBytes ?? 0,
    sha256: item.sha256 ?? '',
    dupSeq,
    blobKey: originalKey(item),
    width: facts.width,
    height: facts.height,
    orientation: facts.orientation,
    rotation: 0,
    focus: null,
    alpha: facts.alpha,
    title: item.title ?? facts.title,
    description: item.description ?? facts.description,
    ...timeOf(item, facts, subject.defaultTimeZone ?? customer.defaultTimeZone),
    location: locationOf(item, facts),
    place,
    rating: item.rating ?? facts.rating,
    camera: facts.camera,
    exposure: facts.exposure,
    companion: facts.companion ?? null,
    externalId: item.externalId,
    metadata: item.metadata,
    importId: subject.id,
    damaged: facts.damaged,
    originalLostAt: null,
    thumbhash: facts.thumbhash,
    dominantColor: facts.dominantColor,
    phash: facts.phash ?? null,
    trashedAt: null,
    purgeAt: null,
    createdAt: at,
    updatedAt: at,
    version: 1,
  };
}

/** Where the photo that an item becomes was taken. */
export function locationOf(item: ImportPhoto, facts: Pick<PictureFacts, 'location'>): GeoPoint | null {
  return item.location ?? facts.location;
}

function timeOf(item: ImportPhoto, facts: PictureFacts, defaultTimeZone: string): CaptureTime {
  const declared = item.takenAt === null ? null : fromInstant(item.takenAt);
  if (declared !== null) return declared;
  const { location, positionZone, times } = facts;
  const written = captureTime(times, { location, positionZone, defaultTimeZone });
  if (item.takenAtLocal === null && item.timeZone === null) return written;
  const local = item.takenAtLocal ?? written.takenAtLocal;
  return local === null
    ? written
    : (fromWallClock(local, item.timeZone ?? written.timeZone ?? positionZone ?? defaultTimeZone) ?? written);
}
