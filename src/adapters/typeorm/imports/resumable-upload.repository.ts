import type { ResumableUpload, ResumableUploadRepository } from '../../../core/imports/receive/resumable-upload.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';
import { assignments, column, selectList, tableOf } from '../database/sql.js';

export const resumableUploadTable = tableOf<ResumableUpload>('resumableUpload', 'resumable_uploads', {
  customerId: column.key,
  itemId: column.key,
  importId: column.bigWhole,
  uploadId: column.bigWhole,
  parts: column.document,
  sender: column.optionalBigWhole,
  updatedAt: column.instant,
});

export class TypeormResumableUploadRepository extends TypeormRepository implements ResumableUploadRepository {
  get(itemId: Id): Promise<ResumableUpload | null> {
    return this.manager.findOneBy(resumableUploadTable, { customerId: this.customerId, itemId });
  }

  /** By hand: compared with the items. */
  abandoned(until: Date, limit: number): Promise<readonly ResumableUpload[]> {
    return this.select<ResumableUpload>(
      `SELECT ${selectList(resumableUploadTable, 'u')} FROM resumable_uploads u
       WHERE u.customer_id = $1 AND (u.updated_at <= $2 OR NOT EXISTS (
         SELECT FROM import_photos i WHERE i.customer_id = $1 AND i.id = u.item_id AND i.upload_id = u.upload_id
           AND i.status IN ('awaiting_upload', 'fetching')))
       ORDER BY u.item_id LIMIT $3`,
      until,
      limit,
    );
  }

  async put(upload: ResumableUpload): Promise<void> {
    const changes = assignments(resumableUploadTable, upload, 'excluded');
    await this.insertRow(resumableUploadTable, upload, `ON CONFLICT (customer_id, item_id) DO UPDATE SET ${changes}`);
  }

  async delete(itemId: Id): Promise<void> {
    await this.manager.delete(resumableUploadTable, { customerId: this.customerId, itemId });
  }
}
