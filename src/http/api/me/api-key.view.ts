import { type ApiKey, displayPrefix } from '../../../core/access/api-key.js';
import type { Scope } from '../../../core/access/caller.js';
import { KeyPrefix, KeyScopes } from '../../fields/api-key-fields.js';
import { ResponseModel } from '../../fields/declared.js';
import { Flag, IdOf, Instant, Text } from '../../fields/fields.js';
import { instant, optionalInstant } from '../../responses/wire.js';

@ResponseModel('ApiKey', 'An API key, without its secret.')
export class ApiKeyView {
  @IdOf({ description: 'The unique identifier of the key.', example: 3 })
  id: number;

  @Text({ description: 'The name of the key.', example: 'importer' })
  name: string;

  @KeyPrefix()
  prefix: string;

  @KeyScopes()
  scopes: Scope[];

  @Flag({ description: 'Whether the key works only from certain addresses.', example: true })
  ipRestricted: boolean;

  @Instant({ description: 'When the key was created.' })
  createdAt: string;

  @Instant({ description: 'When the key expires. Null if it never does.', nullable: true })
  expiresAt: string | null;
}

/** Never more of the token than its end. */
export function apiKeyView(key: ApiKey): ApiKeyView {
  return {
    id: key.id,
    name: key.name,
    prefix: displayPrefix(key),
    scopes: [...key.scopes],
    ipRestricted: key.ipList.length > 0,
    createdAt: instant(key.createdAt),
    expiresAt: optionalInstant(key.expiresAt),
  };
}
