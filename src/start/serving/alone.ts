import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type RunningMetricsServer } from '../../api/ops/metrics-server.js';
import type { Log } from '../../composition/open-database.js';
import type { Config } from '../../config/config.js';
import { OPEN_PORTS, type OpenPorts, PortsModule } from '../../ports.module.js';
import { type Background, isolateMedia, startBackground } from './background.js';
import { atMost, DRAIN_MS, drain, LINGER_MS, listenForMetrics, onHangUp, waitForSignal } from './listener.js';
import { initialize, listen, openApp } from './open-app.js';
import { prepareWelcome, type WelcomeOptions } from './welcome.js';

/** Runs the service in this process until a signal, or until its database ends. */
export async function serveAlone(config: Config, logger: Logger, welcome: WelcomeOptions): Promise<void> {
  const log: Log = (line, level = 'info') => logger[level](line);
  const stopping = new AbortController();
  const { memory } = welcome;
  const ports = PortsModule.forRoot(config, { ownership: 'own', create: true, log, ...(memory && { memory }) });
  const app = await openApp(ports, config, { logger, stopping: stopping.signal });
  const opened = app.get<OpenPorts>(OPEN_PORTS);
  const isolated = isolateMedia(opened, config, logger);
  // Installed before anyone is told that the service is available: no signal must be missed.
  const ending = Promise.race([waitForSignal(), opened.databaseEnded]);
  onHangUp(() => logger.warn('the only process cannot be replaced while it answers requests: restart the service'));
  let background: Background | null = null;
  let metricsServer: RunningMetricsServer | null = null;
  try {
    await initialize(app);
    await isolated;
    const sayWelcome = await prepareWelcome(opened.ports, config, welcome);
    await listen(app, config);
    metricsServer = await listenForMetrics(opened.metrics, config);
    if (config.role !== 'api') background = startBackground(opened, config, logger);
    sayWelcome();
    const reason = await ending;
    stopping.abort();
    logger.info({ reason }, 'stopping');
    // From here on no more jobs are taken, and running ones may end while requests drain.
    const idle = background?.stop();
    if (reason === 'SIGTERM') await delay(LINGER_MS);
    await drain(app.getHttpServer());
    await atMost(DRAIN_MS, idle);
    if (!reason.startsWith('SIG')) throw new Error(`The service stopped: ${reason}.`);
  } finally {
    stopping.abort();
    // A job that is not done by now is cut off; its lease is free as soon as this process has ended.
    await atMost(DRAIN_MS, background?.stop());
    await metricsServer?.close();
    await app.close();
  }
}
