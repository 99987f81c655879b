import { MAX_CUSTOMER_NAME, MAX_RETENTION_DAYS } from '../../core/customers/customer.js';
import { type CustomerPatch, customerPatchErrors } from '../../core/customers/edit-customer.js';
import { MAX_ZONE } from '../../core/media/zones.js';
import { RequestModel } from '../../http/fields/declared.js';
import { type FieldOptions, Text, WholeNumber } from '../../http/fields/fields.js';
import { Parameter, text } from '../../http/requests/parameters.js';

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

const readOnly = {
  id: 'it is assigned by the service.',
  status: 'POST …/suspend and …/resume change it.',
  createdAt: 'it is maintained by the service.',
  updatedAt: 'it is maintained by the service.',
  version: 'it is maintained by the service.',
};

@RequestModel('NewOperatorCustomer', 'An account to create.')
export class OperatorCustomerCreationBody {
  static readonly readOnly = { ...readOnly, trashRetentionDays: 'it is 30 at first; PATCH changes it.' };
  static readonly valueErrors = (body: CustomerPatch) => customerPatchErrors(body);

  @Name({ required: true })
  name: string;

  @DefaultTimeZone()
  defaultTimeZone?: string;

  @StorageBytesLimit()
  storageBytesLimit?: number | null;

  @PhotosLimit()
  photosLimit?: number | null;
}

@RequestModel(
  'OperatorCustomerPatch',
  'The values to change. Omitted fields keep their value; null removes a quota. Limits below what is used refuse new photos and remove none.',
)
export class OperatorCustomerPatchBody {
  static readonly readOnly = readOnly;
  static readonly valueErrors = (body: CustomerPatch) => customerPatchErrors(body);

  @Name()
  name?: string;

  @DefaultTimeZone()
  defaultTimeZone?: string;

  @TrashRetentionDays()
  trashRetentionDays?: number;

  @StorageBytesLimit()
  storageBytesLimit?: number | null;

  @PhotosLimit()
  photosLimit?: number | null;
}

export class ErasureQuery {
  @Parameter(text(MAX_CUSTOMER_NAME), {
    description: 'The name of the account, exactly as it is: a wrong id must not erase someone else.',
    example: 'ACME',
  })
  readonly name?: string;
}
