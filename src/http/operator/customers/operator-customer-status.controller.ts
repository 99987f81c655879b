import { Controller, Delete, HttpCode, Inject, Post } from '@nestjs/common';
import type { Actor } from '../../../core/audit/audit-entry.js';
import type { AccountCaller } from '../../../core/customers/customer.js';
import { resumeCustomer, suspendCustomer } from '../../../core/customers/edit-customer.js';
import { eraseWithProof } from '../../../core/customers/erase-customer.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireOperatorScope } from '../../access.js';
import { Idempotent, RepeatableByItself, type RunIdempotently } from '../../idempotency/idempotent.js';
import { Documented, DocumentTag } from '../../openapi/operation.js';
import { PORTS } from '../../ports-token.js';
import { PathId } from '../../requests/path-id.js';
import { QuerySchema, ValidQuery } from '../../requests/read-request.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentOperator, OperatorAccount } from '../operator-caller.js';
import { customerId } from './customer-path.js';
import { ErasureQuery } from './operator-customer.dto.js';
import { ErasureView, erasureView, OperatorCustomerView, operatorCustomerView } from './operator-customer.view.js';

const account = { description: 'The account.', body: OperatorCustomerView, headers: ['ETag'] } as const;

/** The end of an account, for a while or for good. */
@DocumentTag('Customers')
@Controller('operator/v1/customers')
export class OperatorCustomerStatusController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Post(':customerId/suspend')
  @Documented({
    operationId: 'suspendCustomer',
    summary: 'Suspend an account',
    description: 'From now on the account is read-only. Suspending a suspended account changes nothing.',
    path: [customerId],
    answers: { 200: account },
    errors: ['not_found'],
  })
  @RequireOperatorScope('customers:write')
  @WithETag()
  @HttpCode(200)
  suspend(@OperatorAccount() { customerId: id, actor }: AccountCaller, @Idempotent() idempotent: RunIdempotently) {
    return idempotent((ports) => suspendCustomer(ports, actor, id), operatorCustomerView);
  }

  @Post(':customerId/resume')
  @Documented({
    operationId: 'resumeCustomer',
    summary: 'Resume an account',
    description: 'Allows a suspended account to write again. Resuming an active account changes nothing.',
    path: [customerId],
    answers: { 200: account },
    errors: ['not_found'],
  })
  @RequireOperatorScope('customers:write')
  @WithETag()
  @HttpCode(200)
  resume(@OperatorAccount() { customerId: id, actor }: AccountCaller, @Idempotent() idempotent: RunIdempotently) {
    return idempotent((ports) => resumeCustomer(ports, actor, id), operatorCustomerView);
  }

  @Delete(':customerId')
  @Documented({
    operationId: 'eraseCustomer',
    summary: 'Erase an account permanently',
    description:
      'Ends every key, link and session of the account, then removes its rows and files, and returns the proof. This cannot be undone, and takes minutes for a large library. If the connection breaks, repeat the request: the erasure continues, and once it has ended the stored proof is returned.',
    path: [customerId],
    answers: { 200: { description: 'The proof.', body: ErasureView } },
    errors: ['not_found'],
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
