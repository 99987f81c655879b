import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { FetchOutcome } from '../../core/imports/fetch/fetch.js';
import { reservingStatuses } from '../../core/imports/import-photo.js';
import type { JobWork } from '../../core/jobs/job.js';
import type { MailOutcome } from '../../core/mail/send-mail.js';
import { type IsolationLevel, isolationLevels } from '../../core/media/media-reader.js';
import type { Backlog } from '../typeorm/jobs/backlog.js';

/** The metrics of one process, as plain data. */
export type MetricsReport = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Sources of values of one process that are read when metrics are collected. */
export interface ProcessSources {
  /** This process's connections to the database. */
  pool(): { readonly open: number; readonly idle: number; readonly waiting: number };
  /** Whether rate limits are kept where all processes see them. */
  rateLimitsAreShared(): boolean;
}

/** The same, and of the installation. */
export interface MetricSources extends ProcessSources {
  backlog(): Promise<Backlog>;
}

export interface Answered {
  readonly method: string;
  /** The route by its template; null where there is none. */
  readonly route: string | null;
  readonly status: number;
  /** The budget that it was charged to; null for none. */
  readonly budget: string | null;
  readonly ms: number;
}

/** From a cached read to an upload that takes a minute. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** The metrics for Prometheus: what happens in this process, and what is waiting in the installation. No label identifies a customer. */
export class PrometheusMetrics {
  private readonly registry = new Registry();
  private readonly on = { registers: [this.registry] };
  private readonly requests = new Histogram({
    name: 'photo_service_http_request_duration_seconds',
    help: 'Time from the start of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: SECONDS,
    ...this.on,
  });
  private readonly limited = new Counter({
    name: 'photo_service_rate_limited_total',
    help: 'Requests refused with 429, by the budget that was exceeded.',
    labelNames: ['budget'] as const,
    ...this.on,
  });
  private readonly jobs = new Histogram({
    name: 'photo_service_job_duration_seconds',
    help: 'Job runs, by result.',
    labelNames: ['kind', 'outcome'] as const,
    buckets: SECONDS,
    ...this.on,
  });
  private readonly fetches = new Histogram({
    name: 'photo_service_source_fetch_duration_seconds',
    help: 'Tries to fetch files of imports from their sources, by result.',
    labelNames: ['outcome'] as const,
    buckets: [...SECONDS, 300, 900],
    ...this.on,
  });
  readonly mailEnded = this.counter<[template: string, outcome: MailOutcome]>(
    'photo_service_mails_total',
    'Mails that ended, by template and result.',
    ['template', 'outcome'],
  );
  readonly providerSignInRefused = this.counter<[provider: string, reason: string]>(
    'photo_service_provider_sign_ins_refused_total',
    'Sign-ins by a provider that were refused, by provider and reason.',
    ['provider', 'reason'],
  );
  readonly mediaProcessReplaced = this.counter<[cause: 'died' | 'grown']>(
    'photo_service_media_process_restarts_total',
    'Media processes that were replaced because they exited or were stopped (died), or used much memory while idle (grown).',
    ['cause'],
  );
  private readonly isolation = new Gauge({
    name: 'photo_service_media_isolation',
    help: '1 for the isolation level at which media processes run.',
    labelNames: ['level'] as const,
    ...this.on,
  });
  readonly blobStoreFailed = this.counter<[operation: string]>(
    'photo_service_blob_store_errors_total',
    'Calls that failed because the blob store was unavailable, full or faulty.',
    ['operation'],
  );
  readonly upkeepFailed = this.counter<[task: string]>(
    'photo_service_upkeep_failures_total',
    'Failed runs of periodic tasks.',
    ['task'],
  );
  private readonly scrubbed = new Counter({
    name: 'photo_service_originals_verified_total',
    help: 'Originals that this process read in turn and compared with their hashes, by result.',
    labelNames: ['result'] as const,
    ...this.on,
  });
  private readonly garbage = new Gauge({
    name: 'photo_service_garbage_found',
    help: 'Unowned files that this process removed in its last cleanup.',
    labelNames: ['kind'] as const,
    ...this.on,
  });
  private readonly garbageBytes = new Gauge({
    name: 'photo_service_garbage_found_bytes',
    help: 'Bytes that this process removed in its last cleanup.',
    ...this.on,
  });
  private readonly garbageAt = new Gauge({
    name: 'photo_service_garbage_collected_timestamp_seconds',
    help: 'When this process last ran the cleanup; absent before the first run.',
    ...this.on,
  });

  private readonly backupAt = new Gauge({
    name: 'photo_service_backup_timestamp_seconds',
    help: 'The time of the newest complete backup in BACKUP_TO, 0 if there is none; absent without BACKUP_TO.',
    ...this.on,
  });
  private readonly backupInterval = new Gauge({
    name: 'photo_service_backup_interval_seconds',
    help: 'BACKUP_EVERY; absent without BACKUP_TO.',
    ...this.on,
  });

  /** @param sources Without a backlog in all processes of a service but one. */
  constructor(sources: ProcessSources & Partial<MetricSources>) {
    collectDefaultMetrics({ register: this.registry });
    for (const budget of ['read', 'write', 'anonymous']) this.limited.inc({ budget }, 0);
    for (const result of ['intact', 'missing', 'damaged', 'unreadable']) this.scrubbed.inc({ result }, 0);
    this.garbageAt.remove();
    this.gauge('photo_service_database_pool_connections', 'Open database connections.', () => sources.pool().open);
    this.gauge('photo_service_database_pool_idle', 'Idle database connections.', () => sources.pool().idle);
    this.gauge(
      'photo_service_database_pool_waiting',
      'Calls waiting for a database connection.',
      () => sources.pool().waiting,
    );
    this.gauge(
      'photo_service_rate_limits_degraded',
      '1 while this process counts requests locally because the shared store is unavailable.',
      () => (sources.rateLimitsAreShared() ? 0 : 1),
      'max',
    );
    const { backlog } = sources;
    if (backlog !== undefined) addBacklogGauges(this.registry, backlog);
  }

