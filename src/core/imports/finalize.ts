import type { Caller } from '../access/caller.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, type ItemError, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { counted } from '../shared/text.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { cancel, completeIfDone, type Import, startProcessing } from './import.js';
import { sourceFailed } from './import-photo.js';
import { announceCompletion } from './publish.js';
import { type ImportDetails, importDetailsOf } from './read.js';
import { receiveStoredUploads } from './receive/direct.js';

export interface Finalization {
  /** `commit` publishes the photos to the library, `discard` leaves it unchanged. */
  readonly action: 'commit' | 'discard';
  /** The reaction to missing bytes: refuse, or fail those items. */
  readonly missingUploads: 'reject' | 'fail';
}

/** Closes an open import. Repeating the call changes nothing. Errors: `not_found`, `import_not_open`, `uploads_incomplete`. */
export async function finalizeImport(
  uses: {
    store: Transactional<'tags' | 'imports' | 'importPhotos' | 'jobs' | 'outbox'>;
    blobs: BlobStore;
    clock: Clock;
  },
  caller: Caller,
  id: Id,
  { action, missingUploads }: Finalization,
): Promise<ImportDetails> {
  if (action === 'commit') await receiveStoredUploads(uses, caller.customerId, id);
  return uses.store.transaction(caller.customerId, async (transaction) => {
    const subject = requireFound(await transaction.imports.lock(id), 'import');
    const at = uses.clock.now();
    if (subject.status === 'open') {
      if (action === 'commit') await commitImport(transaction, subject, missingUploads, at);
      else {
        await transaction.importPhotos.cancelAll(id, at);
        await transaction.imports.update(cancel(subject, at));
        await transaction.outbox.add('import.cancelled', [id], at);
      }
    } else {
      const { status, finalizedAt } = subject;
      const wasCommitted = status === 'processing' || finalizedAt !== null;
      // The same call may be repeated; the opposite one may not.
      if (!(action === 'commit' ? wasCommitted : status === 'cancelled')) {
        throw new DomainError('import_not_open', `This import is ${status}.`, { status });
      }
      // Publishing that had failed for good starts again.
      if (status === 'processing') await transaction.jobs.add({ kind: 'publish', importId: id });
    }
    return importDetailsOf(transaction.tags, requireFound(await transaction.imports.get(id), 'import'));
  });
}

const missing: ItemError = {
  code: 'upload_missing',
  message: 'The import was finalized before the bytes of this file arrived.',
};

/** Starts the import of what was uploaded. Errors: `uploads_incomplete`. */
async function commitImport(
  transaction: Transaction<'imports' | 'importPhotos' | 'jobs' | 'outbox'>,
  subject: Import,
  missingUploads: 'reject' | 'fail',
  at: Date,
): Promise<void> {
  const waiting = await transaction.importPhotos.countIn(subject.id, ['awaiting_upload']);
  if (waiting > 0 && missingUploads === 'reject') {
    const window = { after: null, limit: 20 };
    const query = { importId: subject.id, statuses: ['awaiting_upload'], window } as const;
    const sample = (await transaction.importPhotos.list(query)).map((item) => item.id);
    const [missing, them] = [counted(waiting, 'upload has', 'uploads have'), waiting === 1 ? 'it' : 'them'];
    const message = `${missing} not arrived. Send ${them} and try again, or send "missingUploads": "fail".`;
    throw new DomainError('uploads_incomplete', message, { missing: waiting, sample });
  }
  if (waiting > 0) await transaction.importPhotos.failWaiting(subject.id, missing, sourceFailed, at);
  const processing = startProcessing(subject, at);
  const left = await transaction.importPhotos.countIn(subject.id, ['fetching', 'processing', 'ready', 'duplicate']);
  const { counts } = requireFound(await transaction.imports.get(subject.id), 'import');
  await transaction.imports.update(left === 0 ? completeIfDone(processing, counts, at) : processing);
  if (left > 0) await transaction.jobs.add({ kind: 'publish', importId: subject.id });
  else await announceCompletion(transaction, subject, counts, at);
}
