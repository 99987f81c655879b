import type { EntityManager } from 'typeorm';
import { photoFields, valuesOf } from '../../../core/media/photo-fields.js';
import type { ExifTags } from '../../../core/media/picture-metadata.js';
import type { Photo, PhotoWithTags } from '../../../core/photos/photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { foldKey, searchText } from '../../../core/shared/text.js';
import {
  anyOf,
  column,
  instantOf,
  type JsonRow,
  jsonColumns,
  placesOf,
  prepared,
  select,
  tableOf,
} from '../database/sql.js';

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
  /** Searched by `camera` and by `creator`. */
  readonly cameraKey: string;
  readonly creatorKey: string;
}

const notRead = { select: false } as const;

/** The column of a field, by its kind; a position is stored in three. */
const columnOf = {
  text: column.optionalText,
  texts: { type: 'text', array: true },
  whole: column.optionalWhole,
  flag: column.yesOrNo,
} as const;
const { location: _, ...inOneColumn } = photoFields;

export const photoTable = tableOf<PhotoRow>('photo', 'photos', {
  customerId: column.key,
  id: column.key,
  filename: column.text,
  filenameKey: { ...column.text, ...notRead },
  contentType: column.text,
  sizeBytes: column.bigWhole,
  sha256: column.text,
  dupSeq: column.bigWhole,
  blobKey: column.text,
  width: column.whole,
  height: column.whole,
  orientation: column.whole,
  rotation: column.whole,
  focusX: column.real,
  focusY: column.real,
  alpha: column.yesOrNo,
  ...valuesOf(Object.keys(inOneColumn) as (keyof typeof inOneColumn)[], (name) => columnOf[inOneColumn[name].kind]),
  creatorKey: { ...column.text, ...notRead },
  latitude: column.real,
  longitude: column.real,
  altitude: column.real,
  placeCountry: column.optionalText,
  placeRegion: column.optionalText,
  placeCity: column.optionalText,
  takenAt: column.optionalInstant,
  takenAtLocal: column.optionalText,
  timeZone: column.optionalText,
  takenAtSource: column.text,
  camera: column.optionalDocument,
  cameraKey: { ...column.text, ...notRead },
  exposure: column.optionalDocument,
  companion: column.optionalDocument,
  metadata: column.document,
  importId: column.optionalBigWhole,
  damaged: column.yesOrNo,
  originalLostAt: column.optionalInstant,
  thumbhash: column.optionalText,
  dominantColor: column.optionalText,
  phash: column.optionalText,
  thumb: column.optionalDocument,
  trashedAt: column.optionalInstant,
  purgeAt: column.optionalInstant,
  createdAt: column.instant,
  updatedAt: column.instant,
  version: column.whole,
});

/** Shown only on demand, so stored beside the photo. */
export const photoExifTable = tableOf<{
  readonly customerId: Id;
  readonly photoId: Id;
  readonly exif: ExifTags;
}>('photoExif', 'photo_exif', {
  customerId: column.key,
  photoId: column.key,
  exif: column.document,
});

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
    creatorKey: searchText(photo.creator),
  };
}

const columns = jsonColumns(photoTable, 'p');

/** A photo `p` as `photoOf` reads it. */
export const photoJson = `json_build_array(${columns})`;

/** A photo `p` and its tags, which are null for none, as `taggedPhotoOf` reads them. */
export const taggedPhotoJson = (tags: string) => `json_build_array(${columns}, coalesce(${tags}, '[]'))`;

/** The tags of one photo, of `tags t`. */
export const tagsByName = 'json_agg(json_build_array(t.id, t.name) ORDER BY t.name_key, t.id)';

const at = placesOf(photoTable);

/** The compiler knows what a field is, and the table that its column has it. */
const as = <T>(value: unknown) => value as T;
const instantOrNull = (value: unknown) => (value === null ? null : instantOf(value as string));