  /** Returns the metrics as plain data, for a process that adds up those of several. */
  report(): Promise<MetricsReport> {
    return this.registry.getMetricsAsJSON();
  }

  /** In Prometheus's text format, with its content type. */
  async exposition(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.registry.contentType, text: await this.registry.metrics() };
  }

  readonly answered = ({ method, route, status, budget, ms }: Answered): void => {
    // A client may invent methods.
    const known = METHODS.has(method) ? method : 'other';
    this.requests.observe({ method: known, route: route ?? 'none', status }, ms / 1000);
    if (status === 429 && budget !== null) this.limited.inc({ budget });
  };

  readonly jobEnded = (kind: string, outcome: 'done' | 'failed' | 'postponed', ms: number): void => {
    this.jobs.observe({ kind, outcome }, ms / 1000);
  };

  readonly sourceFetched = (outcome: FetchOutcome, ms: number): void => {
    this.fetches.observe({ outcome }, ms / 1000);
  };

  readonly garbageCollected = ({ bytes, ...files }: Readonly<Record<string, number>>): void => {
    for (const [kind, count] of Object.entries(files)) this.garbage.set({ kind }, count);
    this.garbageBytes.set(bytes ?? 0);
    this.garbageAt.setToCurrentTime();
  };

  readonly originalScrubbed = (result: 'intact' | 'missing' | 'damaged' | 'unreadable'): void =>
    this.scrubbed.inc({ result });

  readonly mediaIsolated = (level: IsolationLevel): void => {
    for (const each of isolationLevels) this.isolation.set({ level: each }, each === level ? 1 : 0);
  };

  readonly backupSeen = (newest: Date | null, everyHours: number): void => {
    this.backupAt.set((newest?.getTime() ?? 0) / 1000);
    this.backupInterval.set(everyHours * 3600);
  };

  /** Counts by labels, whose values the returned function takes. */
  private counter<Values extends string[]>(
    name: string,
    help: string,
    labelNames: string[] & { length: Values['length'] },
  ) {
    const counter = new Counter({ name, help, labelNames, ...this.on });
    return (...values: Values): void => counter.labels(...values).inc();
  }

  private gauge(name: string, help: string, read: () => number, aggregator: 'sum' | 'max' = 'sum'): void {
    new Gauge({
      name,
      help,
      aggregator,
      ...this.on,
      collect() {
        this.set(read());
      },
    });
  }
}

/** However often they are collected, the database is queried at most once in so many milliseconds. */
const FRESH_MS = 15_000;

const KINDS: readonly JobWork['kind'][] = ['inspect', 'publish'];

/**
 * Adds the numbers of the whole installation, the same from every process. While the database is unavailable they are missing, and all others
 * present.
 */
function addBacklogGauges(registry: Registry, backlog: () => Promise<Backlog>): void {
  const gauges: Gauge[] = [];
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> => {
    // The first one collected reads for all.
    const added = new Gauge<Label>({ name, help, labelNames, registers: [registry], collect: () => read() });
    gauges.push(added as unknown as Gauge);
    return added;
  };
  const jobs = gauge('photo_service_jobs', 'Jobs, counted up to 100,000.', ['kind', 'state']);
  const jobAge = gauge('photo_service_job_oldest_seconds', 'Time since the oldest due job became due.', ['kind']);
  const deliveries = gauge(
    'photo_service_webhook_deliveries_waiting',
    'Webhook deliveries waiting to be sent, counted up to 100,000.',
    [],
  );
  const deliveryAge = gauge(
    'photo_service_webhook_delivery_oldest_seconds',
    'Time since the oldest due webhook delivery became due.',
    [],
  );
  const items = gauge('photo_service_import_items', 'Import items in progress, counted up to 100,000.', ['status']);
  const itemsEstimated = gauge(
    'photo_service_import_items_estimated',
    'All import items, estimated from database statistics.',
    ['status'],
  );
  const readAnew = async () => {
    const found = await backlog().catch(() => null);
    for (const each of gauges) each.reset();
    if (found === null) {
      deliveries.remove();
      deliveryAge.remove();
      return;
    }
    const none = { waiting: 0, running: 0, dead: 0, oldestSeconds: 0 };
    for (const kind of KINDS) {
      const { oldestSeconds, waiting, running, dead } = found.jobs.find((each) => each.kind === kind) ?? none;
      for (const [state, count] of Object.entries({ waiting, running, dead })) jobs.set({ kind, state }, count);
      jobAge.set({ kind }, oldestSeconds);
    }
    deliveries.set(found.deliveries.waiting);
    deliveryAge.set(found.deliveries.oldestSeconds);
    for (const status of reservingStatuses) items.set({ status }, found.itemsUnderWay[status] ?? 0);
    for (const [status, count] of Object.entries(found.itemsEstimated)) itemsEstimated.set({ status }, count);
  };
  let readAt = Number.NEGATIVE_INFINITY;
  let reading = Promise.resolve();
  const read = () => {
    if (performance.now() - readAt >= FRESH_MS) {
      readAt = performance.now();
      reading = readAnew();
    }
    return reading;
  };
}
