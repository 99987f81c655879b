import type { Id } from '../../../core/shared/ids.js';
import type { Passkey } from '../../../core/users/factors/passkey.js';
import type { AuthenticatorApp, PendingSignIn } from '../../../core/users/factors/second-factor.js';
import { bigWhole, generatedKey, instant, key, tableOf, text, whole, yesOrNo } from '../database/columns.js';

export const authenticatorAppTable = tableOf<AuthenticatorApp>('authenticatorApp', 'authenticator_apps', {
  customerId: key,
  id: generatedKey,
  userId: bigWhole,
  name: text,
  secret: text,
  lastStep: bigWhole,
  createdAt: instant,
  lastUsedAt: instant,
});

export const passkeyTable = tableOf<Passkey>('passkey', 'passkeys', {
  customerId: key,
  id: generatedKey,
  userId: bigWhole,
  name: text,
  credentialId: text,
  publicKey: text,
  counter: bigWhole,
  signsInAlone: yesOrNo,
  createdAt: instant,
  lastUsedAt: instant,
});

export interface AnsweredChallengeRow {
  readonly customerId: Id;
  readonly challengeHash: string;
  readonly userId: Id;
  readonly at: Date;
}

export const answeredChallengeTable = tableOf<AnsweredChallengeRow>('answeredChallenge', 'answered_challenges', {
  customerId: key,
  challengeHash: { ...text, primary: true },
  userId: bigWhole,
  at: instant,
});

export interface RecoveryCodeRow {
  readonly customerId: Id;
  readonly userId: Id;
  readonly codeHash: string;
}

export const recoveryCodeTable = tableOf<RecoveryCodeRow>('recoveryCode', 'recovery_codes', {
  customerId: key,
  userId: key,
  codeHash: { ...text, primary: true },
});

export interface WrongCodeRow {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  readonly source: string;
  readonly at: Date;
}

export const wrongCodeTable = tableOf<WrongCodeRow>('wrongCode', 'wrong_codes', {
  customerId: key,
  id: generatedKey,
  userId: bigWhole,
  source: text,
  at: instant,
});

export const pendingSignInTable = tableOf<PendingSignIn>('pendingSignIn', 'pending_sign_ins', {
  customerId: key,
  tokenHash: { ...text, primary: true },
  userId: bigWhole,
  startedAt: instant,
  source: text,
  byLink: yesOrNo,
  tries: whole,
});

export const factorTables = [
  authenticatorAppTable,
  passkeyTable,
  answeredChallengeTable,
  recoveryCodeTable,
  wrongCodeTable,
  pendingSignInTable,
];
