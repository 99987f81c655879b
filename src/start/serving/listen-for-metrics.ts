import { type Exposition, openMetricsServer, type RunningMetricsServer } from '../../api/ops/metrics-server.js';
import type { Config } from '../../config/config.js';

/** Null without METRICS_PORT. Errors: one that names the setting. */
export async function listenForMetrics(
  metrics: Exposition | null,
  { host, metricsPort: port }: Config,
): Promise<RunningMetricsServer | null> {
  if (metrics === null || port === null) return null;
  return openMetricsServer(metrics, { host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`Cannot listen on ${host}:${port}: ${error.message}. Check METRICS_PORT.`);
  });
}
