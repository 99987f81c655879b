import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { Argon2PasswordHasher } from './adapters/argon2/argon2-password-hasher.js';
import { makeDataDir, makeFolders } from './adapters/data-dir.js';
import { binariesOfDatabase, hasEmbeddedDatabase, openEmbeddedPostgres } from './adapters/embedded-postgres.js';
import { FallbackRateWindowStore } from './adapters/fallback-rate-window-store.js';
import { commonPasswords } from './adapters/frequent-passwords.js';
import { LocalBlobStore } from './adapters/local-blobs/local-blob-store.js';
import { ChildProcessMediaReader } from './adapters/media/child-process-media-reader.js';
import { MemoryRateWindowStore } from './adapters/memory/memory-rate-window-store.js';
import type { PrometheusMetrics } from './adapters/metrics/prometheus-metrics.js';
import { ObservedBlobStore } from './adapters/observed-blob-store.js';
import { readOrMakeSecret, readSecretFile } from './adapters/secret-file.js';
import { SystemClock } from './adapters/system-clock.js';
import type { OtlpTracing } from './adapters/tracing/otlp-tracing.js';
import { TypeormKeyStore } from './adapters/typeorm/access/api-key.repository.js';
import { TypeormRateWindowStore } from './adapters/typeorm/access/rate-window.repository.js';
import { TypeormAuditLog } from './adapters/typeorm/audit/audit.repository.js';
import { PostgresArchiveTarget } from './adapters/typeorm/backup/archive-target.js';
import { PostgresSnapshot } from './adapters/typeorm/backup/database-archive.js';
import { TypeormCustomerDirectory } from './adapters/typeorm/customers/customer.repository.js';
import { TypeormCustomerStore } from './adapters/typeorm/customers/customer-store.js';
import { clientConfig, type DatabaseAddress } from './adapters/typeorm/database/connection.js';
import { openDataSource } from './adapters/typeorm/database/data-source.js';
import { requireAnswer, requireMigrated } from './adapters/typeorm/database/database-checks.js';
import { type DatabaseState, hasOurTables, readDatabaseState } from './adapters/typeorm/database/database-state.js';
import { rowSecurityOf } from './adapters/typeorm/database/row-security.js';
import { TypeormIdempotencyStore } from './adapters/typeorm/idempotency/idempotency.repository.js';
import { poolUse, readBacklog } from './adapters/typeorm/jobs/backlog.js';
import { TypeormJobQueue } from './adapters/typeorm/jobs/job.repository.js';
import { TypeormTrafficStore } from './adapters/typeorm/traffic/traffic.repository.js';
import { TypeormSessionStore } from './adapters/typeorm/users/session.repository.js';
import { TypeormUserStore } from './adapters/typeorm/users/user.repository.js';
import { TypeormDeliveryQueue } from './adapters/typeorm/webhooks/delivery-queue.js';
import { HttpWebhookSender } from './adapters/webhooks/http-webhook-sender.js';
import { VERSION } from './cli/version.js';
import type { Config, RateLimitStore } from './config.js';
import { IpLists } from './core/access/ip-list.js';
import type { RateWindowStore } from './core/access/rolling-window.js';
import type { ArchiveTarget, DatabaseSnapshot } from './core/backup/database-snapshot.js';
import { stagingKey } from './core/blobs/blob-key.js';
import type { BlobStore } from './core/blobs/blob-store.js';
import { requireDiskSpace } from './core/imports/require-disk-space.js';
import { UploadSlots } from './core/imports/upload-slots.js';
import type { MediaIsolation } from './core/media/isolation.js';
import type { Ports, Uses } from './core/ports.js';
import type { Clock } from './core/shared/clock.js';
import type { ReadinessCheck } from './http/ops/readiness.js';
import { PublicAddresses } from './http/public-addresses.js';
import { withInProcess } from './in-process.js';
import { databaseName, NoInstallationError } from './installation.js';
import { reasonOf } from './reason-of.js';

/** Where files are stored under DATA_DIR, without a bucket. */
const BLOB_FOLDER = 'blobs';

