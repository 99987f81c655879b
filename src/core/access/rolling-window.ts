import { MINUTE, SECOND } from '../shared/clock.js';
import type { ApiKey } from './api-key.js';

/** The group a request is counted in. */
export type BudgetGroup = 'read' | 'write' | 'anonymous';

export const WINDOW_MS = MINUTE;

/** SPEC.md §8: requests per minute. `anonymous` is kept by source address (API.md §4.3). */
export const defaultBudgets: Readonly<Record<BudgetGroup, number>> = { read: 300, write: 30, anonymous: 300 };

export function budgetGroupOf(method: string): 'read' | 'write' {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'read' : 'write';
}

export function keyBudget(key: Pick<ApiKey, 'id' | 'readLimit' | 'writeLimit'>, group: 'read' | 'write'): Budget {
  const override = group === 'read' ? key.readLimit : key.writeLimit;
  return { name: `${group}:${key.id}`, limit: override ?? defaultBudgets[group] };
}

export interface Budget {
  /** Under which the admissions are kept. */
  readonly name: string;
  /** Admissions in any `WINDOW_MS`. */
  readonly limit: number;
}

export interface WindowState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds, rounded up: when the full budget is back if nothing more is counted. */
  readonly reset: number;
  /** Seconds after which the next request is admitted; only when refused. */
  readonly retryAfter: number | null;
}

/** Where admissions are kept. One rule, exact: at most `limit` admissions in any 60 s, refused calls are not counted. */
export interface RateWindowStore {
  /** Admits and counts one request, or refuses it without a trace. Calls on one budget behave as if made one after another. */
  hit(budget: Budget): Promise<WindowState>;
  /** What a budget looks like now, without counting. `allowed` tells whether a hit would be admitted. */
  peek(budget: Budget): Promise<WindowState>;
  /**
   * Forgets budgets that were not used for so long that they count nothing any more, and answers how many that still were. A store
   * that forgets by itself has none left. No answer changes by it.
   */
  sweep(): Promise<number>;
}

/** Admission times in milliseconds, oldest first. */
export type Admissions = readonly number[];

/** The rule itself (API.md §4.3): a log of admissions, not buckets and not GCRA, which would admit up to twice the limit in some minutes. */
export function admit(log: Admissions, limit: number, now: number): { log: Admissions; state: WindowState } {
  const current = stillCounted(log, now);
  if (current.length >= limit) return { log: current, state: describe(current, limit, now, false) };
  const counted = [...current, now];
  return { log: counted, state: describe(counted, limit, now, true) };
}

export function observe(log: Admissions, limit: number, now: number): WindowState {
  const current = stillCounted(log, now);
  return describe(current, limit, now, current.length < limit);
}

/** A clock that jumped back must not lock anyone out for longer than one window: nothing was admitted in the future. */
function stillCounted(log: Admissions, now: number): number[] {
  return log.filter((at) => at > now - WINDOW_MS).map((at) => Math.min(at, now));
}

function describe(log: readonly number[], limit: number, now: number, allowed: boolean): WindowState {
  const blocker = limit === 0 ? undefined : log[log.length - limit];
  return stateOf({ used: log.length, newest: log.at(-1) ?? null, blocker: blocker ?? null }, limit, now, allowed);
}

/** What a log of admissions comes down to. Moments in milliseconds; null where there is none. */
export interface Counted {
  readonly used: number;
  readonly newest: number | null;
  /** The call that has to leave the window before one more fits: the `limit`th from the end. */
  readonly blocker: number | null;
}

/** How a budget stands whose log was counted where it is kept. `allowed`: what became, or would become, of the call. */
export function stateOf({ used, newest, blocker }: Counted, limit: number, now: number, allowed: boolean): WindowState {
  const reset = Math.ceil((newest === null ? now : newest + WINDOW_MS) / SECOND);
  const remaining = Math.max(0, limit - used);
  if (allowed) return { allowed, limit, remaining, reset, retryAfter: null };
  // With a limit of 0 nothing has to leave, and nothing will ever fit.
  const wait = blocker === null ? WINDOW_MS : blocker + WINDOW_MS - now;
  return {
    allowed,
    limit,
    remaining: 0,
    reset: Math.max(reset, Math.ceil((now + wait) / SECOND)),
    retryAfter: Math.max(1, Math.ceil(wait / SECOND)),
  };
}
