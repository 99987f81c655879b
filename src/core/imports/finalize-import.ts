import type { Caller } from '../access/caller.js';
import type { CustomerWork } from '../customers/customer-store.js';
import type { Uses } from '../ports.js';
import { DomainError, found, type ItemError } from '../shared/errors.js';
import type { Id } from '../shared/ids.js';
import { sourceFailed } from './fail-item.js';
import { committed, discarded, type Import, isEnded, settled } from './import.js';
import { noticeArrivals } from './notice-arrivals.js';
import { type ShownImport, showImport } from './shown.js';

export interface Finalization {
  /** `commit` brings the photos into the library, `discard` leaves it as it is. */
  readonly action: 'commit' | 'discard';
  /** What to do when bytes are missing: refuse, or fail those items. */
  readonly missingUploads: 'reject' | 'fail';
}

type FinalizeUses = Uses<'store' | 'blobs' | 'clock'>;

/** Ends an import's open state. Repeating it changes nothing. Errors: `not_found`, `import_not_open`, `uploads_incomplete`. */
export async function finalizeImport(
  uses: FinalizeUses,
  caller: Caller,
  id: Id,
  { action, missingUploads }: Finalization,
): Promise<ShownImport> {
  if (action === 'commit') await noticeArrivals(uses, caller.customerId, id);
  return uses.store.within(caller.customerId, async (work) => {
    const subject = found(await work.imports.lock(id), 'import');
    const at = uses.clock.now();
    if (subject.status === 'open') {
      if (action === 'discard') await discard(work, subject, at);
      else await commit(work, subject, missingUploads, at);
    } else await repeat(work, subject, action);
    return showImport(work.tags, found(await work.imports.get(id), 'import'));
  });
}

/** What was answered before may be asked again; the opposite may not. Publishing that had died of a fault begins anew. */
async function repeat(work: CustomerWork, subject: Import, action: Finalization['action']): Promise<void> {
  const wasCommitted = subject.status === 'processing' || subject.finalizedAt !== null;
  if (!(action === 'commit' ? wasCommitted : subject.status === 'cancelled')) {
    throw new DomainError('import_not_open', `This import is ${subject.status}.`, { status: subject.status });
  }
  if (subject.status === 'processing') await work.jobs.add({ kind: 'publish', importId: subject.id });
}

async function discard(work: CustomerWork, subject: Import, at: Date): Promise<void> {
  await work.importPhotos.cancelAll(subject.id, at);
  await work.imports.update(discarded(subject, at));
  await work.outbox.add('import.cancelled', [subject.id], at);
}

const missing: ItemError = {
  code: 'upload_missing',
  message: 'The import was finalized before the bytes of this file arrived.',
};
const SAMPLE = 20;

async function commit(work: CustomerWork, subject: Import, missingUploads: 'reject' | 'fail', at: Date): Promise<void> {
  const waiting = await work.importPhotos.countIn(subject.id, ['awaiting_upload']);
  if (waiting > 0 && missingUploads === 'reject') throw await incomplete(work, subject.id, waiting);
  if (waiting > 0) await work.importPhotos.failWaiting(subject.id, missing, sourceFailed, at);
  const processing = committed(subject, at);
  const left = await work.importPhotos.countIn(subject.id, ['processing', 'ready', 'duplicate']);
  const counted = found(await work.imports.get(subject.id), 'import');
  await work.imports.update(left === 0 ? settled(processing, counted.counts, at) : processing);
  if (left > 0) await work.jobs.add({ kind: 'publish', importId: subject.id });
  else await work.outbox.add('import.completed', [subject.id], at);
}

async function incomplete(work: CustomerWork, importId: Id, waiting: number): Promise<DomainError> {
  const sample = await work.importPhotos.list({
    importId,
    statuses: ['awaiting_upload'],
    window: { after: null, limit: SAMPLE },
  });
  const message = `The bytes of ${waiting} photos have not arrived. PUT them and repeat, or send "missingUploads": "fail".`;
  return new DomainError('uploads_incomplete', message, { missing: waiting, sample: sample.map((item) => item.id) });
}

/** Whether a client that asked to wait has nothing more to wait for. */
export function hasEnded(subject: Import): boolean {
  return isEnded(subject.status);
}
