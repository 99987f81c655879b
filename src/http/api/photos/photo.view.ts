import type { TakenAtSource } from '../../../core/media/capture-time.js';
import type { ExifTags } from '../../../core/media/picture-metadata.js';
import { type RenditionName, renditionSizes } from '../../../core/media/renditions.js';
import type { PhotoEditResult } from '../../../core/photos/edit-photos.js';
import type { PhotoWithTags } from '../../../core/photos/photo.js';
import { MAX_DESCRIPTION, MAX_EXTERNAL_ID, MAX_FILENAME, MAX_TITLE } from '../../../core/photos/photo-values.js';
import type { PhotoUrls } from '../../../core/photos/rendition-urls.js';
import type { PhotoDeletionResult } from '../../../core/photos/trash-photos.js';
import type { ItemErrorCode } from '../../../core/shared/errors.js';
import { ResponseModel } from '../../fields/declared.js';
import {
  Decimal,
  Flag,
  IdOf,
  Instant,
  Models,
  Nested,
  OneOf,
  Reference,
  StringMap,
  Text,
  WholeNumber,
} from '../../fields/fields.js';
import { instant, optionalInstant } from '../../responses/wire.js';
import { TagNameView, tagNameView } from '../tags/tag.view.js';
import {
  Altitude,
  Height,
  Latitude,
  LOCAL_TIME,
  Longitude,
  MetadataMap,
  Rating,
  Rotation,
  Sha256,
  Width,
} from './photo-fields.js';

@ResponseModel('Location', 'Where it was taken.')
export class LocationView {
  @Latitude()
  latitude: number;

  @Longitude()
  longitude: number;

  @Altitude()
  altitude: number | null;
}

@ResponseModel('Camera', 'What it was taken with.')
export class CameraView {
  @Text({ description: 'Maker of the camera.', example: 'NIKON CORPORATION', nullable: true })
  make: string | null;

  @Text({ description: 'Model of the camera.', example: 'NIKON D750', nullable: true })
  model: string | null;

  @Text({ description: 'Lens.', example: '24-120mm f/4', nullable: true })
  lens: string | null;
}

@ResponseModel('Exposure', 'How it was exposed.')
export class ExposureView {
  @Decimal({ description: 'Sensitivity.', example: 3200, nullable: true })
  iso: number | null;

  @Decimal({ description: 'Aperture.', example: 4, nullable: true })
  fNumber: number | null;

  @Text({ description: 'Seconds, as people write them.', example: '1/60', nullable: true })
  exposureTime: string | null;

  @Decimal({ description: 'Millimetres.', example: 24, nullable: true })
  focalLength: number | null;

  @Decimal({ description: 'Millimetres on 35 mm film.', example: 24, nullable: true })
  focalLength35mm: number | null;

  @Flag({ description: 'Whether it fired.', example: false, nullable: true })
  flash: boolean | null;
}

const Url = (name: RenditionName) =>
  Text({
    description: `${renditionSizes[name]} pixels on its longest side.`,
    example: `https://photos.example/renditions/WzEsOTA0MTcs.${name}`,
    format: 'uri',
  });

@ResponseModel(
  'RenditionUrls',
  'Only with `include=urls`: addresses for `<img>`, good without a key for 12 to 24 hours, and the same within a half day for one key. They end with the key that asked for them. Null for a key with an IP list.',
)
export class RenditionUrlsView {
  @Url('thumb')
  thumb: string;

  @Url('small')
  small: string;

  @Url('medium')
  medium: string;

  @Url('large')
  large: string;

  @Instant({ description: 'When they stop working.' })
  expiresAt: string;
}

/** API.md §5.1. */
@ResponseModel('Photo', 'A photo of the library.')
export class PhotoView {
  @IdOf({ description: 'The same that its item in the import had.', example: 90417 })
  id: number;

  @Text({ description: 'May be changed; need not be unique.', example: 'DSC_3701.jpg', min: 1, max: MAX_FILENAME })
  filename: string;

  @Text({ description: 'Found in the bytes, whatever was said of them.', example: 'image/jpeg' })
  contentType: string;

  @WholeNumber({ description: 'Bytes of the original.', example: 25194033, min: 1 })
  sizeBytes: number;

  @Sha256()
  sha256: string;

  @Width()
  width: number;

  @Height()
  height: number;

  @WholeNumber({ description: 'The EXIF orientation in effect, decided at import.', example: 8, min: 1, max: 8 })
  orientation: number;

