import type { KnownShare, NewShare, Share, ShareFinder, ShareRepository } from '../../../core/shares/share.js';
import { TypeormRowRepository, TypeormStore } from '../database/repository.js';
import { column, tableOf } from '../database/sql.js';

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

export class TypeormShareFinder extends TypeormStore implements ShareFinder {
  private readonly byTokenHash = this.finder(shareTable, 'tokenHash', 'share');

  find(tokenHash: string): Promise<KnownShare | null> {
    return this.byTokenHash.enqueue(null, tokenHash);
  }
}
