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

/** What is selected of a row. */
export type ReadPhotoRow = Omit<PhotoRow, 'filenameKey' | 'cameraKey'>;

/** A row of which the tags are read too. */
export type TaggedPhotoRow = ReadPhotoRow & Pick<TaggedPhoto, 'tags'>;

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

/** A photo out of the columns that are read. Written out: a copy of the rest of a row costs a page of photos a tenth of its time. */
export function photoOf(row: ReadPhotoRow): Photo {
  return {
    id: row.id,
    customerId: row.customerId,
    filename: row.filename,
    contentType: row.contentType,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256,
    dupSeq: row.dupSeq,
    blobKey: row.blobKey,
    width: row.width,
    height: row.height,
    orientation: row.orientation,
    rotation: row.rotation,
    alpha: row.alpha,
    title: row.title,
    description: row.description,
    location: locationOf(row),
    rating: row.rating,
    takenAt: row.takenAt,
    takenAtLocal: row.takenAtLocal,
    timeZone: row.timeZone,
    takenAtSource: row.takenAtSource,
    camera: row.camera,
    exposure: row.exposure,
    externalId: row.externalId,
    metadata: row.metadata,
    importId: row.importId,
    damaged: row.damaged,
    originalLostAt: row.originalLostAt,
    thumbhash: row.thumbhash,
    dominantColor: row.dominantColor,
    trashedAt: row.trashedAt,
    purgeAt: row.purgeAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    version: row.version,
  };
}

/** The same with its tags, which were read beside the columns. */
export function taggedPhotoOf(row: TaggedPhotoRow): TaggedPhoto {
  return Object.assign(photoOf(row), { tags: row.tags });
}

function locationOf({ latitude, longitude, altitude }: ReadPhotoRow): Photo['location'] {
  return latitude === null || longitude === null ? null : { latitude, longitude, altitude };
}
