import { AggregatorRegistry } from 'prom-client';
import { withTimeout } from '../system-clock.js';
import { type MetricsReport, PrometheusMetrics } from './prometheus-metrics.js';

/** The longest time that a process may take to report; after that, its previous report is used. */
const WAIT_MS = 1000;

/** The types of metrics that count from the start of a process: without those of processes that have ended, sums would go down. */
const CUMULATIVE = ['counter', 'histogram'];

/**
 * The metrics of several processes as those of one: sums, or what the metric itself declares as its aggregator. Counts of processes that
 * have ended remain in the sums, as of their last report.
 */
export class ProcessMetrics {
  private readonly running = new Map<number, { report(): Promise<MetricsReport>; latest: MetricsReport }>();
  private ended: MetricsReport = [];

  constructor(private readonly own: PrometheusMetrics) {}

  add(process: number, report: () => Promise<MetricsReport>): void {
    this.running.set(process, { report, latest: [] });
  }

  /** Call it when a process is about to end. */
  async update(process: number): Promise<void> {
    const source = this.running.get(process);
    if (source === undefined) return;
    source.latest = await withTimeout(source.report(), WAIT_MS, 'late').catch(() => source.latest);
  }

  /** Call it when a process has ended. */
  async remove(process: number): Promise<void> {
    const counted = this.running.get(process)?.latest.filter(({ type }) => CUMULATIVE.includes(String(type))) ?? [];
    this.running.delete(process);
    this.ended = await sum([this.ended, counted]).getMetricsAsJSON();
  }

  async exposition(): Promise<{ readonly type: string; readonly text: string }> {
    await Promise.all([...this.running.keys()].map((process) => this.update(process)));
    const reports = [...this.running.values()].map(({ latest }) => latest);
    const all = sum([await this.own.report(), ...reports, this.ended]);
    return { type: all.contentType, text: await all.metrics() };
  }
}

function sum(reports: readonly MetricsReport[]) {
  return AggregatorRegistry.aggregate(reports.map((report) => [...report]));
}
