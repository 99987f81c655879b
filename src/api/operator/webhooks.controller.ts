import { Controller, Delete, Get, Header, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import type { AccountCaller } from '../../core/customers/customer.js';
import { findCustomer } from '../../core/customers/customer-directory.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  editWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
} from '../../core/webhooks/endpoints.js';
import { RequireOperatorScope } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId } from '../../http/requests/parameters.js';
import { BodySchema, PatchSchema, ValidBody } from '../../http/requests/read-request.js';
import { IfMatch, type IfMatchPrecondition, listView, Reply, WithETag } from '../../http/responses/reply.js';
import { Idempotent, type RunIdempotently, StoreBodyAs } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { pathId } from '../openapi/parameters.js';
import { customerId, OperatorAccount, sealedBody } from './operator-caller.js';
import {
  OperatorWebhookCreationBody,
  OperatorWebhookPage,
  OperatorWebhookPatchBody,
  OperatorWebhookView,
  OperatorWebhookWithSecretView,
  operatorWebhookView,
  operatorWebhookWithSecretView,
} from './webhooks.dto.js';

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
      (made) => {
        const location = `/operator/v1/customers/${caller.customerId}/webhooks/${made.endpoint.id}`;
        return new Reply(201, operatorWebhookWithSecretView(made), { Location: location });
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
