import { addressBudget } from '../access/ip-list.js';
import { requireBudget } from '../access/require-budget.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import { accountName } from './device-cookie.js';

/**
 * Attempts per minute, including successful ones. By account, so that many machines cannot share the guessing; by address, so that one
 * cannot try many accounts.
 */
const PER_ADDRESS = 20;
const PER_ACCOUNT = 5;
const TOO_MANY = 'Too many attempts.';

interface Attempt {
  readonly account: string;
  readonly address: string;
  /** A source that the person is known to use, whose attempts are counted separately; null: any other. */
  readonly known: string | null;
}

/** Counts an attempt to guess a password. Errors: `rate_limited`. */
export async function requireSignInBudget(
  uses: { rateWindows: RateWindowStore },
  { account, address, known }: Attempt,
): Promise<void> {
  if (known !== null) {
    return requireBudget(uses, { name: `sign-in:known:${known}`, limit: PER_ACCOUNT }, TOO_MANY);
  }
  await requireAddressBudget(uses, address);
  await requireBudget(uses, { name: `sign-in:to:${accountName(account)}`, limit: PER_ACCOUNT }, TOO_MANY);
}

/** Counts an attempt to sign in where no account is named. Errors: `rate_limited`. */
export function requireAddressBudget(uses: { rateWindows: RateWindowStore }, address: string): Promise<void> {
  return requireBudget(uses, { name: `sign-in:from:${addressBudget(address)}`, limit: PER_ADDRESS }, TOO_MANY);
}

/** Whether to record a refused attempt: the first in a minute for this account from this source. */
export async function shouldRecordRefusal(
  uses: { rateWindows: RateWindowStore },
  account: string,
  address: string,
): Promise<boolean> {
  const name = `sign-in:refused:${accountName(account)}:${addressBudget(address)}`;
  return (await uses.rateWindows.hit({ name, limit: 1 })).allowed;
}
