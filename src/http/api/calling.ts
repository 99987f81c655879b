import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../../core/access/caller.js';
import { callerOf, type Exchange, exchangeOf } from '../exchange.js';

/** Who asks, as the use cases need it. */
export const Calling = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return callerOf(exchangeOf(context.switchToHttp().getRequest<Request>()));
});

/** Everything that is known of the request. */
export const ThisExchange = createParamDecorator((_: unknown, context: ExecutionContext): Exchange => {
  return exchangeOf(context.switchToHttp().getRequest<Request>());
});
