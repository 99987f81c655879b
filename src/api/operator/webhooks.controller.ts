import { Controller, Delete, Get, Header, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import { MAX_URL_LENGTH } from '../../core/access/outgoing-url.js';
import type { AccountCaller } from '../../core/customers/customer.js';
import { findCustomer } from '../../core/customers/customer-directory.js';
import { changeTypes } from '../../core/events/event.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  editWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
} from '../../core/webhooks/endpoints.js';
import {
  type DisabledReason,
  MAX_ENDPOINT_DESCRIPTION,
  type WebhookEndpoint,
} from '../../core/webhooks/webhook-endpoint.js';
import { RequireOperatorScope } from '../../http/access.js';
import { RequestModel, ResponseModel } from '../../http/fields/declared.js';
import { type FieldOptions, Flag, IdOf, Instant, OneOf, pageOf, Text, Texts } from '../../http/fields/fields.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId } from '../../http/requests/parameters.js';
import { BodySchema, PatchSchema, ValidBody } from '../../http/requests/read-request.js';
import { IfMatch, type IfMatchPrecondition, instant, listView, Reply, WithETag } from '../../http/responses/reply.js';
import { Idempotent, type RunIdempotently, StoreBodyAs } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { pathId } from '../openapi/parameters.js';
import { customerId, OperatorAccount, sealedBody } from './operator-caller.js';

const Url = (options: FieldOptions = {}) =>
  Text({
    description: 'Where events are sent. It begins with `https://`.',
    example: 'https://example.com/webhooks',
    max: MAX_URL_LENGTH,
    ...options,
  });

const Description = () =>
  Text({
    description: 'What the endpoint is for.',
    example: 'The gallery.',
    max: MAX_ENDPOINT_DESCRIPTION,
    nullable: true,
  });

const Events = () =>
  Texts(changeTypes.length, {
    description: 'The events that it subscribes to. Empty: all, including those of later versions.',
    example: ['photo.created'],
    maxEntry: 100,
    item: { type: 'string', enum: changeTypes, description: 'A type of event.', examples: ['photo.created'] },
  });

const readOnly = {
  id: 'it is assigned by the service.',
  disabledReason: 'it says why the endpoint is disabled.',
  createdAt: 'it is maintained by the service.',
  updatedAt: 'it is maintained by the service.',
  secret: 'it is made by the service.',
};

@RequestModel('NewOperatorWebhook', 'A webhook endpoint to create.')
class OperatorWebhookCreationBody {
  static readonly readOnly = { ...readOnly, enabled: 'a new endpoint is enabled.' };

  @Url({ required: true })
  url: string;

  @Description()
  description?: string | null;

  @Events()
  events?: string[];
}

@RequestModel('OperatorWebhookPatch', 'The values to change. Omitted fields keep their value.')
class OperatorWebhookPatchBody {
  static readonly readOnly = readOnly;

  @Url()
  url?: string;

  @Description()
  description?: string | null;

  @Events()
  events?: string[];

  @Flag({ description: 'Whether events are sent. Enabling the endpoint sends what is waiting.', example: true })
  enabled?: boolean;
}

@ResponseModel('OperatorWebhook', 'A webhook endpoint of an account, without its secret.')
class OperatorWebhookView {
  @IdOf({ description: 'The unique identifier of the endpoint.', example: 2 })
  id: number;

  @Url()
  url: string;

  @Description()
  description: string | null;

  @Events()
  events: string[];

  @Flag({ description: 'Whether events are sent.', example: true })
  enabled: boolean;

  @OneOf<DisabledReason>(
    {
      by_owner: 'someone disabled it',
      gone: 'it answered 410',
      failing: 'it answered with nothing but failures for five days',
    },
    { description: 'Why the endpoint is disabled. Null while it is enabled.', nullable: true },
  )
  disabledReason: DisabledReason | null;

  @Instant({ description: 'When the endpoint was created.' })
  createdAt: string;

  @Instant({ description: 'When the endpoint was last changed.' })
  updatedAt: string;
}

const OperatorWebhookPage = pageOf('OperatorWebhookPage', 'All endpoints of an account.', OperatorWebhookView);

@ResponseModel('OperatorWebhookWithSecret', 'A new endpoint, with its secret.')
class OperatorWebhookWithSecretView extends OperatorWebhookView {
  @Text({
    description: 'The secret that signs events. It is shown here and in repetitions of this request, and nowhere else.',
    example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  })
  secret: string;
}

