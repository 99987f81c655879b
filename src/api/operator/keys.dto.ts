import {
  type ApiKey,
  displayPrefix,
  type KeySettings,
  MAX_KEY_LIMIT,
  MAX_KEY_NAME,
} from '../../core/access/api-key.js';
import { type Scope, scopes } from '../../core/access/caller.js';
import { MAX_IP_ENTRIES, MAX_IP_ENTRY } from '../../core/access/ip-list.js';
import type { IssuedKey } from '../../core/access/keys.js';
import { defaultBudgets } from '../../core/access/rolling-window.js';
import { parseInstant } from '../../core/media/capture-time.js';
import type { FieldError } from '../../core/shared/errors.js';
import { RequestModel, ResponseModel } from '../../http/fields/declared.js';
import { type FieldOptions, IdOf, Instant, pageOf, Text, Texts, WholeNumber } from '../../http/fields/fields.js';
import { KeyPrefix, KeyScopes } from '../../http/fields/meanings.js';
import { instant, optionalInstant } from '../../http/responses/reply.js';

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
export class OperatorKeyCreationBody {
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
export class OperatorKeyPatchBody {
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
export function keySettingsOf(body: OperatorKeyPatchBody): Partial<KeySettings> {
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
export class OperatorKeyView {
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

export const OperatorKeyPage = pageOf('OperatorKeyPage', 'All keys of an account.', OperatorKeyView);

@ResponseModel('OperatorKeyWithToken', 'A new key, with its token.')
export class OperatorKeyWithTokenView extends OperatorKeyView {
  @Text({
    description: 'The token. It is shown here and in repetitions of this request, and nowhere else.',
    example: 'phs_live_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg123456',
  })
  token: string;
}

export function operatorKeyView(key: ApiKey): OperatorKeyView {
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

export function operatorKeyWithTokenView({ key, token }: IssuedKey): OperatorKeyWithTokenView {
  return { ...operatorKeyView(key), token };
}
