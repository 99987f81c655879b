import {
  type Customer,
  type CustomerStatus,
  MAX_CUSTOMER_NAME,
  MAX_RETENTION_DAYS,
} from '../../core/customers/customer.js';
import type { Erasure, RowCounts } from '../../core/customers/customer-directory.js';
import { type CustomerPatch, customerPatchErrors } from '../../core/customers/edit-customer.js';
import { MAX_ZONE } from '../../core/media/zones.js';
import { InlineModel, RequestModel, ResponseModel } from '../../http/fields/declared.js';
import {
  Count,
  Counts,
  type FieldOptions,
  Flag,
  IdOf,
  Instant,
  Nested,
  OneOf,
  pageOf,
  Text,
  WholeNumber,
} from '../../http/fields/fields.js';
import { Parameter, text } from '../../http/requests/parameters.js';
import { instant } from '../../http/responses/reply.js';

/** The fields of an account that an operator reads and writes alike. */
const Name = (options: FieldOptions = {}) =>
  Text({ description: 'The name of the account.', example: 'ACME', min: 1, max: MAX_CUSTOMER_NAME, ...options });

const DefaultTimeZone = () =>
  Text({
    description: 'The time zone of photos that do not state one, as an IANA name.',
    example: 'Europe/Paris',
    bound: MAX_ZONE,
  });

const TrashRetentionDays = () =>
  WholeNumber({
    description: 'The number of days a deleted photo can be restored. Photos in the trash keep their date.',
    example: 30,
    min: 1,
    max: MAX_RETENTION_DAYS,
  });

const StorageBytesLimit = () =>
  WholeNumber({
    description: 'Quota of originals in bytes, including the trash and files registered in open imports. Null: none.',
    example: 1e12,
    min: 0,
    nullable: true,
  });

const PhotosLimit = () =>
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

@ResponseModel('OperatorCustomer', 'The account of a customer, as the operator administers it.')
export class OperatorCustomerView {
  @IdOf({ description: 'The unique identifier of the account.', example: 1 })
  id: number;

  @Name()
  name: string;

  @OneOf<CustomerStatus>(
    { active: 'everything works', suspended: 'read-only', closing: 'being erased' },
    { description: 'The state of the account.' },
  )
  status: CustomerStatus;

  @DefaultTimeZone()
  defaultTimeZone: string;

  @TrashRetentionDays()
  trashRetentionDays: number;

  @StorageBytesLimit()
  storageBytesLimit: number | null;

  @PhotosLimit()
  photosLimit: number | null;

  @Instant({ description: 'When the account was created.' })
  createdAt: string;

  @Instant({ description: 'When the account was last changed.' })
  updatedAt: string;

  @WholeNumber({ description: 'Incremented by every change.', example: 1, min: 1 })
  version: number;
}

export const OperatorCustomerPage = pageOf('OperatorCustomerPage', 'A page of accounts.', OperatorCustomerView);

export function operatorCustomerView(customer: Customer): OperatorCustomerView {
  return {
    id: customer.id,
    name: customer.name,
    status: customer.status,
    defaultTimeZone: customer.defaultTimeZone,
    trashRetentionDays: customer.trashRetentionDays,
    storageBytesLimit: customer.storageBytesLimit,
    photosLimit: customer.photosLimit,
    createdAt: instant(customer.createdAt),
    updatedAt: instant(customer.updatedAt),
    version: customer.version,
  };
}

@InlineModel('Stored files by kind, and their bytes.')
class BlobCountsView {
  @Count('Originals.', 812)
  originals: number;

  @Count('Renditions.', 1624)
  renditions: number;

  @Count('Files of uploads that were not finished.', 0)
  staging: number;

  @Count('The bytes of all of them.', 6120331882)
  bytes: number;
}

@ResponseModel('Erasure', 'The proof of an erasure: what there was, what was removed, and what a final check found.')
export class ErasureView {
  @IdOf({ description: 'The id that the account had.', example: 1 })
  customerId: number;

  @Flag({
    description: 'The final check found no row, no stored file and no such account. If false, repeat the request.',
    example: true,
  })
  complete: boolean;

  @Instant({ description: 'When the erasure began.' })
  startedAt: string;

  @Instant({ description: 'When the final check ended.' })
  finishedAt: string;

  @Counts({ description: 'Rows before the erasure, by table.', example: { photos: 812, tags: 40 } })
  rowsBefore: RowCounts;

  @Counts({ description: 'Rows that the final check found, by table.', example: { photos: 0, tags: 0 } })
  rowsAfter: RowCounts;

  @Nested(BlobCountsView, {
    description: 'Stored files that this run removed. An interrupted run removed others before.',
  })
  filesRemoved: BlobCountsView;

  @Nested(BlobCountsView, { description: 'Stored files that the final check found.' })
  filesAfter: BlobCountsView;
}

export function erasureView(erasure: Erasure): ErasureView {
  return {
    customerId: erasure.customerId,
    complete: erasure.complete,
    startedAt: instant(erasure.startedAt),
    finishedAt: instant(erasure.finishedAt),
    rowsBefore: erasure.rowsBefore,
    rowsAfter: erasure.rowsAfter,
    filesRemoved: blobCountsView(erasure.blobsRemoved),
    filesAfter: blobCountsView(erasure.blobsAfter),
  };
}

function blobCountsView({ originals, renditions, staging, bytes }: Erasure['blobsAfter']): BlobCountsView {
  return { originals, renditions, staging, bytes };
}
