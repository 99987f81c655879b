import type { Job, JobClaim, JobQueue, Pool } from '../../src/core/jobs/job.js';

/** The next due job of a pool; null when nothing is due. */
export async function claimFrom<P extends Pool>(
  jobs: JobQueue,
  pool: P,
  leaseSeconds: number,
  claim: Omit<JobClaim, 'leaseSeconds' | 'count'> = {},
): Promise<Job<P> | null> {
  const [job] = await jobs.claim(pool, { leaseSeconds, ...claim });
  return job ?? null;
}

export function claimJob(jobs: JobQueue, leaseSeconds: number): Promise<Job | null> {
  return claimFrom(jobs, 'jobs', leaseSeconds);
}
