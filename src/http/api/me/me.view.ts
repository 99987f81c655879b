import type { ApiKey } from '../../../core/access/api-key.js';
import type { WindowState } from '../../../core/access/rolling-window.js';
import { InlineModel, ResponseModel } from '../../fields/declared.js';
import { Instant, Nested, Text, WholeNumber } from '../../fields/fields.js';
import { instant } from '../../responses/wire.js';
import { CustomerView } from '../customer/customer.view.js';
import { ApiKeyView, apiKeyView } from './api-key.view.js';

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
  /** As in the headers of this response. */
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
