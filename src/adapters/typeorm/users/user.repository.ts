import { type EntityManager, LessThan, Not } from 'typeorm';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type { Identity, IdentityRepository, NewIdentity } from '../../../core/users/provider/identity.js';
import type { KnownSession, NewSession, Session, SessionStore } from '../../../core/users/session.js';
import type { NewUser, User } from '../../../core/users/user.js';
import type { KnownUser, UserRepository, UserStore } from '../../../core/users/user-store.js';
import { TypeormRepository, TypeormStore } from '../database/repository.js';
import { column, select, selectList, tableOf, update } from '../database/sql.js';

export const userTable = tableOf<User>('user', 'users', {
  customerId: column.key,
  id: column.generatedKey,
  email: column.optionalText,
  role: column.text,
  passwordHash: column.optionalText,
  linkHash: column.optionalText,
  linkExpiresAt: column.optionalInstant,
  linkDropsFactors: column.yesOrNo,
  createdAt: column.instant,
  joinedAt: column.optionalInstant,
  lastSignInAt: column.optionalInstant,
});

export const sessionTable = tableOf<Session>('session', 'sessions', {
  customerId: column.key,
  id: column.generatedKey,
  userId: column.bigWhole,
  tokenHash: column.text,
  data: column.document,
  startedAt: column.instant,
  lastSeenAt: column.instant,
  address: column.text,
  browser: column.text,
  byLink: column.yesOrNo,
  confirmedAt: column.instant,
});

/** So that the user is not deleted before what is about to refer to it has been stored. Errors: `not_found`. */
export async function requireUser(manager: EntityManager, customerId: Id, id: Id): Promise<void> {
  const found = await manager.findOne(userTable, { where: { customerId, id }, lock: { mode: 'for_key_share' } });
  requireFound(found, 'user');
}

export class TypeormUserStore extends TypeormStore implements UserStore {
  findByEmail(email: string): Promise<readonly KnownUser[]> {
    return this.known('WHERE u.email = $1', email);
  }

  findByIdentity(issuer: string, subject: string): Promise<readonly KnownUser[]> {
    const identities = 'JOIN identities i ON i.customer_id = u.customer_id AND i.user_id = u.id';
    return this.known(`${identities} WHERE i.issuer = $1 AND i.subject = $2`, issuer, subject);
  }

  async findByLink(linkHash: string): Promise<KnownUser | null> {
    return (await this.known('WHERE u.link_hash = $1', linkHash))[0] ?? null;
  }

  private async known(which: string, ...values: readonly string[]): Promise<KnownUser[]> {
    const sql = `SELECT ${selectList(userTable, 'u')}, c.status AS "customerStatus"
      FROM users u JOIN customers c ON c.id = u.customer_id ${which} ORDER BY u.customer_id`;
    const rows = await this.select<User & { customerStatus: CustomerStatus }>(sql, ...values);
    return rows.map(({ customerStatus, ...user }) => ({ user, customerStatus }));
  }
}

export class TypeormUserRepository extends TypeormRepository implements UserRepository {
  get(id: Id): Promise<User | null> {
    return this.manager.findOneBy(userTable, { customerId: this.customerId, id });
  }

  list(): Promise<readonly User[]> {
    return this.findRows(userTable, {}, { createdAt: 'ASC', id: 'ASC' });
  }

  sessionsOf(userId: Id): Promise<readonly Session[]> {
    return this.findRows(sessionTable, { userId }, { lastSeenAt: 'DESC', id: 'DESC' });
  }

  lock(id: Id): Promise<User | null> {
    const where = { customerId: this.customerId, id };
    return this.manager.findOne(userTable, { where, lock: { mode: 'for_no_key_update' } });
  }

  async insert(user: NewUser): Promise<User | null> {
    return this.insertRow(userTable, user, 'ON CONFLICT ON CONSTRAINT users_email_once DO NOTHING');
  }

  async update(user: User): Promise<boolean> {
    // Checked first: a failed statement would abort the transaction. Concurrent changes of addresses are serialized by the lock on the
    // customer's row.
    const { customerId } = this;
    const { id, email } = user;
    if (email !== null && (await this.manager.existsBy(userTable, { customerId, email, id: Not(id) }))) return false;
    await update(this.manager, userTable, { ...user, customerId });
    return true;
  }

  async delete(id: Id): Promise<void> {
    await this.manager.delete(userTable, { customerId: this.customerId, id });
  }

