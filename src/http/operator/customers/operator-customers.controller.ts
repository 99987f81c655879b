import { Controller, Get, Inject, Patch, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../../../core/audit/audit-entry.js';
import type { AccountCaller } from '../../../core/customers/customer.js';
import { findCustomer, listCustomers } from '../../../core/customers/customer-directory.js';
import { administerCustomer } from '../../../core/customers/edit-customer.js';
import type { Ports } from '../../../core/ports.js';
import type { Id } from '../../../core/shared/ids.js';
import { RequireOperatorScope } from '../../access.js';
import { Idempotent, RepeatableByItself, type RunIdempotently } from '../../idempotency/idempotent.js';
import { Documented, DocumentTag } from '../../openapi/operation.js';
import { ifMatchHeader, ifNoneMatchHeader } from '../../openapi/parameters.js';
import { PORTS } from '../../ports-token.js';
import { PaginationQuery, paginationOf } from '../../requests/parameters.js';
import { PathId } from '../../requests/path-id.js';
import { BodySchema, PatchSchema, QuerySchema, ValidBody, ValidQuery } from '../../requests/read-request.js';
import { IfMatch, type IfMatchPrecondition } from '../../responses/entity-tag.js';
import { listView } from '../../responses/list-view.js';
import { Reply } from '../../responses/reply.js';
import { WithETag } from '../../responses/send-reply.js';
import { CurrentOperator, OperatorAccount } from '../operator-caller.js';
import { createFromRequest } from './create-from-request.js';
import { customerId } from './customer-path.js';
import { OperatorCustomerCreationBody, OperatorCustomerPatchBody } from './operator-customer.dto.js';
import { OperatorCustomerPage, OperatorCustomerView, operatorCustomerView } from './operator-customer.view.js';

const account = { description: 'The account.', body: OperatorCustomerView, headers: ['ETag'] } as const;

@DocumentTag('Customers', 'The accounts of this installation.')
@Controller('operator/v1/customers')
export class OperatorCustomersController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listCustomers',
    summary: 'List accounts',
    description: 'Returns all accounts, oldest first, one page at a time.',
    answers: { 200: { description: 'A page of accounts.', body: OperatorCustomerPage } },
    errors: ['invalid_cursor'],
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
    path: [customerId],
    headers: [ifNoneMatchHeader],
    answers: { 200: account, 304: { description: 'The account has not changed.', headers: ['ETag'] } },
    errors: ['not_found'],
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
    answers: { 201: { ...account, description: 'The new account.', headers: ['ETag', 'Location'] } },
    errors: ['not_found'],
  })
  @RequireOperatorScope('customers:write')
  @WithETag()
  @BodySchema(OperatorCustomerCreationBody)
  @RepeatableByItself()
  async create(
    @CurrentOperator() actor: Actor,
    @ValidBody() body: OperatorCustomerCreationBody,
    @Req() request: Request,
  ) {
    const customer = await createFromRequest(this.ports, actor, body, request);
    return new Reply(201, operatorCustomerView(customer), { Location: `/operator/v1/customers/${customer.id}` });
  }

  @Patch(':customerId')
  @Documented({
    operationId: 'updateCustomer',
    summary: 'Update an account',
    description: 'Applies a merge patch (RFC 7396) to the name, quotas, time zone and trash retention.',
    path: [customerId],
    headers: [ifMatchHeader],
    body: 'The values to change.',
    answers: { 200: { ...account, description: 'The updated account.' } },
    errors: ['not_found', 'precondition_failed'],
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
}
