import { MINUTE, SECOND } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { counted } from '../shared/text.js';
import type { ApiKey } from './api-key.js';

export type BudgetGroup = 'read' | 'write' | 'anonymous';

export const WINDOW_MS = MINUTE;

/** Requests per minute. `anonymous` is counted by source address. */
export const defaultBudgets: Readonly<Record<BudgetGroup, number>> = { read: 300, write: 30, anonymous: 300 };

export function keyBudget(key: Pick<ApiKey, 'id' | 'readLimit' | 'writeLimit'>, group: 'read' | 'write'): Budget {
  const override = group === 'read' ? key.readLimit : key.writeLimit;
  return { name: `${group}:${key.id}`, limit: override ?? defaultBudgets[group] };
}

export interface Budget {
  /** The key under which the admissions are stored. */
  readonly name: string;
  /** Admissions in any `WINDOW_MS`. */
  readonly limit: number;
}

export interface WindowState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds, rounded up: when the full budget is available again if nothing more is counted. */
  readonly reset: number;
  /**
   * Seconds after which the next request is admitted, only when refused: the `Retry-After` of a 429 (api/guards.ts). Computed by `stateOf`; a
   * database, the default where DATABASE_URL is set, does it by the same rule (`rate_hit`, typeorm/migrations/1764000000002-requests.ts). Those of
   * other errors: `retryAfterOf`, http/status-of-code.ts.
   */
  readonly retryAfter: number | null;
}

/** Where admissions are stored (composition/open-rate-windows.ts chooses). One exact rule: at most `limit` admissions in any 60 s; refused calls are not counted. */
export interface RateWindowStore {
  /** Admits and counts one request, or refuses it without counting it. Calls on one budget behave as if made one after another. */
  hit(budget: Budget): Promise<WindowState>;
  /** The current state of a budget, without counting. `allowed`: whether a hit would be admitted. */
  peek(budget: Budget): Promise<WindowState>;
  /**
   * Deletes budgets whose admissions have all left the window, and returns how many remain. A store that expires them by itself has none
   * left. This never changes the result of a call.
   */
  sweep(): Promise<number>;
}

/**
 * The admissions of one budget, by a clock in milliseconds, and the rule itself: a log, not buckets and not GCRA, which would admit up to
 * twice the limit in some minutes. Admissions that have left the window are dropped from the front, so that a call costs the same under a
 * limit of thirty and of a million.
 */
export class AdmissionLog {
  private times: number[];
  /** Index of the oldest admission that is still in the window. */
  private first = 0;

  /** @param times Of admissions, oldest first. */
  constructor(times: readonly number[] = []) {
    this.times = [...times];
  }

  /**
   * Counts one call, or refuses it without counting it.
   * @param wall The current wall clock time, when `now` is from another clock: `reset` is given in wall clock time.
   */
  hit(limit: number, now: number, wall = now): WindowState {
    const allowed = this.fits(limit, now);
    if (allowed) this.times.push(now);
    return this.state(limit, allowed, now, wall);
  }

  peek(limit: number, now: number, wall = now): WindowState {
    return this.state(limit, this.fits(limit, now), now, wall);
  }

  isEmpty(now: number): boolean {
    this.forget(now);
    return this.used === 0;
  }

  private get used(): number {
    return this.times.length - this.first;
  }

  private fits(limit: number, now: number): boolean {
    this.forget(now);
    return this.used < limit;
  }

  /** A clock that jumped back must not lock anyone out for longer than one window: nothing was admitted in the future. */
  private forget(now: number): void {
    const { times } = this;
    for (let late = times.length - 1; late >= this.first && (times[late] ?? now) > now; late -= 1) times[late] = now;
    while (this.first < times.length && (times[this.first] ?? now) <= now - WINDOW_MS) this.first += 1;
    // Rarely enough to cost nothing, often enough to use at most twice the memory.
    if (this.first * 2 > times.length) {
      this.times = times.slice(this.first);
      this.first = 0;
    }
  }

  private state(limit: number, allowed: boolean, now: number, wall: number): WindowState {
    const { used } = this;
    const newest = used === 0 ? null : this.fromEnd(1);
    const blocker = limit === 0 || used < limit ? null : this.fromEnd(limit);
    const by = (clock: number) => {
      const toCallerClock = (moment: number | null) => (moment === null ? null : clock - (now - moment));
      return stateOf({ used, newest: toCallerClock(newest), blocker: toCallerClock(blocker) }, limit, clock, allowed);
    };
    return wall === now ? by(now) : { ...by(now), reset: by(wall).reset };
  }

  private fromEnd(place: number): number | null {
    return this.times[this.times.length - place] ?? null;
  }
}

/** Summary of a log of admissions. Times in milliseconds; null when there is none. */
export interface Counted {
  readonly used: number;
  readonly newest: number | null;
  /** The call that has to leave the window before one more fits: the `limit`th from the end. */
  readonly blocker: number | null;
}

/** The state of a budget whose log was counted where it is stored. `allowed`: whether the call was, or would be, admitted. */
export function stateOf({ used, newest, blocker }: Counted, limit: number, now: number, allowed: boolean): WindowState {
  const reset = Math.ceil((newest === null ? now : newest + WINDOW_MS) / SECOND);
  const remaining = Math.max(0, limit - used);
  if (allowed) return { allowed, limit, remaining, reset, retryAfter: null };
  // With a limit of 0, no call has to leave, and none ever fits.
  const wait = blocker === null ? WINDOW_MS : blocker + WINDOW_MS - now;
  return {
    allowed,
    limit,
    remaining: 0,
    reset: Math.max(reset, Math.ceil((now + wait) / SECOND)),
    retryAfter: Math.max(1, Math.ceil(wait / SECOND)),
  };
}

/** Changes that a person may make in the settings area, per minute. */
const CHANGES_OF_PERSON = 60;

/** Counts one use. `tooMany` begins the message of a refusal. Errors: `rate_limited`. */
export async function requireBudget(
  { rateWindows }: { rateWindows: RateWindowStore },
  budget: Budget,
  tooMany: string,
): Promise<void> {
  const state = await rateWindows.hit(budget);
  if (!state.allowed) throw usedUp(state, tooMany);
}

export function usedUp({ retryAfter }: WindowState, tooMany: string): DomainError {
  const wait = counted(retryAfter ?? WINDOW_MS / SECOND, 'second');
  return new DomainError('rate_limited', `${tooMany} Try again in ${wait}.`, { retryAfter });
}

/** Counts a change that a person makes. Errors: `rate_limited`. */
export function requireChangeBudget(uses: { rateWindows: RateWindowStore }, userId: Id): Promise<void> {
  const budget = { name: `changes:person:${userId}`, limit: CHANGES_OF_PERSON };
  return requireBudget(uses, budget, `A person can make at most ${CHANGES_OF_PERSON} changes per minute.`);
}
