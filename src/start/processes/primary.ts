import type { Logger } from 'pino';
import { type RunningMetricsServer } from '../../api/ops/metrics-server.js';
import type { Log } from '../../composition/open-database.js';
import type { Config } from '../../config/config.js';
import type { Settings } from '../../config/settings-file.js';
import { type OpenPorts, openPorts } from '../../ports.module.js';
import { type Background, isolateMedia, startBackground } from '../serving/background.js';
import { atMost, DRAIN_MS, listenForMetrics, onHangUp, waitForSignal } from '../serving/listener.js';
import { prepareWelcome, type WelcomeOptions } from '../serving/welcome.js';
import { PrimaryFile } from './primary-file.js';
import { RequestProcesses, startRequestProcess } from './request-processes.js';

interface PrimaryOptions {
  readonly settings: Settings;
  /** Processes that answer requests. */
  readonly count: number;
  readonly logger: Logger;
  readonly welcome: WelcomeOptions;
}

/**
 * Runs the service as several processes until a signal, or until its database ends. This one, the primary, answers no requests: it owns
 * what there is once (the embedded database, the counts of requests, the picture readers, jobs, metrics) and starts the others.
 */
export async function servePrimary(config: Config, options: PrimaryOptions): Promise<void> {
  const { logger, count } = options;
  const log: Log = (line, level = 'info') => logger[level](line);
  const opened = await openPorts(config, { ownership: 'own', create: true, processes: count + 1, log });
  try {
    await serveOn(opened, config, options);
  } finally {
    await opened.close();
  }
}

async function serveOn(opened: OpenPorts, config: Config, options: PrimaryOptions): Promise<void> {
  const { settings, count, logger, welcome } = options;
  // Of this process, and of the request processes that are added.
  const metrics =
    opened.metrics && new (await import('../../adapters/metrics/process-metrics.js')).ProcessMetrics(opened.metrics);
  const launch = () => {
    const process = startRequestProcess(config, settings.env, settings.fileNames);
    opened.serveProcess(process.calls);
    return process;
  };
  const processes = new RequestProcesses(count, launch, metrics, logger);
  // Installed before anyone is told that the service is available: no signal must be missed.
  const ending = Promise.race([waitForSignal(), opened.databaseEnded]);
  const file = new PrimaryFile(config);
  let background: Background | null = null;
  let metricsServer: RunningMetricsServer | null = null;
  let reason = 'failed';
  try {
    const sayWelcome = await prepareWelcome(opened.ports, config, welcome);
    const started = Promise.all([isolateMedia(opened, config, logger), processes.start()]);
    if (await Promise.race([started.then(() => true), ending.then(() => false)])) {
      metricsServer = await listenForMetrics(metrics, config);
      if (config.role !== 'api') background = startBackground(opened, config, logger);
      if (onHangUp(() => void processes.reload())) await file.write();
      sayWelcome();
    }
    reason = await ending;
    logger.info({ reason }, 'stopping');
    // From here on no more jobs are taken, and running ones may end while requests drain.
    const idle = background?.stop();
    await processes.stop(reason);
    await atMost(DRAIN_MS, idle);
    if (!reason.startsWith('SIG')) throw new Error(`The service stopped: ${reason}.`);
  } finally {
    await file.remove();
    await processes.stop(reason);
    // A job that is not done by now is cut off; its lease is free as soon as this process has ended.
    await atMost(DRAIN_MS, background?.stop());
    await metricsServer?.close();
  }
}
