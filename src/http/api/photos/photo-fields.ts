import { defaultLimits } from '../../../core/customers/limits.js';
import {
  MAX_ALTITUDE,
  MAX_EXTERNAL_ID,
  MAX_FILENAME,
  MAX_FOCUS,
  MAX_LATITUDE,
  MAX_LONGITUDE,
  MAX_METADATA_KEYS,
  MAX_METADATA_VALUE,
  MAX_RATING,
  MIN_ALTITUDE,
  MIN_FOCUS,
} from '../../../core/photos/photo-values.js';
import { Decimal, OneOfNumbers, StringMap, Text, WholeNumber } from '../../fields/fields.js';
import { Ids, Texts } from '../../fields/lists.js';
import { STORED, tagName } from '../tags/tag-fields.js';

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

/** How many keys a patch may have depends on how many are null, which is beyond a schema. */
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
