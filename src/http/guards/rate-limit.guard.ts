import type { ExecutionContext } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerModuleOptions, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request } from 'express';
import { type Budget, keyBudget, type RateWindowStore, WINDOW_MS } from '../../core/access/rolling-window.js';
import { operatorBudget } from '../../core/operators/operator-token.js';
import type { Clock } from '../../core/shared/clock.js';
import { knownKeyOf, requestContextOf } from '../server/request-context.js';
import { budgetGroupOf } from './budget-group.js';
import { budgetUsedUp, setBudgetHeaders } from './budget-headers.js';
import { type RateWindowRecord, RateWindowStorage } from './rate-window-storage.js';

/** For `ThrottlerModule`: one budget per key, or token of the operator, and group, whatever the route. */
export function throttlerOptions(rateWindows: RateWindowStore, clock: Clock): ThrottlerModuleOptions {
  return {
    storage: new RateWindowStorage(rateWindows, clock),
    throttlers: [
      {
        ttl: WINDOW_MS,
        limit: (context) => budgetOf(context).limit,
        getTracker: (_, context) => budgetOf(context).name,
        generateKey: (_, budget) => budget,
      },
    ],
  };
}

function budgetOf(context: ExecutionContext): Budget {
  const request = context.switchToHttp().getRequest<Request>();
  const requestContext = requestContextOf(request);
  const group = budgetGroupOf(request.method);
  if (requestContext.operator) return operatorBudget(requestContext.operator, group);
  return keyBudget(knownKeyOf(requestContext).key, group);
}

/** Step 3 of the order of checks (docs/architecture.md): is there budget left? A refused call is not counted. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    const { key, operator } = requestContextOf(context.switchToHttp().getRequest<Request>());
    return key === null && operator === null;
  }

  protected override async handleRequest({ context, limit, ttl, ...ask }: ThrottlerRequest): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse();
    const name = ask.generateKey(context, await ask.getTracker(request, context), 'default');
    const record = await this.storageService.increment(name, ttl, limit, ask.blockDuration, 'default');
    const { state } = record as RateWindowRecord;
    const group = budgetGroupOf(request.method);
    setBudgetHeaders(requestContextOf(request), response, group, state);
    if (record.isBlocked) throw budgetUsedUp(response, group, state);
    return true;
  }
}
