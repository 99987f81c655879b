import type { Customer, CustomerStatus } from '../../core/customers/customer.js';
import type { Erasure, RowCounts } from '../../core/customers/customer-directory.js';
import { InlineModel, ResponseModel } from '../../http/fields/declared.js';
import { Count, Counts, Flag, IdOf, Instant, Nested, OneOf, pageOf, WholeNumber } from '../../http/fields/fields.js';
import { instant } from '../../http/responses/reply.js';
import { DefaultTimeZone, Name, PhotosLimit, StorageBytesLimit, TrashRetentionDays } from './customers.dto.js';

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
