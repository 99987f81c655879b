import {
  ADDRESS_RETENTION_MS,
  type ApiKey,
  type KeyAddress,
  type KeyFinder,
  type KeyRepository,
  type KnownKey,
  MAX_LISTED_ADDRESSES,
  type NewApiKey,
} from '../../../src/core/access/api-key.js';
import type {
  OperatorToken,
  OperatorTokenRepository,
  OperatorTokenStore,
} from '../../../src/core/operators/operator-token.js';
import { requireFound } from '../../../src/core/shared/errors.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { addOperatorEntry } from '../memory-audit.js';
import { copyOf, type MemoryDatabase } from '../memory-database.js';
import { MemoryRepository } from '../memory-repository.js';

export class MemoryKeyFinder implements KeyFinder {
  constructor(private readonly database: MemoryDatabase) {}

  findByHash(tokenHash: string): Promise<KnownKey | null> {
    return this.known((key) => key.tokenHash === tokenHash);
  }

  find(id: Id): Promise<KnownKey | null> {
    return this.known((key) => key.id === id);
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

  private known(condition: (key: ApiKey) => boolean): Promise<KnownKey | null> {
    return this.database.transaction(async () => {
      const [key] = this.database.keys.where((each) => each.deletedAt === null && condition(each));
      if (key === undefined) return null;
      const { status } = requireFound(this.database.customers.get(key.customerId), 'customer');
      return { key: copyOf(key), customerStatus: status };
    });
  }
}

export class MemoryKeyRepository extends MemoryRepository implements KeyRepository {
  async get(id: Id): Promise<ApiKey | null> {
    return (await this.list()).find((key) => key.id === id) ?? null;
  }

  async list(): Promise<readonly ApiKey[]> {
    return this.database.keys
      .rowsOf(this.customerId, ({ deletedAt }) => deletedAt === null)
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || a.id - b.id);
  }

  async addressesOf(id: Id, since: Date): Promise<readonly KeyAddress[]> {
    if (this.database.keys.rowOf(this.customerId, id) === null) return [];
    return (this.database.keyAddresses.get(id) ?? [])
      .filter(({ lastSeenAt }) => lastSeenAt >= since)
      .sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime() || (a.address < b.address ? -1 : 1))
      .slice(0, MAX_LISTED_ADDRESSES);
  }

  async lock(id: Id): Promise<ApiKey | null> {
    this.held.lock('key', [id]);
    return this.get(id);
  }

  async insert(key: NewApiKey): Promise<ApiKey> {
    this.database.requireCustomer(this.customerId);
    const unused = { lastUsedAt: null, lastUsedIp: null, deletedAt: null };
    const row = { ...key, ...unused, customerId: this.customerId, id: this.database.next('key') };
    this.database.keys.set(row.id, row);
    return row;
  }

  async update(key: ApiKey): Promise<void> {
    this.held.requireLocked('key', key.id);
    if ((await this.get(key.id)) === null) return;
    this.database.keys.set(key.id, { ...key, customerId: this.customerId });
  }
}

export class MemoryOperatorTokenStore implements OperatorTokenStore {
  constructor(private readonly database: MemoryDatabase) {}

  findByHash(tokenHash: string): Promise<OperatorToken | null> {
    return this.database.transaction(async () => {
      const [token] = this.all().filter((each) => each.tokenHash === tokenHash && each.deletedAt === null);
      return token ?? null;
    });
  }

  list(): Promise<readonly OperatorToken[]> {
    return this.database.transaction(async () => this.all());
  }

  transaction<T>(work: (tokens: OperatorTokenRepository) => Promise<T>): Promise<T> {
    const { operatorTokens } = this.database;
    return this.database.transaction(() =>
      work({
        list: async () => this.all(),
        insert: async (token) => {
          const row: OperatorToken = { ...token, id: this.database.next('operator token'), deletedAt: null };
          operatorTokens.set(row.id, row);
          return copyOf(row);
        },
        update: async (token) => operatorTokens.set(token.id, token),
        addOperatorEntry: async (actor, made) => addOperatorEntry(this.database, actor, made),
      }),
    );
  }

  private all(): OperatorToken[] {
    return this.database.operatorTokens.all().map(copyOf);
  }
}
