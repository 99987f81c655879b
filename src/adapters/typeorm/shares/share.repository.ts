import type { DataSource } from 'typeorm';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import { requireFound } from '../../../core/shared/errors.js';
import type { Id } from '../../../core/shared/ids.js';
import type { KnownShare, NewShare, Share, ShareFinder, ShareRepository } from '../../../core/shares/share.js';
import { readBatcher } from '../../shared-work.js';
import { TypeormRepository } from '../database/repository.js';
import {
  anyOf,
  bigWhole,
  document,
  generatedKey,
  insert,
  instant,
  key,
  optionalBigWhole,
  optionalInstant,
  optionalText,
  prepared,
  select,
  selectList,
  tableOf,
  text,
  update,
  whole,
  yesOrNo,
} from '../database/sql.js';
import { withoutTransaction } from '../database/transaction.js';

export const shareTable = tableOf<Share>('share', 'shares', {
  customerId: key,
  id: generatedKey,
  tokenHash: text,
  token: text,
  title: text,
  tagId: optionalBigWhole,
  photoIds: { type: 'bigint', array: true },
  mayDownload: yesOrNo,
  uploadFilesLimit: whole,
  uploadBytesLimit: bigWhole,
  uploadedFiles: whole,
  uploadedBytes: bigWhole,
  uploadReservations: document,
  passwordHash: optionalText,
  expiresAt: optionalInstant,
  visits: whole,
  lastVisitedAt: optionalInstant,
  createdAt: instant,
});

export class TypeormShareRepository extends TypeormRepository implements ShareRepository {
  get(id: Id): Promise<Share | null> {
    return this.manager.findOneBy(shareTable, { customerId: this.customerId, id });
  }

  list(): Promise<readonly Share[]> {
    return this.manager.find(shareTable, { where: { customerId: this.customerId }, order: { id: 'DESC' } });
  }

  lock(id: Id): Promise<Share | null> {
    const where = { customerId: this.customerId, id };
    return this.manager.findOne(shareTable, { where, lock: { mode: 'for_no_key_update' } });
  }

  async insert(share: NewShare): Promise<Share> {
    const [stored] = await insert(this.manager, shareTable, [{ ...share, customerId: this.customerId }]);
    return requireFound(stored, 'share');
  }

  async update(share: Share): Promise<void> {
    await update(this.manager, shareTable, { ...share, customerId: this.customerId });
  }

  async delete(id: Id): Promise<void> {
    await this.manager.delete(shareTable, { customerId: this.customerId, id });
  }
}

const knownShares = prepared(
  `SELECT ${selectList(shareTable, 's')}, c.status AS "customerStatus"
   FROM shares s JOIN customers c ON c.id = s.customer_id WHERE s.token_hash = ${anyOf('$1::text[]')}`,
);

export class TypeormShareFinder implements ShareFinder {
  /** Nothing is cached: once a share is revoked, no later request finds it. */
  private readonly byTokenHash = readBatcher<null, string, KnownShare>((_, hashes) =>
    withoutTransaction(this.dataSource, async (manager) => {
      const rows = await select<Share & { customerStatus: CustomerStatus }>(manager, knownShares, [hashes]);
      return new Map(rows.map(({ customerStatus, ...share }) => [share.tokenHash, { share, customerStatus }]));
    }),
  );

  constructor(private readonly dataSource: DataSource) {}

  find(tokenHash: string): Promise<KnownShare | null> {
    return this.byTokenHash.enqueue(null, tokenHash);
  }
}
