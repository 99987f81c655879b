import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Actor } from '../../core/audit/audit-entry.js';
import type { PeopleManager } from '../../core/users/user.js';
import { pathIdOf } from '../requests/path-id.js';
import { operatorOf, requestContextOf } from '../server/request-context.js';

/** The program of the operator that sent the request. */
export const CurrentOperator = createParamDecorator((_: unknown, context: ExecutionContext): Actor => {
  return operatorOf(requestContextOf(context.switchToHttp().getRequest<Request>()));
});

/** The same, in the account that the path names, with the rights of its owners. */
export const OperatorAccount = createParamDecorator((_: unknown, context: ExecutionContext): PeopleManager => {
  const request = context.switchToHttp().getRequest<Request>();
  const actor = operatorOf(requestContextOf(request));
  return { customerId: pathIdOf(request, 'customerId'), actor, role: 'owner' };
});
