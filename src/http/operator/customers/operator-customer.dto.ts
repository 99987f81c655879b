import { MAX_CUSTOMER_NAME } from '../../../core/customers/customer.js';
import { type CustomerPatch, customerPatchErrors } from '../../../core/customers/edit-customer.js';
import { RequestModel } from '../../fields/declared.js';
import { Parameter, text } from '../../requests/parameters.js';
import { DefaultTimeZone, Name, PhotosLimit, StorageBytesLimit, TrashRetentionDays } from './customer-fields.js';

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
    description: 'The name of the account, exactly as it is: a wrong id must not erase somebody else.',
    example: 'ACME',
  })
  readonly name?: string;
}
