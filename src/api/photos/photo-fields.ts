import { defaultLimits } from '../../core/customers/limits.js';
import type { TakenAtSource } from '../../core/media/capture-time.js';
import { MAX_ZONE } from '../../core/media/zones.js';
import {
  MAX_ALTITUDE,
  MAX_DESCRIPTION,
  MAX_EXTERNAL_ID,
  MAX_FILENAME,
  MAX_FOCUS,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  MAX_METADATA_KEYS,
  MAX_METADATA_VALUE,
  MAX_RATING,
  MAX_TITLE,
  MIN_ALTITUDE,
  MIN_FOCUS,
} from '../../core/photos/photo-values.js';
import { RequestModel } from '../../http/fields/declared.js';
import {
  Decimal,
  Ids,
  Nested,
  OneOf,
  OneOfNumbers,
  StringMap,
  Text,
  Texts,
  WholeNumber,
} from '../../http/fields/fields.js';
import { STORED, tagName } from '../tags/tag.dto.js';

/** Fields that several classes of photos and imports have. */

export const LOCAL_TIME = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?$';
const METADATA_KEY = '^[A-Za-z0-9_.-]{1,40}$';

/** The name of a file that a client sends. */
export const filename = {
  description: `A plain file name: no \`/\` or \`\\\`, no control characters, and not \`.\` or \`..\`. Need not be unique. ${STORED}`,
  example: 'DSC_3701.jpg',
  min: 1,
  max: MAX_FILENAME,
  pattern: '^[^/\\\\]+$',
};

export const Latitude = (required = false) =>
  Decimal({
    description: 'Degrees north of the equator (WGS 84).',
    example: 48.85837,
    min: -MAX_LATITUDE,
    max: MAX_LATITUDE,
    required,
  });

export const Longitude = (required = false) =>
  Decimal({
    description: 'Degrees east of Greenwich (WGS 84).',
    example: 2.294481,
    min: -MAX_LONGITUDE,
    max: MAX_LONGITUDE,
    required,
  });

export const Altitude = () =>
  Decimal({
    description: 'Metres above sea level. Null if unknown.',
    example: 35.4,
    min: MIN_ALTITUDE,
    max: MAX_ALTITUDE,
    nullable: true,
  });

export const FocusX = (required = false) => focusCoordinate('From the left edge (0) to the right (1).', 0.35, required);
export const FocusY = (required = false) => focusCoordinate('From the top edge (0) to the bottom (1).', 0.2, required);

export const Rating = (description = 'A rating in stars. Null if unrated.') =>
  WholeNumber({ description, example: 4, min: 0, max: MAX_RATING, nullable: true });

export const ExternalId = (description: string) =>
  Text({ description, example: 'shoot-17/3701', max: MAX_EXTERNAL_ID, nullable: true });

export const Rotation = (description: string) => OneOfNumbers([0, 90, 180, 270], { description });

const value = {
  type: 'string',
  description: 'Your value, stored unchanged.',
  examples: ['ACME'],
  maxLength: MAX_METADATA_VALUE,
};
const keys = { propertyNames: { pattern: METADATA_KEY }, examples: [{ client: 'ACME' }] };
const metadataWords = (what: string) => `${what} At most ${MAX_METADATA_KEYS} keys of 1 to 40 characters.`;

export const MetadataMap = () =>
  StringMap({
    description: metadataWords('Your own key-value pairs.'),
    maxValue: MAX_METADATA_VALUE,
    schema: { additionalProperties: value, maxProperties: MAX_METADATA_KEYS, ...keys },
  });

/** A patch of metadata. The number of keys that it may have depends on how many are null, which is beyond a schema. */
export const MetadataPatch = () =>
  StringMap({
    nulls: true,
    description: metadataWords('Merged key by key; null removes a key.'),
    maxValue: MAX_METADATA_VALUE,
    schema: { additionalProperties: { ...value, type: ['string', 'null'] }, ...keys },
  });

const tagNameSchema = {
  type: 'string',
  description: tagName.description,
  examples: [tagName.example],
  minLength: tagName.min,
  maxLength: tagName.max,
};

/** The tags of one photo in a list of ids. */
export const PhotoTagIds = (description = 'The ids of existing tags. Unknown ids are refused.') =>
  Ids(defaultLimits.tagsPerPhoto, { description, example: [12, 15] });