/** Ports on real adapters. */
export interface OpenPorts {
  readonly ports: Ports;
  /** Dependencies of requests, for `/readyz`. */
  readonly checks: readonly ReadinessCheck[];
  /** Chooses the isolation level of processes that read pictures, by starting one. */
  isolateMedia(): Promise<MediaIsolation>;
  /** Null without metrics. */
  readonly metrics: PrometheusMetrics | null;
  /** Null without tracing. */
  readonly tracing: OtlpTracing | null;
  /** Runs work on a snapshot of the whole database. */
  takeSnapshot<T>(work: (snapshot: DatabaseSnapshot) => Promise<T>): Promise<T>;
  /** Resolves with a reason when the database ended by itself. */
  readonly databaseEnded: Promise<string>;
  close(): Promise<void>;
}

/** How the embedded database is used: a service owns it, a command shares it with a running service. */
export type Ownership = 'own' | 'share';

export interface OpenOptions {
  readonly ownership: Ownership;
  /** Whether to create what is missing. Otherwise an installation must exist: call `requireInstallation` first. */
  readonly create: boolean;
}

/** Receives messages for people about what is waited for, and what is wrong. */
type Log = (line: string, level?: 'info' | 'warn') => void;

/**
 * Checks whether there is an installation at the configured place, and creates nothing. A database server alone is not enough: a data
 * folder other than the installation's has another secret and other photos.
 * @throws NoInstallationError; an Error that says why if the database cannot be reached.
 */
export async function requireInstallation({ databaseUrl, dataDir, secretKeys, s3 }: Config): Promise<void> {
  const place = resolve(dataDir);
  if (databaseUrl === null) {
    if (!hasEmbeddedDatabase(place)) throw new NoInstallationError(place);
    return;
  }
  await requireTables({ url: databaseUrl }, databaseName(databaseUrl)).catch((error: unknown) => {
    throw error instanceof NoInstallationError ? error : unusable(databaseUrl, error);
  });
  const hasSecret = secretKeys !== null || (await readSecretFile(place)) !== null;
  if (!hasSecret || (s3 === null && !existsSync(join(place, BLOB_FOLDER)))) throw new NoInstallationError(place);
}

async function requireTables(address: DatabaseAddress, place: string): Promise<void> {
  if (!(await hasOurTables(address))) throw new NoInstallationError(place);
}