  async openSession(userId: Id, session: NewSession): Promise<Session> {
    await requireUser(this.manager, this.customerId, userId);
    return requireFound(await this.insertRow(sessionTable, { ...session, userId }), 'session');
  }

  endSession(userId: Id, sessionId: Id): Promise<boolean> {
    return this.deleteRow(sessionTable, { userId, id: sessionId });
  }

  async endSessions(userId: Id, but: Id | null): Promise<number> {
    const others = { customerId: this.customerId, userId, ...(but !== null && { id: Not(but) }) };
    return (await this.manager.delete(sessionTable, others)).affected ?? 0;
  }
}

export class TypeormSessionStore extends TypeormStore implements SessionStore {
  find(tokenHash: string): Promise<KnownSession | null> {
    return this.query(async (manager) => {
      const [session] = await select<Session & Omit<KnownSession['customer'], 'id'> & Pick<KnownSession, 'hasFactor'>>(
        manager,
        `SELECT ${selectList(sessionTable, 's')}, c.name, c.status, c.factors_required_from AS "factorsRequiredFrom",
           c.settings_ip_list AS "settingsIpList",
           EXISTS (SELECT 1 FROM authenticator_apps a
             WHERE a.customer_id = s.customer_id AND a.user_id = s.user_id)
           OR EXISTS (SELECT 1 FROM passkeys p
             WHERE p.customer_id = s.customer_id AND p.user_id = s.user_id) AS "hasFactor"
         FROM sessions s JOIN customers c ON c.id = s.customer_id WHERE s.token_hash = $1`,
        [tokenHash],
      );
      if (session === undefined) return null;
      const { name, status, factorsRequiredFrom, settingsIpList, hasFactor, ...rest } = session;
      const customer = { id: rest.customerId, name, status, factorsRequiredFrom, settingsIpList };
      const user: User | null = await manager.findOneBy(userTable, { customerId: rest.customerId, id: rest.userId });
      return user && { session: rest, user, customer, hasFactor };
    });
  }

  async keep(tokenHash: string, data: Session['data']): Promise<void> {
    // By hand: TypeORM's types of an update have no place for a document of unknown values.
    await this.change('UPDATE sessions SET data = $2 WHERE token_hash = $1', tokenHash, JSON.stringify(data));
  }

  async touch(tokenHash: string, at: Date, address: string): Promise<void> {
    await this.query((manager) => manager.update(sessionTable, { tokenHash }, { lastSeenAt: at, address }));
  }

  async confirm(tokenHash: string, at: Date): Promise<void> {
    await this.query((manager) => manager.update(sessionTable, { tokenHash }, { confirmedAt: at }));
  }

  async end(tokenHash: string): Promise<void> {
    await this.query((manager) => manager.delete(sessionTable, { tokenHash }));
  }

  sweep(startedBefore: Date, seenBefore: Date): Promise<number> {
    return this.query(async (manager) => {
      const ended = [{ lastSeenAt: LessThan(seenBefore) }, { startedAt: LessThan(startedBefore) }];
      return (await manager.delete(sessionTable, ended)).affected ?? 0;
    });
  }
}

export const identityTable = tableOf<Identity>('identity', 'identities', {
  customerId: column.key,
  id: column.generatedKey,
  userId: column.bigWhole,
  issuer: column.text,
  subject: column.text,
  linkedAt: column.instant,
  lastUsedAt: column.instant,
});

export class TypeormIdentityRepository extends TypeormRepository implements IdentityRepository {
  of(userId: Id): Promise<readonly Identity[]> {
    return this.findRows(identityTable, { userId }, { id: 'ASC' });
  }

  list(): Promise<readonly Identity[]> {
    return this.findRows(identityTable, {}, { id: 'ASC' });
  }

  async insert(identity: NewIdentity): Promise<Identity | null> {
    await requireUser(this.manager, this.customerId, identity.userId);
    return this.insertRow(identityTable, identity, 'ON CONFLICT ON CONSTRAINT identities_once DO NOTHING');
  }

  async use(userId: Id, id: Id, at: Date): Promise<void> {
    await this.manager.update(identityTable, { customerId: this.customerId, userId, id }, { lastUsedAt: at });
  }

  delete(userId: Id, id: Id): Promise<boolean> {
    return this.deleteRow(identityTable, { userId, id });
  }
}
