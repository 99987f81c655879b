import type { TakenAtSource } from '../../core/media/capture-time.js';
import type { FieldName, FieldValues } from '../../core/media/photo-fields.js';
import type { ExifTags } from '../../core/media/picture-metadata.js';
import type { PhotoEditResult } from '../../core/photos/edit-photo.js';
import { MAX_FILENAME, type PhotoWithTags } from '../../core/photos/photo.js';
import type { PhotoUrls } from '../../core/photos/renditions/signed-url.js';
import type { PhotoDeletionResult } from '../../core/photos/trash.js';
import type { ItemErrorCode } from '../../core/shared/errors.js';
import { ResponseModel } from '../../http/fields/declared.js';
import {
  Flag,
  IdOf,
  Instant,
  Models,
  Nested,
  OneOf,
  pageOf,
  Reference,
  StringMap,
  Text,
  WholeNumber,
} from '../../http/fields/fields.js';
import { instant, optionalInstant } from '../../http/responses/reply.js';
import { TagNameView, tagNameView } from '../tags/tag.view.js';
import { LOCAL_TIME, MetadataMap, Rotation, Sha256, ShownFields } from './photo-fields.js';
import {
  CameraView,
  CompanionView,
  ExposureView,
  FocusView,
  LocationView,
  PlaceView,
  RenditionUrlsView,
} from './photo-parts.view.js';

const DISPLAYED = 'as displayed: upright and after `rotation`.';

/** The class says nothing of the fields that `ShownFields` declares. */
const FieldsView = class {} as new () => {
  -readonly [Name in FieldName]: FieldValues[Name] extends readonly string[] ? string[] : FieldValues[Name];
};

@ShownFields(LocationView)
@ResponseModel('Photo', 'A photo in the library.')
export class PhotoView extends FieldsView {
  @IdOf({ description: 'The unique identifier of the photo, the same as that of its import item.', example: 90417 })
  id: number;

  @Text({
    description: 'The file name. Can be changed; need not be unique.',
    example: 'DSC_3701.jpg',
    min: 1,
    max: MAX_FILENAME,
  })
  filename: string;

  @Text({ description: 'Detected from the bytes, whatever was declared.', example: 'image/jpeg' })
  contentType: string;

  @WholeNumber({ description: 'The size of the original in bytes.', example: 25194033, min: 1 })
  sizeBytes: number;

  @Sha256()
  sha256: string;

  @WholeNumber({ description: `Width in pixels, ${DISPLAYED}`, example: 4016, min: 1 })
  width: number;

  @WholeNumber({ description: `Height in pixels, ${DISPLAYED}`, example: 6016, min: 1 })
  height: number;

  @WholeNumber({ description: 'The EXIF orientation that was applied, decided at import.', example: 8, min: 1, max: 8 })
  orientation: number;

  @Rotation('Additional clockwise rotation in degrees.')
  rotation: number;

  @Nested(FocusView, {
    description:
      'What crops of the photo keep in view. Stays on the same part of the photo when it is rotated. Null: the middle.',
    nullable: true,
  })
  focus: FocusView | null;

  @Instant({ description: 'When the photo was taken.', example: '2024-12-21T22:39:24.670Z', nullable: true })
  takenAt: string | null;

  @Text({
    description: "The time the camera's clock showed, without a time zone.",
    example: '2024-12-21T23:39:24.670',
    pattern: LOCAL_TIME,
    nullable: true,
  })
  takenAtLocal: string | null;

  @Text({
    description: "The time zone of the camera's clock: an IANA name, or a UTC offset such as `+01:00`.",
    example: '+01:00',
    nullable: true,
  })
  timeZone: string | null;

  @OneOf<TakenAtSource>(
    {
      exif_offset: 'a UTC offset in the file',
      gps_time: "the difference between GPS time and the camera's clock",
      gps_position: 'the time zone of the position',
      customer_default: 'the default time zone of the import or account: a guess',
      filename: 'the name of the file, and the time zone of the position or the default one: a guess',
      client: 'set by a client',
      none: 'unknown',
    },
    { description: 'How the time zone, and with it the instant, was determined.' },
  )
  takenAtSource: TakenAtSource;

  @Nested(PlaceView, {
    description:
      'Where that is: country, region and city. Null without a location, at sea, and for a short time after an update of the service for photos that were there before.',
    nullable: true,
  })
  place: PlaceView | null;

  @Nested(CameraView, { description: 'The camera the photo was taken with. Null if unknown.', nullable: true })
  camera: CameraView | null;

  @Nested(ExposureView, { description: 'The exposure settings. Null if unknown.', nullable: true })
  exposure: ExposureView | null;

  @Nested(CompanionView, {
    description:
      'The film of a motion photo. The download of the original with `Range: bytes=OFFSET-LAST`, where LAST is `offset` + `sizeBytes` - 1, is the film alone. Null if there is none.',
    nullable: true,
  })
  companion: CompanionView | null;

  @Models(TagNameView, { description: "The photo's tags, by name." })
  tags: TagNameView[];

  @MetadataMap()
  metadata: Record<string, string>;

  @IdOf({
    description: 'The import that added the photo. Remains set after the import is deleted, a year after it ended.',
    example: 7,
    nullable: true,
  })
  importId: number | null;

  @Flag({ description: 'Whether the file can be decoded only by ignoring errors in it.', example: false })
  damaged: boolean;

  @Instant({
    description:
      'When the stored original was found to be missing or damaged. Null if it is intact. Downloading it returns 503; import the same file again to repair it.',
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
    description: 'The colour that most of the photo is close to.',
    example: '#7a5c3e',
    pattern: '^#[0-9a-f]{6}$',
    nullable: true,
  })
  dominantColor: string | null;

