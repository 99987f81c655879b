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

export interface AnsweredChallengeRow {
  readonly customerId: Id;
  readonly challengeHash: string;
  readonly userId: Id;
  readonly at: Date;
}

const answeredChallengeTable = tableOf<AnsweredChallengeRow>('answeredChallenge', 'answered_challenges', {
  customerId: column.key,
  challengeHash: { ...column.text, primary: true },
  userId: column.bigWhole,
  at: column.instant,
});

export interface RecoveryCodeRow {
  readonly customerId: Id;
  readonly userId: Id;
  readonly codeHash: string;
}

const recoveryCodeTable = tableOf<RecoveryCodeRow>('recoveryCode', 'recovery_codes', {
  customerId: column.key,
  userId: column.key,
  codeHash: { ...column.text, primary: true },
});

export interface WrongCodeRow {
  readonly customerId: Id;
  readonly id: Id;
  readonly userId: Id;
  readonly source: string;
  readonly at: Date;
}

const wrongCodeTable = tableOf<WrongCodeRow>('wrongCode', 'wrong_codes', {
  customerId: column.key,
  id: column.generatedKey,
  userId: column.bigWhole,
  source: column.text,
  at: column.instant,
});

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
    const { customerId } = this;
    return this.manager.find(authenticatorAppTable, { where: { customerId, userId }, order: { id: 'ASC' } });
  }

  listApps(): Promise<readonly AuthenticatorApp[]> {
    const { customerId } = this;
    return this.manager.find(authenticatorAppTable, { where: { customerId }, order: { id: 'ASC' } });
  }

  passkeysOf(userId: Id): Promise<readonly Passkey[]> {
    const { customerId } = this;
    return this.manager.find(passkeyTable, { where: { customerId, userId }, order: { id: 'ASC' } });
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
    const { customerId } = this;
    return this.manager.countBy(wrongCodeTable, { customerId, userId, source, at: MoreThanOrEqual(since) });
  }

  findPending(tokenHash: string): Promise<PendingSignIn | null> {
    return this.manager.findOneBy(pendingSignInTable, { customerId: this.customerId, tokenHash });
  }

  async insertApp(app: NewAuthenticatorApp): Promise<AuthenticatorApp> {
    await requireUser(this.manager, this.customerId, app.userId);
    const [stored] = await insert(this.manager, authenticatorAppTable, [{ ...app, customerId: this.customerId }]);
    return requireFound(stored, 'second_factor');
  }

  async deleteApp(userId: Id, id: Id): Promise<boolean> {
    const { affected } = await this.manager.delete(authenticatorAppTable, { customerId: this.customerId, userId, id });
    return affected === 1;
  }

  async useStep(id: Id, step: number, at: Date): Promise<boolean> {
    const unused = { customerId: this.customerId, id, lastStep: LessThan(step) };
    const { affected } = await this.manager.update(authenticatorAppTable, unused, { lastStep: step, lastUsedAt: at });
    return affected === 1;
  }

  async insertPasskey(passkey: NewPasskey): Promise<Passkey | null> {
    await requireUser(this.manager, this.customerId, passkey.userId);
    const row = { ...passkey, customerId: this.customerId };
    return (
      (await insert(this.manager, passkeyTable, [row], 'ON CONFLICT ON CONSTRAINT passkeys_once DO NOTHING'))[0] ?? null
    );
  }

  async deletePasskey(userId: Id, id: Id): Promise<boolean> {
    const { affected } = await this.manager.delete(passkeyTable, { customerId: this.customerId, userId, id });
    return affected === 1;
  }

  async useCounter(id: Id, counter: number, at: Date): Promise<boolean> {
    const before = counter === 0 ? 0 : LessThan(counter);
    const own = { customerId: this.customerId, id, counter: before };
    return (await this.manager.update(passkeyTable, own, { counter, lastUsedAt: at })).affected === 1;
  }

  async useChallenge(userId: Id, challengeHash: string, at: Date, since: Date): Promise<boolean> {
    const { customerId } = this;
    await requireUser(this.manager, this.customerId, userId);
    await this.manager.delete(answeredChallengeTable, { customerId, userId, at: LessThan(since) });
    const row = { customerId, userId, challengeHash, at };
    return (await insert(this.manager, answeredChallengeTable, [row], 'ON CONFLICT DO NOTHING')).length === 1;
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

  async useRecoveryCode(userId: Id, codeHash: string): Promise<boolean> {
    const { affected } = await this.manager.delete(recoveryCodeTable, {
      customerId: this.customerId,
      userId,
      codeHash,
    });
    return affected === 1;
  }

  async addWrongCode(userId: Id, source: string, at: Date, since: Date): Promise<void> {
    const { customerId } = this;
    await this.manager.delete(wrongCodeTable, { customerId, userId, at: LessThan(since) });
    await insert(this.manager, wrongCodeTable, [{ customerId, userId, source, at }]);
  }

  async openPending(pending: NewPendingSignIn, since: Date): Promise<void> {
    const { customerId } = this;
    const { userId } = pending;
    await requireUser(this.manager, this.customerId, userId);
    await this.manager.delete(pendingSignInTable, { customerId, userId, startedAt: LessThan(since) });
    await insert(this.manager, pendingSignInTable, [{ ...pending, customerId, tries: 0 }]);
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
