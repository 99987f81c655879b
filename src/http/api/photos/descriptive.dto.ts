import { MAX_ZONE } from '../../../core/media/zones.js';
import { MAX_DESCRIPTION, MAX_TITLE } from '../../../core/photos/photo-values.js';
import { RequestModel } from '../../fields/declared.js';
import { Nested, Text } from '../../fields/fields.js';
import { STORED } from '../tags/tag-fields.js';
import { Altitude, ExternalId, Latitude, LOCAL_TIME, Longitude, Rating } from './photo-fields.js';

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
