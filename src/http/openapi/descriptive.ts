import { defaultLimits } from '../../core/customers/limits.js';
import { MAX_METADATA_KEYS } from '../../core/photos/photo-values.js';
import type { DescriptiveBody, LocationBody } from '../api/photos/descriptive.dto.js';
import { STORED as stored, tagName } from '../api/tags/tag-fields.js';
import { body, decimal, type Fields, listOf, mapOf, orNull, ref, type Schema, text, whole } from './schema.js';

export const LOCAL_TIME = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?$';
const METADATA_KEY = '^[A-Za-z0-9_.-]{1,40}$';

export const latitude = decimal('Degrees north of the equator (WGS84).', 48.85837, { minimum: -90, maximum: 90 });
export const longitude = decimal('Degrees east of Greenwich (WGS84).', 2.294481, { minimum: -180, maximum: 180 });
export const altitude = orNull(
  decimal('Metres above sea level; null: not known.', 35.4, { minimum: -12_000, maximum: 100_000 }),
);

export const filename = text(
  `A plain file name: no \`/\` or \`\\\`, no control characters, not \`.\` or \`..\`. Need not be unique. ${stored}`,
  'DSC_3701.jpg',
  { minLength: 1, maxLength: 255, pattern: '^[^/\\\\]+$' },
);

/** What a client may say of a photo, in the library or still to come. */
export const photoInputFields: Fields<DescriptiveBody> = {
  title: orNull(text(`A short name. ${stored}`, 'Eiffel Tower', { maxLength: 255 })),
  description: orNull(
    text(`More words. ${stored}`, 'From the Trocadéro, just before the rain.', { maxLength: 10_000 }),
  ),
  takenAt: orNull(
    text(
      'The instant, as RFC 3339 with its offset, which becomes the zone; sets `takenAtLocal` and `timeZone` too, and does not go with them.',
      '2024-12-21T23:39:24.670+01:00',
      { format: 'date-time' },
    ),
  ),
  takenAtLocal: orNull(
    text('What the clock showed, without a zone. More than milliseconds are cut.', '2024-12-21T23:39:24.670', {
      pattern: LOCAL_TIME,
    }),
  ),
  timeZone: orNull(text('The zone of that clock: an IANA name, or an offset as `+01:00`.', 'Europe/Paris')),
  location: orNull(ref('NewLocation', { description: 'Where it was taken; null clears.' })),
  rating: orNull(whole('Stars; null: none given.', 4, { minimum: 0, maximum: 5 })),
  externalId: orNull(
    text(`Your own id of it. Can be looked for, need not be unique. ${stored}`, 'shoot-17/3701', { maxLength: 255 }),
  ),
};

export const newLocation = body<LocationBody>(
  'A place, whole or not at all.',
  { latitude, longitude, altitude },
  {
    required: ['latitude', 'longitude'],
  },
);

const value = text('Your value, kept as it is.', 'ACME', { maxLength: 500 });

function metadataOf(description: string, values: Schema): Schema {
  const rules = {
    maxProperties: MAX_METADATA_KEYS,
    propertyNames: { pattern: METADATA_KEY },
    examples: [{ client: 'ACME' }],
  };
  return mapOf(`${description} At most ${MAX_METADATA_KEYS} keys of 1 to 40 characters.`, values, rules);
}

export const metadata = metadataOf('Your own names and values.', value);

/** How many keys a patch may have depends on how many are null, which is beyond a schema. */
export const metadataPatch: Schema = (() => {
  const { maxProperties: _, ...rules } = metadataOf('Merged key by key; null removes one.', orNull(value));
  return rules;
})();

/** Limits of the installation are not written as `maxItems`: its operator may change them. */
export const tagIds = listOf('Tags by id; one that is not there is refused.', ref('Id'), {
  maxItems: defaultLimits.tagsPerPhoto,
  examples: [[12, 15]],
});

const { description, example, min, max } = tagName;
const tagNameSchema = text(description, example, { minLength: min, maxLength: max });

export const tagNames = listOf(
  'Tags by name. Those that are not there are made, which needs `tags:write`.',
  tagNameSchema,
  {
    maxItems: defaultLimits.tagsPerPhoto,
    examples: [['Holiday']],
  },
);
