import { DomainError, type ItemError, requireFound } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import type { Reader, Transaction } from '../shared/transactional.js';
import { announceCompletion } from './announce-completion.js';
import { sourceFailed } from './fail-item.js';
import { completeIfDone, type Import, startProcessing } from './import.js';

const missing: ItemError = {
  code: 'upload_missing',
  message: 'The import was finalized before the bytes of this file arrived.',
};

const SAMPLE = 20;

/** Starts the import of what was uploaded. Errors: `uploads_incomplete`. */
export async function commitImport(
  transaction: Transaction<'imports' | 'importPhotos' | 'jobs' | 'outbox'>,
  subject: Import,
  missingUploads: 'reject' | 'fail',
  at: Date,
): Promise<void> {
  const waiting = await transaction.importPhotos.countIn(subject.id, ['awaiting_upload']);
  if (waiting > 0 && missingUploads === 'reject') throw await incomplete(transaction, subject.id, waiting);
  if (waiting > 0) await transaction.importPhotos.failWaiting(subject.id, missing, sourceFailed, at);
  const processing = startProcessing(subject, at);
  const left = await transaction.importPhotos.countIn(subject.id, ['fetching', 'processing', 'ready', 'duplicate']);
  const counted = requireFound(await transaction.imports.get(subject.id), 'import');
  await transaction.imports.update(left === 0 ? completeIfDone(processing, counted.counts, at) : processing);
  if (left > 0) await transaction.jobs.add({ kind: 'publish', importId: subject.id });
  else await announceCompletion(transaction, subject, counted.counts, at);
}

async function incomplete(transaction: Reader<'importPhotos'>, importId: Id, waiting: number): Promise<DomainError> {
  const sample = await transaction.importPhotos.list({
    importId,
    statuses: ['awaiting_upload'],
    window: { after: null, limit: SAMPLE },
  });
  const message = `${waiting} uploads have not arrived. Send them and try again, or send "missingUploads": "fail".`;
  return new DomainError('uploads_incomplete', message, { missing: waiting, sample: sample.map((item) => item.id) });
}
