import { type ApiKey, displayPrefix } from '../../../core/access/api-key.js';
import type { Scope } from '../../../core/access/caller.js';
import type { IssuedKey } from '../../../core/access/keys.js';
import { KeyPrefix, KeyScopes } from '../../fields/api-key-fields.js';
import { ResponseModel } from '../../fields/declared.js';
import { IdOf, Instant, pageOf, Text } from '../../fields/fields.js';
import { instant, optionalInstant } from '../../responses/wire.js';
import { IpList, KeyName, ReadLimit, WriteLimit } from './key-fields.js';

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
