import { type EntityManager, IsNull, MoreThanOrEqual } from 'typeorm';
import {
  ADDRESS_RETENTION_MS,
  type ApiKey,
  type KeyAddress,
  type KeyFinder,
  type KeyRepository,
  type KnownKey,
  MAX_LISTED_ADDRESSES,
  type NewApiKey,
} from '../../../core/access/api-key.js';
import { after } from '../../../core/shared/clock.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository, TypeormStore } from '../database/repository.js';
import { asJson, change, column, tableOf, update } from '../database/sql.js';
import { inTransaction } from '../database/transaction.js';

export const apiKeyTable = tableOf<ApiKey>('apiKey', 'api_keys', {
  customerId: column.key,
  id: column.generatedKey,
  name: column.text,
  tokenHash: column.text,
  lastFour: column.text,
  scopes: { type: 'text', array: true },
  ipList: { type: 'text', array: true },
  readLimit: column.optionalWhole,
  writeLimit: column.optionalWhole,
  expiresAt: column.optionalInstant,
  createdAt: column.instant,
  lastUsedAt: column.optionalInstant,
  lastUsedIp: column.optionalText,
  deletedAt: column.optionalInstant,
});

type KeyAddressRow = KeyAddress & { readonly customerId: Id; readonly keyId: Id };

export const keyAddressTable = tableOf<KeyAddressRow>('keyAddress', 'key_addresses', {
  customerId: column.key,
  keyId: column.key,
  address: { ...column.text, primary: true },
  lastSeenAt: column.instant,
});

export class TypeormKeyFinder extends TypeormStore implements KeyFinder {
  private readonly byHash = this.finder(apiKeyTable, 'tokenHash', 'key', ' AND k.deleted_at IS NULL');
  private readonly byId = this.finder(apiKeyTable, 'id', 'key', ' AND k.deleted_at IS NULL');

  findByHash(tokenHash: string): Promise<KnownKey | null> {
    return this.byHash.enqueue(null, tokenHash);
  }

  find(id: Id): Promise<KnownKey | null> {
    return this.byId.enqueue(null, id);
  }

  async touch(uses: readonly { id: Id; at: Date; ip: string }[]): Promise<void> {
    if (uses.length === 0) return;
    const rows = uses.map(({ id, at, ip }) => ({ id, lastUsedAt: at, lastUsedIp: ip }));
    // All processes take rows in the same order, so that two that record uses of the same keys do not deadlock.
    await inTransaction(this.dataSource, async (manager) => {
      await change(
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
      );
      await noteAddresses(manager, uses);
    });
  }
}

/** All processes write rows in the same order. Old rows of the same keys are deleted, so that the table only grows with keys in use. */
async function noteAddresses(manager: EntityManager, uses: readonly { id: Id; at: Date; ip: string }[]): Promise<void> {
  const rows = JSON.stringify(uses.map(({ id, at, ip }) => ({ id, at, ip })));
  await change(
    manager,
    `INSERT INTO key_addresses AS kept (customer_id, key_id, address, last_seen_at)
     SELECT k.customer_id, k.id, used.ip, max(used.at)
     FROM json_to_recordset($1) AS used (id bigint, at timestamptz, ip text) JOIN api_keys k ON k.id = used.id
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (customer_id, key_id, address) DO UPDATE SET last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)`,
    [rows],
  );
  const newest = Math.max(...uses.map(({ at }) => at.getTime()));
  await change(
    manager,
    `DELETE FROM key_addresses a USING api_keys k
     WHERE k.id = ANY($1::bigint[]) AND a.customer_id = k.customer_id AND a.key_id = k.id AND a.last_seen_at < $2`,
    [uses.map(({ id }) => id), after(new Date(newest), -ADDRESS_RETENTION_MS)],
  );
}

export class TypeormKeyRepository extends TypeormRepository implements KeyRepository {
  get(id: Id): Promise<ApiKey | null> {
    return this.manager.findOneBy(apiKeyTable, { ...this.live(), id });
  }

  list(): Promise<readonly ApiKey[]> {
    return this.manager.find(apiKeyTable, { where: this.live(), order: { createdAt: 'ASC', id: 'ASC' } });
  }

  addressesOf(id: Id, since: Date): Promise<readonly KeyAddress[]> {
    return this.manager.find(keyAddressTable, {
      select: { address: true, lastSeenAt: true },
      where: { customerId: this.customerId, keyId: id, lastSeenAt: MoreThanOrEqual(since) },
      order: { lastSeenAt: 'DESC', address: 'ASC' },
      take: MAX_LISTED_ADDRESSES,
    });
  }

  lock(id: Id): Promise<ApiKey | null> {
    return this.manager.findOne(apiKeyTable, { where: { ...this.live(), id }, lock: { mode: 'for_no_key_update' } });
  }

  async insert(key: NewApiKey): Promise<ApiKey> {
    return requireFound(await this.insertRow(apiKeyTable, key), 'api_key');
  }

  async update(key: ApiKey): Promise<void> {
    await update(this.manager, apiKeyTable, { ...key, customerId: this.customerId });
  }

  private live() {
    return { customerId: this.customerId, deletedAt: IsNull() };
  }
}
