import { after, type Clock, HOUR } from '../../shared/clock.js';
import { invalid, requireBelowLimit, requireFound } from '../../shared/errors.js';
import { hashRandomToken, type Secrets, seal, unseal } from '../../shared/secrets.js';
import type { Transactional } from '../../shared/transactional.js';
import { type NoticeUses, notifyPerson } from '../notify-person.js';
import type { KnownSession } from '../session.js';
import { auditUser, type User, userActor } from '../user.js';
import type { PasskeyUses } from './confirm-identity.js';
import { codeSecretUri, hashRecoveryCode, newCodeSecret, newRecoveryCodes, stepOfCode } from './one-time-code.js';
import { CHALLENGE_MS, challengeFor, openChallenge, type PasskeyAnswer } from './passkey.js';
import { type FactorRepository, MAX_FACTORS, readFactorName } from './second-factor.js';

/**
 * Adds an authenticator app that shows the right code. Every other browser of the person is signed out: it may be in the hands of anyone who
 * has the password. Returns the recovery codes that the first factor brings, otherwise null. Errors: `invalid_request`, `limit_reached`.
 */
export async function addFactor(
  uses: FactorUses,
  person: KnownSession,
  given: { readonly name: string; readonly code: string; readonly sealed: string },
  address: string,
): Promise<readonly string[] | null> {
  const name = readFactorName(given.name);
  const secret = openEnrolment(uses, person.user, given.sealed);
  const at = uses.clock.now();
  const step = secret === null ? null : stepOfCode(secret, given.code.replace(/\s/g, ''), at);
  if (secret === null || step === null) {
    const message = 'This is not the code of the app now. Check the time of the device, and enter the code it shows.';
    throw invalid({ field: 'code', code: 'invalid_format', message });
  }
  const row = { userId: person.user.id, name, lastStep: step, createdAt: at, lastUsedAt: at };
  return storeFactor(uses, person, { name, address }, async (factors) => {
    await factors.insertApp({ ...row, secret: seal(uses.secrets, 'factor', secret) });
  });
}

/**
 * Adds a passkey, as `addFactor` adds an app. `signsInAlone`: it shall let the person in without the password, and its device must have
 * checked the person now, too. Errors: `invalid_request`, `limit_reached`.
 */
export async function addPasskey(
  uses: PasskeyUses & FactorUses,
  person: KnownSession,
  passkey: { readonly name: string; readonly signsInAlone: boolean; readonly given: PasskeyAnswer },
  address: string,
): Promise<readonly string[] | null> {
  const { given, signsInAlone } = passkey;
  const [name, at, userId] = [readFactorName(passkey.name), uses.clock.now(), person.user.id];
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

function notAccepted() {
  const message = 'The passkey was not accepted, or making it took too long. Try again.';
  return invalid({ field: 'passkey', code: 'invalid_format', message });
}

export type FactorUses = NoticeUses & {
  store: Transactional<'customer' | 'users' | 'factors' | 'audit' | 'jobs'>;
  clock: Clock;
};

/**
 * Adds a factor of either kind, and tells the person by mail. Every other browser of the person is signed out: it may be in the hands of
 * anyone who has the password. Returns the recovery codes that the first factor brings, otherwise null. Errors: `limit_reached`.
 */
function storeFactor(
  uses: FactorUses,
  { session, customer }: KnownSession,
  { name, address }: { readonly name: string; readonly address: string },
  insert: (factors: FactorRepository) => Promise<void>,
): Promise<readonly string[] | null> {
  const { userId } = session;
  return uses.store.transaction(customer.id, async (transaction) => {
    const { users, factors, audit } = transaction;
    const user = requireFound(await users.lock(userId), 'user');
    const before = await factors.countFactors(userId);
    const tooMany = `A person can have at most ${MAX_FACTORS} second factors. Remove one first.`;
    requireBelowLimit(before, MAX_FACTORS, 'factors', tooMany);
    await insert(factors);
    const codes = before === 0 ? newRecoveryCodes() : null;
    if (codes !== null) await factors.setRecoveryCodes(userId, codes.map(hashRecoveryCode));
    await users.endSessions(userId, session.id);
    await factors.endPendingOf(userId);
    const at = uses.clock.now();
    await auditUser(audit, userActor(user, address), user, { action: 'user.factor_added', at });
    const here = { at, address, userAgent: session.browser };
    await notifyPerson(uses, transaction, user, { template: 'factor_added', name }, here);
    return codes;
  });
}

export interface Enrolment {
  /** The secret that the person's app has to know, as a text and as the content of a QR code. */
  readonly secret: string;
  readonly uri: string;
  /** To be sent back with the first code. No other person can use it, and nothing is stored before. */
  readonly sealed: string;
}

/** A secret for a new authenticator app; or that of the enrolment before, so that a wrong code can be corrected. */
export function startEnrolment(
  uses: { secrets: Secrets; clock: Clock },
  { user, customer }: Pick<KnownSession, 'user' | 'customer'>,
  before = '',
): Enrolment {
  const secret = openEnrolment(uses, user, before) ?? newCodeSecret();
  const until = after(uses.clock.now(), HOUR).getTime();
  const sealed = seal(uses.secrets, 'enrolment', JSON.stringify({ user: nameOf(user), secret, until }));
  const account = user.email === null ? customer.name : `${user.email} (${customer.name})`;
  return { secret, uri: codeSecretUri(secret, account), sealed };
}

function openEnrolment(uses: { secrets: Secrets; clock: Clock }, user: User, sealed: string): string | null {
  const text = unseal(uses.secrets, 'enrolment', sealed);
  if (text === null) return null;
  const { user: owner, secret, until } = JSON.parse(text) as { user: string; secret: string; until: number };
  return owner === nameOf(user) && until > uses.clock.now().getTime() ? secret : null;
}

function nameOf({ customerId, id }: User): string {
  return `${customerId}:${id}`;
}
