import { requireFound } from '../../../src/core/shared/errors.js';
import type { Id } from '../../../src/core/shared/ids.js';
import type { NewPasskey, Passkey } from '../../../src/core/users/factors/passkey.js';
import type {
  AuthenticatorApp,
  FactorRepository,
  NewAuthenticatorApp,
  NewPendingSignIn,
  PendingSignIn,
} from '../../../src/core/users/factors/second-factor.js';
import { MemoryRepository } from '../memory-repository.js';

interface OfUser {
  readonly customerId: Id;
  readonly userId: Id;
}

export class MemoryFactorRepository extends MemoryRepository implements FactorRepository {
  private readonly apps = this.database.table<AuthenticatorApp>('authenticator_apps');
  private readonly passkeys = this.database.table<Passkey>('passkeys');
  private readonly answered = this.database.table<OfUser & { at: Date }, string>('answered_challenges');
  private readonly codes = this.database.table<OfUser, string>('recovery_codes');
  private readonly wrong = this.database.table<OfUser & { source: string; at: Date }>('wrong_codes');
  private readonly pending = this.database.table<PendingSignIn, string>('pending_sign_ins');

  async appsOf(userId: Id): Promise<readonly AuthenticatorApp[]> {
    return this.apps.where((app) => this.isOf(userId, app)).sort((a, b) => a.id - b.id);
  }

  async listApps(): Promise<readonly AuthenticatorApp[]> {
    return this.apps.rowsOf(this.customerId).sort((a, b) => a.id - b.id);
  }

  async passkeysOf(userId: Id): Promise<readonly Passkey[]> {
    return this.passkeys.where((passkey) => this.isOf(userId, passkey)).sort((a, b) => a.id - b.id);
  }

  async findPasskey(credentialId: string): Promise<Passkey | null> {
    return this.passkeys.rowsOf(this.customerId, (each) => each.credentialId === credentialId)[0] ?? null;
  }

  async countFactors(userId: Id): Promise<number> {
    return (await this.appsOf(userId)).length + (await this.passkeysOf(userId)).length;
  }

  async countRecoveryCodes(userId: Id): Promise<number> {
    return this.codes.count((code) => this.isOf(userId, code));
  }

  async countWrongCodes(userId: Id, source: string, since: Date): Promise<number> {
    return this.wrong.count((each) => this.isOf(userId, each) && each.source === source && each.at >= since);
  }

  async findPending(tokenHash: string): Promise<PendingSignIn | null> {
    return this.pending.get(this.keyOf(tokenHash)) ?? null;
  }

  async insertApp(app: NewAuthenticatorApp): Promise<AuthenticatorApp> {
    this.requireUser(app.userId);
    const row = { ...app, customerId: this.customerId, id: this.database.next('authenticator_app') };
    this.apps.set(row.id, row);
    return row;
  }

  async deleteApp(userId: Id, id: Id): Promise<boolean> {
    return this.apps.deleteWhere((app) => this.isOf(userId, app) && app.id === id) === 1;
  }

  async useStep(id: Id, step: number, at: Date): Promise<boolean> {
    const app = this.apps.rowOf(this.customerId, id);
    if (app === null || app.lastStep >= step) return false;
    this.apps.set(id, { ...app, lastStep: step, lastUsedAt: at });
    return true;
  }

  async insertPasskey(passkey: NewPasskey): Promise<Passkey | null> {
    this.requireUser(passkey.userId);
    if ((await this.findPasskey(passkey.credentialId)) !== null) return null;
    const row = { ...passkey, customerId: this.customerId, id: this.database.next('passkey') };
    this.passkeys.set(row.id, row);
    return row;
  }

  async deletePasskey(userId: Id, id: Id): Promise<boolean> {
    return this.passkeys.deleteWhere((passkey) => this.isOf(userId, passkey) && passkey.id === id) === 1;
  }

  async useCounter(id: Id, counter: number, at: Date): Promise<boolean> {
    const passkey = this.passkeys.rowOf(this.customerId, id);
    if (passkey === null) return false;
    if (counter === 0 ? passkey.counter !== 0 : passkey.counter >= counter) return false;
    this.passkeys.set(id, { ...passkey, counter, lastUsedAt: at });
    return true;
  }

  async useChallenge(userId: Id, challengeHash: string, at: Date, since: Date): Promise<boolean> {
    this.requireUser(userId);
    this.answered.deleteWhere((each) => this.isOf(userId, each) && each.at < since);
    if (this.answered.get(this.keyOf(challengeHash)) !== undefined) return false;
    this.answered.set(this.keyOf(challengeHash), { customerId: this.customerId, userId, at });
    return true;
  }

  async replaceSecret({ id, secret }: Pick<AuthenticatorApp, 'id' | 'secret'>, newer: string): Promise<void> {
    const app = this.apps.rowOf(this.customerId, id);
    if (app?.secret === secret) this.apps.set(id, { ...app, secret: newer });
  }

  async setRecoveryCodes(userId: Id, hashes: readonly string[]): Promise<void> {
    this.requireUser(userId);
    this.codes.deleteWhere((code) => this.isOf(userId, code));
    for (const hash of hashes) this.codes.set(this.codeKey(userId, hash), { customerId: this.customerId, userId });
  }

  async useRecoveryCode(userId: Id, hash: string): Promise<boolean> {
    return this.codes.delete(this.codeKey(userId, hash));
  }

  async addWrongCode(userId: Id, source: string, at: Date, since: Date): Promise<void> {
    this.wrong.deleteWhere((each) => this.isOf(userId, each) && each.at < since);
    this.wrong.set(this.database.next('wrong_code'), { customerId: this.customerId, userId, source, at });
  }

  async openPending(pending: NewPendingSignIn, since: Date): Promise<void> {
    this.requireUser(pending.userId);
    this.pending.deleteWhere((each) => this.isOf(pending.userId, each) && each.startedAt < since);
    const row = { ...pending, customerId: this.customerId, tries: 0 };
    this.pending.set(this.keyOf(pending.tokenHash), row);
  }

  async countTry(tokenHash: string): Promise<void> {
    const pending = this.pending.get(this.keyOf(tokenHash));
    if (pending) this.pending.set(this.keyOf(tokenHash), { ...pending, tries: pending.tries + 1 });
  }

  async endPending(tokenHash: string): Promise<void> {
    this.pending.delete(this.keyOf(tokenHash));
  }

  async endPendingOf(userId: Id): Promise<void> {
    this.pending.deleteWhere((each) => this.isOf(userId, each));
  }

  async deleteAll(userId: Id): Promise<number> {
    for (const table of [this.codes, this.pending]) table.deleteWhere((each) => this.isOf(userId, each));
    const passkeys = this.passkeys.deleteWhere((passkey) => this.isOf(userId, passkey));
    return passkeys + this.apps.deleteWhere((app) => this.isOf(userId, app));
  }

  private isOf(userId: Id, row: OfUser): boolean {
    return row.customerId === this.customerId && row.userId === userId;
  }

  private keyOf(tokenHash: string): string {
    return `${this.customerId}:${tokenHash}`;
  }

  private codeKey(userId: Id, hash: string): string {
    return `${this.customerId}:${userId}:${hash}`;
  }

  private requireUser(id: Id): void {
    requireFound(this.database.users.rowOf(this.customerId, id), 'user');
  }
}
