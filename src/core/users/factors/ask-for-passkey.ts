import type { PasskeySite } from '../../shared/addresses.js';
import { invalid, requireFound } from '../../shared/errors.js';
import { hashRandomToken } from '../../shared/secrets.js';
import type { Readable } from '../../shared/transactional.js';
import type { KnownSession } from '../session.js';
import { type User } from '../user.js';
import type { PasskeyUses } from './confirm-identity.js';
import { challengeFor, newChallenge, type Passkey, userHandle } from './passkey.js';
import { isPending, readPendingCookie } from './second-factor.js';

export interface PasskeyQuestion {
  readonly challenge: string;
  /** For the browser, to be sent back with the answer. */
  readonly cookie: string;
  readonly site: PasskeySite;
  /** One of these; or for a new one: none of these. Empty: any. */
  readonly credentialIds: readonly string[];
  /** The device must check the person, and find the passkey without being told which. */
  readonly alone: boolean;
}

type AskUses = Omit<PasskeyUses, 'passkeys'>;
type Asked = AskUses & { readonly store: Readable<'factors'> };

/** For a person who is not signed in, and gives no password. Errors: `invalid_request`. */
export function askToSignIn(uses: AskUses): PasskeyQuestion {
  return question(uses, challengeFor.signIn(), [], true);
}

/** For a person who gave the password. Errors: `not_found` when no passkey can be used, `invalid_request`. */
export async function askForSecondStep(uses: Asked, cookie: string): Promise<PasskeyQuestion> {
  const waiting = requireFound(readPendingCookie(uses.secrets, cookie), 'sign_in');
  const own = await passkeysOfPending(uses, cookie);
  requireFound(own[0] ?? null, 'passkey');
  return question(uses, challengeFor.secondStep(waiting.token), own, false);
}

/** For a person who is asked again. Errors: `not_found` for a person without passkeys, `invalid_request`. */
export async function askAgain(uses: Asked, { session, user }: KnownSession): Promise<PasskeyQuestion> {
  const own = await listPasskeys(uses, user);
  requireFound(own[0] ?? null, 'passkey');
  return question(uses, challengeFor.confirmation(session), own, false);
}

/** For a new passkey. Errors: `invalid_request`. */
export async function askForNewPasskey(
  uses: Asked,
  { session, user }: KnownSession,
  signsInAlone: boolean,
): Promise<PasskeyQuestion & { readonly handle: string }> {
  const own = await listPasskeys(uses, user);
  const asked = question(uses, challengeFor.adding(session, signsInAlone), own, signsInAlone);
  return { ...asked, handle: userHandle(user) };
}

/** The passkeys of a person, oldest first. */
export function listPasskeys(
  { store }: Pick<Asked, 'store'>,
  { customerId, id }: Pick<User, 'customerId' | 'id'>,
): Promise<readonly Passkey[]> {
  return store.query(customerId, ({ factors }) => factors.passkeysOf(id));
}

/** The passkeys with which a sign-in that waits for the second factor can go on. */
export async function passkeysOfPending(uses: Asked, cookie: string): Promise<readonly Passkey[]> {
  const waiting = readPendingCookie(uses.secrets, cookie);
  if (waiting === null) return [];
  return uses.store.query(waiting.customerId, async ({ factors }) => {
    const pending = await factors.findPending(hashRandomToken(waiting.token));
    return pending && isPending(pending, uses.clock.now()) ? factors.passkeysOf(pending.userId) : [];
  });
}

function question(uses: AskUses, purpose: string, passkeys: readonly Passkey[], alone: boolean): PasskeyQuestion {
  const { passkeySite: site } = uses.addresses;
  if (site === null) {
    const message = 'Passkeys need an address with a name and TLS, or localhost. The operator sets it.';
    throw invalid({ field: 'passkey', code: 'conflict', message });
  }
  return { ...newChallenge(uses, purpose), site, credentialIds: passkeys.map((each) => each.credentialId), alone };
}
