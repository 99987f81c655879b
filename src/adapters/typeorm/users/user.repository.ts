import type { DataSource, EntityManager } from 'typeorm';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import { notFound, requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type { NewSession, Session } from '../../../core/users/session.js';
import type { NewUser, User } from '../../../core/users/user.js';
import type { KnownUser, UserRepository, UserStore } from '../../../core/users/user-store.js';
import { change, insert, select, selected, update } from '../database/rows.js';
import { withoutTransaction } from '../database/transaction.js';
import { sessionTable, userTable } from './user.table.js';

export class TypeormUserStore implements UserStore {
  constructor(private readonly dataSource: DataSource) {}

  findByEmail(email: string): Promise<readonly KnownUser[]> {
    return this.known('u.email = $1', email);
  }

  async findByLink(linkHash: string): Promise<KnownUser | null> {
    return (await this.known('u.link_hash = $1', linkHash))[0] ?? null;
  }

  private known(condition: string, value: string): Promise<KnownUser[]> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const rows = await select<User & { customerStatus: CustomerStatus }>(
        manager,
        `SELECT ${selected(userTable, 'u')}, c.status AS "customerStatus"
         FROM users u JOIN customers c ON c.id = u.customer_id WHERE ${condition} ORDER BY u.customer_id`,
        [value],
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

  async lock(id: Id): Promise<User | null> {
    const [row] = await select<User>(
      this.manager,
      `SELECT ${selected(userTable, 'u')} FROM users u WHERE customer_id = $1 AND id = $2 FOR NO KEY UPDATE`,
      [this.customerId, id],
    );
    return row ?? null;
  }

  async insert(user: NewUser): Promise<User | null> {
    const onConflict = 'ON CONFLICT ON CONSTRAINT users_email_once DO NOTHING';
    const row = { ...user, customerId: this.customerId };
    return (await insert(this.manager, userTable, [row], onConflict))[0] ?? null;
  }

  async update(user: User): Promise<boolean> {
    // Checked first: a failed statement would abort the transaction. Concurrent changes of addresses are serialized by the lock on the
    // customer's row.
    const sql = 'SELECT id FROM users WHERE customer_id = $1 AND email = $2 AND id <> $3';
    const others = await select(this.manager, sql, [this.customerId, user.email, user.id]);
    if (others.length > 0) return false;
    await update(this.manager, userTable, { ...user, customerId: this.customerId });
    return true;
  }

  async delete(id: Id): Promise<void> {
    await change(this.manager, 'DELETE FROM users WHERE customer_id = $1 AND id = $2', [this.customerId, id]);
  }

  async openSession(userId: Id, session: NewSession): Promise<Session> {
    const sql = 'SELECT id FROM users WHERE customer_id = $1 AND id = $2 FOR KEY SHARE';
    if ((await select(this.manager, sql, [this.customerId, userId])).length === 0) throw notFound('user');
    const row = { ...session, customerId: this.customerId, userId };
    return requireFound((await insert(this.manager, sessionTable, [row]))[0], 'session');
  }

  async endSession(userId: Id, sessionId: Id): Promise<boolean> {
    const sql = 'DELETE FROM sessions WHERE customer_id = $1 AND user_id = $2 AND id = $3';
    return (await change(this.manager, sql, [this.customerId, userId, sessionId])).count > 0;
  }

  async endSessions(userId: Id, but: Id | null): Promise<number> {
    const sql = 'DELETE FROM sessions WHERE customer_id = $1 AND user_id = $2 AND id IS DISTINCT FROM $3::bigint';
    return (await change(this.manager, sql, [this.customerId, userId, but])).count;
  }
}
