import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../../core/audit/actor.js';
import type { AccountCaller } from '../../core/customers/account-caller.js';
import { pathIdOf } from '../requests/path-id.js';
import { operatorOf, requestContextOf } from '../server/request-context.js';

/** The program of the operator that sent the request. */
export const CurrentOperator = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  return operatorOf(requestContextOf(context.switchToHttp().getRequest<Request>()));
});

/** The same, in the account that the path names. */
export const OperatorAccount = createParamDecorator((_: unknown, context: ExecutionContext): AccountCaller => {
  const request = context.switchToHttp().getRequest<Request>();
  return { customerId: pathIdOf(request, 'customerId'), actor: operatorOf(requestContextOf(request)) };
});
