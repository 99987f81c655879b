import type { KnownShare, NewShare, Share, ShareFinder, ShareRepository } from '../../src/core/shares/share.js';
import { copyOf, type MemoryDatabase } from './memory-database.js';
import { MemoryRowRepository } from './memory-repository.js';

const sharesOf = (database: MemoryDatabase) => database.table<Share>('shares');

export class MemoryShareRepository extends MemoryRowRepository<Share, NewShare> implements ShareRepository {
  protected readonly table = sharesOf(this.database);
  protected readonly kind = 'share';
  protected override readonly defaults = {
    visits: 0,
    lastVisitedAt: null,
    uploadedFiles: 0,
    uploadedBytes: 0,
    uploadReservations: [],
  };

  override async list(): Promise<readonly Share[]> {
    return (await super.list()).toReversed();
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
