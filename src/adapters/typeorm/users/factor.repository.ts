import { LessThan, MoreThanOrEqual } from 'typeorm';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type { NewPasskey, Passkey } from '../../../core/users/factors/passkey.js';
import type {
  AuthenticatorApp,
  FactorRepository,
  NewAuthenticatorApp,
  NewPendingSignIn,
  PendingSignIn,
} from '../../../core/users/factors/second-factor.js';
import { TypeormRepository } from '../database/repository.js';
import { column, insert, tableOf } from '../database/sql.js';
import { requireUser } from './user.repository.js';

const authenticatorAppTable = tableOf<AuthenticatorApp>('authenticatorApp', 'authenticator_apps', {
  customerId: column.key,
  id: column.generatedKey,
  userId: column.bigWhole,
  name: column.text,
  secret: column.text,
  lastStep: column.bigWhole,
  createdAt: column.instant,
  lastUsedAt: column.instant,
});

const passkeyTable = tableOf<Passkey>('passkey', 'passkeys', {
  customerId: column.key,
  id: column.generatedKey,
  userId: column.bigWhole,
  name: column.text,
  credentialId: column.text,
  publicKey: column.text,
  counter: column.bigWhole,
  signsInAlone: column.yesOrNo,
  createdAt: column.instant,
  lastUsedAt: column.instant,
});

interface OfUser {
  readonly customerId: Id;
  readonly userId: Id;
}

const answeredChallengeTable = tableOf<OfUser & { readonly challengeHash: string; readonly at: Date }>(
  'answeredChallenge',
  'answered_challenges',
  {
    customerId: column.key,
    challengeHash: { ...column.text, primary: true },
    userId: column.bigWhole,
    at: column.instant,
  },
);

const recoveryCodeTable = tableOf<OfUser & { readonly codeHash: string }>('recoveryCode', 'recovery_codes', {
  customerId: column.key,
  userId: column.key,
  codeHash: { ...column.text, primary: true },
});

const wrongCodeTable = tableOf<OfUser & { readonly id: Id; readonly source: string; readonly at: Date }>(
  'wrongCode',
  'wrong_codes',
  {
    customerId: column.key,
    id: column.generatedKey,
    userId: column.bigWhole,
    source: column.text,
    at: column.instant,
  },
);

const pendingSignInTable = tableOf<PendingSignIn>('pendingSignIn', 'pending_sign_ins', {
  customerId: column.key,
  tokenHash: { ...column.text, primary: true },
  userId: column.bigWhole,
  startedAt: column.instant,
  source: column.text,
  byLink: column.yesOrNo,
  tries: column.whole,
});

export const factorTables = [
  authenticatorAppTable,
  passkeyTable,
  answeredChallengeTable,
  recoveryCodeTable,
  wrongCodeTable,
  pendingSignInTable,
];

export class TypeormFactorRepository extends TypeormRepository implements FactorRepository {
  appsOf(userId: Id): Promise<readonly AuthenticatorApp[]> {
    return this.findRows(authenticatorAppTable, { userId }, { id: 'ASC' });
  }

  listApps(): Promise<readonly AuthenticatorApp[]> {
    return this.findRows(authenticatorAppTable, {}, { id: 'ASC' });
  }

  passkeysOf(userId: Id): Promise<readonly Passkey[]> {
    return this.findRows(passkeyTable, { userId }, { id: 'ASC' });
  }

  findPasskey(credentialId: string): Promise<Passkey | null> {
    return this.manager.findOneBy(passkeyTable, { customerId: this.customerId, credentialId });
  }

  async countFactors(userId: Id): Promise<number> {
    const all = { customerId: this.customerId, userId };
    return (await this.manager.countBy(authenticatorAppTable, all)) + (await this.manager.countBy(passkeyTable, all));
  }

  countRecoveryCodes(userId: Id): Promise<number> {
    return this.manager.countBy(recoveryCodeTable, { customerId: this.customerId, userId });
  }

  countWrongCodes(userId: Id, source: string, since: Date): Promise<number> {
    const wrong = { customerId: this.customerId, userId, source, at: MoreThanOrEqual(since) };
    return this.manager.countBy(wrongCodeTable, wrong);
  }

  findPending(tokenHash: string): Promise<PendingSignIn | null> {
    return this.manager.findOneBy(pendingSignInTable, { customerId: this.customerId, tokenHash });
  }

