import {
  type ApiKey,
  changedSettings,
  type KeySettings,
  type NewApiKey,
  withSettings,
} from '../../src/core/access/api-key.js';
import {
  ADDRESS_RETENTION_MS,
  type KeyAddress,
  type KeyStore,
  type KnownKey,
  MAX_KEYS,
  MAX_LISTED_ADDRESSES,
} from '../../src/core/access/key-store.js';
import type { Actor } from '../../src/core/audit/audit-entry.js';
import type { StoreResponse } from '../../src/core/idempotency/idempotency-store.js';
import type { JobWork } from '../../src/core/jobs/job.js';
import { DomainError, requireFound } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import { type Precondition, unconditional } from '../../src/core/shared/transactional.js';
import { MemoryAuditTrail } from './memory-audit.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { MemoryResponseStore } from './memory-idempotency-store.js';
import { MemoryJobRepository } from './memory-job-queue.js';
import { MemoryOutbox } from './memory-webhook-repository.js';

export class MemoryKeyStore implements KeyStore {
  constructor(private readonly database: MemoryDatabase) {}

  findByHash(tokenHash: string): Promise<KnownKey | null> {
    return this.known((key) => key.tokenHash === tokenHash);
  }

  find(id: Id): Promise<KnownKey | null> {
    return this.known((key) => key.id === id);
  }

  list(customerId: Id): Promise<readonly ApiKey[]> {
    return this.database.transaction(async () => this.live((key) => key.customerId === customerId));
  }

  create(
    key: NewApiKey,
    actor: Actor,
    works: readonly JobWork[] = [],
    storeResponse?: StoreResponse<ApiKey>,
  ): Promise<ApiKey> {
    return this.database.transaction(async () => {
      requireFound(this.database.customers.get(key.customerId), 'customer');
      if (this.live((other) => other.customerId === key.customerId).length >= MAX_KEYS) {
        const message = `A customer can have at most ${MAX_KEYS} keys. Delete one first.`;
        throw new DomainError('limit_reached', message, { limit: MAX_KEYS, name: 'apiKeys' });
      }
      const unused = { lastUsedAt: null, lastUsedIp: null, deletedAt: null };
      const row: ApiKey = { ...key, ...unused, id: this.database.next('key') };
      this.database.keys.set(row.id, row);
      await this.outboxOf(row).add('api_key.created', [row.id], row.createdAt);
      await this.trailOf(row).add(actor, { action: 'api_key.created', subject: row, at: row.createdAt });
      await new MemoryJobRepository(this.database, key.customerId, { now: () => key.createdAt }).add(...works);
      await storeResponse?.(row, new MemoryResponseStore(this.database, key.customerId));
      return row;
    });
  }

  update(
    id: Id,
    given: Partial<KeySettings>,
    at: Date,
    actor: Actor,
    check: Precondition<ApiKey> = unconditional,
  ): Promise<ApiKey | null> {
    return this.database.transaction(async () => {
      const [key] = this.live((candidate) => candidate.id === id);
      if (key === undefined) return null;
      check(key);
      const changed = withSettings(key, given);
      this.database.keys.set(id, changed);
      const changes = changedSettings(key, changed);
      if (changes.length > 0)
        await this.trailOf(key).add(actor, { action: 'api_key.edited', subject: changed, changes, at });
      return copyOf(changed);
    });
  }

  delete(
    id: Id,
    at: Date,
    actor: Actor,
    storeResponse?: StoreResponse<void>,
    check: Precondition<ApiKey> = unconditional,
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      const [key] = this.live((candidate) => candidate.id === id);
      if (key === undefined) return false;
      check(key);
      this.database.keys.set(id, { ...key, deletedAt: at });
      await this.outboxOf(key).add('api_key.deleted', [id], at);
      await this.trailOf(key).add(actor, { action: 'api_key.deleted', subject: key, at });
      await storeResponse?.(undefined, new MemoryResponseStore(this.database, key.customerId));
      return true;
    });
  }

  touch(uses: readonly { id: Id; at: Date; ip: string }[]): Promise<void> {
    return this.database.transaction(async () => {
      for (const { id, at, ip } of uses) {
        const key = this.database.keys.get(id);
        if (key === undefined) continue;
        this.noteAddress(id, { address: ip, lastSeenAt: at });
        if (key.lastUsedAt !== null && key.lastUsedAt.getTime() >= at.getTime()) continue;
        this.database.keys.set(id, { ...key, lastUsedAt: at, lastUsedIp: ip });
      }
    });
  }

  addressesOf(customerId: Id, id: Id, since: Date): Promise<readonly KeyAddress[]> {
    return this.database.transaction(async () => {
      if (this.database.keys.get(id)?.customerId !== customerId) return [];
      return (this.database.keyAddresses.get(id) ?? [])
        .filter(({ lastSeenAt }) => lastSeenAt >= since)
        .sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime() || (a.address < b.address ? -1 : 1))
        .slice(0, MAX_LISTED_ADDRESSES)
        .map(copyOf);
    });
  }

  private noteAddress(id: Id, use: KeyAddress): void {
    const before = this.database.keyAddresses.get(id) ?? [];
    const known = before.find(({ address }) => address === use.address);
    const newest = known && known.lastSeenAt > use.lastSeenAt ? known : use;
    const oldest = use.lastSeenAt.getTime() - ADDRESS_RETENTION_MS;
    const others = before.filter(
      ({ address, lastSeenAt }) => address !== use.address && lastSeenAt.getTime() >= oldest,
    );
    this.database.keyAddresses.set(id, [...others, newest]);
  }

  private outboxOf({ customerId }: Pick<ApiKey, 'customerId'>): MemoryOutbox {
    return new MemoryOutbox(this.database, customerId);
  }

  private trailOf({ customerId }: Pick<ApiKey, 'customerId'>): MemoryAuditTrail {
    return new MemoryAuditTrail(this.database, customerId);
  }

  private known(condition: (key: ApiKey) => boolean): Promise<KnownKey | null> {
    return this.database.transaction(async () => {
      const [key] = this.live(condition);
      if (key === undefined) return null;
      return { key, customerStatus: requireFound(this.database.customers.get(key.customerId), 'customer').status };
    });
  }

  private live(condition: (key: ApiKey) => boolean): ApiKey[] {
    return this.database.keys
      .where((key) => key.deletedAt === null && condition(key))
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || a.id - b.id)
      .map(copyOf);
  }
}
