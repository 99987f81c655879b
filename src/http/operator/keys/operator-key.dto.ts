import type { KeySettings } from '../../../core/access/api-key.js';
import { scopes } from '../../../core/access/caller.js';
import { parseInstant } from '../../../core/media/capture-time.js';
import { type FieldError } from '../../../core/shared/errors.js';
import { RequestModel } from '../../fields/declared.js';
import { Text } from '../../fields/fields.js';
import { Texts } from '../../fields/lists.js';
import { IpList, KeyName, ReadLimit, WriteLimit } from './key-fields.js';

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
export function keySettingsOf({
  name,
  ipList,
  readLimit,
  writeLimit,
  expiresAt,
}: OperatorKeyPatchBody): Partial<KeySettings> {
  return {
    ...(name !== undefined && { name }),
    ...(ipList !== undefined && { ipList }),
    ...(readLimit !== undefined && { readLimit }),
    ...(writeLimit !== undefined && { writeLimit }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt === null ? null : parseInstant(expiresAt) }),
  };
}
