import { MAX_DESCRIPTION, MAX_EXTERNAL_ID, MAX_TITLE } from '../../../core/photos/photo-values.js';
import { RequestModel } from '../../fields/declared.js';
import { Nested, Text } from '../../fields/fields.js';
import { STORED } from '../tags/tag-fields.js';
import { Altitude, Latitude, LOCAL_TIME, Longitude, Rating } from './photo-fields.js';

@RequestModel('NewLocation', 'A place, whole or not at all.')
export class LocationBody {
  @Latitude(true)
  latitude: number;

  @Longitude(true)
  longitude: number;

  @Altitude()
  altitude?: number | null;
}

/** The input for a photo, in the library or in an import (API.md §5.1). */
export class DescriptiveBody {
  @Text({ description: `A short name. ${STORED}`, example: 'Eiffel Tower', max: MAX_TITLE, nullable: true })
  title?: string | null;

  @Text({
    description: `More words. ${STORED}`,
    example: 'From the Trocadéro, just before the rain.',
    max: MAX_DESCRIPTION,
    nullable: true,
  })
  description?: string | null;

  @Text({
    description:
      'The instant, as RFC 3339 with its offset, which becomes the zone; sets `takenAtLocal` and `timeZone` too, and does not go with them.',
    example: '2024-12-21T23:39:24.670+01:00',
    format: 'date-time',
    nullable: true,
  })
  takenAt?: string | null;

  @Text({
    description: 'What the clock showed, without a zone. More than milliseconds are cut.',
    example: '2024-12-21T23:39:24.670',
    pattern: LOCAL_TIME,
    nullable: true,
  })
  takenAtLocal?: string | null;

  @Text({
    description: 'The zone of that clock: an IANA name, or an offset as `+01:00`.',
    example: 'Europe/Paris',
    nullable: true,
  })
  timeZone?: string | null;

  @Nested(LocationBody, { description: 'Where it was taken; null clears.', nullable: true })
  location?: LocationBody | null;

  @Rating()
  rating?: number | null;

  @Text({
    description: `Your own id of it. Can be looked for, need not be unique. ${STORED}`,
    example: 'shoot-17/3701',
    max: MAX_EXTERNAL_ID,
    nullable: true,
  })
  externalId?: string | null;
}
