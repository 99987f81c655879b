import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { eventBody } from '../../api/webhooks/event-body.js';
import type { BackupSchedule, Config } from '../../config/config.js';
import { timeOfBackup } from '../../core/backup/signature.js';
import { fetchSource } from '../../core/imports/fetch/fetch.js';
import type { Fault } from '../../core/integrity/check-bytes.js';
import type { Job } from '../../core/jobs/job.js';
import type { MailOutcome } from '../../core/mail/send-mail.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import { type Clock, HOUR } from '../../core/shared/clock.js';
import { isOutage } from '../../core/shared/errors.js';
import { deliverEvent } from '../../core/webhooks/send.js';
import { type OpenPorts, sealedRows } from '../../ports.module.js';
import { type PeriodicTask, runPeriodically } from '../../worker/periodic.js';
import { deliveryPool, type EndedMail, fetchPool, jobPool, runJob } from '../../worker/pools.js';
import { scrubTask, upkeep } from '../../worker/upkeep.js';
import { runWorker } from '../../worker/worker.js';

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
  const mailed = ({ outcome, ...mail }: EndedMail) => {
    metrics?.mailEnded(mail.template, outcome);
    logger[outcome === 'sent' ? 'info' : 'warn']({ mail, outcome }, `a mail was ${mailOutcomes[outcome]}`);
  };
  const run: Run = (job) => runJob(ports, job, mailed);
  const traced: Run = tracing === null ? run : (job) => tracing.job(job, () => run(job));
  const counted: Run = (job) =>
    timed(
      () => traced(job).then(() => 'done' as const),
      (error) => (isOutage(error) ? 'postponed' : 'failed'),
      (outcome, ms) => metrics?.jobEnded(job.work.kind, outcome, ms),
    );
  const fetched = (job: Job<'fetches'>, stopping: AbortSignal) =>
    timed(
      () => fetchSource(ports, job, stopping),
      () => 'postponed' as const,
      (outcome, ms) => metrics?.sourceFetched(outcome, ms),
    );
  const worker = runWorker(ports, [
    jobPool(ports, counted, {
      concurrency: config.workerConcurrency * JOBS_PER_PROCESS,
      // Renewed by the worker while the job runs. A killed worker's job is due again after this.
      leaseSeconds: 60,
      onQueueError: (error) => logger.warn({ err: error }, 'the job queue is unavailable'),
      onError: ({ work, attempt }, err) => {
        // Not what is sealed: a log is read by more people than a database.
        const { kind } = work;
        const job = kind === 'mail' ? { kind, template: work.template, userId: work.userId } : work;
        logger.warn({ job, attempt, err }, 'a job failed');
      },
    }),
    deliveryPool((job) => deliverEvent(ports, job, eventBody), {
      onError: (error) => logger.warn({ err: error }, 'webhooks cannot be sent'),
    }),
    fetchPool(ports, fetched, {
      onError: (error) => logger.warn({ err: error }, 'files cannot be fetched'),
    }),
  ]);
  const scrubbed = (photo: PhotoWithTags, fault: Fault | null) => {
    metrics?.originalScrubbed(fault?.kind ?? 'intact');
    const { customerId, id: photoId } = photo;
    if (fault !== null) logger.error({ customerId, photoId }, `the original of this photo ${fault.message}`);
  };
  const scrubbing =
    scrubPosition === null || config.scrubDays === null
      ? []
      : [scrubTask({ ...ports, scrubPosition }, config.scrubDays, scrubbed)];
  const { backups: schedule } = config;
  const making =
    schedule &&
    backupTask(schedule, {
      clock: ports.clock,
      run: runPhs,
      onSeen: (newest) => metrics?.backupSeen(newest, schedule.everyHours),
      onMade: ({ ok, name: backup, problems: { length: problems } }) => {
        if (ok) logger.info({ backup }, 'a backup was made');
        else logger.error({ backup, problems }, 'a backup was made without photos that are lost: see phs verify');
      },
    });
  const allTasks = [...upkeep(ports, sealedRows, metrics?.garbageCollected), ...scrubbing, ...(making ? [making] : [])];
  const tasks = runPeriodically(allTasks, (task, error) => {
    metrics?.upkeepFailed(task);
    logger.warn({ err: error }, `failed to ${task}`);
  });
  return { stop: () => Promise.all([worker.stop(), tasks.stop()]) };
}

