import type { Limits } from '../customers/limits.js';
import { changePhotos, type PhotoChange } from '../photos/change-photos.js';
import type { PhotoWithTags } from '../photos/photo.js';
import { type Gazetteer, placeAt } from '../photos/places.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import { windowAfter } from '../shared/pagination.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { actionTitle } from './bulk-action.js';
import {
  BULK_BATCH,
  type BulkChange,
  type BulkEdit,
  type BulkFailureReason,
  isActive,
  NAMED_FAILURES,
} from './bulk-edit.js';
import { type EditContext, edited, reverted } from './edited-photo.js';

type RunUses = {
  store: Transactional<'bulkEdits' | 'photos' | 'tags' | 'customer' | 'outbox' | 'jobs' | 'audit'>;
  clock: Clock;
  limits: Limits;
  gazetteer: Gazetteer;
};

/**
 * Applies an edit to its next photos, or undoes it for them, in one transaction with the position that it has reached: so each photo is
 * changed once, whatever else runs this, and wherever a run breaks off. While photos are left, it adds its job again: other customers get
 * their turn, and a service that stops does not wait for the last photo.
 */
export async function runBulkEdit({ store, clock, ...uses }: RunUses, customerId: Id, id: Id): Promise<void> {
  const found = await store.query(customerId, async ({ bulkEdits, photos }) => {
    const edit = await bulkEdits.get(id);
    if (edit === null || !isActive(edit)) return null;
    const { filters, lastPhotoId: last } = edit;
    const changes = edit.state === 'undoing' ? await bulkEdits.changes(id, last, BULK_BATCH) : null;
    if (changes !== null) return { edit, changes, photoIds: changes.map(({ photoId }) => photoId) };
    if (filters === null) return { edit, changes, photoIds: await bulkEdits.chosenPhotos(id, last, BULK_BATCH) };
    const matching = await photos.list({ filters, sort: 'id', window: windowAfter(last, BULK_BATCH) });
    return { edit, changes, photoIds: matching.map((photo) => photo.id) };
  });
  if (found === null) return;
  const { edit, changes, photoIds } = found;
  await store.transaction(customerId, async (transaction) => {
    const locked = await transaction.bulkEdits.lock(id);
    // Another run was faster, or a person has decided to undo it.
    if (locked?.state !== edit.state || locked.lastPhotoId !== edit.lastPhotoId) return;
    const batch = { edit: locked, at: clock.now(), ...uses };
    const progress =
      changes === null
        ? await applyToPhotos(transaction, batch, photoIds)
        : await revertPhotos(transaction, batch, changes);
    const next = { ...locked, ...progress, lastPhotoId: photoIds.at(-1) ?? locked.lastPhotoId };
    if (photoIds.length === BULK_BATCH) {
      await transaction.bulkEdits.update(next);
      return transaction.jobs.add({ kind: 'bulk_edit', bulkEditId: id });
    }
    const endedAt = clock.now();
    const ended = { ...next, state: next.state === 'running' ? 'done' : 'undone', endedAt } as const;
    await transaction.bulkEdits.update(ended);
    await recordEdit(transaction, ended, endedAt);
  });
}

type BatchTransaction = Transaction<'bulkEdits' | 'photos' | 'tags' | 'customer' | 'outbox'>;
type Progress = Partial<Pick<BulkEdit, 'changed' | 'unchanged' | 'failures' | 'undone' | 'kept'>>;

interface BatchContext {
  /** Locked. */
  readonly edit: BulkEdit;
  readonly at: Date;
  readonly limits: Limits;
  readonly gazetteer: Gazetteer;
}

