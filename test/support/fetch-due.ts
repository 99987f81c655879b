import { type FetchUses, fetchSource } from '../../src/core/imports/fetch/fetch.js';
import type { JobQueue } from '../../src/core/jobs/job.js';
import { claimFrom } from './claim.js';

/** Makes every try of fetching a file that is due. */
export async function fetchDue(ports: FetchUses & { jobs: JobQueue }): Promise<void> {
  const claim = () => claimFrom(ports.jobs, 'fetches', 60);
  for (let job = await claim(); job !== null; job = await claim()) {
    await fetchSource(ports, job, new AbortController().signal);
  }
}
