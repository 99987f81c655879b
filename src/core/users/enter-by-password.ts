import type { Clock } from '../shared/clock.js';
import { DomainError } from '../shared/errors.js';
import type { Transactional } from '../shared/transactional.js';
import { type BegunSignIn, beginSignIn } from './begin-sign-in.js';
import { type NoticeUses, notifyPerson } from './notify-person.js';
import type { Browser } from './open-session.js';
import { auditSubject, type User, userActor } from './user.js';

type EnterUses = NoticeUses & {
  readonly store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
  readonly clock: Clock;
};

interface Entering {
  readonly browser: Browser;
  /** Where the person is known from; null: an unknown browser. */
  readonly source: string | null;
}

/** Begins a session of the user whose password was right a moment ago. Errors: `unauthorized`. */
export async function enterByPassword(
  uses: EnterUses,
  user: User,
  { browser, source }: Entering,
): Promise<BegunSignIn> {
  return uses.store.transaction(user.customerId, async (transaction) => {
    const [held, at] = [await transaction.users.lock(user.id), uses.clock.now()];
    // Comparing takes long enough for a new password, which ends every session, to be set in between.
    if (held?.passwordHash !== user.passwordHash) throw wrongPassword();
    const begun = await beginSignIn(transaction, held, { browser, byLink: false, source: source ?? '', at });
    if (begun.isPending) return begun;
    const signedIn = { action: 'user.signed_in', subject: auditSubject(held), at } as const;
    await transaction.audit.add(userActor(held, browser.address), signedIn);
    if (source === null) await notifyPerson(uses, transaction, held, { template: 'new_sign_in' }, { ...browser, at });
    return begun;
  });
}

export function wrongPassword(): DomainError {
  return new DomainError('unauthorized', 'The e-mail address or password is incorrect.');
}
