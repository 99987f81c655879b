import { Controller, Delete, Inject } from '@nestjs/common';
import type { Actor } from '../../core/audit/audit-entry.js';
import { MAX_CUSTOMER_NAME } from '../../core/customers/customer.js';
import type { Erasure, RowCounts } from '../../core/customers/customer-directory.js';
import { eraseWithProof } from '../../core/customers/erase-customer.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireOperatorScope } from '../../http/access.js';
import { InlineModel, ResponseModel } from '../../http/fields/declared.js';
import { Count, Counts, Flag, IdOf, Instant, Nested } from '../../http/fields/fields.js';
import { PORTS } from '../../http/ports-token.js';
import { Parameter, PathId, text } from '../../http/requests/parameters.js';
import { QuerySchema, ValidQuery } from '../../http/requests/read-request.js';
import { instant } from '../../http/responses/reply.js';
import { RepeatableByItself } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { CurrentOperator, customerId } from './operator-caller.js';

class ErasureQuery {
  @Parameter(text(MAX_CUSTOMER_NAME), {
    description: 'The name of the account, exactly as it is: a wrong id must not erase someone else.',
    example: 'ACME',
  })
  readonly name?: string;
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
class ErasureView {
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

function erasureView(erasure: Erasure): ErasureView {
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

@DocumentTag('Customers')
@PathParameters(customerId)
@Controller('operator/v1/customers')
export class OperatorErasureController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Delete(':customerId')
  @Documented({
    operationId: 'eraseCustomer',
    summary: 'Erase an account permanently',
    description:
      'Ends every key, link and session of the account, then removes its rows and files, and returns the proof. This cannot be undone, and takes minutes for a large library. If the connection breaks, repeat the request: the erasure continues, and once it has ended the stored proof is returned.',
    answers: { 200: { description: 'The proof.', body: ErasureView } },
  })
  @RequireOperatorScope('customers:write')
  @QuerySchema(ErasureQuery)
  @RepeatableByItself()
  async erase(
    @CurrentOperator() actor: Actor,
    @PathId('customerId') id: Id,
    @ValidQuery() { name = '' }: ErasureQuery,
  ) {
    return erasureView(await eraseWithProof(this.ports, actor, id, name));
  }
}
