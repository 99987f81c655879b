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

/** A photo out of the columns that are read, and its tags where those were read too. */
export function photoOf<T extends Photo | TaggedPhoto>(row: Omit<PhotoRow, 'filenameKey' | 'cameraKey'>): T {
  const { latitude, longitude, altitude, ...rest } = row;
  const location = latitude === null || longitude === null ? null : { latitude, longitude, altitude };
  return { ...rest, location } as Photo as T;
}