/** The tags of one photo in a list of names. */
export const PhotoTagNames = () =>
  Texts(defaultLimits.tagsPerPhoto, {
    description: 'The names of tags. Tags that do not exist are created, which requires `tags:write`.',
    example: ['Holiday'],
    maxEntry: tagName.max,
    item: tagNameSchema,
  });

export const Sha256 = (
  description = 'The SHA-256 of the original, in lowercase hex.',
  { nullable = false }: { readonly nullable?: boolean } = {},
) =>
  Text({
    description,
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    pattern: '^[0-9a-f]{64}$',
    nullable,
  });

export const Width = () => side('Width', 4016);
export const Height = () => side('Height', 6016);

function side(name: string, example: number): PropertyDecorator {
  const description = `${name} in pixels, as displayed: upright and after \`rotation\`.`;
  return WholeNumber({ description, example, min: 1 });
}

function focusCoordinate(description: string, example: number, required: boolean): PropertyDecorator {
  return Decimal({ description, example, min: MIN_FOCUS, max: MAX_FOCUS, required });
}

/** Fields of a photo that follow from its file. */

export const ThumbHash = () =>
  Text({
    description: 'A ThumbHash in base64: a blurred preview in 25 bytes.',
    example: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
    nullable: true,
  });

export const DominantColor = () =>
  Text({
    description: 'The colour that most of the photo is close to.',
    example: '#7a5c3e',
    pattern: '^#[0-9a-f]{6}$',
    nullable: true,
  });

export const PerceptualHash = () =>
  Text({
    description:
      'A perceptual hash of the upright picture, before `rotation`: 64 bits, of which pictures that look alike share most. Null while it is not known, and for a plain picture. `similarTo` of the list of photos compares them.',
    example: '9f8b3a4c61d2e507',
    pattern: '^[0-9a-f]{16}$',
    nullable: true,
  });

export const TakenAtSourceField = () =>
  OneOf<TakenAtSource>(
    {
      exif_offset: 'a UTC offset in the file',
      gps_time: "the difference between GPS time and the camera's clock",
      gps_position: 'the time zone of the position',
      customer_default: 'the default time zone of the import or account: a guess',
      client: 'set by a client',
      none: 'unknown',
    },
    { description: 'How the time zone, and with it the instant, was determined.' },
  );

export const RawMetadata = () =>
  StringMap({
    description: 'Only with `include=exif`: the raw metadata of the file, by tag name; at most 64 KiB.',
    schema: {
      additionalProperties: { type: ['string', 'number'] },
      examples: [{ FNumber: 4, ISOSpeedRatings: 3200, LensModel: '24-120mm f/4' }],
    },
    sometimes: true,
  });

@RequestModel('NewLocation', 'A position. Replaced as a whole.')
export class LocationBody {
  @Latitude(true)
  latitude: number;

  @Longitude(true)
  longitude: number;

  @Altitude()
  altitude?: number | null;
}

/** The input for a photo, in the library or in an import. */
export class DescriptiveBody {
  @Text({ description: `A short title. ${STORED}`, example: 'Eiffel Tower', max: MAX_TITLE, nullable: true })
  title?: string | null;

  @Text({
    description: `A longer text. ${STORED}`,
    example: 'From the Trocadéro, just before the rain.',
    max: MAX_DESCRIPTION,
    nullable: true,
  })
  description?: string | null;

  @Text({
    description:
      'When the photo was taken: RFC 3339 with a UTC offset, which becomes the time zone. Sets `takenAtLocal` and `timeZone` as well, and cannot be combined with them.',
    example: '2024-12-21T23:39:24.670+01:00',
    format: 'date-time',
    bound: 100,
    nullable: true,
  })
  takenAt?: string | null;

  @Text({
    description:
      'The wall-clock time when the photo was taken, without a time zone. Digits beyond milliseconds are dropped.',
    example: '2024-12-21T23:39:24.670',
    pattern: LOCAL_TIME,
    bound: 100,
    nullable: true,
  })
  takenAtLocal?: string | null;

  @Text({
    description: 'The time zone of the wall-clock time: an IANA name, or a UTC offset such as `+01:00`.',
    example: 'Europe/Paris',
    bound: MAX_ZONE,
    nullable: true,
  })
  timeZone?: string | null;

  @Nested(LocationBody, { description: 'Where the photo was taken. Null removes the position.', nullable: true })
  location?: LocationBody | null;

  @Rating()
  rating?: number | null;

  @ExternalId(`Your own identifier for the photo. You can search by it; it need not be unique. ${STORED}`)
  externalId?: string | null;
}
