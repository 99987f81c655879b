import type { DataSource } from 'typeorm';
import type { PrometheusMetrics } from '../adapters/metrics/prometheus-metrics.js';
import type { OtlpTracing } from '../adapters/tracing/otlp-tracing.js';
import { poolUse, readBacklog } from '../adapters/typeorm/jobs/backlog.js';
import { VERSION } from '../cli/version.js';
import type { Config } from '../config.js';

export async function openTracing({ otlpEndpoint, role }: Config): Promise<OtlpTracing | null> {
  if (otlpEndpoint === null) return null;
  const { OtlpTracing } = await import('../adapters/tracing/otlp-tracing.js');
  return new OtlpTracing(otlpEndpoint, { version: VERSION, role });
}

export async function openMetrics(
  { metricsPort }: Config,
  dataSource: DataSource,
  rateLimitsAreShared: () => boolean,
): Promise<PrometheusMetrics | null> {
  if (metricsPort === null) return null;
  const { PrometheusMetrics } = await import('../adapters/metrics/prometheus-metrics.js');
  return new PrometheusMetrics({
    backlog: () => readBacklog(dataSource),
    pool: () => poolUse(dataSource),
    rateLimitsAreShared,
  });
}
