import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { Argon2PasswordHasher } from './adapters/argon2/argon2-password-hasher.js';
import { RegisteredCountries } from './adapters/countries/registered-countries.js';
import { LeasedRenditionLocks } from './adapters/leased-rendition-locks.js';
import { ChildProcessMediaReader } from './adapters/media/child-process-media-reader.js';
import type { PrometheusMetrics } from './adapters/metrics/prometheus-metrics.js';
import { ObservedBlobStore } from './adapters/observed-blob-store.js';
import { OpenIdProvider } from './adapters/oidc/open-id-provider.js';
import { CustomerNames } from './adapters/outgoing/customer-names.js';
import { GeonamesGazetteer } from './adapters/places/geonames-gazetteer.js';
import { mediaMethods, PrimaryMediaReader } from './adapters/processes/primary-media-reader.js';
import { rateWindowMethods } from './adapters/processes/primary-rate-window-store.js';
import type { Rpc } from './adapters/processes/rpc.js';
import { readOrMakeSecret } from './adapters/secret-file.js';
import { SmtpMailer } from './adapters/smtp/smtp-mailer.js';
import { HttpSourceReader } from './adapters/sources/http-source-reader.js';
import { SystemClock } from './adapters/system-clock.js';
import type { OtlpTracing } from './adapters/tracing/otlp-tracing.js';
import { TypeormKeyStore } from './adapters/typeorm/access/api-key.repository.js';
import { TypeormAuditLog } from './adapters/typeorm/audit/audit.repository.js';
import { whileAlone } from './adapters/typeorm/backup/backup-lock.js';
import { PostgresSnapshot } from './adapters/typeorm/backup/database-archive.js';
import { TypeormCustomerStore } from './adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from './adapters/typeorm/customers/customer.repository.js';
import { clientConfig } from './adapters/typeorm/database/connection.js';
import { rowSecurityOf } from './adapters/typeorm/database/row-security.js';
import { requireAnswer, requireMigrated } from './adapters/typeorm/database-state.js';
import { TypeormDeliveryKeyFinder } from './adapters/typeorm/delivery/delivery-key.repository.js';
import { TypeormIdempotencyStore } from './adapters/typeorm/idempotency/idempotency.repository.js';
import { TypeormFetchQueue } from './adapters/typeorm/imports/fetch-queue.js';
import { TypeormJobQueue } from './adapters/typeorm/jobs/job.repository.js';
import { TypeormOperatorTokenStore } from './adapters/typeorm/operators/operator-token.repository.js';
import { TypeormRenditionLeases } from './adapters/typeorm/photos/rendition-leases.repository.js';
import { TypeormShareFinder } from './adapters/typeorm/shares/share.repository.js';
import { TypeormTrafficStore } from './adapters/typeorm/traffic/traffic.repository.js';
import { TypeormSessionStore } from './adapters/typeorm/users/session.repository.js';
import { TypeormUserStore } from './adapters/typeorm/users/user.repository.js';
import { TypeormDeliveryQueue } from './adapters/typeorm/webhooks/delivery-queue.js';
import { WebauthnPasskeyReader } from './adapters/webauthn/webauthn-passkey-reader.js';
import { HttpWebhookSender } from './adapters/webhooks/http-webhook-sender.js';
import { ZxcvbnPasswordStrength } from './adapters/zxcvbn-password-strength.js';
import type { ReadinessCheck } from './api/ops/readiness.js';
import { withInProcess } from './composition/in-process.js';
import { openBlobs } from './composition/open-blobs.js';
import { type Database, type Log, type OpenOptions, openDatabase } from './composition/open-database.js';
import { openMetrics, openTracing } from './composition/open-observation.js';
import { openRateWindows } from './composition/open-rate-windows.js';
import type { Config, SmtpConfig } from './config/config.js';
import { IpLists } from './core/access/ip-list.js';
import type { DatabaseSnapshot } from './core/backup/database-snapshot.js';
import { stagingKey } from './core/blobs/blob-key.js';
import { requireDiskSpace, UploadSlots } from './core/imports/receive/upload-slots.js';
import type { ScrubPosition } from './core/integrity/scrub.js';
import type { Mailer } from './core/mail/mail.js';
import type { MediaIsolation } from './core/media/media-reader.js';
import type { Ports, Uses } from './core/ports.js';
import type { IdentityProvider } from './core/users/identity-provider.js';
import { PublicAddresses } from './http/public-addresses.js';

/** Ports on real adapters. */
export interface OpenPorts {
  readonly ports: Ports;
  /** Dependencies of requests, for `/readyz`. */
  readonly checks: readonly ReadinessCheck[];
  /** Chooses the isolation level of processes that read pictures, by starting one. */
  isolateMedia(): Promise<MediaIsolation>;
  /** Answers a request process: it counts requests here, and has its pictures read here. */
  serveProcess(process: Rpc): void;
  /** Null without metrics. */
  readonly metrics: PrometheusMetrics | null;
  /** Null if the originals are not files. */
  readonly scrubPosition: ScrubPosition | null;
  /** Null without tracing. */
  readonly tracing: OtlpTracing | null;
  /** Runs work on a snapshot of the whole database. */
  takeSnapshot<T>(work: (snapshot: DatabaseSnapshot) => Promise<T>): Promise<T>;
  /** Runs a backup on its own. Errors: an Error when another process of the installation is making one. */
  whileAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves with a reason when the database ended by itself. */
  readonly databaseEnded: Promise<string>;
  close(): Promise<void>;
}

