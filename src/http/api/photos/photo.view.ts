import type { TakenAtSource } from '../../../core/media/capture-time.js';
import type { ExifTags } from '../../../core/media/picture-metadata.js';
import type { PhotoWithTags } from '../../../core/photos/photo.js';
import { MAX_DESCRIPTION, MAX_EXTERNAL_ID, MAX_FILENAME, MAX_TITLE } from '../../../core/photos/photo-values.js';
import type { PhotoUrls } from '../../../core/photos/rendition-urls.js';
import { ResponseModel } from '../../fields/declared.js';
import { Flag, IdOf, Instant, Models, Nested, OneOf, StringMap, Text, WholeNumber } from '../../fields/fields.js';
import { instant, optionalInstant } from '../../responses/wire.js';
import { TagNameView, tagNameView } from '../tags/tag.view.js';
import { Height, LOCAL_TIME, MetadataMap, Rating, Rotation, Sha256, Width } from './photo-fields.js';
import {
  CameraView,
  cameraView,
  ExposureView,
  exposureView,
  LocationView,
  locationView,
  RenditionUrlsView,
  urlsView,
} from './photo-parts.view.js';

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
