import { addressBudget } from '../access/ip-list.js';
import { requireBudget } from '../access/require-budget.js';
import type { RateWindowStore } from '../access/rolling-window.js';
import { mailRecovery, type RecoveryUses } from './mail-recovery.js';

/** Requests per minute from one source. */
const PER_SOURCE = 5;
/** Every request takes at least so long, which is longer than storing a mail takes. */
const AT_LEAST_MS = 500;

type RequestUses = RecoveryUses & { readonly rateWindows: RateWindowStore };

/**
 * Mails a link for a new password to everyone who signs in with this address and a password. Neither the result nor its time reveals whether
 * there is anyone. Errors: `rate_limited`.
 */
export async function requestRecovery(uses: RequestUses, text: string, source: string): Promise<void> {
  const budget = { name: `recovery:from:${addressBudget(source)}`, limit: PER_SOURCE };
  await requireBudget(uses, budget, 'Too many attempts.');
  await Promise.all([uses.clock.pause(AT_LEAST_MS), mailRecovery(uses, text, source)]);
}
