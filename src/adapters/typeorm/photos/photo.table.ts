import type { ExifTags } from '../../../core/media/picture-metadata.js';
import type { Photo, PhotoWithTags } from '../../../core/photos/photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { foldKey, searchText } from '../../../core/shared/text.js';
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
} from '../database/columns.js';
import { type JsonRow, jsonColumns, jsonReader } from '../database/json-rows.js';

/** A photo with its location in three columns, so that a map's corners can be compared with them, its focus in two and its place in three. */
export interface PhotoRow extends Omit<Photo, 'location' | 'focus' | 'place'> {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly altitude: number | null;
  readonly focusX: number | null;
  readonly focusY: number | null;
  readonly placeCountry: string | null;
  readonly placeRegion: string | null;
  readonly placeCity: string | null;
  /** Sort key of file names. */
  readonly filenameKey: string;
  /** Searched by `camera`. */
  readonly cameraKey: string;
  /** False for a photo of an earlier version, which a worker brings up to date. */
  readonly current: boolean;
}

const notRead = { select: false } as const;

export const photoTable = tableOf<PhotoRow>('photo', 'photos', {
  customerId: key,
  id: key,
  filename: text,
  filenameKey: { ...text, ...notRead },
  contentType: text,
  sizeBytes: bigWhole,
  sha256: text,
  dupSeq: bigWhole,
  blobKey: text,
  width: whole,
  height: whole,
  orientation: whole,
  rotation: whole,
  focusX: real,
  focusY: real,
  alpha: yesOrNo,
  title: optionalText,
  description: optionalText,
  latitude: real,
  longitude: real,
  altitude: real,
  placeCountry: optionalText,
  placeRegion: optionalText,
  placeCity: optionalText,
  rating: optionalWhole,
  takenAt: optionalInstant,
  takenAtLocal: optionalText,
  timeZone: optionalText,
  takenAtSource: text,
  camera: optionalDocument,
  cameraKey: { ...text, ...notRead },
  exposure: optionalDocument,
  companion: optionalDocument,
  externalId: optionalText,
  metadata: document,
  importId: optionalBigWhole,
  damaged: yesOrNo,
  originalLostAt: optionalInstant,
  thumbhash: optionalText,
  dominantColor: optionalText,
  phash: optionalText,
  trashedAt: optionalInstant,
  purgeAt: optionalInstant,
  createdAt: instant,
  updatedAt: instant,
  version: whole,
  current: { ...yesOrNo, ...notRead },
});

/** Shown only on demand, so stored beside the photo. */
export const photoExifTable = tableOf<PhotoExif>('photoExif', 'photo_exif', {
  customerId: key,
  photoId: key,
  exif: document,
});

interface PhotoExif {
  readonly customerId: Id;
  readonly photoId: Id;
  readonly exif: ExifTags;
}

export function rowOf(photo: Photo): Omit<PhotoRow, 'current'> {
  const { location, focus, place, ...rest } = photo;
  return {
    ...rest,
    latitude: location?.latitude ?? null,
    longitude: location?.longitude ?? null,
    altitude: location?.altitude ?? null,
    placeCountry: place?.country ?? null,
    placeRegion: place?.region ?? null,
    placeCity: place?.city ?? null,
    focusX: focus?.x ?? null,
    focusY: focus?.y ?? null,
    filenameKey: foldKey(photo.filename),
    cameraKey: searchText(photo.camera?.make ?? null, photo.camera?.model ?? null),
  };
}

const columns = jsonColumns(photoTable, 'p');

/** A photo `p` as `photoOf` reads it. */
export const photoJson = `json_build_array(${columns})`;

/** A photo `p` and its tags, which are null for none, as `taggedPhotoOf` reads them. */
export const taggedPhotoJson = (tags: string) => `json_build_array(${columns}, coalesce(${tags}, '[]'))`;

/** The tags of one photo, of `tags t`. */
export const tagsByName = 'json_agg(json_build_array(t.id, t.name) ORDER BY t.name_key, t.id)';

export const photoOf = jsonReader<PhotoRow, Photo>(photoTable, {
  location: { latitude: 'latitude', longitude: 'longitude', altitude: 'altitude' },
  focus: { x: 'focusX', y: 'focusY' },
  place: { country: 'placeCountry', region: 'placeRegion', city: 'placeCity' },
});

/** The same with its tags. */
export function taggedPhotoOf(row: JsonRow): PhotoWithTags {
  const tags = row.at(-1) as readonly (readonly [id: Id, name: string])[];
  return Object.assign(photoOf(row), { tags: tags.map(([id, name]) => ({ id, name })) });
}