  async insertApp(app: NewAuthenticatorApp): Promise<AuthenticatorApp> {
    await requireUser(this.manager, this.customerId, app.userId);
    return requireFound(await this.insertRow(authenticatorAppTable, app), 'second_factor');
  }

  deleteApp(userId: Id, id: Id): Promise<boolean> {
    return this.deleteRow(authenticatorAppTable, { userId, id });
  }

  async useStep(id: Id, step: number, at: Date): Promise<boolean> {
    const unused = { customerId: this.customerId, id, lastStep: LessThan(step) };
    const { affected } = await this.manager.update(authenticatorAppTable, unused, { lastStep: step, lastUsedAt: at });
    return affected === 1;
  }

  async insertPasskey(passkey: NewPasskey): Promise<Passkey | null> {
    await requireUser(this.manager, this.customerId, passkey.userId);
    return this.insertRow(passkeyTable, passkey, 'ON CONFLICT ON CONSTRAINT passkeys_once DO NOTHING');
  }

  deletePasskey(userId: Id, id: Id): Promise<boolean> {
    return this.deleteRow(passkeyTable, { userId, id });
  }

  async useCounter(id: Id, counter: number, at: Date): Promise<boolean> {
    const before = counter === 0 ? 0 : LessThan(counter);
    const own = { customerId: this.customerId, id, counter: before };
    return (await this.manager.update(passkeyTable, own, { counter, lastUsedAt: at })).affected === 1;
  }

  async useChallenge(userId: Id, challengeHash: string, at: Date, since: Date): Promise<boolean> {
    await requireUser(this.manager, this.customerId, userId);
    await this.manager.delete(answeredChallengeTable, { customerId: this.customerId, userId, at: LessThan(since) });
    const row = { userId, challengeHash, at };
    return (await this.insertRow(answeredChallengeTable, row, 'ON CONFLICT DO NOTHING')) !== null;
  }

  async replaceSecret(app: Pick<AuthenticatorApp, 'id' | 'secret'>, secret: string): Promise<void> {
    const same = { customerId: this.customerId, id: app.id, secret: app.secret };
    await this.manager.update(authenticatorAppTable, same, { secret });
  }

  async setRecoveryCodes(userId: Id, hashes: readonly string[]): Promise<void> {
    const { customerId } = this;
    await requireUser(this.manager, this.customerId, userId);
    await this.manager.delete(recoveryCodeTable, { customerId, userId });
    await insert(
      this.manager,
      recoveryCodeTable,
      hashes.map((codeHash) => ({ customerId, userId, codeHash })),
    );
  }

  useRecoveryCode(userId: Id, codeHash: string): Promise<boolean> {
    return this.deleteRow(recoveryCodeTable, { userId, codeHash });
  }

  async addWrongCode(userId: Id, source: string, at: Date, since: Date): Promise<void> {
    await this.manager.delete(wrongCodeTable, { customerId: this.customerId, userId, at: LessThan(since) });
    await this.insertRow(wrongCodeTable, { userId, source, at });
  }

  async openPending(pending: NewPendingSignIn, since: Date): Promise<void> {
    const old = { customerId: this.customerId, userId: pending.userId, startedAt: LessThan(since) };
    await requireUser(this.manager, this.customerId, pending.userId);
    await this.manager.delete(pendingSignInTable, old);
    await this.insertRow(pendingSignInTable, { ...pending, tries: 0 });
  }

  async countTry(tokenHash: string): Promise<void> {
    await this.manager.increment(pendingSignInTable, { customerId: this.customerId, tokenHash }, 'tries', 1);
  }

  async endPending(tokenHash: string): Promise<void> {
    await this.manager.delete(pendingSignInTable, { customerId: this.customerId, tokenHash });
  }

  async endPendingOf(userId: Id): Promise<void> {
    await this.manager.delete(pendingSignInTable, { customerId: this.customerId, userId });
  }

  async deleteAll(userId: Id): Promise<number> {
    const all = { customerId: this.customerId, userId };
    await this.manager.delete(recoveryCodeTable, all);
    await this.manager.delete(pendingSignInTable, all);
    const passkeys = await this.manager.delete(passkeyTable, all);
    const apps = await this.manager.delete(authenticatorAppTable, all);
    return (passkeys.affected ?? 0) + (apps.affected ?? 0);
  }
}
