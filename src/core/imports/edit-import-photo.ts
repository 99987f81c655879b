import type { Caller } from '../access/caller.js';
import { stagingKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Limits } from '../customers/limits.js';
import { QuotaReservation } from '../customers/quota.js';
import { invalid, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transactional } from '../shared/transactional.js';
import { lockForNewTags } from '../tags/lock-tags.js';
import { requireOpen, touch } from './import.js';
import { type ItemDetails, itemDetailsOf, withUploadTargets } from './import-details.js';
import { quotaGrowth } from './import-photo.js';
import { type ImportPhotoPatch, mayReserve, patchErrors, withValues } from './import-photo-patch.js';
import { setItemStatus } from './set-item-status.js';
import type { TargetUses } from './upload-target.js';

type EditUses = TargetUses & {
  store: Transactional<'tags' | 'imports' | 'importPhotos' | 'customer' | 'usage' | 'jobs' | 'outbox'>;
  blobs: BlobStore;
  limits: Limits;
};

/** Errors: `invalid_request`, `not_found`, `import_not_open`, `import_photo_final`, `uploads_incomplete`, `scope_required`, `quota_exceeded`. */
export async function editImportPhoto(
  uses: EditUses,
  caller: Caller,
  importId: Id,
  id: Id,
  patch: ImportPhotoPatch,
): Promise<ItemDetails> {
  const errors = patchErrors(patch, uses.limits);
  if (errors.length > 0) throw invalid(...errors);
  const staged = patch.status === 'uploaded' ? await stagedUploadId(uses, caller, importId, id) : null;
  const details = await uses.store.transaction(caller.customerId, async (transaction) => {
    // The customer before the import: the order of all locks.
    const quota = mayReserve(patch) ? await QuotaReservation.begin(transaction) : null;
    await lockForNewTags(transaction, patch);
    const subject = requireFound(await transaction.imports.lock(importId), 'import');
    const before = requireFound(await transaction.importPhotos.lock(importId, id), 'import_photo');
    requireOpen(subject);
    const at = uses.clock.now();
    const edited = await withValues(uses.limits, transaction, caller, subject, before, patch, at);
    const item =
      patch.status === undefined ? edited : await setItemStatus(transaction, edited, patch.status, staged, at);
    quota?.reserve(quotaGrowth(before, item));
    if (item !== before) await transaction.imports.update(touch(subject, at));
    return requireFound((await itemDetailsOf(transaction.tags, [item]))[0], 'import_photo');
  });
  return requireFound((await withUploadTargets(uses, caller, [details]))[0], 'import_photo');
}

async function stagedUploadId({ store, blobs }: EditUses, { customerId }: Caller, importId: Id, id: Id) {
  const item = await store.query(customerId, (reader) => reader.importPhotos.get(importId, id));
  if (item?.status !== 'awaiting_upload') return null;
  return (await blobs.head(stagingKey(item))) === null ? null : item.uploadId;
}
