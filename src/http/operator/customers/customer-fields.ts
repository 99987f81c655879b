import { MAX_CUSTOMER_NAME, MAX_RETENTION_DAYS } from '../../../core/customers/customer.js';
import { MAX_ZONE } from '../../../core/media/zones.js';
import { type FieldOptions, Text, WholeNumber } from '../../fields/fields.js';

/** The fields of an account that an operator reads and writes alike. */
export const Name = (options: FieldOptions = {}) =>
  Text({ description: 'The name of the account.', example: 'ACME', min: 1, max: MAX_CUSTOMER_NAME, ...options });

export const DefaultTimeZone = () =>
  Text({
    description: 'The time zone of photos that do not state one, as an IANA name.',
    example: 'Europe/Paris',
    bound: MAX_ZONE,
  });

export const TrashRetentionDays = () =>
  WholeNumber({
    description: 'The number of days a deleted photo can be restored. Photos in the trash keep their date.',
    example: 30,
    min: 1,
    max: MAX_RETENTION_DAYS,
  });

export const StorageBytesLimit = () =>
  WholeNumber({
    description: 'Quota of originals in bytes, including the trash and files registered in open imports. Null: none.',
    example: 1e12,
    min: 0,
    nullable: true,
  });

export const PhotosLimit = () =>
  WholeNumber({
    description: 'Quota of photos, including the trash and files registered in open imports. Null: none.',
    example: 1e6,
    min: 0,
    nullable: true,
  });
