import type { Response } from 'express';
import { addressBudget } from '../../core/access/ip-list.js';
import { type Budget, type BudgetGroup, defaultBudgets, type WindowState } from '../../core/access/rolling-window.js';
import type { Uses } from '../../core/ports.js';
import { DomainError } from '../../core/shared/errors.js';
import type { RequestContext } from '../../http/server/request-context.js';

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
export function budgetUsedUp(response: Response, group: BudgetGroup, state: WindowState): DomainError {
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

/** The group in which a request with a key is counted: one, however many items it names. */
export function budgetGroupOf(method: string): 'read' | 'write' {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write';
}