const mailOutcomes: Readonly<Record<MailOutcome, string>> = {
  sent: 'sent',
  refused: 'refused by the server',
  expired: 'not sent for a day, and is forgotten',
  unreadable: 'not sent: it was sealed with a SECRET_KEY that is gone',
  failed: 'not sent because of a fault',
};

type Run = (job: Job) => Promise<void>;

/** Runs work, and tells how it ended and how many milliseconds it took. @param failed The outcome of work that fails with an error. */
async function timed<Outcome>(
  work: () => Promise<Outcome>,
  failed: (error: unknown) => Outcome,
  ended: (outcome: Outcome, ms: number) => void,
): Promise<void> {
  const began = performance.now();
  const tell = (outcome: Outcome) => ended(outcome, performance.now() - began);
  try {
    tell(await work());
  } catch (error) {
    tell(failed(error));
    throw error;
  }
}

/** The result that `phs backup --json` prints. */
export interface MadeBackup {
  /** False: the service itself has lost photos, which are listed as problems. */
  readonly ok: boolean;
  readonly name: string;
  readonly problems: readonly unknown[];
}

interface BackupUses {
  readonly clock: Clock;
  /** Makes one with these arguments of `phs`. */
  readonly run: (args: readonly string[], stopping: AbortSignal) => Promise<MadeBackup>;
  /** Called with the time of the newest complete backup, or null, whenever the folder was looked at. Must not throw. */
  readonly onSeen: (newest: Date | null) => void;
  /** Must not throw. */
  readonly onMade: (made: MadeBackup) => void;
}

/** Makes a backup when the newest complete one in the folder is old enough; several processes, and people, may make them. */
export function backupTask({ folder, everyHours, keep, recipients }: BackupSchedule, uses: BackupUses): PeriodicTask {
  const encrypted = recipients.length === 0 ? [] : ['--recipient', recipients.join(',')];
  const args = ['backup', resolve(folder), '--keep', String(keep), '--json', ...encrypted];
  const look = async () => {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const times = names.flatMap((name) => timeOfBackup(name) ?? []);
    const newest = times.sort((a, b) => b.getTime() - a.getTime())[0] ?? null;
    uses.onSeen(newest);
    return newest;
  };
  return {
    name: 'make a backup',
    everySeconds: 60,
    run: async (stopping) => {
      const newest = await look();
      if (newest !== null && uses.clock.now().getTime() - newest.getTime() < everyHours * HOUR) return;
      uses.onMade(await uses.run(args, stopping));
      await look();
    },
  };
}

const PROGRAM = fileURLToPath(new URL('../../../bin/phs.js', import.meta.url));

/**
 * Runs `phs` on this installation in a process of its own, whose memory and processor time are not those of requests. Errors: an Error with
 * what it printed.
 */
async function runPhs(args: readonly string[], signal: AbortSignal): Promise<MadeBackup> {
  // Thousands of lost photos are listed in its report.
  const options = { signal, maxBuffer: 16 * 1024 * 1024, killSignal: 'SIGTERM' } as const;
  const report = await promisify(execFile)(process.execPath, [PROGRAM, ...args], options).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string; message: string }) => {
      // Complete, except for photos that the service has lost: it says so and ends with 1.
      if (error.stdout) return error.stdout;
      throw new Error(error.stderr?.trim() || error.message);
    },
  );
  return JSON.parse(report);
}

/**
 * Chooses the isolation level of picture readers and logs it: what a picture that takes over its reader could reach. Errors: the level that the
 * settings require does not work here.
 */
export function isolateMedia({ isolateMedia }: OpenPorts, { media }: Config, logger: Logger): Promise<void> {
  const isolated = isolateMedia().then(
    ({ level, refused }) => {
      const isWeak = level === 'process' && process.env['NODE_ENV'] === 'production';
      const advice = isWeak ? ': see "Isolation of picture readers" in docs/operations.md' : '';
      const line = `images are read at isolation level ${level}${advice}`;
      logger[isWeak ? 'warn' : 'info']({ isolation: level, refused }, line);
    },
    (error) => {
      if (media.isolation !== 'auto') throw error;
      // Its scratch disk may be full: then only pictures are unavailable.
      logger.warn({ err: error }, 'images cannot be read; the next one will be tried');
    },
  );
  // The first other failure ends the start.
  isolated.catch(() => undefined);
  return isolated;
}