/** Opens everything that the environment names. After a failure, what was opened before is closed again. */
export async function openPorts(config: Config, options: OpenOptions, log: Log): Promise<OpenPorts> {
  const database = await openDatabase(config, options, log);
  try {
    return await connect(config, database, log);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The only place that names adapters: a line per port. */
async function connect(config: Config, database: Database, log: Log): Promise<OpenPorts> {
  const { dataSource } = database;
  const { role, remedy } = rowSecurityOf(dataSource);
  if (role === null)
    log(`The database does not enforce the separation of customers, although it could. ${remedy}`, 'warn');
  const clock = new SystemClock();
  const { rateWindows, isShared, close: closeRateWindows } = await openRateWindows(config, clock, dataSource, log);
  const metrics = await openMetrics(config, dataSource, isShared);
  const tracing = await openTracing(config);
  const media = openMedia(config, metrics?.mediaProcessReplaced);
  const { blobs, directUploads, close: closeBlobs } = await openBlobs(config);
  const ports: Ports = withInProcess({
    clock,
    store: new TypeormCustomerStore(dataSource),
    customers: new TypeormCustomerDirectory(dataSource),
    keys: new TypeormKeyStore(dataSource),
    ipLists: new IpLists(),
    users: new TypeormUserStore(dataSource),
    sessions: new TypeormSessionStore(dataSource),
    passwords: new Argon2PasswordHasher(),
    commonPasswords: commonPasswords(),
    rateWindows,
    idempotency: new TypeormIdempotencyStore(dataSource),
    blobs: metrics ? new ObservedBlobStore(blobs, metrics.blobStoreFailed) : blobs,
    uploads: new UploadSlots(config.minFreeBytes),
    directUploads,
    media,
    jobs: new TypeormJobQueue(dataSource),
    deliveries: new TypeormDeliveryQueue(dataSource),
    webhooks: new HttpWebhookSender({ allowPrivate: config.webhookAllowPrivate }),
    auditLog: new TypeormAuditLog(dataSource),
    traffic: new TypeormTrafficStore(dataSource),
    secrets: config.secretKeys ?? [await readOrMakeSecret(config.dataDir)],
    limits: config.limits,
    addresses: new PublicAddresses(config.publicUrl),
  });
  const isolateMedia = async () => {
    const chosen = await media.isolation();
    metrics?.mediaIsolated(chosen.level);
    return chosen;
  };
  const close = async () => {
    await media.close();
    closeBlobs();
    await tracing?.close();
    closeRateWindows();
    await database.close();
  };
  const checks = checksOf(dataSource, ports, isShared);
  const takeSnapshot: OpenPorts['takeSnapshot'] = (work) => PostgresSnapshot.take(clientConfig(dataSource), work);
  return { ports, takeSnapshot, isolateMedia, checks, metrics, tracing, databaseEnded: database.ended, close };
}

/**
 * Without the database no request can be answered. Without blobs, or the shared store of rate limits, most can, and no other process is
 * better off (docs/decisions/0019): these are reported and do not stop traffic.
 */
function checksOf(
  dataSource: DataSource,
  { blobs, uploads }: Uses<'blobs' | 'uploads'>,
  rateLimitsAreShared: () => boolean,
): ReadinessCheck[] {
  // For no item: absence is a valid answer.
  const nothing = stagingKey({ customerId: 0, importId: 0, id: 0, uploadId: 0 });
  const requireShared = async () => {
    if (!rateLimitsAreShared()) throw new Error('Rate limits are counted by each process separately.');
  };
  return [
    { name: 'database', otherwise: 'failed', look: () => requireAnswer(dataSource) },
    { name: 'migrations', otherwise: 'failed', look: () => requireMigrated(dataSource) },
    { name: 'blobs', otherwise: 'degraded', look: () => blobs.head(nothing) },
    { name: 'diskSpace', otherwise: 'degraded', look: () => requireDiskSpace({ blobs, uploads }, 0) },
    { name: 'rateLimits', otherwise: 'degraded', look: requireShared },
  ];
}

/** Opens the configured database for a restore. No service may use its data folder meanwhile. */
export async function openArchiveTarget(
  { databaseUrl, databaseDirectUrl, dataDir }: Config,
  log: Log,
): Promise<{ target: ArchiveTarget; close(): Promise<void> }> {
  if (databaseUrl !== null) {
    return {
      target: new PostgresArchiveTarget({ url: databaseDirectUrl ?? databaseUrl }),
      close: async () => undefined,
    };
  }
  await makeDataDir(dataDir);
  const postgres = await openEmbeddedPostgres(dataDir, 'own', log);
  return { target: new PostgresArchiveTarget({ connection: postgres.connection }), close: () => postgres.stop() };
}

/** Inspects the database and changes nothing; null when the embedded one has not been created yet. */
export async function databaseState({
  databaseUrl,
  databaseDirectUrl,
  dataDir,
}: Config): Promise<DatabaseState | null> {
  if (databaseUrl !== null) return readDatabaseState({ url: databaseDirectUrl ?? databaseUrl });
  if (!hasEmbeddedDatabase(dataDir)) return null;
  const postgres = await openEmbeddedPostgres(dataDir, 'share');
  try {
    return await readDatabaseState({ connection: postgres.connection });
  } finally {
    await postgres.stop();
  }
}

/** Close it at the end. */
export function openMedia(
  { dataDir, workerConcurrency, media }: Config,
  onReplaced?: PrometheusMetrics['mediaProcessReplaced'],
): ChildProcessMediaReader {
  const scratchDir = join(dataDir, 'scratch');
  return new ChildProcessMediaReader({
    scratchDir,
    processes: workerConcurrency,
    ...media,
    ...(onReplaced && { onReplaced }),
  });
}

/** Sends Redis the service's request, and counts nothing. Errors: an Error that says why there was no answer. */
export async function askRedis(url: string): Promise<void> {
  const { RedisRateWindowStore } = await import('./adapters/redis/redis-rate-window-store.js');
  const store = new RedisRateWindowStore(url);
  try {
    await store.peek({ name: 'doctor', limit: 1 });
  } finally {
    store.close();
  }
}

/** A folder that is used as a blob store. */
export function openBlobFolder(folder: string): Promise<BlobStore> {
  return LocalBlobStore.open(folder);
}

export { writeSecretFile } from './adapters/secret-file.js';
export type { DatabaseState };
export { binariesOfDatabase, makeFolders, readSecretFile };

export type OpenBlobs = Pick<Ports, 'blobs' | 'directUploads'> & { close(): void };

/** The blob store of these settings: a bucket, or files under `dataDir`. */
export async function openBlobs({
  s3,
  dataDir,
  limits,
}: Pick<Config, 's3' | 'dataDir' | 'limits'>): Promise<OpenBlobs> {
  if (s3 === null) {
    await makeDataDir(dataDir);
    const blobs = await LocalBlobStore.open(join(dataDir, BLOB_FOLDER));
    return { blobs, directUploads: null, close: () => undefined };
  }
  // Loaded only when used: the SDK takes a fifth of a second to load, and 25 MB.
  const { openS3 } = await import('./adapters/s3-blobs/open-s3.js');
  return openS3(s3, limits.maxFileBytes);
}

async function openTracing({ otlpEndpoint, role }: Config): Promise<OtlpTracing | null> {
  if (otlpEndpoint === null) return null;
  const { OtlpTracing } = await import('./adapters/tracing/otlp-tracing.js');
  return new OtlpTracing(otlpEndpoint, { version: VERSION, role });
}

async function openMetrics(
  { metricsPort }: Config,
  dataSource: DataSource,
  rateLimitsAreShared: () => boolean,
): Promise<PrometheusMetrics | null> {
  if (metricsPort === null) return null;
  const { PrometheusMetrics } = await import('./adapters/metrics/prometheus-metrics.js');
  return new PrometheusMetrics({
    backlog: () => readBacklog(dataSource),
    pool: () => poolUse(dataSource),
    rateLimitsAreShared,
  });
}

interface OpenRateWindows {
  readonly rateWindows: RateWindowStore;
  /** False while each process counts by itself instead. */
  isShared(): boolean;
  close(): void;
}

/** Whatever happens to the shared store, every budget has a limit: in an outage each process counts by itself. */
async function openRateWindows(
  config: Config,
  clock: Clock,
  dataSource: DataSource,
  log: Log,
): Promise<OpenRateWindows> {
  const memory = new MemoryRateWindowStore(clock, performance);
  const { rateLimitStore } = config;
  if (rateLimitStore.kind === 'memory') return { rateWindows: memory, isShared: () => true, close: () => undefined };
  const shared = await openSharedRateWindows(rateLimitStore, dataSource);
  const where = rateLimitStore.kind === 'redis' ? 'in Redis' : 'in the database';
  const rateWindows = new FallbackRateWindowStore(shared, memory, (away, reason) => {
    const line = away
      ? `Rate limits cannot be counted ${where} (${reason}). Until they can be, this process counts them itself.`
      : `Rate limits are counted ${where} again.`;
    log(line, 'warn');
  });
  return { rateWindows, isShared: () => !rateWindows.isAway, close: () => shared.close?.() };
}

async function openSharedRateWindows(
  store: RateLimitStore,
  dataSource: DataSource,
): Promise<RateWindowStore & { close?(): void }> {
  if (store.kind !== 'redis') return new TypeormRateWindowStore(dataSource);
  // Loaded only when used: the client takes a while to load.
  const { RedisRateWindowStore } = await import('./adapters/redis/redis-rate-window-store.js');
  return new RedisRateWindowStore(store.url);
}

interface Database {
  readonly dataSource: DataSource;
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

async function openDatabase(config: Config, { ownership, create }: OpenOptions, log: Log): Promise<Database> {
  if (config.databaseUrl !== null) {
    const dataSource = await openServer(config.databaseUrl, config);
    return { dataSource, ended: new Promise(() => undefined), close: () => dataSource.destroy() };
  }
  await makeDataDir(config.dataDir);
  const postgres = await openEmbeddedPostgres(config.dataDir, ownership, log);
  try {
    // A first start that was interrupted leaves a database without tables.
    if (!create) await requireTables({ connection: postgres.connection }, resolve(config.dataDir));
    const dataSource = await openDataSource({ connection: postgres.connection, poolSize: config.databasePool });
    const close = async () => {
      await dataSource.destroy();
      await postgres.stop();
    };
    return { dataSource, ended: postgres.ended, close };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function openServer(
  url: string,
  { databaseDirectUrl, databasePool: poolSize, databasePrepare: prepare }: Config,
): Promise<DataSource> {
  try {
    return await openDataSource({ url, directUrl: databaseDirectUrl ?? undefined, poolSize, prepare });
  } catch (error) {
    throw unusable(url, error);
  }
}

/** Only the host of the address: the rest contains a password. */
function unusable(url: string, error: unknown): Error {
  return new Error(`The database in DATABASE_URL, at ${new URL(url).host}, is unavailable: ${reasonOf(error)}`);
}
