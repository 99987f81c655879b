import type { Limits } from '../customers/limits.js';
import type { Gazetteer } from '../photos/gazetteer.js';
import type { Clock } from '../shared/clock.js';
import type { Id } from '../shared/ids.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { BULK_BATCH, type BulkEdit, isActive } from './bulk-edit.js';
import { nextBatch } from './next-batch.js';
import { recordEdit } from './record-edit.js';

export type RunUses = {
  store: Transactional<'bulkEdits' | 'photos' | 'tags' | 'customer' | 'outbox' | 'jobs' | 'audit'>;
  clock: Clock;
  limits: Limits;
  gazetteer: Gazetteer;
};

/**
 * Applies an edit to its next photos, or undoes it for them, in one transaction with the position that it has reached: so each photo is
 * changed once, whoever else runs this, and wherever a run breaks off. While photos are left, it adds its job again: other customers get
 * their turn, and a service that stops does not wait for the last photo.
 */
export async function runBulkEdit({ store, clock, ...uses }: RunUses, customerId: Id, id: Id): Promise<void> {
  const found = await store.query(customerId, async (reader) => {
    const edit = await reader.bulkEdits.get(id);
    return edit !== null && isActive(edit) ? { edit, batch: await nextBatch(reader, edit) } : null;
  });
  if (found === null) return;
  const { edit, batch } = found;
  await store.transaction(customerId, async (transaction) => {
    const locked = await transaction.bulkEdits.lock(id);
    // Another run was faster, or somebody has decided to undo it.
    if (locked?.state !== edit.state || locked.lastPhotoId !== edit.lastPhotoId) return;
    const progress = await batch.process(transaction, { edit: locked, at: clock.now(), ...uses });
    const lastPhotoId = batch.photoIds.at(-1) ?? locked.lastPhotoId;
    await (batch.photoIds.length < BULK_BATCH
      ? end(transaction, { ...locked, ...progress, lastPhotoId }, clock.now())
      : goOn(transaction, { ...locked, ...progress, lastPhotoId }));
  });
}

async function goOn({ bulkEdits, jobs }: Transaction<'bulkEdits' | 'jobs'>, edit: BulkEdit): Promise<void> {
  await bulkEdits.update(edit);
  await jobs.add({ kind: 'bulk_edit', bulkEditId: edit.id });
}

async function end(transaction: Transaction<'bulkEdits' | 'audit'>, edit: BulkEdit, at: Date): Promise<void> {
  const ended = { ...edit, state: edit.state === 'running' ? 'done' : 'undone', endedAt: at } as const;
  await transaction.bulkEdits.update(ended);
  await recordEdit(transaction, ended, at);
}
