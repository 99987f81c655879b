import { type DataSource, LessThan } from 'typeorm';
import type { KnownSession, Session, SessionStore } from '../../../core/users/session.js';
import type { User } from '../../../core/users/user.js';
import { change, select, selectList } from '../database/rows.js';
import { withoutTransaction } from '../database/transaction.js';
import { sessionTable, userTable } from './user.table.js';

export class TypeormSessionStore implements SessionStore {
  constructor(private readonly dataSource: DataSource) {}

  find(tokenHash: string): Promise<KnownSession | null> {
    return withoutTransaction(this.dataSource, async (manager) => {
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
    await withoutTransaction(this.dataSource, (manager) =>
      change(manager, 'UPDATE sessions SET data = $2 WHERE token_hash = $1', [tokenHash, JSON.stringify(data)]),
    );
  }

  async touch(tokenHash: string, at: Date, address: string): Promise<void> {
    await withoutTransaction(this.dataSource, (manager) =>
      manager.update(sessionTable, { tokenHash }, { lastSeenAt: at, address }),
    );
  }

  async confirm(tokenHash: string, at: Date): Promise<void> {
    await withoutTransaction(this.dataSource, (manager) =>
      manager.update(sessionTable, { tokenHash }, { confirmedAt: at }),
    );
  }

  async end(tokenHash: string): Promise<void> {
    await withoutTransaction(this.dataSource, (manager) => manager.delete(sessionTable, { tokenHash }));
  }

  sweep(startedBefore: Date, seenBefore: Date): Promise<number> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const ended = [{ lastSeenAt: LessThan(seenBefore) }, { startedAt: LessThan(startedBefore) }];
      return (await manager.delete(sessionTable, ended)).affected ?? 0;
    });
  }
}