/**
 * Opens everything that the environment names. After a failure, what was opened before is closed again.
 * @param primary The primary process, for one of its request processes.
 */
export async function openPorts(config: Config, options: OpenOptions, log: Log, primary?: Rpc): Promise<OpenPorts> {
  const database = await openDatabase(config, options, log);
  try {
    return await connect(config, database, log, primary);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** The only place that names adapters: a line per port. */
async function connect(config: Config, database: Database, log: Log, primary?: Rpc): Promise<OpenPorts> {
  const { dataSource } = database;
  const { role, remedy } = rowSecurityOf(dataSource);
  if (role === null)
    log(`The database does not enforce the separation of customers, although it could. ${remedy}`, 'warn');
  const clock = new SystemClock();
  const counting = await openRateWindows(config, clock, dataSource, log, primary);
  const { rateWindows, isShared, close: closeRateWindows } = counting;
  const metrics = await openMetrics(config, dataSource, isShared, primary === undefined);
  const tracing = await openTracing(config);
  const decoders = primary === undefined ? openMedia(config, metrics?.mediaProcessReplaced) : null;
  const media = decoders ?? new PrimaryMediaReader(primary as Rpc, scratchOf(config));
  const { blobs, directUploads, scrubPosition, close: closeBlobs } = await openBlobs(config);
  const names = new CustomerNames();
  const ports: Ports = withInProcess({
    clock,
    store: new TypeormCustomerStore(dataSource),
    customers: new TypeormCustomerDirectory(dataSource),
    keys: new TypeormKeyStore(dataSource),
    ipLists: new IpLists(),
    ipCountries: new RegisteredCountries(),
    users: new TypeormUserStore(dataSource),
    sessions: new TypeormSessionStore(dataSource),
    passwords: new Argon2PasswordHasher(),
    passkeys: new WebauthnPasskeyReader(),
    passwordStrength: new ZxcvbnPasswordStrength(),
    identityProviders: openProviders(config),
    rateWindows,
    idempotency: new TypeormIdempotencyStore(dataSource),
    blobs: metrics ? new ObservedBlobStore(blobs, metrics.blobStoreFailed) : blobs,
    uploads: new UploadSlots(config.minFreeBytes),
    directUploads,
    media,
    gazetteer: new GeonamesGazetteer(),
    renditionLocks: new LeasedRenditionLocks(new TypeormRenditionLeases(dataSource)),
    jobs: new TypeormJobQueue(dataSource),
    fetches: new TypeormFetchQueue(dataSource),
    sourceReader: new HttpSourceReader({ allowPrivate: config.fetchAllowPrivate, lookup: names.lookup }),
    deliveries: new TypeormDeliveryQueue(dataSource),
    deliveryKeys: new TypeormDeliveryKeyFinder(dataSource),
    shares: new TypeormShareFinder(dataSource),
    webhooks: new HttpWebhookSender({ allowPrivate: config.webhookAllowPrivate, lookup: names.lookup }),
    mailer: config.smtp && openMailer(config.smtp),
    operatorTokens: new TypeormOperatorTokenStore(dataSource),
    auditLog: new TypeormAuditLog(dataSource),
    traffic: new TypeormTrafficStore(dataSource),
    secrets: config.secretKeys ?? [await readOrMakeSecret(config.dataDir)],
    limits: config.limits,
    addresses: new PublicAddresses(config.publicUrl),
  });
  const isolateMedia = async () => {
    if (decoders === null) throw new Error('Decoders belong to the primary process.');
    const chosen = await decoders.isolation();
    metrics?.mediaIsolated(chosen.level);
    return chosen;
  };
  const serveProcess: OpenPorts['serveProcess'] = (process) =>
    process.serve({ ...rateWindowMethods(rateWindows), ...mediaMethods(media, process) });
  const close = async () => {
    await media.close();
    closeBlobs();
    await tracing?.close();
    closeRateWindows();
    await database.close();
  };
  const checks = checksOf(dataSource, ports, isShared);
  const backups: Pick<OpenPorts, 'takeSnapshot' | 'whileAlone'> = {
    takeSnapshot: (work) => PostgresSnapshot.take(clientConfig(dataSource), work),
    whileAlone: (work) => whileAlone(clientConfig(dataSource), work),
  };
  const observed = { checks, metrics, tracing, databaseEnded: database.ended };
  return { ports, ...backups, isolateMedia, serveProcess, scrubPosition, ...observed, close };
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

export function openMailer(smtp: SmtpConfig): Mailer {
  return new SmtpMailer(smtp);
}

export function openProviders({ identityProviders }: Config): readonly IdentityProvider[] {
  return identityProviders.map((provider) => new OpenIdProvider(provider));
}

/** Close it at the end. */
export function openMedia(
  config: Config,
  onReplaced?: PrometheusMetrics['mediaProcessReplaced'],
): ChildProcessMediaReader {
  return new ChildProcessMediaReader({
    scratchDir: scratchOf(config),
    processes: config.workerConcurrency,
    ...config.media,
    ...(onReplaced && { onReplaced }),
  });
}

const scratchOf = ({ dataDir }: Config) => join(dataDir, 'scratch');
