import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { destination, type Logger, pino } from 'pino';
import { type Background, startBackground } from './background.js';
import { VERSION } from './cli/version.js';
import { type Config, readConfig } from './config.js';
import { IpRanges } from './core/access/ip-list.js';
import type { MediaIsolation } from './core/media/isolation.js';
import type { Ports } from './core/ports.js';
import { type FirstRun, firstRun, firstSteps, keylessCustomer, keyNotWritten, writeSecrets } from './first-run.js';
import { createApp } from './http/create-app.js';
import { openMetricsServer, type RunningMetricsServer } from './http/ops/metrics-server.js';
import { type Finding, Readiness } from './http/ops/readiness.js';
import { type OpenPorts, openPorts } from './ports.module.js';
import type { Settings } from './settings-file.js';

/** How long the listener continues after SIGTERM, so that a load balancer can see the change of /readyz and send its traffic elsewhere. */
const LINGER_MS = 2000;
/** How long requests in flight may take after that. */
const DRAIN_MS = 20_000;

/** Runs the service until a signal, or until its database ends. Throws, with a message for people, when it cannot start. */
export async function serve({ env, file, warnings }: Settings): Promise<void> {
  const config = readConfig(env);
  const logger = openLogger(config);
  if (file !== null) logger.info({ file }, 'settings read');
  for (const warning of warnings) logger.warn(warning);
  await requireFreePort(config);
  const options = { ownership: 'own', create: true } as const;
  const opened = await openPorts(config, options, (line, level = 'info') => logger[level](line));
  try {
    await serveOn(opened, config, logger);
  } finally {
    await opened.close();
  }
}

async function serveOn(opened: OpenPorts, config: Config, logger: Logger): Promise<void> {
  const { ports, databaseEnded } = opened;
  const stopping = new AbortController();
  const isolated = opened.isolateMedia().then(
    (chosen) => logIsolation(logger, chosen),
    (error) => {
      if (config.media.isolation !== 'auto') throw error;
      // Its scratch disk may be full: then only pictures are unavailable.
      logger.warn({ err: error }, 'images cannot be read; the next one will be tried');
    },
  );
  // The first other failure ends the start.
  isolated.catch(() => undefined);
  const app = await createApp(ports, {
    logger,
    trustedProxies: config.trustedProxies.length > 0 ? new IpRanges(config.trustedProxies) : null,
    blobsLocation: config.blobsLocation,
    deliveryMaxAge: config.deliveryMaxAge,
    docs: config.docs,
    securityContacts: config.securityContacts,
    readiness: new Readiness(opened.checks, stopping.signal, logReadiness(logger)),
    onAnswered: opened.metrics?.answered,
    trace: opened.tracing?.request,
    stopping: stopping.signal,
  });
  // Installed before anyone is told that the service is available: no signal must be missed.
  const ending = Promise.race([waitForSignal(), databaseEnded]);
  let background: Background | null = null;
  let metricsServer: RunningMetricsServer | null = null;
  try {
    await isolated;
    await listen(app, config);
    metricsServer = await listenForMetrics(opened, config);
    if (config.role !== 'api') background = startBackground(opened, config, logger);
    await printWelcome(ports, config);
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

/** The addresses of the dependencies contain no secrets, but a message for people only needs the problem and its cause. */
function logReadiness(logger: Logger) {
  return (name: string, finding: Finding, reason?: unknown) =>
    logger.warn({ check: name, finding, ...(reason !== undefined && { err: reason }) }, 'readiness changed');
}

/** Logged at every start: what a picture that takes over its reader could reach. */
function logIsolation(logger: Logger, { level, refused }: MediaIsolation): void {
  const isWeak = level === 'process' && process.env['NODE_ENV'] === 'production';
  const advice = isWeak ? ': see "Isolation of picture readers" in docs/operations.md' : '';
  logger[isWeak ? 'warn' : 'info'](
    { isolation: level, refused },
    `images are read at isolation level ${level}${advice}`,
  );
}

/** Waits for something, but not longer than so many milliseconds. */
async function atMost(milliseconds: number, work: Promise<unknown> | undefined): Promise<void> {
  const done = new AbortController();
  const patience = delay(milliseconds, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
  await Promise.race([work, patience]);
  done.abort();
}

/**
 * JSON lines on stderr. Of an error its name, message and stack: its other properties (for example a statement's parameters) may be a
 * customer's data.
 */
function openLogger({ logLevel }: Config): Logger {
  const err = (error: unknown) => {
    if (!(error instanceof Error)) return String(error);
    const cause = error.cause instanceof Error ? `${error.cause.name}: ${error.cause.message}` : undefined;
    return { type: error.name, message: error.message, stack: error.stack, cause };
  };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level: logLevel, base: null, timestamp, serializers: { err } }, destination(2));
}

type App = Awaited<ReturnType<typeof createApp>>;

async function listen(app: App, { host, port }: Config): Promise<void> {
  await app.listen(port, host).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, { host, port });
  });
}

async function listenForMetrics({ metrics }: OpenPorts, config: Config): Promise<RunningMetricsServer | null> {
  const { host, metricsPort: port } = config;
  if (metrics === null || port === null) return null;
  return openMetricsServer(metrics, { host, port }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`Cannot listen on ${host}:${port}: ${error.message}. Check METRICS_PORT.`);
  });
}

/** Checked before a database is created: an operator who left another service running should be told immediately. */
async function requireFreePort({ host, port }: Config): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(cannotListen(error, { host, port })));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

function cannotListen({ code, message }: NodeJS.ErrnoException, { host, port }: Pick<Config, 'host' | 'port'>): Error {
  if (code !== 'EADDRINUSE') return new Error(`Cannot listen on ${host}:${port}: ${message}. Check HOST and PORT.`);
  return new Error(
    `Port ${port} on ${host} is in use by another program. Stop it, or choose another port: PORT=3001 npm start`,
  );
}

async function printWelcome(ports: Ports, config: Config): Promise<void> {
  // A worker creates none: its data folder may be temporary, and the key would be lost with it.
  const first = config.role === 'worker' ? null : await firstRun(ports);
  const where =
    config.databaseUrl === null ? `everything is stored in ${config.dataDir}` : 'using the database in DATABASE_URL';
  const ready = `Photo Service ${VERSION} is ready at ${config.publicUrl} (${where}). Stop it with Ctrl-C.`;
  if (first !== null) return console.log(`${ready}\n${await introduction(first, config)}`);
  const keyless = await keylessCustomer(ports);
  const hint = `There is no API key yet. Create one: npx phs key create --customer ${keyless} --name first --scopes all`;
  console.log(keyless === null ? ready : `${ready}\n${hint}`);
}

/** The output of a first start. Secrets are only printed to a terminal: other output is often a log. */
async function introduction(first: FirstRun, { dataDir, publicUrl }: Config): Promise<string> {
  try {
    return firstSteps(publicUrl, await writeSecrets(first, dataDir, process.stdout.isTTY ?? false));
  } catch (error) {
    return keyNotWritten(first, (error as Error).message);
  }
}

/** The first signal's name. A second one ends the process immediately, as if there were no handler. */
function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal));
  });
}

/** No new connections; those in use get their time, then are closed. */
async function drain(server: ReturnType<App['getHttpServer']>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = new AbortController();
  const deadline = delay(DRAIN_MS, undefined, { signal: late.signal }).then(
    () => server.closeAllConnections(),
    () => undefined,
  );
  await closed;
  late.abort();
  await deadline;
}
