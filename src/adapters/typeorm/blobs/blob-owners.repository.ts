import { originalKey, type StagingName } from '../../../core/blobs/blob-key.js';
import type { BlobOwnership, StagingState } from '../../../core/blobs/blob-owners.js';
import { reservingStatuses } from '../../../core/imports/import-photo.js';
import type { Id } from '../../../core/shared/ids.js';
import { TypeormRepository } from '../database/repository.js';
import { column, prepared, tableOf } from '../database/sql.js';

/** An upload whose staged bytes are no longer needed. */
type DroppedUpload = { readonly customerId: Id; readonly importId: Id; readonly uploadId: number };

export const droppedUploadTable = tableOf<DroppedUpload>('droppedUpload', 'dropped_uploads', {
  customerId: column.key,
  importId: column.key,
  uploadId: column.key,
});

/** The states as literals, so that the partial indexes for exactly these states are used. */
export const reserving = reservingStatuses.map((status) => `'${status}'`).join(', ');

/** Asked for each upload, so prepared. */
const selectDropped = prepared(`SELECT upload_id AS "uploadId" FROM dropped_uploads
  WHERE customer_id = $1 AND import_id = $2 AND upload_id = ANY($3::bigint[])`);

/** Every query is one statement, and so one snapshot: an original that passes from an item to its photo is seen with one of the two. */
export class TypeormBlobOwnership extends TypeormRepository implements BlobOwnership {
  staging(names: readonly StagingName[]): Promise<readonly StagingState[]> {
    return this.select<StagingState>(
      `SELECT name.upload_id AS "uploadId", EXISTS (
         SELECT FROM import_photos i WHERE i.customer_id = $1 AND i.id = name.item_id AND i.import_id = name.import_id
           AND i.upload_id = name.upload_id AND i.status IN ('awaiting_upload', 'processing')
       ) OR EXISTS (
         SELECT FROM resumable_uploads u, json_array_elements(u.parts) part
         WHERE u.customer_id = $1 AND u.item_id = name.item_id AND u.import_id = name.import_id
           AND (part ->> 'uploadId')::bigint = name.upload_id
       ) AS held, EXISTS (
         SELECT FROM imports m WHERE m.customer_id = $1 AND m.id = name.import_id AND m.status = 'open'
       ) AS open
       FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS name (import_id, item_id, upload_id)`,
      names.map(({ importId }) => importId),
      names.map(({ itemId }) => itemId),
      names.map(({ uploadId }) => uploadId),
    );
  }

  async originals(blobNames: readonly string[]): Promise<readonly string[]> {
    const keys = blobNames.map((blobName) => originalKey({ customerId: this.customerId, blobName }));
    const rows = await this.select<{ name: string }>(
      `SELECT given.name FROM unnest($2::text[], $3::text[]) AS given (name, key)
       WHERE EXISTS (SELECT FROM photos p WHERE p.customer_id = $1 AND p.blob_key = given.key) OR EXISTS (
         SELECT FROM import_photos i WHERE i.customer_id = $1 AND i.blob_name = given.name AND i.status IN (${reserving})
       )`,
      blobNames,
      keys,
    );
    return rows.map(({ name }) => name);
  }

  renditions(ids: readonly Id[]): Promise<readonly { id: Id; rotation: number | null }[]> {
    return this.select(
      `SELECT id, CASE WHEN original_lost_at IS NULL THEN rotation END AS rotation FROM photos WHERE customer_id = $1 AND id = ANY($2::bigint[])
       UNION ALL
       SELECT id, 0 FROM import_photos WHERE customer_id = $1 AND id = ANY($2::bigint[]) AND status IN (${reserving})`,
      ids,
    );
  }

  async dropped(importId: Id, uploadIds: readonly number[]): Promise<readonly number[]> {
    const rows = await this.select<Pick<DroppedUpload, 'uploadId'>>(selectDropped, importId, uploadIds);
    return rows.map(({ uploadId }) => uploadId);
  }

  async drop(importId: Id, uploadId: number): Promise<void> {
    const row = { customerId: this.customerId, importId, uploadId };
    await this.manager.createQueryBuilder().insert().into(droppedUploadTable).values(row).orIgnore().execute();
  }
}
