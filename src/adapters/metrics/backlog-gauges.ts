import { Gauge, type Registry } from 'prom-client';
import { reservingStatuses } from '../../core/imports/import-photo.js';
import type { JobWork } from '../../core/jobs/job.js';
import type { Backlog } from '../typeorm/jobs/backlog.js';

/** What is waiting in the installation. */
export interface BacklogSource {
  backlog(): Promise<Backlog>;
}

/** However often they are collected, the database is queried at most once in so many milliseconds. */
const FRESH_MS = 15_000;

const KINDS: readonly JobWork['kind'][] = ['inspect', 'publish'];

/**
 * Numbers of the whole installation, the same from every process. While the database is unavailable they are missing, and all others
 * present.
 */
export class BacklogGauges {
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;
  private readonly gauges: Gauge[] = [];
  private readonly jobs: Gauge<'kind' | 'state'>;
  private readonly jobAge: Gauge<'kind'>;
  private readonly deliveries: Gauge;
  private readonly deliveryAge: Gauge;
  private readonly items: Gauge<'status'>;
  private readonly itemsEstimated: Gauge<'status'>;

  constructor(
    private readonly registry: Registry,
    private readonly source: BacklogSource,
  ) {
    this.jobs = this.gauge('photo_service_jobs', 'Jobs, counted up to 100,000.', ['kind', 'state']);
    this.jobAge = this.gauge('photo_service_job_oldest_seconds', 'Time since the oldest due job became due.', ['kind']);
    this.deliveries = this.gauge(
      'photo_service_webhook_deliveries_waiting',
      'Webhook deliveries waiting to be sent, counted up to 100,000.',
      [],
    );
    this.deliveryAge = this.gauge(
      'photo_service_webhook_delivery_oldest_seconds',
      'Time since the oldest due webhook delivery became due.',
      [],
    );
    this.items = this.gauge('photo_service_import_items', 'Import items in progress, counted up to 100,000.', [
      'status',
    ]);
    this.itemsEstimated = this.gauge(
      'photo_service_import_items_estimated',
      'All import items, estimated from database statistics.',
      ['status'],
    );
  }

  private gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Gauge<Label> {
    const gauge = new Gauge<Label>({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      // The first one collected reads for all.
      collect: () => this.read(),
    });
    this.gauges.push(gauge as unknown as Gauge);
    return gauge;
  }

  private read(): Promise<void> {
    if (performance.now() - this.readAt >= FRESH_MS) {
      this.readAt = performance.now();
      this.reading = this.readAnew();
    }
    return this.reading ?? Promise.resolve();
  }

  private async readAnew(): Promise<void> {
    const found = await this.source.backlog().catch(() => null);
    for (const gauge of this.gauges) gauge.reset();
    if (found === null) {
      this.deliveries.remove();
      this.deliveryAge.remove();
      return;
    }
    const none = { waiting: 0, running: 0, dead: 0, oldestSeconds: 0 };
    for (const kind of KINDS) {
      const { oldestSeconds, waiting, running, dead } = found.jobs.find((jobs) => jobs.kind === kind) ?? none;
      for (const [state, count] of Object.entries({ waiting, running, dead })) this.jobs.set({ kind, state }, count);
      this.jobAge.set({ kind }, oldestSeconds);
    }
    this.deliveries.set(found.deliveries.waiting);
    this.deliveryAge.set(found.deliveries.oldestSeconds);
    for (const status of reservingStatuses) this.items.set({ status }, found.itemsUnderWay[status] ?? 0);
    for (const [status, count] of Object.entries(found.itemsEstimated)) this.itemsEstimated.set({ status }, count);
  }
}
