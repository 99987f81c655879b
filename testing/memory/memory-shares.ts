import type { Id } from '../../src/core/shared/ids.js';
import type { KnownShare, NewShare, Share, ShareFinder, ShareRepository } from '../../src/core/shares/share.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { MemoryRepository } from './memory-repository.js';

const sharesOf = (database: MemoryDatabase) => database.table<Share>('shares');

export class MemoryShareRepository extends MemoryRepository implements ShareRepository {
  async get(id: Id): Promise<Share | null> {
    return sharesOf(this.database).rowOf(this.customerId, id);
  }

  async list(): Promise<readonly Share[]> {
    return sharesOf(this.database)
      .rowsOf(this.customerId)
      .sort((a, b) => b.id - a.id);
  }

  async lock(id: Id): Promise<Share | null> {
    this.held.lock('share', [id]);
    return this.get(id);
  }

  async insert(share: NewShare): Promise<Share> {
    this.database.requireCustomer(this.customerId);
    const [customerId, id] = [this.customerId, this.database.next('share')];
    const unused = { visits: 0, lastVisitedAt: null, uploadedFiles: 0, uploadedBytes: 0, uploadReservations: [] };
    const row = { ...share, ...unused, customerId, id };
    sharesOf(this.database).set(id, row);
    return row;
  }

  async update(share: Share): Promise<void> {
    this.held.requireLocked('share', share.id);
    if ((await this.get(share.id)) === null) return;
    sharesOf(this.database).set(share.id, { ...share, customerId: this.customerId });
  }

  async delete(id: Id): Promise<void> {
    if ((await this.get(id)) !== null) sharesOf(this.database).delete(id);
  }
}

export class MemoryShareFinder implements ShareFinder {
  constructor(private readonly database: MemoryDatabase) {}

  find(tokenHash: string): Promise<KnownShare | null> {
    return this.database.transaction(async () => {
      const [share] = sharesOf(this.database).where((each) => each.tokenHash === tokenHash);
      const customer = share && this.database.customers.get(share.customerId);
      return share && customer ? { share: copyOf(share), customerStatus: customer.status } : null;
    });
  }
}
