import type { Photo, TaggedPhoto } from '../../core/photos/photo.js';
import { foldKey, searchText } from '../../core/shared/text.js';
import {
  bigWhole,
  document,
  instant,
  key,
  optionalBigWhole,
  optionalDocument,
  optionalInstant,
  optionalText,
  optionalWhole,
  real,
  tableOf,
  text,
  whole,
  yesOrNo,
} from './columns.js';
import { selected } from './rows.js';
import { instantOf } from './value-parsers.js';

/** A photo with its place in three columns, so that a map's corners can be compared with them. */
export interface PhotoRow extends Omit<Photo, 'location'> {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly altitude: number | null;
  /** What file names sort by. */
  readonly filenameKey: string;
  /** What `camera` is looked for in. */
  readonly cameraKey: string;
}

/**
 * A photo as the database tells it: one JSON document, with its instants as text. Of a page, pg takes two thirds of the time for such
 * documents that it takes for rows of 35 columns.
 */
export type PhotoDocument = InJson<Omit<PhotoRow, 'filenameKey' | 'cameraKey'>>;

/** One of a photo whose tags are read too. */
export type TaggedPhotoDocument = PhotoDocument & Pick<TaggedPhoto, 'tags'>;

type InJson<Row> = { readonly [Column in keyof Row]: Row[Column] extends Date ? string : JsonOf<Row[Column]> };
type JsonOf<Value> = Date extends Value ? Exclude<Value, Date> | string : Value;

const searchedOnly = { select: false } as const;

export const photoTable = tableOf<PhotoRow>('photo', 'photos', {
  customerId: key,
  id: key,
  filename: text,
  filenameKey: { ...text, ...searchedOnly },
  contentType: text,
  sizeBytes: bigWhole,
  sha256: text,
  dupSeq: bigWhole,
  blobKey: text,
  width: whole,
  height: whole,
  orientation: whole,
  rotation: whole,
  alpha: yesOrNo,
  title: optionalText,
  description: optionalText,
  latitude: real,
  longitude: real,
  altitude: real,
  rating: optionalWhole,
  takenAt: optionalInstant,
  takenAtLocal: optionalText,
  timeZone: optionalText,
  takenAtSource: text,
  camera: optionalDocument,
  cameraKey: { ...text, ...searchedOnly },
  exposure: optionalDocument,
  externalId: optionalText,
  metadata: document,
  importId: optionalBigWhole,
  damaged: yesOrNo,
  originalLostAt: optionalInstant,
  thumbhash: optionalText,
  dominantColor: optionalText,
  trashedAt: optionalInstant,
  purgeAt: optionalInstant,
  createdAt: instant,
  updatedAt: instant,
  version: whole,
});

/** What is read of a photo `p`. */
export const photoColumns = selected(photoTable, 'p');

export function rowOf(photo: Photo): PhotoRow {
  const { location, ...rest } = photo;
  return {
    ...rest,
    latitude: location?.latitude ?? null,
    longitude: location?.longitude ?? null,
    altitude: location?.altitude ?? null,
    filenameKey: foldKey(photo.filename),
    cameraKey: searchText(photo.camera?.make ?? null, photo.camera?.model ?? null),
  };
}

/** A photo out of its document. Written out, as copying the rest of an object is slow. */
export function photoOf(document: PhotoDocument): Photo {
  return {
    id: document.id,
    customerId: document.customerId,
    filename: document.filename,
    contentType: document.contentType,
    sizeBytes: document.sizeBytes,
    sha256: document.sha256,
    dupSeq: document.dupSeq,
    blobKey: document.blobKey,
    width: document.width,
    height: document.height,
    orientation: document.orientation,
    rotation: document.rotation,
    alpha: document.alpha,
    title: document.title,
    description: document.description,
    location: locationOf(document),
    rating: document.rating,
    takenAt: optionalInstantOf(document.takenAt),
    takenAtLocal: document.takenAtLocal,
    timeZone: document.timeZone,
    takenAtSource: document.takenAtSource,
    camera: document.camera,
    exposure: document.exposure,
    externalId: document.externalId,
    metadata: document.metadata,
    importId: document.importId,
    damaged: document.damaged,
    originalLostAt: optionalInstantOf(document.originalLostAt),
    thumbhash: document.thumbhash,
    dominantColor: document.dominantColor,
    trashedAt: optionalInstantOf(document.trashedAt),
    purgeAt: optionalInstantOf(document.purgeAt),
    createdAt: instantOf(document.createdAt),
    updatedAt: instantOf(document.updatedAt),
    version: document.version,
  };
}

/** The same with its tags. */
export function taggedPhotoOf(document: TaggedPhotoDocument): TaggedPhoto {
  return Object.assign(photoOf(document), { tags: document.tags });
}

function locationOf({ latitude, longitude, altitude }: PhotoDocument): Photo['location'] {
  return latitude === null || longitude === null ? null : { latitude, longitude, altitude };
}

function optionalInstantOf(text: string | null): Date | null {
  return text === null ? null : instantOf(text);
}
