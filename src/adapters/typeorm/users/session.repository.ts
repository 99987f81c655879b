import type { DataSource } from 'typeorm';
import type { Customer } from '../../../core/customers/customer.js';
import type { KnownSession, Session, SessionStore } from '../../../core/users/session.js';
import type { User } from '../../../core/users/user.js';
import { change, select, selected } from '../database/rows.js';
import { withoutTransaction } from '../database/transaction.js';
import { sessionTable, userTable } from './user.table.js';

export class TypeormSessionStore implements SessionStore {
  constructor(private readonly dataSource: DataSource) {}

  find(tokenHash: string): Promise<KnownSession | null> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const [session] = await select<Session & Pick<Customer, 'name' | 'status'>>(
        manager,
        `SELECT ${selected(sessionTable, 's')}, c.name, c.status
         FROM sessions s JOIN customers c ON c.id = s.customer_id WHERE s.token_hash = $1`,
        [tokenHash],
      );
      if (session === undefined) return null;
      const { name, status, ...rest } = session;
      const user: User | null = await manager.findOneBy(userTable, { customerId: rest.customerId, id: rest.userId });
      return user && { session: rest, user, customer: { id: rest.customerId, name, status } };
    });
  }

  async keep(tokenHash: string, data: Session['data']): Promise<void> {
    await withoutTransaction(this.dataSource, (manager) =>
      change(manager, 'UPDATE sessions SET data = $2 WHERE token_hash = $1', [tokenHash, JSON.stringify(data)]),
    );
  }

  async touch(tokenHash: string, at: Date, address: string): Promise<void> {
    const sql = 'UPDATE sessions SET last_seen_at = $2, address = $3 WHERE token_hash = $1';
    await withoutTransaction(this.dataSource, (manager) => change(manager, sql, [tokenHash, at, address]));
  }

  async end(tokenHash: string): Promise<void> {
    await withoutTransaction(this.dataSource, (manager) =>
      change(manager, 'DELETE FROM sessions WHERE token_hash = $1', [tokenHash]),
    );
  }

  sweep(startedBefore: Date, seenBefore: Date): Promise<number> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const sql = 'DELETE FROM sessions WHERE last_seen_at < $2 OR started_at < $1';
      return (await change(manager, sql, [startedBefore, seenBefore])).count;
    });
  }
}
