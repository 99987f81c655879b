import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerModuleOptions, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { addressBudget } from '../../core/access/ip-list.js';
import {
  type Budget,
  type BudgetGroup,
  defaultBudgets,
  keyBudget,
  type RateWindowStore,
  WINDOW_MS,
  type WindowState,
} from '../../core/access/rolling-window.js';
import { operatorBudget } from '../../core/operators/operator-token.js';
import type { Uses } from '../../core/ports.js';
import { type Clock, SECOND } from '../../core/shared/clock.js';
import { DomainError } from '../../core/shared/errors.js';
import { knownKeyOf, type RequestContext, requestContextOf } from '../../http/server/request-context.js';

/**
 * Step 3 of the order of checks (docs/architecture.md): is there budget left? A refused call is not counted. One budget per key, or token of
 * the operator, and group, whatever the route, so that no route's own limits are looked for.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const requestContext = requestContextOf(request);
    const { key, operator } = requestContext;
    if (key === null && operator === null) return true;
    const group = budgetGroupOf(request.method);
    const { name, limit } = operator
      ? operatorBudget(operator, group)
      : keyBudget(knownKeyOf(requestContext).key, group);
    const record = await this.storageService.increment(name, WINDOW_MS, limit, WINDOW_MS, 'default');
    const { state, isBlocked } = record as RateWindowRecord;
    const response = context.switchToHttp().getResponse<Response>();
    setBudgetHeaders(requestContext, response, group, state);
    if (isBlocked) throw budgetUsedUp(response, group, state);
    return true;
  }
}

/** The group in which a request with a key is counted, as one request however many items it names. */
export function budgetGroupOf(method: string): 'read' | 'write' {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write';
}

/** Puts the budget that a request was charged to into its response. */
export function setBudgetHeaders(
  requestContext: RequestContext,
  response: Response,
  group: BudgetGroup,
  state: WindowState,
): void {
  requestContext.charged = { group, state };
  response.setHeader('X-RateLimit-Limit', state.limit);
  response.setHeader('X-RateLimit-Remaining', state.remaining);
  response.setHeader('X-RateLimit-Reset', state.reset);
  response.setHeader('X-RateLimit-Resource', group);
}

/** Ends a request whose budget is used up. */
function budgetUsedUp(response: Response, group: BudgetGroup, state: WindowState): DomainError {
  const seconds = state.retryAfter ?? 1;
  response.setHeader('Retry-After', seconds);
  const budget = `${group.charAt(0).toUpperCase()}${group.slice(1)} budget`;
  return new DomainError('rate_limited', `${budget} used up. Retry in ${seconds} second${seconds === 1 ? '' : 's'}.`);
}

/** The refusal of a request without a valid key: it counts against its source address, and becomes 429 once that budget is used up. */
export async function refusedByAddress(
  { rateWindows }: Uses<'rateWindows'>,
  requestContext: RequestContext,
  response: Response,
  refusal: DomainError,
): Promise<DomainError> {
  const state = await rateWindows.hit(anonymousBudget(requestContext));
  setBudgetHeaders(requestContext, response, 'anonymous', state);
  return state.allowed ? refusal : budgetUsedUp(response, 'anonymous', state);
}

export function anonymousBudget({ clientIp }: RequestContext): Budget {
  return { name: `anonymous:${addressBudget(clientIp)}`, limit: defaultBudgets.anonymous };
}

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

/** For `ThrottlerModule`. Its one throttler is only there because it wants one: limits are those of keys, or of tokens of the operator. */
export function throttlerOptions(rateWindows: RateWindowStore, clock: Clock): ThrottlerModuleOptions {
  const throttlers = [{ ttl: WINDOW_MS, limit: defaultBudgets.read }];
  return { storage: new RateWindowStorage(rateWindows, clock), throttlers };
}
