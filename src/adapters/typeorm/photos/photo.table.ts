import type { Photo, PhotoWithTags } from '../../../core/photos/photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { foldKey, searchText } from '../../../core/shared/text.js';
import {
  bigWhole,
  columnName,
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
} from '../database/columns.js';
import { instantOf } from '../database/value-parsers.js';

/** A photo with its location in three columns, so that a map's corners can be compared with them. */
export interface PhotoRow extends Omit<Photo, 'location'> {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly altitude: number | null;
  /** Sort key of file names. */
  readonly filenameKey: string;
  /** Searched by `camera`. */
  readonly cameraKey: string;
}

/** The columns read for a photo, in the order of the JSON array. */
const photoColumns = [
  'id',
  'customerId',
  'filename',
  'contentType',
  'sizeBytes',
  'sha256',
  'dupSeq',
  'blobKey',
  'width',
  'height',
  'orientation',
  'rotation',
  'alpha',
  'title',
  'description',
  'latitude',
  'longitude',
  'altitude',
  'rating',
  'takenAt',
  'takenAtLocal',
  'timeZone',
  'takenAtSource',
  'camera',
  'exposure',
  'externalId',
  'metadata',
  'importId',
  'damaged',
  'originalLostAt',
  'thumbhash',
  'dominantColor',
  'trashedAt',
  'purgeAt',
  'createdAt',
  'updatedAt',
  'version',
] as const satisfies readonly (keyof PhotoRow)[];

/**
 * A photo as returned by the database: one JSON array, with its instants as text. For a page, pg and Postgres together take half the time
 * for such arrays that they take for rows of 37 columns.
 */
export type PhotoValues = InJson<typeof photoColumns>;

/** The same, and the tags of the photo. */
export type TaggedPhotoValues = readonly [...PhotoValues, tags: readonly (readonly [id: Id, name: string])[]];

const values = photoColumns.map((property) => `p.${columnName(property)}`).join(', ');

/** `PhotoValues` of a photo `p`. */
export const photoValues = `json_build_array(${values})`;

/** `TaggedPhotoValues` of a photo `p` and its tags, which are null for none. */
export const taggedPhotoValues = (tags: string) => `json_build_array(${values}, coalesce(${tags}, '[]'))`;

/** The tags of one photo, of `tags t`. */
export const tagsByName = 'json_agg(json_build_array(t.id, t.name) ORDER BY t.name_key, t.id)';

type InJson<Names extends readonly (keyof PhotoRow)[]> = {
  readonly [Place in keyof Names]: JsonOf<PhotoRow[Names[Place]]>;
};
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

/** A photo from the database's array. Written out, because a loop over names is slow. */
export function photoOf([
  id,
  customerId,
  filename,
  contentType,
  sizeBytes,
  sha256,
  dupSeq,
  blobKey,
  width,
  height,
  orientation,
  rotation,
  alpha,
  title,
  description,
  latitude,
  longitude,
  altitude,
  rating,
  takenAt,
  takenAtLocal,
  timeZone,
  takenAtSource,
  camera,
  exposure,
  externalId,
  metadata,
  importId,
  damaged,
  originalLostAt,
  thumbhash,
  dominantColor,
  trashedAt,
  purgeAt,
  createdAt,
  updatedAt,
  version,
]: PhotoValues | TaggedPhotoValues): Photo {
  return {
    id,
    customerId,
    filename,
    contentType,
    sizeBytes,
    sha256,
    dupSeq,
    blobKey,
    width,
    height,
    orientation,
    rotation,
    alpha,
    title,
    description,
    location: latitude === null || longitude === null ? null : { latitude, longitude, altitude },
    rating,
    takenAt: optionalInstantOf(takenAt),
    takenAtLocal,
    timeZone,
    takenAtSource,
    camera,
    exposure,
    externalId,
    metadata,
    importId,
    damaged,
    originalLostAt: optionalInstantOf(originalLostAt),
    thumbhash,
    dominantColor,
    trashedAt: optionalInstantOf(trashedAt),
    purgeAt: optionalInstantOf(purgeAt),
    createdAt: instantOf(createdAt),
    updatedAt: instantOf(updatedAt),
    version,
  };
}

/** The same with its tags. */
export function taggedPhotoOf(photo: TaggedPhotoValues): PhotoWithTags {
  const tags = photo[photoColumns.length].map(([id, name]) => ({ id, name }));
  return Object.assign(photoOf(photo), { tags });
}

function optionalInstantOf(text: string | null): Date | null {
  return text === null ? null : instantOf(text);
}
