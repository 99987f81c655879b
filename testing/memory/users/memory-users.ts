import { createHash, randomBytes } from 'node:crypto';
import { notFound, requireFound } from '../../../src/core/shared/errors.js';
import type { Id } from '../../../src/core/shared/ids.js';
import type { Passkey } from '../../../src/core/users/factors/passkey.js';
import type { AuthenticatorApp } from '../../../src/core/users/factors/second-factor.js';
import type { PasswordHasher, PasswordStrength } from '../../../src/core/users/passwords.js';
import { type Identity, isSameIdentity } from '../../../src/core/users/provider/identity.js';
import type { KnownSession, NewSession, Session, SessionStore } from '../../../src/core/users/session.js';
import type { NewUser, User } from '../../../src/core/users/user.js';
import type { KnownUser, UserRepository, UserStore } from '../../../src/core/users/user-store.js';
import { copyOf, type MemoryDatabase } from '../memory-database.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemoryUserStore implements UserStore {
  constructor(private readonly database: MemoryDatabase) {}

  findByEmail(email: string): Promise<readonly KnownUser[]> {
    return this.known((user) => user.email === email);
  }

  findByIdentity(issuer: string, subject: string): Promise<readonly KnownUser[]> {
    const identities = this.database.table<Identity>('identities');
    return this.known(
      ({ id }) => identities.count((each) => each.userId === id && isSameIdentity(each, { issuer, subject })) > 0,
    );
  }

  async findByLink(linkHash: string): Promise<KnownUser | null> {
    return (await this.known((user) => user.linkHash === linkHash))[0] ?? null;
  }

  private known(condition: (user: User) => boolean): Promise<KnownUser[]> {
    return this.database.transaction(async () =>
      this.database.users
        .where(condition)
        .sort((a, b) => a.customerId - b.customerId)
        .map((user) => {
          const { status } = requireFound(this.database.customers.get(user.customerId), 'customer');
          return { user: copyOf(user), customerStatus: status };
        }),
    );
  }
}

export class MemoryUserRepository extends MemoryRepository implements UserRepository {
  async get(id: Id): Promise<User | null> {
    return this.database.users.rowOf(this.customerId, id);
  }

  async list(): Promise<readonly User[]> {
    return this.database.users
      .rowsOf(this.customerId)
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || a.id - b.id);
  }

  async sessionsOf(id: Id): Promise<readonly Session[]> {
    return this.database.sessions
      .rowsOf(this.customerId, ({ userId }) => userId === id)
      .sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime() || b.id - a.id);
  }

  async lock(id: Id): Promise<User | null> {
    this.held.lock('user', [id]);
    return this.get(id);
  }

  async insert(user: NewUser): Promise<User | null> {
    this.database.requireCustomer(this.customerId);
    if (this.isTaken(user.email, null)) return null;
    const row = { ...user, customerId: this.customerId, id: this.database.next('user') };
    this.database.users.set(row.id, row);
    return row;
  }

  async update(user: User): Promise<boolean> {
    this.held.requireLocked('user', user.id);
    if (this.isTaken(user.email, user.id)) return false;
    if ((await this.get(user.id)) !== null) {
      this.database.users.set(user.id, { ...user, customerId: this.customerId });
    }
    return true;
  }

  async delete(id: Id): Promise<void> {
    if ((await this.get(id)) === null) return;
    for (const name of ofUsers) {
      this.database.table<{ customerId: Id; userId: Id }>(name).deleteWhere(({ userId }) => userId === id);
    }
    this.database.users.delete(id);
  }

  async openSession(userId: Id, session: NewSession): Promise<Session> {
    if ((await this.get(userId)) === null) throw notFound('user');
    const row = { ...session, customerId: this.customerId, userId, id: this.database.next('session') };
    this.database.sessions.set(row.id, row);
    return row;
  }

  async endSession(id: Id, sessionId: Id): Promise<boolean> {
    return this.database.sessions.deleteWhere((session) => this.isOf(session, id) && session.id === sessionId) > 0;
  }

  async endSessions(id: Id, but: Id | null): Promise<number> {
    return this.database.sessions.deleteWhere((session) => this.isOf(session, id) && session.id !== but);
  }

  private isOf(session: Session, userId: Id): boolean {
    return session.customerId === this.customerId && session.userId === userId;
  }

  private isTaken(email: string | null, but: Id | null): boolean {
    const same = (user: User) => user.email === email && user.id !== but;
    return email !== null && this.database.users.rowsOf(this.customerId, same).length > 0;
  }
}

