import { giveUpImportPhoto, type InspectUses, inspectImportPhoto } from '../imports/inspect-import-photo.js';
import { publishImport } from '../imports/publish-import.js';
import { isOutage } from '../shared/errors.js';
import { type Job, MAX_ATTEMPTS } from './job.js';

/**
 * Does a job. What throws is tried again later, but for a file that fails its reader for the last time, or that ended the
 * whole service so often that its run was begun once more than that: it is given up, and the others go on.
 */
export async function runJob(uses: InspectUses, job: Job): Promise<void> {
  const { work, customerId } = job;
  if (work.kind === 'publish') {
    return publishImport(uses, customerId, work.importId, job.attempt >= MAX_ATTEMPTS);
  }
  if (job.attempt > MAX_ATTEMPTS) return giveUpImportPhoto(uses, customerId, work.importId, work.photoId);
  try {
    await inspectImportPhoto(uses, customerId, work.importId, work.photoId);
  } catch (error) {
    if (isOutage(error) || job.attempt < MAX_ATTEMPTS) throw error;
    await giveUpImportPhoto(uses, customerId, work.importId, work.photoId);
  }
}
