import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { requireScope } from '../../core/access/caller.js';
import { requireOperatorScope } from '../../core/operators/operator-token.js';
import { DomainError } from '../../core/shared/errors.js';
import { accessOf } from '../../http/access.js';
import { knownKeyOf, knownOperatorOf, requestContextOf } from '../../http/server/request-context.js';
import { budgetGroupOf } from './rate-limit.guard.js';

/** Steps 5 and 6 of the order of checks (docs/architecture.md): may this key do this, and may its customer write? */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(this.reflector, context);
    // Closed unless declared: a route that declares nothing does not exist for anyone.
    if (!access) throw new DomainError('not_found', 'This path does not exist.');
    const request = context.switchToHttp().getRequest<Request>();
    if (access.needs === 'operator') requireOperatorScope(knownOperatorOf(requestContextOf(request)), access.scope);
    if (access.needs !== 'scope') return true;
    const { key, customerStatus } = knownKeyOf(requestContextOf(request));
    requireScope(key, access.scope);
    if (customerStatus === 'suspended' && budgetGroupOf(request.method) === 'write') {
      throw new DomainError('account_suspended', 'This account is suspended: it is read-only.');
    }
    return true;
  }
}
