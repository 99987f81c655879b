import { defaultLimits } from '../../core/customers/limits.js';
import {
  type ClientField,
  clientFields,
  type FieldName,
  fieldNames,
  type GivenValues,
  type PhotoField,
  photoFields,
} from '../../core/media/photo-fields.js';
import { MAX_ZONE } from '../../core/media/zones.js';
import { MAX_FILENAME, MAX_METADATA_KEYS, MAX_METADATA_VALUE } from '../../core/photos/photo.js';
import { type Model, RequestModel } from '../../http/fields/declared.js';
import { Flag, Ids, Nested, OneOfNumbers, StringMap, Text, Texts, WholeNumber } from '../../http/fields/fields.js';
import { STORED, tagName } from '../tags/tag.dto.js';
import { LocationView } from './photo-parts.view.js';

export const LOCAL_TIME = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?$';

export const filename = {
  description: `A plain file name: no \`/\` or \`\\\`, no control characters, and not \`.\` or \`..\`. Need not be unique. ${STORED}`,
  example: 'DSC_3701.jpg',
  min: 1,
  max: MAX_FILENAME,
  pattern: '^[^/\\\\]+$',
};

export const Rotation = (description: string) => OneOfNumbers([0, 90, 180, 270], { description });

const value = {
  type: 'string',
  description: 'Your value, stored unchanged.',
  examples: ['ACME'],
  maxLength: MAX_METADATA_VALUE,
};
const keys = { propertyNames: { pattern: '^[A-Za-z0-9_.-]{1,40}$' }, examples: [{ client: 'ACME' }] };
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

export const PhotoTagIds = (description = 'The ids of existing tags. Unknown ids are refused.') =>
  Ids(defaultLimits.tagsPerPhoto, { description, example: [12, 15] });

export const PhotoTagNames = () =>
  Texts(defaultLimits.tagsPerPhoto, {
    description: 'The names of tags. Tags that do not exist are created, which requires `tags:write`.',
    example: ['Holiday'],
    maxEntry: tagName.max,
    item: {
      type: 'string',
      description: tagName.description,
      examples: [tagName.example],
      minLength: tagName.min,
      maxLength: tagName.max,
    },
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

@RequestModel('NewLocation', 'A position. Replaced as a whole.')
class LocationBody extends LocationView {}

/**
 * Declares the fields of a photo on a class, by their declarations in core.
 * @param nullable Whether null may stand for a value that a photo always has.
 */
function declareFields(
  names: readonly FieldName[],
  location: Model,
  about: (field: PhotoField) => string,
  nullable: boolean,
): ClassDecorator {
  return (model) => {
    for (const name of names) {
      const field: PhotoField = photoFields[name];
      const options = { description: about(field), nullable: nullable || field.empty === null };
      decoratorOf(field, options, location)((model as { prototype: object }).prototype, name);
    }
  };
}

function decoratorOf(
  field: PhotoField,
  words: { description: string; nullable: boolean },
  location: Model,
): PropertyDecorator {
  const options = { ...words, example: field.example as never };
  switch (field.kind) {
    case 'text':
      return Text({ ...options, max: field.max });
    case 'texts': {
      const item = { type: 'string', maxLength: field.max, description: 'One of them.', examples: [field.example[0]] };
      return Texts(field.maxEntries, { ...options, maxEntry: field.max, item });
    }
    case 'whole':
      return WholeNumber({ ...options, min: field.min, max: field.max });
    case 'flag':
      return Flag(options);
    case 'position':
      return Nested(location, words);
  }
}

export const ShownFields = (location: Model) => {
  const about = (field: PhotoField) =>
    field.setBy === 'client or file' ? `${field.about} Initially taken from the file.` : field.about;
  return declareFields(fieldNames, location, about, false);
};

export const DeclaredFields = (location: Model) => declareFields(clientFields, location, () => FROM_CLIENT, true);

/** The fields of a photo that a client gives. @param nullable Whether null may stand for a value that a photo always has. */
export const GivenFields = ({ nullable }: { readonly nullable: boolean }) => {
  const about = (field: PhotoField) => (field.kind === 'text' ? `${field.about} ${STORED}` : field.about);
  return declareFields(clientFields, LocationBody, about, nullable);
};

export const FROM_CLIENT = 'The value you provided, or null to take it from the file.';

/** The class says nothing of the fields that `GivenFields` declares. */
const GivenBody = class {} as new () => {
  -readonly [Name in ClientField]: GivenValues[Name];
};

/** The input for a photo, in the library or in an import. */
export class DescriptiveBody extends GivenBody {
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
}
