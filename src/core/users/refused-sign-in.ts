import type { RateWindowStore } from '../access/rolling-window.js';
import type { Actor } from '../audit/actor.js';
import type { Clock } from '../shared/clock.js';
import type { Transactional } from '../shared/transactional.js';
import { shouldRecordRefusal } from './sign-in-attempts.js';
import { auditSubject, type User } from './user.js';

/**
 * Only for accounts that exist, and once a minute from one source: guessing cannot fill the log. Also checked for accounts that do not
 * exist, so that both take about the same time.
 */
export async function recordRefusal(
  uses: { rateWindows: RateWindowStore; store: Transactional<'audit'>; clock: Clock },
  known: readonly User[],
  account: string,
  address: string,
): Promise<void> {
  if (!(await shouldRecordRefusal(uses, account, address))) return;
  const nobody: Actor = { kind: 'person', id: null, name: null, address };
  for (const user of known) {
    const change = { action: 'user.sign_in_refused', subject: auditSubject(user), at: uses.clock.now() } as const;
    await uses.store.transaction(user.customerId, ({ audit }) => audit.add(nobody, change));
  }
}

/** A refusal takes at least so long, which is longer than comparing a password with those of several accounts and recording it. */
const REFUSED_AFTER_MS = 500;

/** Runs an attempt to sign in. How long its refusal takes does not reveal why it was refused. */
export async function refusingSlowly<T>({ clock }: { clock: Clock }, attempt: () => Promise<T>): Promise<T> {
  const least = clock.pause(REFUSED_AFTER_MS);
  try {
    return await attempt();
  } catch (error) {
    await least;
    throw error;
  }
}
