import { type ApiKey, displayPrefix } from '../../../core/access/api-key.js';
import { type Scope, scopeMeanings, scopes } from '../../../core/access/scope.js';
import { ResponseModel } from '../../fields/declared.js';
import { Flag, IdOf, Instant, Text, withMeanings } from '../../fields/fields.js';
import { Texts } from '../../fields/lists.js';
import { instant, optionalInstant } from '../../responses/wire.js';

@ResponseModel('ApiKey', 'An API key, without its secret.')
export class ApiKeyView {
  @IdOf({ description: 'The unique identifier of the key.', example: 3 })
  id: number;

  @Text({ description: 'The name of the key.', example: 'importer' })
  name: string;

  @Text({ description: 'The beginning and the last four characters of the token.', example: 'phs_live_…x7Qa' })
  prefix: string;

  @Texts(undefined, {
    description: 'What the key may do. Never changes.',
    item: {
      type: 'string',
      enum: scopes,
      description: withMeanings('A scope.', scopeMeanings),
      examples: scopes.slice(0, 1),
    },
  })
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
