import type { TakenAtSource } from '../../core/media/capture-time.js';
import { type RenditionName, renditionSizes } from '../../core/media/renditions.js';
import type { PhotoEditResult } from '../../core/photos/edit-photos.js';
import type { PhotoDeletionResult } from '../../core/photos/trash-photos.js';
import type { PhotoPatchBody, PhotoTagsBody } from '../api/photos/photo.dto.js';
import type { photoDeletionView, photoEditView, photoView, photoWithExtras } from '../api/photos/photo.view.js';
import {
  altitude,
  filename,
  LOCAL_TIME,
  latitude,
  longitude,
  metadata,
  metadataPatch,
  newLocation,
  photoInputFields,
  tagIds,
  tagNames,
} from './descriptive.js';
import type { Schema } from './schema.js';
import {
  answer,
  body,
  decimal,
  flag,
  id,
  instant,
  listOf,
  listSchema,
  oneOf,
  orNull,
  ref,
  text,
  whole,
} from './schema.js';

export type PhotoAnswer = ReturnType<typeof photoView>;
type Extras = ReturnType<typeof photoWithExtras>;
type Urls = NonNullable<Extras['urls']>;

const url = (name: RenditionName) =>
  text(
    `${renditionSizes[name]} pixels on its longest side.`,
    `https://photos.example/renditions/WzEsOTA0MTcs.${name}`,
    {
      format: 'uri',
    },
  );

export const sha256 = text(
  'SHA-256 of the original, in lower-case hex.',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  { pattern: '^[0-9a-f]{64}$' },
);
export const contentType = text('Found in the bytes, whatever was said of them.', 'image/jpeg');
export const side = (name: string): Schema =>
  whole(`${name} in pixels, as shown: upright and after \`rotation\`.`, 4016, { minimum: 1 });
const dimension = { width: side('Width'), height: { ...side('Height'), examples: [6016] } };

/** All a photo is, as GET shows it. */
export const photoFields = {
  id: id('The same that its item in the import had.', 90417),
  filename: text('May be changed; need not be unique.', 'DSC_3701.jpg', { minLength: 1, maxLength: 255 }),
  contentType,
  sizeBytes: whole('Bytes of the original.', 25194033, { minimum: 1 }),
  sha256,
  ...dimension,
  orientation: whole('The EXIF orientation in effect, decided at import.', 8, { minimum: 1, maximum: 8 }),
  rotation: {
    type: 'integer',
    enum: [0, 90, 180, 270],
    description: 'Turned further by so many degrees, clockwise.',
    examples: [0],
  },
  title: orNull(text('At first what the file says.', 'Eiffel Tower', { maxLength: 255 })),
  description: orNull(text('At first what the file says.', 'From the Trocadéro.', { maxLength: 10_000 })),
  takenAt: orNull(instant('The instant it was taken.', '2024-12-21T22:39:24.670Z')),
  takenAtLocal: orNull(
    text('What the clock of the camera showed then, without a zone.', '2024-12-21T23:39:24.670', {
      pattern: LOCAL_TIME,
    }),
  ),
  timeZone: orNull(text('The zone of that clock: an IANA name, or an offset as `+01:00`.', '+01:00')),
  takenAtSource: oneOf<TakenAtSource>('Where the zone, and so the instant, comes from.', {
    exif_offset: 'an offset written in the file',
    gps_time: 'the UTC time of the GPS beside the clock',
    gps_position: 'the zone of the place',
    customer_default: 'the default zone of import or account: a guess',
    client: 'said by a client',
    none: 'nothing is known',
  }),
  location: orNull(ref('Location', { description: 'Where it was taken; null: not known.' })),
  camera: orNull(ref('Camera', { description: 'What it was taken with; null: not known.' })),
  exposure: orNull(ref('Exposure', { description: 'How it was exposed; null: not known.' })),
  rating: orNull(whole('Stars; null: none given.', 4, { minimum: 0, maximum: 5 })),
  tags: listOf('By name.', ref('TagName')),
  externalId: orNull(text('Your own id of it.', 'shoot-17/3701', { maxLength: 255 })),
  metadata,
  importId: orNull(
    id('The import that brought it. Goes on being told when the import is forgotten, a year after its end.', 7),
  ),
  damaged: flag('Whether the file can be read only by overlooking errors in it.', false),
  originalLostAt: orNull(
    instant(
      'Since when the stored original is known to be missing or damaged; null: it is not. Its download answers 503. Import the same file again to bring it back.',
    ),
  ),
  thumbhash: orNull(text('A ThumbHash in base64: a blurred preview in 25 bytes.', '1QcSHQRnh493V4dIh4eXh1h4kJUI')),
  dominantColor: orNull(text('What it looks like from far away.', '#7a5c3e', { pattern: '^#[0-9a-f]{6}$' })),
  trashedAt: orNull(instant('When it was moved to the trash; null: it is not there.')),
  purgeAt: orNull(instant('When it will be deleted for ever.')),
  createdAt: instant('When it came into the library. Never changes.'),
  updatedAt: instant('When it was last changed, its set of tags included.'),
  version: whole('Counts its changes.', 1, { minimum: 1 }),
} as const;

