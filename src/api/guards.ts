import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ThrottlerGuard, type ThrottlerModuleOptions, type ThrottlerStorage } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { requireScope } from '../core/access/caller.js';
import { addressBudget } from '../core/access/ip-list.js';
import { authenticate } from '../core/access/keys.js';
import {
  type Budget,
  type BudgetGroup,
  defaultBudgets,
  keyBudget,
  type RateWindowStore,
  WINDOW_MS,
  type WindowState,
} from '../core/access/rolling-window.js';
import { authenticateOperator, operatorBudget, requireOperatorScope } from '../core/operators/operator-token.js';
import type { Ports, Uses } from '../core/ports.js';
import { type Clock, SECOND } from '../core/shared/clock.js';
import { DomainError } from '../core/shared/errors.js';
import { accessOf, credentialOf } from '../http/access.js';
import { PORTS } from '../http/ports-token.js';
import { KeyUseRecorder, TrafficRecorder } from '../http/server/recorders.js';
import { headersOf } from '../http/server/request.js';
import { knownKeyOf, knownOperatorOf, type RequestContext, requestContextOf } from '../http/server/request-context.js';

/**
 * The guards, in the order in which a request meets them: steps 1, 2, 3, 5 and 6 of the order of checks (docs/architecture.md); 4 is
 * unknown-route.module.ts. Step 1: who is the caller? Never says which part of a key was wrong.
 */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(TrafficRecorder) private readonly traffic: TrafficRecorder,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const credential = credentialOf(accessOf(this.reflector, context));
    return credential === null || this.knows(credential, context);
  }

  private async knows(credential: 'key' | 'operator_token', context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const requestContext = requestContextOf(request);
    // Two headers are as invalid as none.
    const [header = '', ...others] = headersOf(request, 'authorization') ?? [];
    const token = others.length === 0 ? (/^bearer +(\S+)$/i.exec(header)?.[1] ?? null) : null;
    if (credential === 'key') requestContext.key = await authenticate(this.ports, token);
    else requestContext.operator = await authenticateOperator(this.ports, token);
    if (requestContext.key) this.traffic.follow(request, response);
    if (requestContext.key ?? requestContext.operator) return true;
    const [what, name] = credential === 'key' ? ['API key', 'API_KEY'] : ['operator token', 'OPERATOR_TOKEN'];
    const refusal = new DomainError('unauthorized', `Send a valid ${what}: Authorization: Bearer <${name}>.`);
    throw await refusedByAddress(this.ports, requestContext, response, refusal);
  }
}

/**
 * Step 2: may this key be used from this address? A thief must neither drain the key's budget nor see it. Whose address counts behind proxies is
 * decided by `clientSource` (http/server/request-context.ts); operators set the list with `phs key create --ip`.
 */
@Injectable()
export class IpGuard implements CanActivate {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(KeyUseRecorder) private readonly uses: KeyUseRecorder,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const requestContext = requestContextOf(context.switchToHttp().getRequest<Request>());
    const { key, operator, namedIp } = requestContext;
    const holder = operator ?? key?.key;
    if (holder === undefined) return true;
    if (this.ports.ipLists.admits(holder.ipList, namedIp)) {
      if (key) this.uses.note(key.key.id, requestContext.clientIp);
      return true;
    }
    return this.refuse(context, requestContext);
  }

  private async refuse(context: ExecutionContext, requestContext: RequestContext): Promise<never> {
    const { operator, namedIp } = requestContext;
    const what = operator ? 'This token' : 'This key';
    const message =
      namedIp === null
        ? `${what} is restricted to certain addresses, and the proxy at ${requestContext.clientIp} did not report yours.`
        : `${what} may not be used from ${requestContext.clientIp}.`;
    const response = context.switchToHttp().getResponse<Response>();
    const refusal = new DomainError('ip_not_whitelisted', message);
    throw await refusedByAddress(this.ports, requestContext, response, refusal);
  }
}

/**
 * Step 3: is there budget left? A refused call is not counted. One budget per key, or token of the operator, and group, whatever the route, so
 * that no route's own limits are looked for.
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

/** Steps 5 and 6: may this key do this, and may its customer write? */
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

/** The group in which a request with a key is counted, as one request however many items it names. */
export function budgetGroupOf(method: string): 'read' | 'write' {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write';
}

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

function budgetUsedUp(response: Response, group: BudgetGroup, state: WindowState): DomainError {
  const seconds = state.retryAfter ?? 1;
  response.setHeader('Retry-After', seconds);
  const budget = `${group.charAt(0).toUpperCase()}${group.slice(1)} budget`;
  return new DomainError('rate_limited', `${budget} used up. Retry in ${seconds} second${seconds === 1 ? '' : 's'}.`);
}

/** The refusal of a request without a valid key: it counts against its source address, and becomes 429 once that budget is used up. */
async function refusedByAddress(
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

/** The throttler's record, with the window it was made from: the record alone does not contain the epoch of the reset. */
type RateWindowRecord = Awaited<ReturnType<ThrottlerStorage['increment']>> & { readonly state: WindowState };

/** The throttler's storage on our rolling window. The window's length is fixed by the rule, so `ttl` is ignored. */
class RateWindowStorage implements ThrottlerStorage {
  constructor(
    private readonly rateWindows: RateWindowStore,
    private readonly clock: Clock,
  ) {}

  async increment(budget: string, _ttl: number, limit: number): Promise<RateWindowRecord> {
    const state = await this.rateWindows.hit({ name: budget, limit });
    return {
      state,
      totalHits: state.limit - state.remaining,
      timeToExpire: Math.max(0, state.reset - Math.floor(this.clock.now().getTime() / SECOND)),
      isBlocked: !state.allowed,
      timeToBlockExpire: state.retryAfter ?? 0,
    };
  }
}

/** For `ThrottlerModule`. Its one throttler is only there because it wants one: limits are those of keys, or of tokens of the operator. */
export function throttlerOptions(rateWindows: RateWindowStore, clock: Clock): ThrottlerModuleOptions {
  const throttlers = [{ ttl: WINDOW_MS, limit: defaultBudgets.read }];
  return { storage: new RateWindowStorage(rateWindows, clock), throttlers };
}
