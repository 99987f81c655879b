import type { Logger } from 'pino';
import type { Config } from './config.js';
import { fetchSource } from './core/imports/fetch-source.js';
import type { FetchOutcome } from './core/imports/record-fetch.js';
import type { LeasedFetch } from './core/imports/source-fetch.js';
import type { Fault } from './core/integrity/check-bytes.js';
import type { Job } from './core/jobs/job.js';
import type { PhotoWithTags } from './core/photos/photo.js';
import { isOutage } from './core/shared/errors.js';
import { deliverEvent } from './core/webhooks/deliver-event.js';
import { eventBody } from './http/webhooks/event-body.js';
import type { OpenPorts } from './ports.module.js';
import { runDispatcher } from './worker/dispatcher.js';
import { runFetcher } from './worker/fetcher.js';
import { runPeriodically } from './worker/periodic.js';
import { runJob } from './worker/run-job.js';
import { scrubTask, upkeep } from './worker/upkeep.js';
import { runWorker } from './worker/worker.js';

/** How long a job is leased; the worker renews the lease while it runs. A killed worker's job is due again after this. */
const JOB_LEASE_SECONDS = 60;

/**
 * While some pictures are read, the rows and files of others are written: so many jobs are in progress for each reading process. More would
 * gain little, and with two processes they could take all ten connections of the pool from requests.
 */
const JOBS_PER_PROCESS = 4;

/** Jobs, webhooks, files of other servers, and periodic tasks. */
export interface Background {
  stop(): Promise<unknown>;
}

export function startBackground(
  { ports, metrics, tracing, scrubPosition }: OpenPorts,
  config: Config,
  logger: Logger,
): Background {
  const run: Run = (job) => runJob(ports, job);
  const traced: Run = tracing === null ? run : (job) => tracing.job(job, () => run(job));
  const worker = runWorker(ports, timed(traced, metrics), {
    concurrency: config.workerConcurrency * JOBS_PER_PROCESS,
    leaseSeconds: JOB_LEASE_SECONDS,
    onQueueError: (error) => logger.warn({ err: error }, 'the job queue is unavailable'),
    onError: (job, error) => logger.warn({ job: job.work, attempt: job.attempt, err: error }, 'a job failed'),
  });
  const dispatcher = runDispatcher(ports, (delivery) => deliverEvent(ports, delivery, eventBody), {
    onError: (error) => logger.warn({ err: error }, 'webhooks cannot be sent'),
  });
  const fetcher = runFetcher(ports, (leased, stopping) => fetchTimed(ports, metrics, leased, stopping), {
    onError: (error) => logger.warn({ err: error }, 'files cannot be fetched'),
  });
  const scrubbed = (photo: PhotoWithTags, fault: Fault | null) => {
    metrics?.originalScrubbed(fault?.kind ?? 'intact');
    const { customerId, id: photoId } = photo;
    if (fault !== null) logger.error({ customerId, photoId }, `the original of this photo ${fault.message}`);
  };
  const scrubbing =
    scrubPosition === null || config.scrubDays === null
      ? []
      : [scrubTask({ ...ports, scrubPosition }, config.scrubDays, scrubbed)];
  const allTasks = [...upkeep(ports, metrics?.garbageCollected), ...scrubbing];
  const tasks = runPeriodically(allTasks, (task, error) => {
    metrics?.upkeepFailed(task);
    logger.warn({ err: error }, `failed to ${task}`);
  });
  return { stop: () => Promise.all([worker.stop(), dispatcher.stop(), fetcher.stop(), tasks.stop()]) };
}

async function fetchTimed(
  ports: OpenPorts['ports'],
  metrics: OpenPorts['metrics'],
  leased: LeasedFetch,
  stopping: AbortSignal,
): Promise<void> {
  const began = performance.now();
  const ended = (outcome: FetchOutcome) => metrics?.sourceFetched(outcome, performance.now() - began);
  try {
    ended(await fetchSource(ports, leased, stopping));
  } catch (error) {
    ended('postponed');
    throw error;
  }
}

type Run = (job: Job) => Promise<void>;

function timed(run: Run, metrics: OpenPorts['metrics']): Run {
  if (metrics === null) return run;
  return async (job) => {
    const began = performance.now();
    const ended = (outcome: 'done' | 'failed' | 'postponed') =>
      metrics.jobEnded(job.work.kind, outcome, performance.now() - began);
    try {
      await run(job);
      ended('done');
    } catch (error) {
      ended(isOutage(error) ? 'postponed' : 'failed');
      throw error;
    }
  };
}
