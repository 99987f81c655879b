import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { Argon2PasswordHasher } from './adapters/argon2/argon2-password-hasher.js';
import { openEmbeddedPostgres } from './adapters/embedded-postgres/embedded-postgres.js';
import { FallbackRateWindowStore } from './adapters/fallback-rate-window-store.js';
import { LocalBlobStore } from './adapters/local-blobs/local-blob-store.js';
import { ChildProcessMediaReader } from './adapters/media/child-process-media-reader.js';
import { MemoryRateWindowStore } from './adapters/memory/memory-rate-window-store.js';
import { readOrMakeSecret } from './adapters/secret-file.js';
import { SystemClock } from './adapters/system-clock.js';
import { TypeormKeyStore } from './adapters/typeorm/api-key.repository.js';
import { TypeormAuditLog } from './adapters/typeorm/audit.repository.js';
import { TypeormCustomerDirectory } from './adapters/typeorm/customer.repository.js';
import { TypeormCustomerStore } from './adapters/typeorm/customer-store.js';
import { openDataSource } from './adapters/typeorm/data-source.js';
import { TypeormDeliveryQueue } from './adapters/typeorm/delivery-queue.js';
import { TypeormIdempotencyStore } from './adapters/typeorm/idempotency.repository.js';
import { TypeormJobQueue } from './adapters/typeorm/job.repository.js';
import { TypeormRateWindowStore } from './adapters/typeorm/rate-window.repository.js';
import { TypeormSessionStore } from './adapters/typeorm/session.repository.js';
import { TypeormTrafficStore } from './adapters/typeorm/traffic.repository.js';
import { TypeormUserStore } from './adapters/typeorm/user.repository.js';
import { HttpWebhookSender } from './adapters/webhooks/http-webhook-sender.js';
import type { Config } from './config.js';
import type { RateWindowStore } from './core/access/rolling-window.js';
import type { Ports } from './core/ports.js';
import type { Clock } from './core/shared/clock.js';

/** Ports on real adapters. */
export interface OpenPorts {
  readonly ports: Ports;
  /** Resolves with a reason when the database ended by itself. */
  readonly databaseEnded: Promise<string>;
  close(): Promise<void>;
}

/** How the embedded database is used: a service owns it, a command shares it with a running service. */
export type Ownership = 'own' | 'share';

/** Takes lines for people about what is waited for, and what is amiss. */
type Log = (line: string, level?: 'info' | 'warn') => void;

/** Opens what the environment names. What was opened before a failure is closed again. */
export async function openPorts(config: Config, ownership: Ownership, log: Log): Promise<OpenPorts> {
  const database = await openDatabase(config, ownership, log);
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
  const clock = new SystemClock();
  const scratchDir = join(config.dataDir, 'scratch');
  const media = new ChildProcessMediaReader({ scratchDir, processes: config.workerConcurrency, ...config.media });
  const { blobs, directUploads, close: closeBlobs } = await openBlobs(config);
  const ports: Ports = {
    clock,
    store: new TypeormCustomerStore(dataSource),
    customers: new TypeormCustomerDirectory(dataSource),
    keys: new TypeormKeyStore(dataSource),
    users: new TypeormUserStore(dataSource),
    sessions: new TypeormSessionStore(dataSource),
    passwords: new Argon2PasswordHasher(),
    rateWindows: openRateWindows(config, clock, dataSource, log),
    idempotency: new TypeormIdempotencyStore(dataSource),
    blobs,
    directUploads,
    media,
    jobs: new TypeormJobQueue(dataSource),
    deliveries: new TypeormDeliveryQueue(dataSource),
    webhooks: new HttpWebhookSender({ allowPrivate: config.webhookAllowPrivate }),
    auditLog: new TypeormAuditLog(dataSource),
    traffic: new TypeormTrafficStore(dataSource),
    secrets: config.secretKeys ?? [await readOrMakeSecret(config.dataDir)],
    limits: config.limits,
    publicUrl: config.publicUrl,
  };
  const close = async () => {
    await media.close();
    closeBlobs();
    await database.close();
  };
  return { ports, databaseEnded: database.ended, close };
}

export type OpenBlobs = Pick<Ports, 'blobs' | 'directUploads'> & { close(): void };

/** The blob store of these settings: a bucket, or files under `dataDir`. */
export async function openBlobs({
  s3,
  dataDir,
  limits,
}: Pick<Config, 's3' | 'dataDir' | 'limits'>): Promise<OpenBlobs> {
  if (s3 === null) {
    const blobs = await LocalBlobStore.open(join(dataDir, 'blobs'));
    return { blobs, directUploads: null, close: () => undefined };
  }
  // Only where it is used: the SDK takes a fifth of a second to load, and 25 MB.
  const { openS3 } = await import('./adapters/s3-blobs/open-s3.js');
  return openS3(s3, limits.maxFileBytes);
}

/** Whatever becomes of the shared store, no budget is ever without limit: each process counts for itself then. */
function openRateWindows(config: Config, clock: Clock, dataSource: DataSource, log: Log): RateWindowStore {
  const memory = new MemoryRateWindowStore(clock, performance);
  if (config.rateLimitStore === 'memory') return memory;
  return new FallbackRateWindowStore(new TypeormRateWindowStore(dataSource), memory, (away, reason) => {
    const line = away
      ? `Rate limits cannot be kept in the database (${reason}). Until it is back this process counts by itself.`
      : 'Rate limits are kept in the database again.';
    log(line, 'warn');
  });
}

interface Database {
  readonly dataSource: DataSource;
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

async function openDatabase(config: Config, ownership: Ownership, log: Log): Promise<Database> {
  if (config.databaseUrl !== null) {
    const dataSource = await openServer(config.databaseUrl);
    return { dataSource, ended: new Promise(() => undefined), close: () => dataSource.destroy() };
  }
  const postgres = await openEmbeddedPostgres(config.dataDir, ownership, log);
  try {
    const dataSource = await openDataSource({ connection: postgres.connection });
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

async function openServer(url: string): Promise<DataSource> {
  try {
    return await openDataSource({ url });
  } catch (error) {
    const { cause, message } = error as Error;
    const reason = cause instanceof Error ? cause.message : message;
    // Only the host of the address: the rest holds a password.
    throw new Error(`The database of DATABASE_URL, at ${new URL(url).host}, cannot be used: ${reason}`);
  }
}
