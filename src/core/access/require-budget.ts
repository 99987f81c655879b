import { DomainError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Budget, RateWindowStore } from './rolling-window.js';

/** Changes that a person may make in the settings area, and tests of one webhook endpoint, per minute. */
const CHANGES_OF_PERSON = 60;
const TESTS_OF_ENDPOINT = 5;

/** Counts one use. `tooMany` begins the message of a refusal. Errors: `rate_limited`. */
export async function requireBudget(
  { rateWindows }: { rateWindows: RateWindowStore },
  budget: Budget,
  tooMany: string,
): Promise<void> {
  const { allowed, retryAfter } = await rateWindows.hit(budget);
  if (allowed) return;
  throw new DomainError('rate_limited', `${tooMany} Try again in ${retryAfter ?? 60} seconds.`, { retryAfter });
}

/** Counts a change that a person makes. Errors: `rate_limited`. */
export function requireChangeBudget(uses: { rateWindows: RateWindowStore }, userId: Id): Promise<void> {
  const budget = { name: `changes:person:${userId}`, limit: CHANGES_OF_PERSON };
  return requireBudget(uses, budget, `A person can make at most ${CHANGES_OF_PERSON} changes per minute.`);
}

/** Counts a test of a webhook endpoint. Errors: `rate_limited`. */
export function requireTestBudget(uses: { rateWindows: RateWindowStore }, endpointId: Id): Promise<void> {
  const budget = { name: `webhook-tests:${endpointId}`, limit: TESTS_OF_ENDPOINT };
  return requireBudget(uses, budget, `A webhook endpoint can be tested at most ${TESTS_OF_ENDPOINT} times per minute.`);
}
