import { Controller, Delete, Get, Header, HttpCode, Inject, Patch, Post } from '@nestjs/common';
import {
  type ApiKey,
  displayPrefix,
  type KeySettings,
  MAX_KEY_LIMIT,
  MAX_KEY_NAME,
} from '../../core/access/api-key.js';
import { type Scope, scopes } from '../../core/access/caller.js';
import { MAX_IP_ENTRIES, MAX_IP_ENTRY } from '../../core/access/ip-list.js';
import { deleteKey, editKey, type IssuedKey, issueKey, listKeys, ownKey } from '../../core/access/keys.js';
import { defaultBudgets } from '../../core/access/rolling-window.js';
import type { AccountCaller } from '../../core/customers/customer.js';
import { findCustomer } from '../../core/customers/customer-directory.js';
import { parseInstant } from '../../core/media/capture-time.js';
import type { Ports } from '../../core/ports.js';
import type { FieldError } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { RequireOperatorScope } from '../../http/access.js';
import { RequestModel, ResponseModel } from '../../http/fields/declared.js';
import { type FieldOptions, IdOf, Instant, pageOf, Text, Texts, WholeNumber } from '../../http/fields/fields.js';
import { KeyPrefix, KeyScopes } from '../../http/fields/meanings.js';
import { PORTS } from '../../http/ports-token.js';
import { PathId } from '../../http/requests/parameters.js';
import { BodySchema, PatchSchema, ValidBody } from '../../http/requests/read-request.js';
import {
  IfMatch,
  type IfMatchPrecondition,
  instant,
  listView,
  optionalInstant,
  Reply,
  WithETag,
} from '../../http/responses/reply.js';
import { Idempotent, noBody, type RunIdempotently, StoreBodyAs } from '../idempotency/idempotent-responses.js';
import { Documented, DocumentTag, PathParameters } from '../openapi/operation.js';
import { pathId } from '../openapi/parameters.js';
import { customerId, OperatorAccount, sealedBody } from './operator-caller.js';

const KeyName = (options: FieldOptions = {}) =>
  Text({ description: 'What the key is for.', example: 'importer', min: 1, max: MAX_KEY_NAME, ...options });

const IpList = () =>
  Texts(MAX_IP_ENTRIES, {
    description: 'Addresses and CIDR ranges from which the key works. Empty: every address.',
    example: ['203.0.113.0/24'],
    maxEntry: MAX_IP_ENTRY,
    item: { type: 'string', description: 'An address or range, of IPv4 or IPv6.', examples: ['203.0.113.0/24'] },
  });

const Limit = (description: string, example: number) =>
  WholeNumber({ description, example, min: 0, max: MAX_KEY_LIMIT, nullable: true });

const ReadLimit = () => Limit(`Reads per minute. Null: the default, ${defaultBudgets.read}.`, 600);

const WriteLimit = () => Limit(`Writes per minute. Null: the default, ${defaultBudgets.write}.`, 60);

const readOnly = {
  id: 'it is assigned by the service.',
  prefix: 'it is the beginning and end of the token.',
  createdAt: 'it is maintained by the service.',
  token: 'it is made by the service.',
};

const ExpiresAt = () =>
  Text({
    description: 'When the key expires: RFC 3339, with an offset from UTC. Null: never.',
    example: '2027-01-31T00:00:00Z',
    bound: 100,
    format: 'date-time',
    nullable: true,
  });

@RequestModel('NewOperatorKey', 'A key to create.')
class OperatorKeyCreationBody {
  static readonly readOnly = readOnly;
  static readonly valueErrors = expiryErrors;

  @KeyName({ required: true })
  name: string;

  @Texts(scopes.length + 1, {
    description: 'What the key may do, which never changes; `all` stands for every scope.',
    required: true,
    example: ['photos:read', 'tags:read'],
    maxEntry: 100,
    item: { type: 'string', enum: [...scopes, 'all'], description: 'A scope.', examples: ['photos:read'] },
  })
  scopes: string[];

  @IpList()
  ipList?: string[];

  @ReadLimit()
  readLimit?: number | null;

  @WriteLimit()
  writeLimit?: number | null;

  @ExpiresAt()
  expiresAt?: string | null;
}

@RequestModel('OperatorKeyPatch', 'The values to change. Omitted fields keep their value; null restores the default.')
class OperatorKeyPatchBody {
  static readonly readOnly = { ...readOnly, scopes: 'they never change. Create another key.' };
  static readonly valueErrors = expiryErrors;

  @KeyName()
  name?: string;

  @IpList()
  ipList?: string[];

  @ReadLimit()
  readLimit?: number | null;

  @WriteLimit()
  writeLimit?: number | null;

  @ExpiresAt()
  expiresAt?: string | null;
}

function expiryErrors({ expiresAt }: { readonly expiresAt?: string | null }): readonly FieldError[] {
  if (typeof expiresAt !== 'string' || parseInstant(expiresAt) !== null) return [];
  const message = 'expiresAt must be an instant such as 2027-01-31T00:00:00Z.';
  return [{ field: 'expiresAt', code: 'invalid_format', message }];
}

/** Absent fields stay absent. */
function keySettingsOf(body: OperatorKeyPatchBody): Partial<KeySettings> {
  const { name, ipList, readLimit, writeLimit, expiresAt } = body;
  return {
    ...(name !== undefined && { name }),
    ...(ipList !== undefined && { ipList }),
    ...(readLimit !== undefined && { readLimit }),
    ...(writeLimit !== undefined && { writeLimit }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : parseInstant(expiresAt) }),
  };
}

@ResponseModel('OperatorKey', 'An API key of an account, without its secret.')
class OperatorKeyView {
  @IdOf({ description: 'The unique identifier of the key.', example: 3 })
  id: number;

  @KeyName()
  name: string;

  @KeyPrefix()
  prefix: string;

  @KeyScopes()
  scopes: Scope[];

  @IpList()
  ipList: string[];

  @ReadLimit()
  readLimit: number | null;

  @WriteLimit()
  writeLimit: number | null;

  @Instant({ description: 'When the key was created.' })
  createdAt: string;

  @Instant({ description: 'When the key expires. Null: never.', nullable: true })
  expiresAt: string | null;
}

const OperatorKeyPage = pageOf('OperatorKeyPage', 'All keys of an account.', OperatorKeyView);

@ResponseModel('OperatorKeyWithToken', 'A new key, with its token.')
class OperatorKeyWithTokenView extends OperatorKeyView {
  @Text({
    description: 'The token. It is shown here and in repetitions of this request, and nowhere else.',
    example: 'phs_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg123456',
  })
  token: string;
}

function operatorKeyView(key: ApiKey): OperatorKeyView {
  return {
    id: key.id,
    name: key.name,
    prefix: displayPrefix(key),
    scopes: [...key.scopes],
    ipList: [...key.ipList],
    readLimit: key.readLimit,
    writeLimit: key.writeLimit,
    createdAt: instant(key.createdAt),
    expiresAt: optionalInstant(key.expiresAt),
  };
}

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
      ({ key, token }) => {
        const body: OperatorKeyWithTokenView = { ...operatorKeyView(key), token };
        return new Reply(201, body, { Location: `/operator/v1/customers/${caller.customerId}/keys/${key.id}` });
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
