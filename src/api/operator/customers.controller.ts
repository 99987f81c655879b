import { Controller, Delete, Get, HttpCode, Inject, Patch, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../../core/audit/audit-entry.js';
import { createCustomer, createCustomerOnce } from '../../core/customers/create-customer.js';
import type { AccountCaller } from '../../core/customers/customer.js';
import { findCustomer, listCustomers } from '../../core/customers/customer-directory.js';
import { administerCustomer, resumeCustomer, suspendCustomer } from '../../core/customers/edit-customer.js';
import { eraseWithProof } from '../../core/customers/erase-customer.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireOperatorScope } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { PaginationQuery, PathId, paginationOf } from '../../http/requests/parameters.js';
import { BodySchema, PatchSchema, QuerySchema, ValidBody, ValidQuery } from '../../http/requests/read-request.js';
import { IfMatch, type IfMatchPrecondition, listView, Reply, WithETag } from '../../http/responses/reply.js';
import { requestContextOf } from '../../http/server/request-context.js';
import {
  fingerprintOf,
  Idempotent,
  idempotencyKeyOf,
  REPLAYED,
  RepeatableByItself,
  type RunIdempotently,
} from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import {
  ErasureQuery,
  ErasureView,
  erasureView,
  OperatorCustomerCreationBody,
  OperatorCustomerPage,
  OperatorCustomerPatchBody,
  OperatorCustomerView,
  operatorCustomerView,
} from './customers.dto.js';
import { CurrentOperator, customerId, OperatorAccount } from './operator-caller.js';

const account = { description: 'The account.', body: OperatorCustomerView };

@DocumentTag('Customers', 'The accounts of this installation.')
@PathParameters(customerId)
@Controller('operator/v1/customers')
export class OperatorCustomersController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listCustomers',
    summary: 'List accounts',
    description: 'Returns all accounts, oldest first, one page at a time.',
    answers: { 200: { description: 'A page of accounts.', body: OperatorCustomerPage } },
  })
  @RequireOperatorScope('customers:read')
  @QuerySchema(PaginationQuery)
  async list(@ValidQuery() query: PaginationQuery) {
    return listView(await listCustomers(this.ports, paginationOf(query)), operatorCustomerView);
  }

  @Get(':customerId')
  @Documented({
    operationId: 'getCustomer',
    summary: 'Retrieve an account',
    description: 'Its usage is an endpoint of its own.',
    answers: { 200: account },
  })
  @RequireOperatorScope('customers:read')
  @WithETag()
  async read(@PathId('customerId') id: Id) {
    return operatorCustomerView(await findCustomer(this.ports, id));
  }

  @Post()
  @Documented({
    operationId: 'createCustomer',
    summary: 'Create an account',
    description:
      'Creates an account without keys and people. Send an `Idempotency-Key`: a request that is repeated with it returns the account that the first one created, as it is now.',
    body: 'The account.',
    answers: { 201: { ...account, description: 'The new account.', headers: ['Location'] } },
    errors: ['not_found'],
  })
  @RequireOperatorScope('customers:write')
  @WithETag()
  @BodySchema(OperatorCustomerCreationBody)
  @RepeatableByItself()
  async create(
    @CurrentOperator() actor: Actor,
    @ValidBody()
    { name, defaultTimeZone: timeZone, storageBytesLimit = null, photosLimit = null }: OperatorCustomerCreationBody,
    @Req() request: Request,
  ) {
    const values = { name, timeZone, storageBytesLimit, photosLimit };
    // Responses to repeated writes are stored with an account, and here is none yet: so the account itself is what is repeated.
    const key = idempotencyKeyOf(request);
    const { customer, isNew } =
      key === null
        ? { customer: await createCustomer(this.ports, actor, values), isNew: true }
        : await createCustomerOnce(this.ports, actor, values, {
            key,
            fingerprint: fingerprintOf(request, requestContextOf(request)),
          });
    if (!isNew) request.res?.setHeader(REPLAYED, 'true');
    return new Reply(201, operatorCustomerView(customer), { Location: `/operator/v1/customers/${customer.id}` });
  }

  @Patch(':customerId')
  @Documented({
    operationId: 'updateCustomer',
    summary: 'Update an account',
    description: 'Applies a merge patch (RFC 7396) to the name, quotas, time zone and trash retention.',
    body: 'The values to change.',
    answers: { 200: { ...account, description: 'The updated account.' } },
  })
  @RequireOperatorScope('customers:write')
  @WithETag()
  @PatchSchema(OperatorCustomerPatchBody)
  edit(
    @OperatorAccount() caller: AccountCaller,
    @ValidBody() body: OperatorCustomerPatchBody,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    const precondition = ifMatch(operatorCustomerView);
    return idempotent((ports) => administerCustomer(ports, caller, body, precondition), operatorCustomerView);
  }

  @Post(':customerId/suspend')
  @Documented({
    operationId: 'suspendCustomer',
    summary: 'Suspend an account',
    description: 'From now on the account is read-only. Suspending a suspended account changes nothing.',
    answers: { 200: account },
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
    answers: { 200: account },
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