const ofUsers = [
  'identities',
  'sessions',
  'authenticator_apps',
  'passkeys',
  'answered_challenges',
  'recovery_codes',
  'wrong_codes',
  'pending_sign_ins',
];

export class MemorySessionStore implements SessionStore {
  constructor(private readonly database: MemoryDatabase) {}

  find(tokenHash: string): Promise<KnownSession | null> {
    return this.database.transaction(async () => {
      const [session] = this.database.sessions.where((each) => each.tokenHash === tokenHash);
      if (session === undefined) return null;
      const user = requireFound(this.database.users.get(session.userId), 'user');
      const customer = requireFound(this.database.customers.get(session.customerId), 'customer');
      const { id, name, status, factorsRequiredFrom, settingsIpList } = customer;
      const apps = this.database.table<AuthenticatorApp>('authenticator_apps');
      const passkeys = this.database.table<Passkey>('passkeys');
      const hasFactor = [apps, passkeys].some((factors) => factors.count(({ userId }) => userId === user.id) > 0);
      return copyOf({ session, user, customer: { id, name, status, factorsRequiredFrom, settingsIpList }, hasFactor });
    });
  }

  keep(tokenHash: string, data: Session['data']): Promise<void> {
    return this.change(tokenHash, { data });
  }

  touch(tokenHash: string, lastSeenAt: Date, address: string): Promise<void> {
    return this.change(tokenHash, { lastSeenAt, address });
  }

  confirm(tokenHash: string, confirmedAt: Date): Promise<void> {
    return this.change(tokenHash, { confirmedAt });
  }

  end(tokenHash: string): Promise<void> {
    return this.database.transaction(async () => {
      this.database.sessions.deleteWhere((session) => session.tokenHash === tokenHash);
    });
  }

  sweep(startedBefore: Date, seenBefore: Date): Promise<number> {
    return this.database.transaction(async () =>
      this.database.sessions.deleteWhere(
        ({ startedAt, lastSeenAt }) => startedAt < startedBefore || lastSeenAt < seenBefore,
      ),
    );
  }

  private change(tokenHash: string, values: Partial<Session>): Promise<void> {
    return this.database.transaction(async () => {
      const [session] = this.database.sessions.where((each) => each.tokenHash === tokenHash);
      if (session !== undefined) this.database.sessions.set(session.id, { ...session, ...values });
    });
  }
}

/** Hashes that are quick, and good for nothing but tests. */
export class MemoryPasswordHasher implements PasswordHasher {
  async hash(password: string): Promise<string> {
    const salt = randomBytes(8).toString('hex');
    return `${salt}.${this.digest(salt, password)}`;
  }

  async matches(hash: string, password: string): Promise<boolean> {
    const [salt = '', digest] = hash.split('.');
    return digest === this.digest(salt, password);
  }

  async pretend(): Promise<void> {}

  private digest(salt: string, password: string): string {
    return createHash('sha256').update(salt).update(password).digest('hex');
  }
}

/** Frequent passwords, those of few characters, and those that are one of the words with little more, are guessed. */
export class MemoryPasswordStrength implements PasswordStrength {
  async scoreOf(password: string, words: readonly string[]): Promise<number> {
    const plain = password.toLowerCase();
    const rest = words.map((word) => plain.replace(word.toLowerCase(), '').length);
    return frequent.has(plain) || new Set(plain).size < 4 || Math.min(...rest) < 4 ? 0 : 4;
  }
}

const frequent = new Set(['passwordpassword', 'password12345', '123456789abc', 'qwertyuiop123']);