  @Rotation('Turned further by so many degrees, clockwise.')
  rotation: number;

  @Text({ description: 'At first what the file says.', example: 'Eiffel Tower', max: MAX_TITLE, nullable: true })
  title: string | null;

  @Text({
    description: 'At first what the file says.',
    example: 'From the Trocadéro.',
    max: MAX_DESCRIPTION,
    nullable: true,
  })
  description: string | null;

  @Instant({ description: 'The instant it was taken.', example: '2024-12-21T22:39:24.670Z', nullable: true })
  takenAt: string | null;

  @Text({
    description: 'What the clock of the camera showed then, without a zone.',
    example: '2024-12-21T23:39:24.670',
    pattern: LOCAL_TIME,
    nullable: true,
  })
  takenAtLocal: string | null;

  @Text({
    description: 'The zone of that clock: an IANA name, or an offset as `+01:00`.',
    example: '+01:00',
    nullable: true,
  })
  timeZone: string | null;

  @OneOf<TakenAtSource>(
    {
      exif_offset: 'an offset written in the file',
      gps_time: 'the UTC time of the GPS beside the clock',
      gps_position: 'the zone of the place',
      customer_default: 'the default zone of import or account: a guess',
      client: 'said by a client',
      none: 'nothing is known',
    },
    { description: 'Where the zone, and so the instant, comes from.' },
  )
  takenAtSource: TakenAtSource;

  @Nested(LocationView, { description: 'Where it was taken; null: not known.', nullable: true })
  location: LocationView | null;

  @Nested(CameraView, { description: 'What it was taken with; null: not known.', nullable: true })
  camera: CameraView | null;

  @Nested(ExposureView, { description: 'How it was exposed; null: not known.', nullable: true })
  exposure: ExposureView | null;

  @Rating()
  rating: number | null;

  @Models(TagNameView, { description: 'By name.' })
  tags: TagNameView[];

  @Text({ description: 'Your own id of it.', example: 'shoot-17/3701', max: MAX_EXTERNAL_ID, nullable: true })
  externalId: string | null;

  @MetadataMap()
  metadata: Record<string, string>;

  @IdOf({
    description: 'The import that brought it. Goes on being told when the import is forgotten, a year after its end.',
    example: 7,
    nullable: true,
  })
  importId: number | null;

  @Flag({ description: 'Whether the file can be read only by overlooking errors in it.', example: false })
  damaged: boolean;

  @Instant({
    description:
      'Since when the stored original is known to be missing or damaged; null: it is not. Its download answers 503. Import the same file again to bring it back.',
    nullable: true,
  })
  originalLostAt: string | null;

  @Text({
    description: 'A ThumbHash in base64: a blurred preview in 25 bytes.',
    example: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
    nullable: true,
  })
  thumbhash: string | null;

  @Text({
    description: 'What it looks like from far away.',
    example: '#7a5c3e',
    pattern: '^#[0-9a-f]{6}$',
    nullable: true,
  })
  dominantColor: string | null;

  @Instant({ description: 'When it was moved to the trash; null: it is not there.', nullable: true })
  trashedAt: string | null;

  @Instant({ description: 'When it will be deleted for ever.', nullable: true })
  purgeAt: string | null;

  @Instant({ description: 'When it came into the library. Never changes.' })
  createdAt: string;

  @Instant({ description: 'When it was last changed, its set of tags included.' })
  updatedAt: string;

  @WholeNumber({ description: 'Counts its changes.', example: 1, min: 1 })
  version: number;

  @Nested(RenditionUrlsView, {
    description: 'Only with `include=urls`. Null for a key with an IP list.',
    nullable: true,
    sometimes: true,
  })
  urls?: RenditionUrlsView | null;

  @StringMap({
    description:
      'Only with `include=exif`: what the file says, as it stands there, by the names of the tags; at most 64 KiB.',
    schema: {
      additionalProperties: { type: ['string', 'number'] },
      examples: [{ FNumber: 4, ISOSpeedRatings: 3200, LensModel: '24-120mm f/4' }],
    },
    sometimes: true,
  })
  exif?: Record<string, unknown>;
}

