import { after } from '../shared/clock.js';
import { type DomainError, invalid } from '../shared/errors.js';
import { hashRandomToken } from '../shared/random-token.js';
import type { Transactional } from '../shared/transactional.js';
import type { NoticeUses } from './notify-person.js';
import { CHALLENGE_MS, type PasskeyAnswer } from './passkey.js';
import { challengeFor, openChallenge } from './passkey-challenge.js';
import type { PasskeyUses } from './prove-passkey.js';
import { readFactorName } from './second-factor.js';
import type { KnownSession } from './session.js';
import { storeFactor } from './store-factor.js';

interface NewPasskeyAnswer {
  readonly name: string;
  /** Whether it shall let the person in without the password: its device must have checked the person now, too. */
  readonly signsInAlone: boolean;
  readonly given: PasskeyAnswer;
}

/** Adds a passkey, as `addFactor` adds an app. Errors: `invalid_request`, `limit_reached`. */
export async function addPasskey(
  uses: PasskeyUses & NoticeUses & { store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'> },
  person: KnownSession,
  { given, signsInAlone, ...words }: NewPasskeyAnswer,
  address: string,
): Promise<readonly string[] | null> {
  const [name, at, userId] = [readFactorName(words.name), uses.clock.now(), person.user.id];
  const challenge = openChallenge(uses, given.challenge, challengeFor.adding(person.session, signsInAlone));
  const { passkeySite: site } = uses.addresses;
  if (challenge === null || site === null) throw notAccepted();
  const made = await uses.passkeys.readNew(given.answer, { challenge, site, mustVerifyUser: signsInAlone });
  if (made === null) throw notAccepted();
  return storeFactor(uses, person, { name, address }, async (factors) => {
    const isFirstAnswer = await factors.useChallenge(userId, hashRandomToken(challenge), at, after(at, -CHALLENGE_MS));
    const row = { ...made, userId, name, signsInAlone, createdAt: at, lastUsedAt: at };
    if (!isFirstAnswer || (await factors.insertPasskey(row)) === null) throw notAccepted();
  });
}

function notAccepted(): DomainError {
  const message = 'The passkey was not accepted, or making it took too long. Try again.';
  return invalid({ field: 'passkey', code: 'invalid_format', message });
}
