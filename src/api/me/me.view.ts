import { type ApiKey, displayPrefix } from '../../core/access/api-key.js';
import type { Scope } from '../../core/access/caller.js';
import type { WindowState } from '../../core/access/rolling-window.js';
import { InlineModel, ResponseModel } from '../../http/fields/declared.js';
import { Flag, IdOf, Instant, Nested, Text, WholeNumber } from '../../http/fields/fields.js';
import { KeyPrefix, KeyScopes } from '../../http/fields/meanings.js';
import { instant, optionalInstant } from '../../http/responses/reply.js';
import { CustomerView } from '../customer/customer.view.js';

@ResponseModel('ApiKey', 'An API key, without its secret.')
class ApiKeyView {
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

@ResponseModel('RateLimit', 'A rate limit over any 60 seconds.')
class RateLimitView {
  @WholeNumber({ description: 'The number of requests allowed.', example: 300, min: 0 })
  limit: number;

  @WholeNumber({ description: 'The number of requests left.', example: 299, min: 0 })
  remaining: number;

  @WholeNumber({
    description: 'When the whole budget will be available if no more requests are sent, as a Unix time in seconds.',
    example: 1795230983,
    min: 0,
  })
  reset: number;
}

@InlineModel('Both budgets of the key.')
class RateLimitsView {
  @Nested(RateLimitView)
  read: RateLimitView;

  @Nested(RateLimitView)
  write: RateLimitView;
}

@ResponseModel('Me', 'The caller, and what is left of its rate limits.')
export class MeView {
  @Nested(CustomerView)
  customer: CustomerView;

  @Nested(ApiKeyView)
  apiKey: ApiKeyView;

  @Nested(RateLimitView, { description: "The same values as in this response's headers." })
  rateLimit: RateLimitView;

  @Nested(RateLimitsView)
  rateLimits: RateLimitsView;

  @Text({ description: 'The address that the IP list of the key is checked against.', example: '203.0.113.9' })
  clientIp: string;

  @Instant({ description: 'The current time of the service.' })
  serverTime: string;
}

export interface Me {
  readonly customer: CustomerView;
  readonly key: ApiKey;
  /** The values in the headers of this response. */
  readonly read: WindowState;
  readonly write: WindowState;
  readonly clientIp: string;
  readonly now: Date;
}

export function meView({ customer, key, read, write, clientIp, now }: Me): MeView {
  return {
    customer,
    apiKey: apiKeyView(key),
    rateLimit: rateLimitView(read),
    rateLimits: { read: rateLimitView(read), write: rateLimitView(write) },
    clientIp,
    serverTime: instant(now),
  };
}

function rateLimitView({ limit, remaining, reset }: WindowState): RateLimitView {
  return { limit, remaining, reset };
}
