import type { DataSource } from 'typeorm';
import type { CustomerStatus } from '../../../core/customers/customer.js';
import type { KnownShare, NewShare, Share, ShareFinder, ShareRepository } from '../../../core/shares/share.js';
import { readBatcher } from '../../shared-work.js';
import { TypeormRowRepository } from '../database/repository.js';
import {
  anyOf,
  bigWhole,
  document,
  generatedKey,
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

export class TypeormShareRepository extends TypeormRowRepository<Share, NewShare> implements ShareRepository {
  protected readonly table = shareTable;
  protected readonly order = { id: 'DESC' } as const;
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
