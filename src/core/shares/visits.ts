import { addressBudget } from '../access/ip-list.js';
import { requireBudget } from '../access/require-budget.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import type { Share } from './share.js';

/** Requests per minute from one address, whatever links they are for: pages, and each picture on them. */
export const REQUESTS_OF_VISITOR = 1200;
/** Archives are dear, and so are those that are continued. */
export const ARCHIVES_OF_VISITOR = 20;

/** Counts a request of a visitor. Errors: `rate_limited`. */
export function requireVisitBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  const budget = { name: `visits:${addressBudget(address)}`, limit: REQUESTS_OF_VISITOR };
  return requireBudget(uses, budget, 'Too many requests.');
}

/** Counts a download of everything. Errors: `rate_limited`. */
export function requireArchiveBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  const budget = { name: `archives:${addressBudget(address)}`, limit: ARCHIVES_OF_VISITOR };
  return requireBudget(uses, budget, 'Too many downloads.');
}

/** Visits of one share that are still to be written. */
export interface Visits extends Pick<Share, 'customerId'> {
  readonly shareId: Id;
  readonly count: number;
  readonly lastAt: Date;
}

/** Adds to the visits of a share. One that has been revoked since is left out. */
export function recordVisits(
  { store }: { store: Transactional<'shares'> },
  { customerId, shareId, count, lastAt }: Visits,
): Promise<void> {
  return store.transaction(customerId, async ({ shares }) => {
    const share = await shares.lock(shareId);
    if (share === null) return;
    const lastVisitedAt = share.lastVisitedAt && share.lastVisitedAt > lastAt ? share.lastVisitedAt : lastAt;
    await shares.update({ ...share, visits: share.visits + count, lastVisitedAt });
  });
}