  @Text({
    description:
      'A perceptual hash of the upright picture, before `rotation`: 64 bits, of which pictures that look alike share most. Null while it is not known, and for a plain picture. `similarTo` of the list of photos compares them.',
    example: '9f8b3a4c61d2e507',
    pattern: '^[0-9a-f]{16}$',
    nullable: true,
  })
  phash: string | null;

  @Instant({ description: 'When the photo was moved to the trash. Null if it is not in the trash.', nullable: true })
  trashedAt: string | null;

  @Instant({ description: 'When the photo will be deleted permanently.', nullable: true })
  purgeAt: string | null;

  @Instant({ description: 'When the photo was added to the library. Never changes.' })
  createdAt: string;

  @Instant({ description: 'When the photo or its set of tags was last changed.' })
  updatedAt: string;

  @WholeNumber({ description: 'Incremented by every change.', example: 1, min: 1 })
  version: number;

  @Nested(RenditionUrlsView, {
    description: 'Only with `include=urls`. Null for a key with an IP list.',
    nullable: true,
    sometimes: true,
  })
  urls?: RenditionUrlsView | null;

  @StringMap({
    description: 'Only with `include=exif`: the raw metadata of the file, by tag name; at most 64 KiB.',
    schema: {
      additionalProperties: { type: ['string', 'number'] },
      examples: [{ FNumber: 4, ISOSpeedRatings: 3200, LensModel: '24-120mm f/4' }],
    },
    sometimes: true,
  })
  exif?: Record<string, unknown>;
}

export const PhotoPage = pageOf('PhotoPage', 'A page of photos.', PhotoView);

export function photoView(photo: PhotoWithTags): PhotoView {
  const { focus, location, place, camera, exposure, companion } = photo;
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
    focus: focus && { x: focus.x, y: focus.y },
    title: photo.title,
    description: photo.description,
    takenAt: optionalInstant(photo.takenAt),
    takenAtLocal: photo.takenAtLocal,
    timeZone: photo.timeZone,
    takenAtSource: photo.takenAtSource,
    location: location && {
      latitude: location.latitude,
      longitude: location.longitude,
      altitude: location.altitude,
    },
    place: place && { country: place.country, region: place.region, city: place.city },
    camera: camera && { make: camera.make, model: camera.model, lens: camera.lens },
    exposure: exposure && {
      iso: exposure.iso,
      fNumber: exposure.fNumber,
      exposureTime: exposure.exposureTime,
      focalLength: exposure.focalLength,
      focalLength35mm: exposure.focalLength35mm,
      flash: exposure.flash,
    },
    companion: companion && {
      type: companion.type,
      contentType: companion.contentType,
      offset: companion.offset,
      sizeBytes: companion.sizeBytes,
    },
    rating: photo.rating,
    favorite: photo.favorite,
    creator: photo.creator,
    copyright: photo.copyright,
    keywords: [...photo.keywords],
    tags: photo.tags.map(tagNameView),
    externalId: photo.externalId,
    metadata: { ...photo.metadata },
    importId: photo.importId,
    damaged: photo.damaged,
    originalLostAt: optionalInstant(photo.originalLostAt),
    thumbhash: photo.thumbhash,
    dominantColor: photo.dominantColor,
    phash: photo.phash,
    trashedAt: optionalInstant(photo.trashedAt),
    purgeAt: optionalInstant(photo.purgeAt),
    createdAt: instant(photo.createdAt),
    updatedAt: instant(photo.updatedAt),
    version: photo.version,
  };
}

/** The fields that only `include` adds, after the others. */
export function photoExtrasView({ urls, exif }: { readonly urls?: PhotoUrls | null; readonly exif?: ExifTags | null }) {
  const urlsView = urls && {
    thumb: urls.thumb,
    small: urls.small,
    medium: urls.medium,
    large: urls.large,
    expiresAt: instant(urls.expiresAt),
  };
  return {
    ...(urlsView !== undefined && { urls: urlsView }),
    ...(exif !== undefined && { exif: { ...exif } }),
  };
}

@ResponseModel('PhotoEdit', 'The outcome for one photo.')
export class PhotoEditView {
  @IdOf({ description: 'The id of the photo.', example: 90417 })
  id: number;

  @OneOf<PhotoEditResult['outcome']>(
    {
      updated: 'changed',
      unchanged: 'it already had these values',
      not_found: 'it does not exist or is in the trash',
      error: 'the patch is not valid for this photo',
    },
    { description: 'What happened to the photo.' },
  )
  outcome: PhotoEditResult['outcome'];

  @Nested(PhotoView, {
    description: 'The photo after the change. Null if it does not exist or the patch is not valid for it.',
    nullable: true,
  })
  photo: PhotoView | null;

  @Reference('ItemError', { description: 'Why the patch is not valid for this photo.', nullable: true })
  error: { readonly code: ItemErrorCode; readonly message: string } | null;
}

@ResponseModel('PhotoEdits', 'The outcome for each photo, in the order of the ids.')
export class PhotoEditsView {
  @Models(PhotoEditView, { description: 'One outcome per distinct id.' })
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

@ResponseModel('PhotoDeletion', 'The outcome for one photo.')
export class PhotoDeletionView {
  @IdOf({ description: 'The id of the photo.', example: 90417 })
  id: number;

  @OneOf<PhotoDeletionResult['outcome']>(
    { deleted: 'it was deleted', not_found: 'it did not exist' },
    { description: 'What happened to the photo.' },
  )
  outcome: PhotoDeletionResult['outcome'];
}

@ResponseModel('PhotoDeletions', 'The outcome for each photo, in the order of the ids.')
export class PhotoDeletionsView {
  @Models(PhotoDeletionView, { description: 'One outcome per distinct id.' })
  data: PhotoDeletionView[];
}
