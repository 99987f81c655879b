import { type DataSource, type EntityManager, Not } from 'typeorm';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type { NewSession, Session } from '../../../core/users/session.js';
import type { NewUser, User } from '../../../core/users/user.js';
import type { KnownUser, UserRepository, UserStore } from '../../../core/users/user-store.js';
import { insert, select, selectList, update } from '../database/rows.js';
import { withoutTransaction } from '../database/transaction.js';
import { requireUser } from './require-user.js';
import { sessionTable, userTable } from './user.table.js';

export class TypeormUserStore implements UserStore {
  constructor(private readonly dataSource: DataSource) {}

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

  private known(which: string, ...values: readonly string[]): Promise<KnownUser[]> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const rows = await select<User & { customerStatus: CustomerStatus }>(
        manager,
        `SELECT ${selectList(userTable, 'u')}, c.status AS "customerStatus"
         FROM users u JOIN customers c ON c.id = u.customer_id ${which} ORDER BY u.customer_id`,
        values,
      );
      return rows.map(({ customerStatus, ...user }) => ({ user, customerStatus }));
    });
  }
}

export class TypeormUserRepository implements UserRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly customerId: Id,
  ) {}

  get(id: Id): Promise<User | null> {
    return this.manager.findOneBy(userTable, { customerId: this.customerId, id });
  }

  list(): Promise<readonly User[]> {
    const { customerId } = this;
    return this.manager.find(userTable, { where: { customerId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  sessionsOf(userId: Id): Promise<readonly Session[]> {
    const where = { customerId: this.customerId, userId };
    return this.manager.find(sessionTable, { where, order: { lastSeenAt: 'DESC', id: 'DESC' } });
  }

  lock(id: Id): Promise<User | null> {
    const where = { customerId: this.customerId, id };
    return this.manager.findOne(userTable, { where, lock: { mode: 'for_no_key_update' } });
  }

  async insert(user: NewUser): Promise<User | null> {
    const onConflict = 'ON CONFLICT ON CONSTRAINT users_email_once DO NOTHING';
    const row = { ...user, customerId: this.customerId };
    return (await insert(this.manager, userTable, [row], onConflict))[0] ?? null;
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
    const { customerId } = this;
    await requireUser(this.manager, customerId, userId);
    const row = { ...session, customerId, userId };
    return requireFound((await insert(this.manager, sessionTable, [row]))[0], 'session');
  }

  async endSession(userId: Id, sessionId: Id): Promise<boolean> {
    const { affected } = await this.manager.delete(sessionTable, {
      customerId: this.customerId,
      userId,
      id: sessionId,
    });
    return affected === 1;
  }

  async endSessions(userId: Id, but: Id | null): Promise<number> {
    const others = { customerId: this.customerId, userId, ...(but !== null && { id: Not(but) }) };
    return (await this.manager.delete(sessionTable, others)).affected ?? 0;
  }
}
