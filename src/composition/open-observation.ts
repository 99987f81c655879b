import type { DataSource } from 'typeorm';
import type { ProcessMetrics } from '../adapters/metrics/process-metrics.js';
import type { PrometheusMetrics } from '../adapters/metrics/prometheus-metrics.js';
import type { OtlpTracing } from '../adapters/tracing/otlp-tracing.js';
import { poolUse, readBacklog } from '../adapters/typeorm/jobs/backlog.js';
import type { Config } from '../config/config.js';
import { VERSION } from '../config/version.js';

export async function openTracing({ otlpEndpoint, role }: Config): Promise<OtlpTracing | null> {
  if (otlpEndpoint === null) return null;
  const { OtlpTracing } = await import('../adapters/tracing/otlp-tracing.js');
  return new OtlpTracing(otlpEndpoint, { version: VERSION, role });
}

/** @param isAlone Whether no other process of this service reports what waits in the database. */
export async function openMetrics(
  { metricsPort }: Config,
  dataSource: DataSource,
  rateLimitsAreShared: () => boolean,
  isAlone: boolean,
): Promise<PrometheusMetrics | null> {
  if (metricsPort === null) return null;
  const { PrometheusMetrics } = await import('../adapters/metrics/prometheus-metrics.js');
  return new PrometheusMetrics({
    ...(isAlone && { backlog: () => readBacklog(dataSource) }),
    pool: () => poolUse(dataSource),
    rateLimitsAreShared,
  });
}

/** The metrics of the primary process, and of the request processes that are added. */
export async function openProcessMetrics(own: PrometheusMetrics | null): Promise<ProcessMetrics | null> {
  if (own === null) return null;
  const { ProcessMetrics } = await import('../adapters/metrics/process-metrics.js');
  return new ProcessMetrics(own);
}
