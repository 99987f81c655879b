import { requireFound } from '../../src/core/shared/errors.js';
import type { Id } from '../../src/core/shared/ids.js';
import {
  type Identity,
  type IdentityRepository,
  isSameIdentity,
  type NewIdentity,
} from '../../src/core/users/provider/identity.js';
import type { MemoryDatabase, MemoryTable } from './memory-database.js';

export class MemoryIdentityRepository implements IdentityRepository {
  private readonly rows: MemoryTable<Identity>;

  constructor(
    private readonly database: MemoryDatabase,
    private readonly customerId: Id,
  ) {
    this.rows = database.table('identities');
  }

  async of(userId: Id): Promise<readonly Identity[]> {
    return (await this.list()).filter((identity) => identity.userId === userId);
  }

  async list(): Promise<readonly Identity[]> {
    return this.rows.where(({ customerId }) => customerId === this.customerId).sort((a, b) => a.id - b.id);
  }

  async insert(identity: NewIdentity): Promise<Identity | null> {
    const user = this.database.users.get(identity.userId);
    requireFound(user?.customerId === this.customerId ? user : null, 'user');
    if ((await this.list()).some((each) => isSameIdentity(each, identity))) return null;
    const row = { ...identity, customerId: this.customerId, id: this.database.next('identity') };
    this.rows.set(row.id, row);
    return row;
  }

  async use(userId: Id, id: Id, at: Date): Promise<void> {
    const row = this.rows.get(id);
    if (row !== undefined && this.isOf(userId, row)) this.rows.set(id, { ...row, lastUsedAt: at });
  }

  async delete(userId: Id, id: Id): Promise<boolean> {
    return this.rows.deleteWhere((row) => this.isOf(userId, row) && row.id === id) === 1;
  }

  private isOf(userId: Id, row: Identity): boolean {
    return row.customerId === this.customerId && row.userId === userId;
  }
}