/** Applies the edit's action to these photos, and stores what they were before. */
async function applyToPhotos(
  transaction: BatchTransaction,
  batch: BatchContext,
  photoIds: readonly Id[],
): Promise<Progress> {
  const { photos, context } = await lockBatch(transaction, batch, photoIds);
  const changes: BulkChange[] = [];
  const changedPhotos: PhotoChange[] = [];
  let { changed, unchanged, failures } = batch.edit;
  const fail = (photoId: Id, reason: BulkFailureReason) => {
    const known = failures.find((failure) => failure.reason === reason) ?? { reason, count: 0, photoIds: [] };
    const named = [...known.photoIds, photoId].slice(0, NAMED_FAILURES);
    const others = failures.filter((failure) => failure !== known);
    failures = [...others, { reason, count: known.count + 1, photoIds: named }];
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
      changedPhotos.push({ photo, next: result.photo, tagIds: result.tagIds });
    }
  }
  await changePhotos(transaction, changedPhotos, batch.at);
  await transaction.bulkEdits.addChanges(batch.edit.id, changes);
  return { changed, unchanged, failures };
}

/** Takes these changes back, where the same was not changed since. */
async function revertPhotos(
  transaction: BatchTransaction,
  batch: BatchContext,
  changes: readonly BulkChange[],
): Promise<Progress> {
  const photoIds = changes.map(({ photoId }) => photoId);
  const { photos, context } = await lockBatch(transaction, batch, photoIds);
  const changedPhotos: PhotoChange[] = [];
  let { undone, kept } = batch.edit;
  for (const change of changes) {
    const photo = photos.get(change.photoId);
    const result = photo && reverted(context, batch.edit.action, photo, change);
    if (!photo || !result) kept += 1;
    else {
      undone += 1;
      changedPhotos.push({ photo, next: result.photo, tagIds: result.tagIds });
    }
  }
  await changePhotos(transaction, changedPhotos, batch.at);
  return { undone, kept };
}

/** Locks the photos, and then the tags of the action, as every use case does. */
async function lockBatch(
  transaction: BatchTransaction,
  { edit: { action }, at, limits, gazetteer }: BatchContext,
  photoIds: readonly Id[],
): Promise<{ photos: ReadonlyMap<Id, PhotoWithTags>; context: EditContext }> {
  const photos = await transaction.photos.lock(photoIds);
  const named = 'tags' in action ? action.tags : [];
  const tags = named.length === 0 ? [] : await transaction.tags.lock(named.map(({ id }) => id));
  const { trashRetentionDays: retentionDays } = await transaction.customer.read();
  const tagIds = tags.map(({ id }) => id);
  const place = action.kind === 'set_location' ? await placeAt(gazetteer, action.location) : null;
  return {
    photos: new Map(photos.map((photo) => [photo.id, photo])),
    context: { transaction, at, retentionDays, tagIds, place, tagsPerPhoto: limits.tagsPerPhoto },
  };
}

/** Ends an edit whose job fails again and again. What it has done stays, and can be undone. */
export function giveUpBulkEdit(
  { store, clock }: { store: Transactional<'bulkEdits' | 'audit'>; clock: Clock },
  customerId: Id,
  id: Id,
): Promise<void> {
  return store.transaction(customerId, async (transaction) => {
    const edit = await transaction.bulkEdits.lock(id);
    if (edit === null || !isActive(edit)) return;
    const at = clock.now();
    await recordEdit(transaction, edit, at);
    await transaction.bulkEdits.update({ ...edit, state: 'failed', endedAt: at });
  });
}

/** Adds what an edit, or undoing it, has changed to the audit log. */
export async function recordEdit({ audit }: Transaction<'audit'>, edit: BulkEdit, at: Date): Promise<void> {
  const isUndo = edit.state === 'undoing' || edit.state === 'undone';
  const count = isUndo ? edit.undone : edit.changed;
  if (count === 0) return;
  const action = isUndo ? 'photo.bulk_edit_undone' : 'photo.bulk_edited';
  const actor = (isUndo ? edit.undoneBy : null) ?? edit.actor;
  await audit.add(actor, { action, subject: { id: edit.id, name: actionTitle(edit.action) }, count, at });
}
