import type { Id } from '../shared/ids.js';
import type { NewPasskey, Passkey } from './passkey.js';
import type { AuthenticatorApp, NewAuthenticatorApp, NewPendingSignIn, PendingSignIn } from './second-factor.js';

/** Second factors of the people of the bound customer. */
export interface FactorReads {
  /** The authenticator apps of a person, oldest first. */
  appsOf(userId: Id): Promise<readonly AuthenticatorApp[]>;
  /** Those of everyone, by id. */
  listApps(): Promise<readonly AuthenticatorApp[]>;
  /** The passkeys of a person, oldest first. */
  passkeysOf(userId: Id): Promise<readonly Passkey[]>;
  /** Whoever of this customer has it; null when nobody does. */
  findPasskey(credentialId: string): Promise<Passkey | null>;
  /** The number of a person's apps and passkeys. */
  countFactors(userId: Id): Promise<number>;
  /** The number of a person's recovery codes that have not been used. */
  countRecoveryCodes(userId: Id): Promise<number>;
  /** Wrong one-time codes of a person from this source since then. */
  countWrongCodes(userId: Id, source: string, since: Date): Promise<number>;
  /** Null when it does not exist (any more). Expired ones are returned: the caller checks. */
  findPending(tokenHash: string): Promise<PendingSignIn | null>;
}

/** Whoever changes a person's factors holds the lock on the user. */
export interface FactorRepository extends FactorReads {
  /** Errors: `not_found` when the user is not there (any more). */
  insertApp(app: NewAuthenticatorApp): Promise<AuthenticatorApp>;
  /** False when the person has no such app. */
  deleteApp(userId: Id, id: Id): Promise<boolean>;
  /** Accepts the code of this time step. False, with nothing stored, when one of this step or a later one was accepted before. */
  useStep(id: Id, step: number, at: Date): Promise<boolean>;
  /** Null, with nothing stored, when somebody of this customer has this passkey. Errors: `not_found` as above. */
  insertPasskey(passkey: NewPasskey): Promise<Passkey | null>;
  /** False when the person has no such passkey. */
  deletePasskey(userId: Id, id: Id): Promise<boolean>;
  /** Accepts a counter that is higher than the last one, or still zero. False, with nothing stored, for any other. */
  useCounter(id: Id, counter: number, at: Date): Promise<boolean>;
  /**
   * Records that a challenge was answered, and forgets those of this person from before `since`. False when it had been answered before: of
   * two calls, one gets true. Errors: `not_found` as above.
   */
  useChallenge(userId: Id, challengeHash: string, at: Date, since: Date): Promise<boolean>;
  /** Replaces the encrypted secret, unless another has taken its place meanwhile. */
  replaceSecret(app: Pick<AuthenticatorApp, 'id' | 'secret'>, secret: string): Promise<void>;
  /** Replaces all recovery codes of a person. Errors: `not_found` when the user is not there (any more). */
  setRecoveryCodes(userId: Id, hashes: readonly string[]): Promise<void>;
  /** Uses one up. False when the person has no such code (any more): of two calls, one gets true. */
  useRecoveryCode(userId: Id, hash: string): Promise<boolean>;
  /** Records a wrong one-time code, and forgets those of this person from before `since`. */
  addWrongCode(userId: Id, source: string, at: Date, since: Date): Promise<void>;
  /** Stores it, and forgets those of this person that started before `since`. Errors: `not_found` as above. */
  openPending(pending: NewPendingSignIn, since: Date): Promise<void>;
  /** Counts a wrong code. */
  countTry(tokenHash: string): Promise<void>;
  endPending(tokenHash: string): Promise<void>;
  /** Ends all of a person. */
  endPendingOf(userId: Id): Promise<void>;
  /** Removes everything of a person: apps, passkeys, recovery codes, sign-ins that wait for a code. Returns how many apps and passkeys. */
  deleteAll(userId: Id): Promise<number>;
}

declare module '../shared/transactional.js' {
  interface Reads {
    readonly factors: FactorReads;
  }
  interface Repositories {
    readonly factors: FactorRepository;
  }
}
