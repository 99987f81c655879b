import type { Caller } from '../access/caller.js';
import type { BlobStore } from '../blobs/blob-store.js';
import type { Clock } from '../shared/clock.js';
import { DomainError, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Transaction, Transactional } from '../shared/transactional.js';
import { commitImport } from './commit-import.js';
import { discardImport } from './discard-import.js';
import type { Import } from './import.js';
import { type ImportDetails, importDetailsOf } from './import-details.js';
import { receiveStoredUploads } from './receive-stored-uploads.js';

export interface Finalization {
  /** `commit` publishes the photos to the library, `discard` leaves it unchanged. */
  readonly action: 'commit' | 'discard';
  /** What to do when bytes are missing: refuse, or fail those items. */
  readonly missingUploads: 'reject' | 'fail';
}

type FinalizeUses = {
  store: Transactional<'tags' | 'imports' | 'importPhotos' | 'jobs' | 'outbox'>;
  blobs: BlobStore;
  clock: Clock;
};

/** Closes an open import. Repeating the call changes nothing. Errors: `not_found`, `import_not_open`, `uploads_incomplete`. */
export async function finalizeImport(
  uses: FinalizeUses,
  caller: Caller,
  id: Id,
  { action, missingUploads }: Finalization,
): Promise<ImportDetails> {
  if (action === 'commit') await receiveStoredUploads(uses, caller.customerId, id);
  return uses.store.transaction(caller.customerId, async (transaction) => {
    const subject = requireFound(await transaction.imports.lock(id), 'import');
    const at = uses.clock.now();
    if (subject.status === 'open') {
      if (action === 'discard') await discardImport(transaction, subject, at);
      else await commitImport(transaction, subject, missingUploads, at);
    } else await repeat(transaction, subject, action);
    return importDetailsOf(transaction.tags, requireFound(await transaction.imports.get(id), 'import'));
  });
}

/** The same call may be repeated; the opposite one may not. Publishing that had failed for good starts again. */
async function repeat(
  transaction: Transaction<'jobs'>,
  subject: Import,
  action: Finalization['action'],
): Promise<void> {
  const wasCommitted = subject.status === 'processing' || subject.finalizedAt !== null;
  if (!(action === 'commit' ? wasCommitted : subject.status === 'cancelled')) {
    throw new DomainError('import_not_open', `This import is ${subject.status}.`, { status: subject.status });
  }
  if (subject.status === 'processing') await transaction.jobs.add({ kind: 'publish', importId: subject.id });
}
