import { Controller, Get, Header, Inject, Module } from '@nestjs/common';
import { type ApiKey, displayPrefix } from '../../core/access/api-key.js';
import type { Scope } from '../../core/access/caller.js';
import { keyBudget, type WindowState } from '../../core/access/rolling-window.js';
import { readCustomer } from '../../core/customers/edit-customer.js';
import type { Ports } from '../../core/ports.js';
import { RequireScope } from '../../http/access.js';
import { InlineModel, ResponseModel } from '../../http/fields/declared.js';
import { Flag, IdOf, Instant, Nested, Text, WholeNumber } from '../../http/fields/fields.js';
import { KeyPrefix, KeyScopes } from '../../http/fields/meanings.js';
import { PORTS } from '../../http/ports-token.js';
import { instant, optionalInstant } from '../../http/responses/reply.js';
import {
  CurrentRequestContext,
  chargedTo,
  knownKeyOf,
  type RequestContext,
} from '../../http/server/request-context.js';
import { CustomerView, customerView } from '../customer/customer.module.js';
import { Documented, DocumentTag } from '../openapi/operation.js';

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
class MeView {
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

function rateLimitView({ limit, remaining, reset }: WindowState): RateLimitView {
  return { limit, remaining, reset };
}

@Controller('api/v1/me')
@DocumentTag('Account', "The caller, and the account's usage and limits.")
class MeController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'getMe',
    summary: 'Retrieve the caller',
    description:
      "Returns the account, the key, and what is left of the key's budgets. `rateLimit` has the same values as the response headers.",
    answers: { 200: { description: 'The account and the key.', body: MeView } },
  })
  @RequireScope('customer:read')
  @Header('Cache-Control', 'no-store')
  async read(@CurrentRequestContext() requestContext: RequestContext): Promise<MeView> {
    const { key } = knownKeyOf(requestContext);
    const customer = customerView(this.ports, await readCustomer(this.ports, key));
    // As in the headers of this response.
    const read = rateLimitView(chargedTo(requestContext));
    return {
      customer,
      apiKey: apiKeyView(key),
      rateLimit: read,
      rateLimits: { read, write: rateLimitView(await this.ports.rateWindows.peek(keyBudget(key, 'write'))) },
      clientIp: requestContext.clientIp,
      serverTime: instant(this.ports.clock.now()),
    };
  }
}

@Module({ controllers: [MeController] })
export class MeModule {}
