import type { Limits } from '../customers/limits.js';
import { type Gazetteer, placeAt } from '../photos/gazetteer.js';
import type { PhotoWithTags } from '../photos/photo.js';
import type { Id } from '../shared/ids.js';
import type { Transaction } from '../shared/transactional.js';
import { BatchWriter } from './batch-writer.js';
import { type BulkChange, type BulkEdit, type BulkFailureReason, withFailure } from './bulk-edit.js';
import { type EditContext, edited, reverted } from './edited-photo.js';

export type BatchTransaction = Transaction<'bulkEdits' | 'photos' | 'tags' | 'customer' | 'outbox'>;
/** The counts of an edit after a batch. */
export type Progress = Partial<Pick<BulkEdit, 'changed' | 'unchanged' | 'failures' | 'undone' | 'kept'>>;

export interface BatchContext {
  /** Locked. */
  readonly edit: BulkEdit;
  readonly at: Date;
  readonly limits: Limits;
  readonly gazetteer: Gazetteer;
}

/** Applies the edit's action to these photos, and stores what they were before. */
export async function applyToPhotos(
  transaction: BatchTransaction,
  batch: BatchContext,
  photoIds: readonly Id[],
): Promise<Progress> {
  const { photos, context, writer } = await lockBatch(transaction, batch, photoIds);
  const changes: BulkChange[] = [];
  let { changed, unchanged, failures } = batch.edit;
  const fail = (photoId: Id, reason: BulkFailureReason) => {
    failures = withFailure(failures, reason, photoId);
  };
  for (const photoId of photoIds) {
    const photo = photos.get(photoId);
    const result = photo && (await edited(context, batch.edit.action, photo));
    if (photo === undefined || result === undefined) fail(photoId, 'not_found');
    else if (result === 'unchanged') unchanged += 1;
    else if (typeof result === 'string') fail(photoId, result);
    else {
      changed += 1;
      changes.push({ photoId, ...result.change });
      await writer.write(photo, result);
    }
  }
  await writer.addEvents();
  await transaction.bulkEdits.addChanges(batch.edit.id, changes);
  return { changed, unchanged, failures };
}

/** Takes these changes back, where nobody has changed the same since. */
export async function revertPhotos(
  transaction: BatchTransaction,
  batch: BatchContext,
  changes: readonly BulkChange[],
): Promise<Progress> {
  const photoIds = changes.map(({ photoId }) => photoId);
  const { photos, context, writer } = await lockBatch(transaction, batch, photoIds);
  let { undone, kept } = batch.edit;
  for (const change of changes) {
    const photo = photos.get(change.photoId);
    const result = photo && reverted(context, batch.edit.action, photo, change);
    if (!photo || !result) kept += 1;
    else {
      undone += 1;
      await writer.write(photo, result);
    }
  }
  await writer.addEvents();
  return { undone, kept };
}

/** Locks the photos, and then the tags of the action, as every use case does. */
async function lockBatch(
  transaction: BatchTransaction,
  { edit: { action }, at, limits, gazetteer }: BatchContext,
  photoIds: readonly Id[],
): Promise<{ photos: ReadonlyMap<Id, PhotoWithTags>; context: EditContext; writer: BatchWriter }> {
  const photos = await transaction.photos.lock(photoIds);
  const named = 'tags' in action ? action.tags : [];
  const tags = named.length === 0 ? [] : await transaction.tags.lock(named.map(({ id }) => id));
  const { trashRetentionDays: retentionDays } = await transaction.customer.read();
  const tagIds = tags.map(({ id }) => id);
  const place = action.kind === 'set_location' ? await placeAt(gazetteer, action.location) : null;
  return {
    photos: new Map(photos.map((photo) => [photo.id, photo])),
    context: { transaction, at, retentionDays, tagIds, place, tagsPerPhoto: limits.tagsPerPhoto },
    writer: new BatchWriter(transaction, at),
  };
}
