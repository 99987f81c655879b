import type { DataSource } from 'typeorm';
import { IsNull } from 'typeorm';
import type { ApiKey, NewApiKey } from '../../core/access/api-key.js';
import { type KeyStore, type KnownKey, MAX_KEYS } from '../../core/access/key-store.js';
import type { CustomerStatus } from '../../core/customers/customer.js';
import { DomainError, found } from '../../core/shared/errors.js';
import type { Id } from '../../core/shared/ids.js';
import { apiKeyTable } from './api-key.table.js';
import { lockCustomer } from './customer.repository.js';
import { TypeormOutbox } from './outbox.repository.js';
import { asJson, change, insert, select, selected } from './rows.js';
import { inTransaction, withoutTransaction } from './transaction.js';

export class TypeormKeyStore implements KeyStore {
  constructor(private readonly dataSource: DataSource) {}

  findByHash(tokenHash: string): Promise<KnownKey | null> {
    return this.known('k.token_hash = $1', tokenHash);
  }

  find(id: Id): Promise<KnownKey | null> {
    return this.known('k.id = $1', id);
  }

  list(customerId: Id): Promise<readonly ApiKey[]> {
    return withoutTransaction(this.dataSource, (manager) =>
      manager.find(apiKeyTable, { where: { customerId, deletedAt: IsNull() }, order: { createdAt: 'ASC', id: 'ASC' } }),
    );
  }

  create(key: NewApiKey): Promise<ApiKey> {
    return inTransaction(this.dataSource, async (manager) => {
      await lockCustomer(manager, key.customerId);
      const count = await manager.countBy(apiKeyTable, { customerId: key.customerId, deletedAt: IsNull() });
      if (count >= MAX_KEYS) {
        const message = `A customer has at most ${MAX_KEYS} keys. Delete one first.`;
        throw new DomainError('limit_reached', message, { limit: MAX_KEYS, name: 'apiKeys' });
      }
      const stored = found((await insert(manager, apiKeyTable, [key]))[0], 'api_key');
      await new TypeormOutbox(manager, key.customerId).add('api_key.created', [stored.id], key.createdAt);
      return stored;
    });
  }

  delete(id: Id, at: Date): Promise<boolean> {
    return inTransaction(this.dataSource, async (manager) => {
      const sql = `UPDATE api_keys SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL RETURNING customer_id AS "customerId"`;
      const [deleted] = (await change<Pick<ApiKey, 'customerId'>>(manager, sql, [id, at])).rows;
      if (deleted === undefined) return false;
      await new TypeormOutbox(manager, deleted.customerId).add('api_key.deleted', [id], at);
      return true;
    });
  }

  async touch(uses: readonly { id: Id; at: Date; ip: string }[]): Promise<void> {
    if (uses.length === 0) return;
    const rows = uses.map(({ id, at, ip }) => ({ id, lastUsedAt: at, lastUsedIp: ip }));
    // Rows are taken in one order by everybody, so that two processes that note the same keys do not lock each other out.
    await inTransaction(this.dataSource, (manager) =>
      change(
        manager,
        `UPDATE api_keys k SET last_used_at = newest.last_used_at, last_used_ip = newest.last_used_ip
         FROM (
           SELECT held.customer_id, held.id, used.last_used_at, used.last_used_ip
           FROM api_keys held
           JOIN (
             SELECT DISTINCT ON (id) id, last_used_at, last_used_ip FROM json_populate_recordset(NULL::api_keys, $1)
             ORDER BY id, last_used_at DESC
           ) used USING (id)
           WHERE held.last_used_at IS NULL OR held.last_used_at < used.last_used_at
           ORDER BY held.id FOR NO KEY UPDATE OF held
         ) newest
         WHERE k.customer_id = newest.customer_id AND k.id = newest.id`,
        [asJson(rows)],
      ),
    );
  }

  private known(condition: string, value: string | Id): Promise<KnownKey | null> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const [row] = await select<ApiKey & { customerStatus: CustomerStatus }>(
        manager,
        `SELECT ${selected(apiKeyTable, 'k')}, c.status AS "customerStatus"
         FROM api_keys k JOIN customers c ON c.id = k.customer_id WHERE ${condition} AND k.deleted_at IS NULL`,
        [value],
      );
      if (row === undefined) return null;
      const { customerStatus, ...key } = row;
      return { key, customerStatus };
    });
  }
}
