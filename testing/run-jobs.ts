import { fetchSource } from '../src/core/imports/fetch/fetch.js';
import type { Pool } from '../src/core/jobs/job.js';
import type { Ports } from '../src/core/ports.js';
import { deliverEvent } from '../src/core/webhooks/send.js';
import { deliveryPool, fetchPool, jobPool, runJob } from '../src/worker/pools.js';
import type { WorkerPool } from '../src/worker/worker.js';

/** The body of a webhook, whose format core leaves to who sends it. */
export type RenderEvent = Parameters<typeof deliverEvent<Ports>>[2];

/**
 * Runs every job that is due, one after another, and those that they add: inspections, publishing, bulk edits, mails, files of other servers,
 * and, if there is `renderEvent`, webhooks. Returns how many ran. A job that fails is due again later, as in the service. Errors: an
 * AggregateError of what failed, once nothing is due.
 */
export async function runJobs(ports: Ports, { renderEvent }: { renderEvent?: RenderEvent } = {}): Promise<number> {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const pools: readonly WorkerPool[] = [
    jobPool(ports, (job) => runJob(ports, job), {
      ...{ concurrency: 1, leaseSeconds: 60 },
      onError: (_, error) => onError(error),
      onQueueError: onError,
    }),
    fetchPool(ports, (job, stopping) => fetchSource(ports, job, stopping), { onError }),
    ...(renderEvent ? [deliveryPool((job) => deliverEvent(ports, job, renderEvent), { onError })] : []),
  ];
  let count = 0;
  for (let before = -1; count > before; ) {
    before = count;
    for (const pool of pools) count += await runDue(ports, pool);
  }
  if (errors.length > 0) throw new AggregateError(errors, `Jobs failed: ${errors.map(String).join('; ')}`);
  return count;
}

async function runDue<P extends Pool>({ jobs }: Ports, work: WorkerPool<P>): Promise<number> {
  const { signal } = new AbortController();
  let count = 0;
  for (;;) {
    const [job] = await jobs.claim(work.pool, { leaseSeconds: work.leaseSeconds });
    if (job === undefined) return count;
    await work.attempt(job, { lost: signal, stopping: signal }).catch((error: unknown) => work.onError(error));
    count += 1;
  }
}
