import { Controller, Get, HttpCode, Inject, Patch, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../../core/audit/audit-entry.js';
import { createCustomer, createCustomerOnce } from '../../core/customers/create-customer.js';
import {
  type AccountCaller,
  type Customer,
  type CustomerStatus,
  MAX_CUSTOMER_NAME,
  MAX_RETENTION_DAYS,
} from '../../core/customers/customer.js';
import { findCustomer, listCustomers } from '../../core/customers/customer-directory.js';
import {
  administerCustomer,
  type CustomerPatch,
  customerPatchErrors,
  resumeCustomer,
  suspendCustomer,
} from '../../core/customers/edit-customer.js';
import { MAX_ZONE } from '../../core/media/zones.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireOperatorScope } from '../../http/access.js';
import { RequestModel, ResponseModel } from '../../http/fields/declared.js';
import { type FieldOptions, IdOf, Instant, OneOf, pageOf, Text, WholeNumber } from '../../http/fields/fields.js';
import { PORTS } from '../../http/ports-token.js';
import { PaginationQuery, PathId, paginationOf } from '../../http/requests/parameters.js';
import { BodySchema, PatchSchema, QuerySchema, ValidBody, ValidQuery } from '../../http/requests/read-request.js';
import { IfMatch, type IfMatchPrecondition, instant, listView, Reply, WithETag } from '../../http/responses/reply.js';
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
import { CurrentOperator, customerId, OperatorAccount } from './operator-caller.js';

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
class OperatorCustomerCreationBody {
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
class OperatorCustomerPatchBody {
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

@ResponseModel('OperatorCustomer', 'The account of a customer, as the operator administers it.')
class OperatorCustomerView {
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

const OperatorCustomerPage = pageOf('OperatorCustomerPage', 'A page of accounts.', OperatorCustomerView);

function operatorCustomerView(customer: Customer): OperatorCustomerView {
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
}