/** Written out: a loop over the columns takes so much longer that a page of 50 photos costs a tenth more (bench/measurements.md). */
export function photoOf(row: JsonRow): Photo {
  return {
    id: as(row[at.id]),
    customerId: as(row[at.customerId]),
    filename: as(row[at.filename]),
    contentType: as(row[at.contentType]),
    sizeBytes: as(row[at.sizeBytes]),
    sha256: as(row[at.sha256]),
    dupSeq: as(row[at.dupSeq]),
    blobKey: as(row[at.blobKey]),
    width: as(row[at.width]),
    height: as(row[at.height]),
    orientation: as(row[at.orientation]),
    rotation: as(row[at.rotation]),
    focus: row[at.focusX] === null ? null : { x: as(row[at.focusX]), y: as(row[at.focusY]) },
    alpha: as(row[at.alpha]),
    title: as(row[at.title]),
    description: as(row[at.description]),
    takenAt: instantOrNull(row[at.takenAt]),
    takenAtLocal: as(row[at.takenAtLocal]),
    timeZone: as(row[at.timeZone]),
    takenAtSource: as(row[at.takenAtSource]),
    location:
      row[at.latitude] === null
        ? null
        : { latitude: as(row[at.latitude]), longitude: as(row[at.longitude]), altitude: as(row[at.altitude]) },
    place:
      row[at.placeCountry] === null
        ? null
        : { country: as(row[at.placeCountry]), region: as(row[at.placeRegion]), city: as(row[at.placeCity]) },
    rating: as(row[at.rating]),
    favorite: as(row[at.favorite]),
    creator: as(row[at.creator]),
    copyright: as(row[at.copyright]),
    keywords: as(row[at.keywords]),
    camera: as(row[at.camera]),
    exposure: as(row[at.exposure]),
    companion: as(row[at.companion]),
    externalId: as(row[at.externalId]),
    metadata: as(row[at.metadata]),
    importId: as(row[at.importId]),
    damaged: as(row[at.damaged]),
    originalLostAt: instantOrNull(row[at.originalLostAt]),
    thumbhash: as(row[at.thumbhash]),
    dominantColor: as(row[at.dominantColor]),
    phash: as(row[at.phash]),
    thumb: as(row[at.thumb]),
    trashedAt: instantOrNull(row[at.trashedAt]),
    purgeAt: instantOrNull(row[at.purgeAt]),
    createdAt: instantOf(as(row[at.createdAt])),
    updatedAt: instantOf(as(row[at.updatedAt])),
    version: as(row[at.version]),
  };
}

/** The same with its tags. */
export function taggedPhotoOf(row: JsonRow): PhotoWithTags {
  const tags = row.at(-1) as readonly (readonly [id: Id, name: string])[];
  return Object.assign(photoOf(row), { tags: tags.map(([id, name]) => ({ id, name })) });
}

/** The same, looked up for a photo `p`. */
export const tagsOfPhoto = `(
  SELECT ${tagsByName} FROM photo_tags l JOIN tags t ON t.customer_id = l.customer_id AND t.id = l.tag_id
  WHERE l.customer_id = p.customer_id AND l.photo_id = p.id
)`;

const selectPhotosWithTags = prepared(
  `SELECT ${taggedPhotoJson(tagsOfPhoto)} AS photo FROM photos p WHERE p.customer_id = $1 AND p.id = ${anyOf('$2::bigint[]')} ORDER BY p.id`,
);

const selectVisiblePhotos = prepared(
  `SELECT ${photoJson} AS photo FROM photos p JOIN customers c ON c.id = p.customer_id AND c.status <> 'closing'
   WHERE p.customer_id = $1 AND p.id = ${anyOf('$2::bigint[]')} AND NOT p.trashed`,
);

/** Returns the photos that exist, with their tags, by id ascending. */
export async function photosWithTags(
  manager: EntityManager,
  customerId: Id,
  ids: readonly Id[],
): Promise<readonly PhotoWithTags[]> {
  if (ids.length === 0) return [];
  const found = await select<{ photo: JsonRow }>(manager, selectPhotosWithTags, [customerId, ids]);
  return found.map(({ photo }) => taggedPhotoOf(photo));
}

/** Returns the photos that are not in the trash, unless their customer is `closing`; without their tags. */
export async function visiblePhotos(
  manager: EntityManager,
  customerId: Id,
  ids: readonly Id[],
): Promise<readonly Photo[]> {
  const found = await select<{ photo: JsonRow }>(manager, selectVisiblePhotos, [customerId, ids]);
  return found.map(({ photo }) => photoOf(photo));
}

/** Each time is one range of photos_taken_at. */
const selectTaken = prepared(
  `SELECT (SELECT count(*)::integer FROM (
     SELECT FROM photos p WHERE p.customer_id = $1 AND NOT p.trashed AND p.taken_at >= t.from_at AND p.taken_at < t.to_at
     LIMIT $4
   ) counted) AS photos
   FROM unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS t(from_at, to_at, place) ORDER BY t.place`,
);

/** For each two instants that follow each other, how many photos outside the trash were taken in between. */
export async function countTakenBetween(
  manager: EntityManager,
  customerId: Id,
  instants: readonly Date[],
  most: number,
): Promise<readonly number[]> {
  if (instants.length < 2) return [];
  const parameters = [customerId, instants.slice(0, -1), instants.slice(1), most];
  return (await select<{ photos: number }>(manager, selectTaken, parameters)).map(({ photos }) => photos);
}
