import { Controller, Delete, Get, Header, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import { deleteKey, editKey, type IssuedKey, issueKey, listKeys, ownKey } from '../../core/access/keys.js';
import type { AccountCaller } from '../../core/customers/customer.js';
import { findCustomer } from '../../core/customers/customer-directory.js';
import type { Ports } from '../../core/ports.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireOperatorScope } from '../../http/access.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId } from '../../http/requests/parameters.js';
import { BodySchema, PatchSchema, ValidBody } from '../../http/requests/read-request.js';
import { IfMatch, type IfMatchPrecondition, listView, Reply, WithETag } from '../../http/responses/reply.js';
import { Idempotent, noBody, type RunIdempotently, StoreBodyAs } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { pathId } from '../openapi/parameters.js';
import {
  keySettingsOf,
  OperatorKeyCreationBody,
  OperatorKeyPage,
  OperatorKeyPatchBody,
  OperatorKeyView,
  OperatorKeyWithTokenView,
  operatorKeyView,
  operatorKeyWithTokenView,
} from './keys.dto.js';
import { customerId, OperatorAccount, sealedBody } from './operator-caller.js';

const key = { description: 'The key.', body: OperatorKeyView };

@DocumentTag('Keys', 'API keys of an account.')
@PathParameters(customerId, pathId('keyId', 'key', 3))
@Controller('operator/v1/customers/:customerId/keys')
export class OperatorKeysController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'listKeys',
    summary: 'List the keys of an account',
    description: 'Returns all keys that are not deleted, oldest first, on one page.',
    answers: { 200: { description: 'All keys.', body: OperatorKeyPage } },
  })
  @RequireOperatorScope('customers:read')
  async list(@PathId('customerId') id: Id) {
    await findCustomer(this.ports, id);
    return listView({ data: await listKeys(this.ports, id), nextCursor: null }, operatorKeyView);
  }

  @Get(':keyId')
  @Documented({
    operationId: 'getKey',
    summary: 'Retrieve a key',
    description: 'Its token is never shown again.',
    answers: { 200: key },
  })
  @RequireOperatorScope('customers:read')
  @WithETag()
  async read(@PathId('customerId') id: Id, @PathId('keyId') keyId: Id) {
    return operatorKeyView(await ownKey(this.ports, id, keyId));
  }

  @Post()
  @Documented({
    operationId: 'createKey',
    summary: 'Create a key',
    description:
      'Returns the key with its token, which is shown only now: a request repeated with the same `Idempotency-Key` within 24 hours gets it again.',
    body: 'The key.',
    answers: { 201: { description: 'The new key.', body: OperatorKeyWithTokenView, headers: ['Location'] } },
    errors: ['limit_reached'],
  })
  @RequireOperatorScope('keys:write')
  @StoreBodyAs(sealedBody)
  @Header('Cache-Control', 'no-store')
  @BodySchema(OperatorKeyCreationBody)
  create(
    @OperatorAccount() caller: AccountCaller,
    @ValidBody() body: OperatorKeyCreationBody,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    const defaults = { ipList: [], readLimit: null, writeLimit: null, expiresAt: null };
    const request = { ...defaults, ...keySettingsOf(body), name: body.name, scopes: body.scopes };
    return idempotent<IssuedKey>(
      (ports) => issueKey(ports, caller, request),
      (issued) => {
        const location = `/operator/v1/customers/${caller.customerId}/keys/${issued.key.id}`;
        return new Reply(201, operatorKeyWithTokenView(issued), { Location: location });
      },
    );
  }

  @Patch(':keyId')
  @Documented({
    operationId: 'updateKey',
    summary: 'Update a key',
    description: 'Applies a merge patch (RFC 7396), with immediate effect. Scopes never change.',
    body: 'The values to change.',
    answers: { 200: { ...key, description: 'The updated key.' } },
  })
  @RequireOperatorScope('keys:write')
  @WithETag()
  @PatchSchema(OperatorKeyPatchBody)
  async edit(
    @OperatorAccount() caller: AccountCaller,
    @PathId('keyId') keyId: Id,
    @ValidBody() body: OperatorKeyPatchBody,
    @IfMatch() ifMatch: IfMatchPrecondition,
  ) {
    return operatorKeyView(await editKey(this.ports, caller, keyId, keySettingsOf(body), ifMatch(operatorKeyView)));
  }

  @Delete(':keyId')
  @Documented({
    operationId: 'deleteKey',
    summary: 'Delete a key',
    description: 'The key is refused immediately.',
    answers: { 204: { description: 'The key was deleted.' } },
  })
  @RequireOperatorScope('keys:write')
  @HttpCode(204)
  delete(
    @OperatorAccount() caller: AccountCaller,
    @PathId('keyId') keyId: Id,
    @IfMatch() ifMatch: IfMatchPrecondition,
    @Idempotent() idempotent: RunIdempotently,
  ) {
    const check = ifMatch(operatorKeyView);
    return idempotent<void>((ports) => deleteKey(ports, caller, keyId, check), noBody);
  }
}
