import { createHash } from 'node:crypto';
import { addressBudget } from '../access/ip-list.js';
import type { Budget } from '../access/rolling-window.js';
import type { Uses } from '../ports.js';
import { DomainError } from '../shared/errors.js';

/** Attempts a minute, right ones too. By account so that many machines cannot share the guessing, by address so that one cannot try many accounts. */
const PER_ADDRESS = 20;
const PER_ACCOUNT = 5;

/** Counts an attempt to guess a password. Errors: `rate_limited`. */
export async function demandAttempt(uses: Uses<'rateWindows'>, account: string, address: string): Promise<void> {
  await demandBudget(uses, { name: `sign-in:from:${addressBudget(address)}`, limit: PER_ADDRESS });
  const name = createHash('sha256').update(account).digest('hex');
  await demandBudget(uses, { name: `sign-in:to:${name}`, limit: PER_ACCOUNT });
}

async function demandBudget({ rateWindows }: Uses<'rateWindows'>, budget: Budget): Promise<void> {
  const { allowed, retryAfter } = await rateWindows.hit(budget);
  if (allowed) return;
  const message = `Too many attempts. Try again in ${retryAfter ?? 60} seconds.`;
  throw new DomainError('rate_limited', message, { retryAfter });
}
