import { defaultLimits } from '../../../core/customers/limits.js';
import { Decimal, Ids, Nested, Text, Texts } from '../../fields/fields.js';

export class LocationBody {
  @Decimal({ required: true })
  latitude: number;

  @Decimal({ required: true })
  longitude: number;

  @Decimal({ nullable: true })
  altitude?: number | null;
}

/** The input for a photo, in the library or in an import (API.md §5.1). */
export class DescriptiveBody {
  @Text({ nullable: true })
  title?: string | null;

  @Text({ nullable: true })
  description?: string | null;

  @Text({ nullable: true })
  takenAt?: string | null;

  @Text({ nullable: true })
  takenAtLocal?: string | null;

  @Text({ nullable: true })
  timeZone?: string | null;

  @Nested(LocationBody, { nullable: true })
  location?: LocationBody | null;

  @Decimal({ nullable: true })
  rating?: number | null;

  @Text({ nullable: true })
  externalId?: string | null;
}

/** The tags of one photo in a list of ids. */
export const PhotoTagIds = () => Ids(defaultLimits.tagsPerPhoto);

/** The tags of one photo in a list of names. */
export const PhotoTagNames = () => Texts(defaultLimits.tagsPerPhoto);
