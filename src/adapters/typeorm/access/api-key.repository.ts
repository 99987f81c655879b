import { type DataSource, type EntityManager, IsNull, MoreThanOrEqual } from 'typeorm';
import {
  type ApiKey,
  changedSettings,
  type KeySettings,
  type NewApiKey,
  withSettings,
} from '../../../core/access/api-key.js';
import {
  ADDRESS_RETENTION_MS,
  type KeyAddress,
  type KeyStore,
  type KnownKey,
  MAX_KEYS,
  MAX_LISTED_ADDRESSES,
} from '../../../core/access/key-store.js';
import type { Actor } from '../../../core/audit/audit-entry.js';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import type { StoreResponse } from '../../../core/idempotency/idempotency-store.js';
import type { JobWork } from '../../../core/jobs/job.js';
import { after } from '../../../core/shared/clock.js';
import { DomainError, requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import { type Precondition, unconditional } from '../../../core/shared/transactional.js';
import { TypeormAuditTrail } from '../audit/audit.repository.js';
import { lockCustomer } from '../customers/customer.repository.js';
import {
  asJson,
  change,
  generatedKey,
  insert,
  instant,
  key,
  optionalInstant,
  optionalText,
  optionalWhole,
  prepared,
  readBatcher,
  select,
  selectList,
  tableOf,
  text,
  update,
} from '../database/sql.js';
import { inCustomerTransaction, inTransaction, withoutTransaction } from '../database/transaction.js';
import { TypeormOutbox } from '../events/outbox.repository.js';
import { TypeormResponseStore } from '../idempotency/idempotency.repository.js';
import { TypeormJobRepository } from '../jobs/job.repository.js';

export const apiKeyTable = tableOf<ApiKey>('apiKey', 'api_keys', {
  customerId: key,
  id: generatedKey,
  name: text,
  tokenHash: text,
  lastFour: text,
  scopes: { type: 'text', array: true },
  ipList: { type: 'text', array: true },
  readLimit: optionalWhole,
  writeLimit: optionalWhole,
  expiresAt: optionalInstant,
  createdAt: instant,
  lastUsedAt: optionalInstant,
  lastUsedIp: optionalText,
  deletedAt: optionalInstant,
});

export interface KeyAddressRow extends KeyAddress {
  readonly customerId: Id;
  readonly keyId: Id;
}

export const keyAddressTable = tableOf<KeyAddressRow>('keyAddress', 'key_addresses', {
  customerId: key,
  keyId: key,
  address: { ...text, primary: true },
  lastSeenAt: instant,
});

/** Keys with the status of their customer. */
const knownKeys = `SELECT ${selectList(apiKeyTable, 'k')}, c.status AS "customerStatus"
  FROM api_keys k JOIN customers c ON c.id = k.customer_id`;

export class TypeormKeyStore implements KeyStore {
  /** Nothing is cached: once a key is deleted, no later request finds it. */
  private readonly byHash = readBatcher<null, string, KnownKey>(async (_, hashes) => {
    const known = await this.known('k.token_hash = ANY($1::text[])', hashes);
    return new Map(known.map((each) => [each.key.tokenHash, each]));
  });

  private readonly byId = readBatcher<null, Id, KnownKey>(async (_, ids) => {
    const known = await this.known('k.id = ANY($1::bigint[])', ids);
    return new Map(known.map((each) => [each.key.id, each]));
  });

  constructor(private readonly dataSource: DataSource) {}

  findByHash(tokenHash: string): Promise<KnownKey | null> {
    return this.byHash.enqueue(null, tokenHash);
  }

  find(id: Id): Promise<KnownKey | null> {
    return this.byId.enqueue(null, id);
  }

  list(customerId: Id): Promise<readonly ApiKey[]> {
    return withoutTransaction(this.dataSource, (manager) =>
      manager.find(apiKeyTable, { where: { customerId, deletedAt: IsNull() }, order: { createdAt: 'ASC', id: 'ASC' } }),
    );
  }

  create(
    key: NewApiKey,
    actor: Actor,
    works: readonly JobWork[] = [],
    storeResponse?: StoreResponse<ApiKey>,
  ): Promise<ApiKey> {
    return inCustomerTransaction(this.dataSource, key.customerId, async (manager) => {
      await lockCustomer(manager, key.customerId);
      const count = await manager.countBy(apiKeyTable, { customerId: key.customerId, deletedAt: IsNull() });
      if (count >= MAX_KEYS) {
        const message = `A customer can have at most ${MAX_KEYS} keys. Delete one first.`;
        throw new DomainError('limit_reached', message, { limit: MAX_KEYS, name: 'apiKeys' });
      }
      const stored = requireFound((await insert(manager, apiKeyTable, [key]))[0], 'api_key');
      await new TypeormOutbox(manager, key.customerId).add('api_key.created', [stored.id], key.createdAt);
      await new TypeormAuditTrail(manager, key.customerId).add(actor, {
        action: 'api_key.created',
        subject: stored,
        at: key.createdAt,
      });
      await new TypeormJobRepository(manager, key.customerId).add(...works);
      await storeResponse?.(stored, new TypeormResponseStore(manager, key.customerId));
      return stored;
    });
  }

  update(
    id: Id,
    given: Partial<KeySettings>,
    at: Date,
    actor: Actor,
    check: Precondition<ApiKey> = unconditional,
  ): Promise<ApiKey | null> {
    return inTransaction(this.dataSource, async (manager) => {
      const before = await locked(manager, id);
      if (before === null) return null;
      check(before);
      const stored = withSettings(before, given);
      await update(manager, apiKeyTable, stored);
      const changes = changedSettings(before, stored);
      const edit = { action: 'api_key.edited', subject: stored, changes, at } as const;
      if (changes.length > 0) await new TypeormAuditTrail(manager, stored.customerId).add(actor, edit);
      return stored;
    });
  }

  delete(
    id: Id,
    at: Date,
    actor: Actor,
    storeResponse?: StoreResponse<void>,
    check: Precondition<ApiKey> = unconditional,
  ): Promise<boolean> {
    return inTransaction(this.dataSource, async (manager) => {
      const deleted = await locked(manager, id);
      if (deleted === null) return false;
      check(deleted);
      await manager.update(apiKeyTable, { customerId: deleted.customerId, id }, { deletedAt: at });
      await new TypeormOutbox(manager, deleted.customerId).add('api_key.deleted', [id], at);
      await new TypeormAuditTrail(manager, deleted.customerId).add(actor, {
        action: 'api_key.deleted',
        subject: deleted,
        at,
      });
      await storeResponse?.(undefined, new TypeormResponseStore(manager, deleted.customerId));
      return true;
    });
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

  addressesOf(customerId: Id, id: Id, since: Date): Promise<readonly KeyAddress[]> {
    return withoutTransaction(this.dataSource, (manager) =>
      manager.find(keyAddressTable, {
        select: { address: true, lastSeenAt: true },
        where: { customerId, keyId: id, lastSeenAt: MoreThanOrEqual(since) },
        order: { lastSeenAt: 'DESC', address: 'ASC' },
        take: MAX_LISTED_ADDRESSES,
      }),
    );
  }

  private known(condition: string, value: readonly string[] | readonly Id[]): Promise<KnownKey[]> {
    return withoutTransaction(this.dataSource, async (manager) => {
      const sql = prepared(`${knownKeys} WHERE ${condition} AND k.deleted_at IS NULL`);
      const rows = await select<ApiKey & { customerStatus: CustomerStatus }>(manager, sql, [value]);
      return rows.map(({ customerStatus, ...key }) => ({ key, customerStatus }));
    });
  }
}

/** Null if it does not exist, or is deleted. */
function locked(manager: EntityManager, id: Id): Promise<ApiKey | null> {
  return manager.findOne(apiKeyTable, { where: { id, deletedAt: IsNull() }, lock: { mode: 'for_no_key_update' } });
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
