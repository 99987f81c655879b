import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller } from '../../core/access/caller.js';
import { callerOf, type RequestContext, requestContextOf } from './request-context.js';

/** The caller, as the use cases need it. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return callerOf(requestContextOf(context.switchToHttp().getRequest<Request>()));
});

/** The request context. */
export const CurrentRequestContext = createParamDecorator((_: unknown, context: ExecutionContext): RequestContext => {
  return requestContextOf(context.switchToHttp().getRequest<Request>());
});