function operatorWebhookView(endpoint: WebhookEndpoint): OperatorWebhookView {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: [...endpoint.events],
    enabled: endpoint.status === 'enabled',
    disabledReason: endpoint.disabledReason,
    createdAt: instant(endpoint.createdAt),
    updatedAt: instant(endpoint.updatedAt),
  };
}

const endpoint = { description: 'The endpoint.', body: OperatorWebhookView };

@DocumentTag('Webhook endpoints', 'Where events of an account are sent.')
@PathParameters(customerId, pathId('webhookId', 'endpoint', 2))
@Controller('operator/v1/customers/:customerId/webhooks')
export class OperatorWebhooksController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listWebhooks',
    summary: 'List the webhook endpoints of an account',
    description: 'Returns all endpoints, oldest first, on one page.',
    answers: { 200: { description: 'All endpoints.', body: OperatorWebhookPage } },
  })
  @RequireOperatorScope('customers:read')
  async list(@PathId('customerId') id: Id) {
    await findCustomer(this.ports, id);
    return listView({ data: await listWebhookEndpoints(this.ports, id), nextCursor: null }, operatorWebhookView);
  }

  @Get(':webhookId')
  @Documented({
    operationId: 'getWebhook',
    summary: 'Retrieve a webhook endpoint',
    description: 'Its secret is never shown again.',
    answers: { 200: endpoint },
  })
  @RequireOperatorScope('customers:read')
  @WithETag()
  async read(@PathId('customerId') id: Id, @PathId('webhookId') webhookId: Id) {
    return operatorWebhookView(await readWebhookEndpoint(this.ports, id, webhookId));
  }

  @Post()
  @Documented({
    operationId: 'createWebhook',
    summary: 'Create a webhook endpoint',
    description:
      'Returns the endpoint with its secret, which is shown only now: a request repeated with the same `Idempotency-Key` within 24 hours gets it again.',
    body: 'The endpoint.',
    answers: { 201: { description: 'The new endpoint.', body: OperatorWebhookWithSecretView, headers: ['Location'] } },
    errors: ['limit_reached'],
  })
  @RequireOperatorScope('customers:write')
  @StoreBodyAs(sealedBody)
  @Header('Cache-Control', 'no-store')
  @BodySchema(OperatorWebhookCreationBody)
  create(
    @OperatorAccount() caller: AccountCaller,
    @ValidBody() body: OperatorWebhookCreationBody,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    return idempotent(
      (ports) => createWebhookEndpoint(ports, caller, body),
      ({ endpoint, secret }) => {
        const body: OperatorWebhookWithSecretView = { ...operatorWebhookView(endpoint), secret };
        return new Reply(201, body, {
          Location: `/operator/v1/customers/${caller.customerId}/webhooks/${endpoint.id}`,
        });
      },
    );
  }

  @Patch(':webhookId')
  @Documented({
    operationId: 'updateWebhook',
    summary: 'Update a webhook endpoint',
    description: 'Applies a merge patch (RFC 7396).',
    body: 'The values to change.',
    answers: { 200: { ...endpoint, description: 'The updated endpoint.' } },
  })
  @RequireOperatorScope('customers:write')
  @WithETag()
  @PatchSchema(OperatorWebhookPatchBody)
  edit(
    @OperatorAccount() caller: AccountCaller,
    @PathId('webhookId') webhookId: Id,
    @ValidBody() body: OperatorWebhookPatchBody,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    const check = ifMatch(operatorWebhookView);
    return idempotent((ports) => editWebhookEndpoint(ports, caller, webhookId, body, check), operatorWebhookView);
  }

  @Delete(':webhookId')
  @Documented({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing is sent to it from then on, including what is waiting.',
    answers: { 204: { description: 'The endpoint was deleted.' } },
  })
  @RequireOperatorScope('customers:write')
  @HttpCode(204)
  async delete(
    @OperatorAccount() caller: AccountCaller,
    @PathId('webhookId') webhookId: Id,
    @IfMatch() ifMatch: IfMatchPrecondition,
  ) {
    await deleteWebhookEndpoint(this.ports, caller, webhookId, ifMatch(operatorWebhookView));
  }
}
