import { giveUpBulkEdit, type RunUses, runBulkEdit } from '../core/bulk-edits/run-bulk-edit.js';
import { giveUpImportPhoto, inspectImportPhoto } from '../core/imports/inspect.js';
import { publishImport } from '../core/imports/publish.js';
import { type Job, MAX_ATTEMPTS, MAX_FAILURES, MAX_OUTAGES } from '../core/jobs/job.js';
import { type MailOutcome, sendMail } from '../core/mail/send-mail.js';
import { ReaderFailure } from '../core/media/media-reader.js';
import type { Uses } from '../core/ports.js';
import { isOutage } from '../core/shared/errors.js';
import type { Id } from '../core/shared/ids.js';
import { bumpPhotoVersions } from '../core/tags/delete-tag.js';

type RunJobUses = Uses<
  | 'store'
  | 'importSteps'
  | 'blobs'
  | 'verifiedBlobs'
  | 'media'
  | 'clock'
  | 'limits'
  | 'gazetteer'
  | 'mailer'
  | 'secrets'
>;

/** The facts about a mail that may be made known. */
export interface EndedMail {
  readonly customerId: Id;
  readonly userId: Id;
  readonly template: string;
  readonly outcome: MailOutcome;
}

/**
 * Runs a job. If it throws, it is retried later. A file is given up, and the others continue, when it fails for the last time; when its
 * runs ended together with the whole service too often; and when its bytes, or another dependency, were unavailable for a day. Publishing
 * needs only the database, and is never given up because that is unavailable.
 * @param onMail Called with how a mail ended. Must not throw.
 */
export async function runJob(
  uses: RunJobUses,
  job: Job,
  onMail: (ended: EndedMail) => void = () => undefined,
): Promise<void> {
  const { work, customerId, attempt, failures } = job;
  const isLast = failures + 1 >= MAX_FAILURES;
  if (work.kind === 'renew') return bumpPhotoVersions(uses, customerId);
  if (work.kind === 'publish') return publishImport(uses, customerId, work.importId, isLast);
  if (work.kind === 'bulk_edit') return continueEdit(uses, customerId, work.bulkEditId, isLast);
  if (work.kind === 'mail') {
    const { userId, template } = work;
    return onMail({ customerId, userId, template, outcome: await sendMail(uses, work, job) });
  }
  const giveUp = (error: unknown) => giveUpImportPhoto(uses, customerId, work.importId, work.photoId, error);
  if (attempt > MAX_ATTEMPTS)
    return giveUp(new ReaderFailure('The service stopped every time it inspected this file.'));
  try {
    // At its last attempt, it runs alone, so that nothing else can be the cause of a crash.
    await inspectImportPhoto(uses, customerId, work.importId, work.photoId, { alone: attempt >= MAX_FAILURES });
  } catch (error) {
    if (isOutage(error) ? job.outages < MAX_OUTAGES : !isLast) throw error;
    await giveUp(error);
  }
}

/** Continues an edit. As long as only the database is unavailable, it is not given up. */
async function continueEdit(uses: RunUses, customerId: Id, id: Id, isLast: boolean): Promise<void> {
  try {
    await runBulkEdit(uses, customerId, id);
  } catch (error) {
    if (isOutage(error) || !isLast) throw error;
    await giveUpBulkEdit(uses, customerId, id);
    throw error;
  }
}
