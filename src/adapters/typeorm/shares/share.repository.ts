import type { CustomerStatus } from '../../../core/customers/customer.js';
import type { KnownShare, NewShare, Share, ShareFinder, ShareRepository } from '../../../core/shares/share.js';
import { readBatcher } from '../../shared-work.js';
import { TypeormRowRepository, TypeormStore } from '../database/repository.js';
import { anyOf, column, prepared, selectList, tableOf } from '../database/sql.js';

export const shareTable = tableOf<Share>('share', 'shares', {
  customerId: column.key,
  id: column.generatedKey,
  tokenHash: column.text,
  token: column.text,
  title: column.text,
  tagId: column.optionalBigWhole,
  photoIds: { type: 'bigint', array: true },
  mayDownload: column.yesOrNo,
  uploadFilesLimit: column.whole,
  uploadBytesLimit: column.bigWhole,
  uploadedFiles: column.whole,
  uploadedBytes: column.bigWhole,
  uploadReservations: column.document,
  passwordHash: column.optionalText,
  expiresAt: column.optionalInstant,
  visits: column.whole,
  lastVisitedAt: column.optionalInstant,
  createdAt: column.instant,
});

export class TypeormShareRepository extends TypeormRowRepository<Share, NewShare> implements ShareRepository {
  protected readonly table = shareTable;
  protected readonly order = { id: 'DESC' } as const;
}

const knownShares = prepared(
  `SELECT ${selectList(shareTable, 's')}, c.status AS "customerStatus"
   FROM shares s JOIN customers c ON c.id = s.customer_id WHERE s.token_hash = ${anyOf('$1::text[]')}`,
);

export class TypeormShareFinder extends TypeormStore implements ShareFinder {
  /** Nothing is cached: once a share is revoked, no later request finds it. */
  private readonly byTokenHash = readBatcher<null, string, KnownShare>(async (_, hashes) => {
    const rows = await this.select<Share & { customerStatus: CustomerStatus }>(knownShares, hashes);
    return new Map(rows.map(({ customerStatus, ...share }) => [share.tokenHash, { share, customerStatus }]));
  });

  find(tokenHash: string): Promise<KnownShare | null> {
    return this.byTokenHash.enqueue(null, tokenHash);
  }
}
