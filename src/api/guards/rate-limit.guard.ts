import { type ExecutionContext, Injectable } from '@nestjs/common';
import {
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { Request } from 'express';
import {
  type Budget,
  keyBudget,
  type RateWindowStore,
  WINDOW_MS,
  type WindowState,
} from '../../core/access/rolling-window.js';
import { operatorBudget } from '../../core/operators/operator-token.js';
import { type Clock, SECOND } from '../../core/shared/clock.js';
import { knownKeyOf, requestContextOf } from '../../http/server/request-context.js';
import { budgetGroupOf, budgetUsedUp, setBudgetHeaders } from './budgets.js';

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The throttler's record, with the window it was made from: the record alone does not contain the epoch of the reset. */
interface RateWindowRecord extends ThrottlerRecord {
  readonly state: WindowState;
}

/** The throttler's storage on our rolling window. The window's length is fixed by the rule, so `ttl` is ignored. */
class RateWindowStorage implements ThrottlerStorage {
  constructor(
    private readonly rateWindows: RateWindowStore,
    private readonly clock: Clock,
  ) {}

  async increment(budget: string, _ttl: number, limit: number): Promise<RateWindowRecord> {
    const state = await this.rateWindows.hit({ name: budget, limit });
    const wait = state.retryAfter ?? 0;
    return {
      state,
      totalHits: state.limit - state.remaining,
      timeToExpire: Math.max(0, state.reset - Math.floor(this.clock.now().getTime() / SECOND)),
      isBlocked: !state.allowed,
      timeToBlockExpire: wait,
    };
  }
}

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