export const photoSchemas: Readonly<Record<string, Schema>> = {
  Photo: answer<Extras>(
    'A photo of the library.',
    {
      ...photoFields,
      urls: orNull(ref('RenditionUrls', { description: 'Only with `include=urls`. Null for a key with an IP list.' })),
      exif: {
        type: 'object',
        description:
          'Only with `include=exif`: what the file says, as it stands there, by the names of the tags; at most 64 KiB.',
        additionalProperties: { type: ['string', 'number'] },
        examples: [{ FNumber: 4, ISOSpeedRatings: 3200, LensModel: '24-120mm f/4' }],
      },
    },
    { sometimes: ['urls', 'exif'] },
  ),
  PhotoPage: listSchema('A page of photos.', ref('Photo')),
  Location: answer<NonNullable<PhotoAnswer['location']>>('Where it was taken.', { latitude, longitude, altitude }),
  NewLocation: newLocation,
  Camera: answer<NonNullable<PhotoAnswer['camera']>>('What it was taken with.', {
    make: orNull(text('Maker of the camera.', 'NIKON CORPORATION')),
    model: orNull(text('Model of the camera.', 'NIKON D750')),
    lens: orNull(text('Lens.', '24-120mm f/4')),
  }),
  Exposure: answer<NonNullable<PhotoAnswer['exposure']>>('How it was exposed.', {
    iso: orNull(decimal('Sensitivity.', 3200)),
    fNumber: orNull(decimal('Aperture.', 4)),
    exposureTime: orNull(text('Seconds, as people write them.', '1/60')),
    focalLength: orNull(decimal('Millimetres.', 24)),
    focalLength35mm: orNull(decimal('Millimetres on 35 mm film.', 24)),
    flash: orNull(flag('Whether it fired.', false)),
  }),
  RenditionUrls: answer<Urls>(
    'Only with `include=urls`: addresses for `<img>`, good without a key for 12 to 24 hours, and the same within a half day for one key. They end with the key that asked for them. Null for a key with an IP list.',
    {
      thumb: url('thumb'),
      small: url('small'),
      medium: url('medium'),
      large: url('large'),
      expiresAt: instant('When they stop working.'),
    },
  ),
  PhotoPatch: body<PhotoPatchBody>('What is to change. What is left out stays; null clears.', {
    ...photoInputFields,
    filename,
    rotation: { ...photoFields.rotation, description: 'Turn by so many degrees in all, clockwise.' },
    metadata: metadataPatch,
    trashed: {
      type: 'boolean',
      const: false,
      description: '`false` brings it back from the trash.',
      examples: [false],
    },
  }),
  PhotoTags: body<PhotoTagsBody>(
    'The new set of tags; at least one of the two lists.',
    { tagIds, tagNames },
    { minProperties: 1 },
  ),
  PhotoEdits: answer('What became of each photo, in the order of the ids.', {
    data: listOf('Each id once.', ref('PhotoEdit')),
  }),
  PhotoEdit: answer<ReturnType<typeof photoEditView>>('What became of one photo.', {
    id: id('Of the photo.', 90417),
    outcome: oneOf<PhotoEditResult['outcome']>('What became of it.', {
      updated: 'changed',
      unchanged: 'it was so already',
      not_found: 'there is none, or it is in the trash',
      error: 'the patch does not fit it',
    }),
    photo: orNull(
      ref('Photo', { description: 'As it is now; null where there is none, and where the patch does not fit.' }),
    ),
    error: orNull(ref('ItemError', { description: 'Why the patch does not fit.' })),
  }),
  PhotoDeletions: answer('What became of each photo, in the order of the ids.', {
    data: listOf('Each id once.', ref('PhotoDeletion')),
  }),
  PhotoDeletion: answer<ReturnType<typeof photoDeletionView>>('What became of one photo.', {
    id: id('Of the photo.', 90417),
    outcome: oneOf<PhotoDeletionResult['outcome']>('What became of it.', {
      deleted: 'it is gone',
      not_found: 'there was none',
    }),
  }),
};
