import type { Addresses } from '../shared/addresses.js';
import { after, type Clock } from '../shared/clock.js';
import { hashRandomToken } from '../shared/random-token.js';
import type { Secrets } from '../shared/secrets.js';
import type { Transaction } from '../shared/transactional.js';
import { CHALLENGE_MS, type PasskeyAnswer, userHandle } from './passkey.js';
import { openChallenge } from './passkey-challenge.js';
import type { PasskeyReader } from './passkey-reader.js';
import { auditSubject, type User, userActor } from './user.js';

export interface PasskeyUses {
  readonly passkeys: PasskeyReader;
  readonly addresses: Pick<Addresses, 'passkeySite'>;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

interface Given {
  readonly given: PasskeyAnswer;
  /** What the challenge must be for (`challengeFor`). */
  readonly purpose: string;
  /** Nothing else proves who it is: only a passkey that may be used so, and whose device has checked the person. */
  readonly alone: boolean;
  readonly address: string;
}

/**
 * Whether a passkey of this person answered the challenge, which is used up, right or wrong. The user is locked. The transaction must not
 * fail for a wrong one.
 */
export async function provePasskey(
  uses: PasskeyUses,
  { factors, audit }: Transaction<'factors' | 'audit'>,
  user: User,
  { given, purpose, alone, address }: Given,
): Promise<boolean> {
  const { passkeySite: site } = uses.addresses;
  const challenge = openChallenge(uses, given.challenge, purpose);
  const claim = uses.passkeys.claimOf(given.answer);
  if (site === null || challenge === null || claim === null) return false;
  const at = uses.clock.now();
  if (!(await factors.useChallenge(user.id, hashRandomToken(challenge), at, after(at, -CHALLENGE_MS)))) return false;
  const passkey = await factors.findPasskey(claim.credentialId);
  const isOwn = passkey?.userId === user.id && (claim.userHandle ?? userHandle(user)) === userHandle(user);
  if (!isOwn || (alone && !passkey.signsInAlone)) return false;
  const signed = await uses.passkeys.check(given.answer, { challenge, site, mustVerifyUser: alone }, passkey);
  if (signed === null) return false;
  if (await factors.useCounter(passkey.id, signed.counter, at)) return true;
  await audit.add(userActor(user, address), { action: 'user.passkey_refused', subject: auditSubject(user), at });
  return false;
}