/** API.md §5.1, the fields of every photo. */
export function photoView(photo: PhotoWithTags): PhotoView {
  return {
    id: photo.id,
    filename: photo.filename,
    contentType: photo.contentType,
    sizeBytes: photo.sizeBytes,
    sha256: photo.sha256,
    width: photo.width,
    height: photo.height,
    orientation: photo.orientation,
    rotation: photo.rotation,
    title: photo.title,
    description: photo.description,
    takenAt: optionalInstant(photo.takenAt),
    takenAtLocal: photo.takenAtLocal,
    timeZone: photo.timeZone,
    takenAtSource: photo.takenAtSource,
    location: locationView(photo.location),
    camera: cameraView(photo.camera),
    exposure: exposureView(photo.exposure),
    rating: photo.rating,
    tags: photo.tags.map(tagNameView),
    externalId: photo.externalId,
    metadata: { ...photo.metadata },
    importId: photo.importId,
    damaged: photo.damaged,
    originalLostAt: optionalInstant(photo.originalLostAt),
    thumbhash: photo.thumbhash,
    dominantColor: photo.dominantColor,
    trashedAt: optionalInstant(photo.trashedAt),
    purgeAt: optionalInstant(photo.purgeAt),
    createdAt: instant(photo.createdAt),
    updatedAt: instant(photo.updatedAt),
    version: photo.version,
  };
}

/** API.md §7, 7. */
@ResponseModel('PhotoEdit', 'What became of one photo.')
export class PhotoEditView {
  @IdOf({ description: 'Of the photo.', example: 90417 })
  id: number;

  @OneOf<PhotoEditResult['outcome']>(
    {
      updated: 'changed',
      unchanged: 'it was so already',
      not_found: 'there is none, or it is in the trash',
      error: 'the patch does not fit it',
    },
    { description: 'What became of it.' },
  )
  outcome: PhotoEditResult['outcome'];

  @Nested(PhotoView, {
    description: 'As it is now; null where there is none, and where the patch does not fit.',
    nullable: true,
  })
  photo: PhotoView | null;

  @Reference('ItemError', { description: 'Why the patch does not fit.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;
}

@ResponseModel('PhotoEdits', 'What became of each photo, in the order of the ids.')
export class PhotoEditsView {
  @Models(PhotoEditView, { description: 'Each id once.' })
  data: PhotoEditView[];
}

export function photoEditView({ id, outcome, photo, error }: PhotoEditResult): PhotoEditView {
  return {
    id,
    outcome,
    photo: photo && photoView(photo),
    error: error && { code: error.code, message: error.message },
  };
}

/** API.md §7, 14. */
@ResponseModel('PhotoDeletion', 'What became of one photo.')
export class PhotoDeletionView {
  @IdOf({ description: 'Of the photo.', example: 90417 })
  id: number;

  @OneOf<PhotoDeletionResult['outcome']>(
    { deleted: 'it is gone', not_found: 'there was none' },
    { description: 'What became of it.' },
  )
  outcome: PhotoDeletionResult['outcome'];
}

@ResponseModel('PhotoDeletions', 'What became of each photo, in the order of the ids.')
export class PhotoDeletionsView {
  @Models(PhotoDeletionView, { description: 'Each id once.' })
  data: PhotoDeletionView[];
}

export function photoDeletionView({ id, outcome }: PhotoDeletionResult): PhotoDeletionView {
  return { id, outcome };
}

/** Fields of `include`; absent if not requested. */
export interface PhotoExtras {
  readonly urls?: PhotoUrls | null;
  readonly exif?: ExifTags | null;
}

export function photoWithExtras(photo: PhotoWithTags, { urls, exif }: PhotoExtras): PhotoView {
  return {
    ...photoView(photo),
    ...(urls !== undefined && { urls: urls && urlsView(urls) }),
    ...(exif !== undefined && { exif: { ...exif } }),
  };
}

export function locationView(location: PhotoWithTags['location']): LocationView | null {
  return location && { latitude: location.latitude, longitude: location.longitude, altitude: location.altitude };
}

function cameraView(camera: PhotoWithTags['camera']): CameraView | null {
  return camera && { make: camera.make, model: camera.model, lens: camera.lens };
}

function exposureView(exposure: PhotoWithTags['exposure']): ExposureView | null {
  return (
    exposure && {
      iso: exposure.iso,
      fNumber: exposure.fNumber,
      exposureTime: exposure.exposureTime,
      focalLength: exposure.focalLength,
      focalLength35mm: exposure.focalLength35mm,
      flash: exposure.flash,
    }
  );
}

function urlsView({ thumb, small, medium, large, expiresAt }: PhotoUrls): RenditionUrlsView {
  return { thumb, small, medium, large, expiresAt: instant(expiresAt) };
}
