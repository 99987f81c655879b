import { join } from 'node:path';
import type { DynamicModule, FactoryProvider } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Argon2PasswordHasher } from './adapters/argon2/argon2-password-hasher.js';
import { RegisteredCountries } from './adapters/countries/registered-countries.js';
import { BatchedImportSteps } from './adapters/decorators/batched-import-steps.js';
import { CachedVerifiedBlobs } from './adapters/decorators/cached-verified-blobs.js';
import { ObservedBlobStore } from './adapters/decorators/observed-blob-store.js';
import { SharedRenditionMaker } from './adapters/decorators/shared-rendition-maker.js';
import { ChildProcessMediaReader } from './adapters/media/child-process-media-reader.js';
import { MemoryUploadSlots } from './adapters/memory/memory-upload-slots.js';
import type { PrometheusMetrics } from './adapters/metrics/prometheus-metrics.js';
import { OpenIdProvider } from './adapters/oidc/open-id-provider.js';
import { CustomerNames } from './adapters/outgoing/customer-names.js';
import { GeonamesGazetteer } from './adapters/places/geonames-gazetteer.js';
import { mediaMethods, PrimaryMediaReader } from './adapters/primary-process/primary-media-reader.js';
import { rateWindowMethods } from './adapters/primary-process/primary-rate-window-store.js';
import type { Rpc } from './adapters/primary-process/rpc.js';
import { readOrMakeSecret } from './adapters/secret-file.js';
import { SmtpMailer } from './adapters/smtp/smtp-mailer.js';
import { HttpSourceReader } from './adapters/sources/http-source-reader.js';
import { SystemClock } from './adapters/system-clock.js';
import type { OtlpTracing } from './adapters/tracing/otlp-tracing.js';
import { PostgresSnapshot, whileAlone } from './adapters/typeorm/backup/database-archive.js';
import { clientConfig } from './adapters/typeorm/database/connection.js';
import { type DatabasePorts, databasePortNames } from './adapters/typeorm/database-ports.js';
import { requireAnswer, requireMigrated } from './adapters/typeorm/database-state.js';
import { poolUse, readBacklog } from './adapters/typeorm/jobs/backlog.js';
import { WebauthnPasskeyReader } from './adapters/webauthn/webauthn-passkey-reader.js';
import { HttpWebhookSender } from './adapters/webhooks/http-webhook-sender.js';
import { ZxcvbnPasswordStrength } from './adapters/zxcvbn-password-strength.js';
import { READINESS_CHECKS, type ReadinessCheck } from './api/ops/readiness.js';
import { type OpenBlobs, openBlobs } from './composition/open-blobs.js';
import { type Database, type Log, type OpenOptions, openDatabase } from './composition/open-database.js';
import type { Memory } from './composition/open-memory.js';
import {
  areShared,
  openRateWindows,
  openSharedRateWindows,
  type SharedRateWindows,
} from './composition/open-rate-windows.js';
import { Opening } from './composition/opening.js';
import type { Config, SmtpConfig } from './config/config.js';
import { VERSION } from './config/version.js';
import { IpLists } from './core/access/ip-list.js';
import type { RateWindowStore } from './core/access/rolling-window.js';
import type { DatabaseSnapshot } from './core/backup/database-snapshot.js';
import { stagingKey } from './core/blobs/blob-key.js';
import type { BlobStore } from './core/blobs/blob-store.js';
import { deliverySecrets } from './core/delivery/delivery-key.js';
import { requireDiskSpace } from './core/imports/receive/upload.js';
import type { UploadSlots } from './core/imports/receive/upload-slots.js';
import type { Mailer } from './core/mail/mail.js';
import { renditionMaking } from './core/photos/renditions/make.js';
import type { Ports } from './core/ports.js';
import type { Clock } from './core/shared/clock.js';
import { shareTokens } from './core/shares/own-shares.js';
import { factorSecrets } from './core/users/factors/policy.js';
import type { IdentityProvider } from './core/users/identity-provider.js';
import { webhookSecrets } from './core/webhooks/endpoints.js';
import { REQUEST_OBSERVERS, type RequestObservers } from './http/http-options.js';
import { allPorts, PORTS, portToken } from './http/ports-token.js';
import { PublicAddresses } from './http/public-addresses.js';

/** The resources that several ports are made from. */
interface Shared {
  readonly database: Database;
  readonly dataSource: DataSource | null;
  readonly databasePorts: DatabasePorts;
  /** Null: this process counts requests for all. */
  readonly sharedRateWindows: SharedRateWindows | null;
  readonly blobStorage: OpenBlobs;
  /** Null in a request process, which uses those of the primary. */
  readonly decoders: ChildProcessMediaReader | null;
  readonly names: CustomerNames;
  /** Null without METRICS_PORT. */
  readonly metrics: PrometheusMetrics | null;
  /** Null without OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly tracing: OtlpTracing | null;
}

type Made = Shared & Ports;

export interface PortsOptions extends OpenOptions {
  readonly log: Log;
  /** The primary process, for one of its request processes. */
  readonly primary?: Rpc;
  /** Stands in for the database and the blob store. */
  readonly memory?: Memory;
}

/** The only place that names adapters: a line per port, but one for those that share the database. Nothing is stored where the database cannot be opened: what writes is made after it. */
function factories(config: Config, { log, primary, memory, ...options }: PortsOptions) {
  const shared: Factories<Shared> = {
    database: useFactory([], () => memory?.database ?? openDatabase(config, options, log)),
    dataSource: useFactory(['database'], ({ dataSource }) => dataSource),
    databasePorts: useFactory(['database', 'clock'], (database, clock) => database.ports(clock)),
    sharedRateWindows: useFactory(['dataSource'], (dataSource) => openSharedRateWindows(config, dataSource, primary)),
    blobStorage: useFactory(['database', 'clock'], (_, clock) => memory?.blobs(clock) ?? openBlobs(config)),
    decoders: useFactory(['metrics'], (metrics) => (primary ? null : openMedia(config, metrics?.mediaProcessReplaced))),
    names: useFactory(['clock'], (clock) => new CustomerNames({ now: () => clock.elapsed() })),
    metrics: useFactory(['dataSource', 'rateWindows'], (dataSource, rateWindows) =>
      openMetrics(config, dataSource, rateWindows, primary === undefined),
    ),
    tracing: useFactory(['database'], () => openTracing(config)),
  };
  const ports: Factories<Ports> = {
    clock: useFactory([], () => new SystemClock()),
    ...databaseLines,
    ipLists: useFactory([], () => new IpLists()),
    ipCountries: useFactory([], () => new RegisteredCountries()),
    passwords: useFactory([], () => new Argon2PasswordHasher()),
    passkeys: useFactory([], () => new WebauthnPasskeyReader()),
    passwordStrength: useFactory([], () => new ZxcvbnPasswordStrength()),
    identityProviders: useFactory(['clock'], (clock) => openProviders(config, clock)),
    rateWindows: useFactory(['clock', 'sharedRateWindows'], (clock, shared) =>
      openRateWindows(config, log, clock, shared),
    ),
    blobs: useFactory(['blobStorage', 'metrics'], ({ blobs }, metrics) =>
      metrics ? new ObservedBlobStore(blobs, metrics.blobStoreFailed) : blobs,
    ),
    verifiedBlobs: useFactory(['blobs', 'clock'], (blobs, clock) => new CachedVerifiedBlobs(blobs, clock)),
    uploads: useFactory([], () => new MemoryUploadSlots()),
    importSteps: useFactory(
      ['store', 'keys', 'clock'],
      (store, keys, clock) => new BatchedImportSteps({ store, keys, clock }),
    ),
    directUploads: useFactory(['blobStorage'], ({ directUploads }) => directUploads),
    media: useFactory(
      ['decoders'],
      (decoders) => decoders ?? new PrimaryMediaReader(primary as Rpc, scratchOf(config)),
    ),
    gazetteer: useFactory([], () => new GeonamesGazetteer()),
    renditionMaker: useFactory(
      ['database', 'store', 'blobs', 'verifiedBlobs', 'media', 'clock'],
      ({ leases }, store, blobs, verifiedBlobs, media, clock) =>
        new SharedRenditionMaker(renditionMaking({ store, blobs, verifiedBlobs, media }), leases, clock),
    ),
    sourceReader: useFactory(
      ['names', 'clock'],
      ({ lookup }, clock) =>
        new HttpSourceReader({ allowPrivate: config.fetchAllowPrivate, lookup, now: () => clock.elapsed() }),
    ),
    webhooks: useFactory(
      ['names', 'clock'],
      ({ lookup }, clock) => new HttpWebhookSender({ allowPrivate: config.webhookAllowPrivate, lookup, clock }),
    ),
    mailer: useFactory([], () => config.smtp && openMailer(config.smtp)),
    secrets: useFactory(['database'], async () => config.secretKeys ?? [await readOrMakeSecret(config.dataDir)]),
    limits: useFactory([], () => config.limits),
    addresses: useFactory([], () => new PublicAddresses(config.publicUrl)),
  };
  return { shared, ports };
}

/** The rows with values that stay sealed for long: the worker seals them anew. */
export const sealedRows = [webhookSecrets, deliverySecrets, shareTokens, factorSecrets];

/** A line: what it needs, and how it is made. */
interface Factory<T> {
  readonly inject: readonly (keyof Made)[];
  readonly useFactory: (...needs: never) => T | Promise<T>;
}

/** One for each: the compiler finds the one that is forgotten. */
type Factories<Named> = { readonly [Name in keyof Named]: Factory<Named[Name]> };

/** Writes a line as Nest's providers have it, and lets the compiler compare what is injected with the parameters. */
function useFactory<const Names extends readonly (keyof Made)[], T>(
  inject: Names,
  make: (...needs: { -readonly [At in keyof Names]: Made[Names[At]] }) => T | Promise<T>,
): Factory<T> {
  return { inject, useFactory: make };
}

/** The lines of the ports that share one database: each can be overridden for those that are made from it. */
const databaseLines = Object.fromEntries(
  databasePortNames.map((name) => [name, useFactory(['databasePorts'], (made) => made[name])]),
) as { readonly [Name in keyof DatabasePorts]: Factory<DatabasePorts[Name]> };

/** Tokens of what is shared look like those of ports. */
const token = portToken as (name: keyof Made) => string;

/** The order of closing: pictures that are being read first, the database last. */
const CLOSED = ['media', 'decoders', 'blobStorage', 'tracing', 'sharedRateWindows', 'database'] as const;

/** The ports in use, and what else the start of the service and commands do with an installation: `context.get(OPEN_PORTS)`. */
export type OpenPorts = ReturnType<typeof openPortsOf>;

export const OPEN_PORTS = Symbol('OpenPorts');

/** The module, with a way to close what it has opened when the rest of a container could not be made: Nest calls no hooks then. */
export interface OpeningModule extends DynamicModule {
  readonly providers: FactoryProvider[];
  close(): Promise<void>;
}

/**
 * Every port on a real adapter, each under its token and all of them under `PORTS`. Whatever stands in for one
 * (`overrideProvider(portToken('clock'))`) is what the others are made from; the module does not close it. After a failure to open
 * one, those that were opened are closed again. It needs no decorator: commands use it without Nest.
 */
export class PortsModule {
  /** Opens everything that the environment names. */
  static forRoot(config: Config, options: PortsOptions): OpeningModule {
    const { shared, ports } = factories(config, options);
    const opening = new Opening(CLOSED, options.log);
    const lines = Object.entries<Factory<unknown>>({ ...shared, ...ports }).map(([name, { inject, useFactory }]) => ({
      provide: token(name as keyof Made),
      inject: inject.map(token),
      useFactory: (...needs: never) => opening.open(name, async () => useFactory(...needs)),
    }));
    const views: FactoryProvider[] = [
      allPorts(Object.keys(ports) as (keyof Ports)[]),
      {
        provide: READINESS_CHECKS,
        inject: [token('dataSource'), token('blobs'), token('uploads'), token('rateWindows')],
        useFactory: checksOf,
      },
      {
        provide: REQUEST_OBSERVERS,
        inject: [token('metrics'), token('tracing')],
        useFactory: (metrics: PrometheusMetrics | null, tracing: OtlpTracing | null): RequestObservers => ({
          onAnswered: metrics?.answered,
          onProviderSignInRefused: metrics?.providerSignInRefused,
          trace: tracing?.request,
        }),
      },
      {
        provide: OPEN_PORTS,
        inject: [PORTS, token('database'), token('blobStorage'), token('decoders'), token('metrics'), token('tracing')],
        useFactory: openPortsOf,
      },
    ];
    return {
      module: PortsModule,
      global: true,
      providers: [...lines, ...views, { provide: Opening, useFactory: () => opening }],
      exports: [...lines, ...views],
      close: () => opening.close(),
    };
  }
}

export type ClosablePorts = OpenPorts & Pick<OpeningModule, 'close'>;

/**
 * Opens the ports without a container, for commands and for the primary process, which answer no requests: loading Nest would take a command
 * a seventh longer. Close them at the end.
 */
export async function openPorts(config: Config, options: PortsOptions): Promise<ClosablePorts> {
  const { providers, close } = PortsModule.forRoot(config, options);
  const made = new Map<unknown, Promise<unknown>>();
  const make = async (token: unknown) => {
    const { inject = [], useFactory } = providers.find(({ provide }) => provide === token) as FactoryProvider;
    return useFactory(...(await Promise.all(inject.map(get))));
  };
  const get = (token: unknown): Promise<unknown> => {
    const making = made.get(token) ?? make(token);
    made.set(token, making);
    return making;
  };
  return { ...((await get(OPEN_PORTS)) as OpenPorts), close };
}

function openPortsOf(
  ports: Ports,
  { dataSource, ended }: Database,
  { scrubPosition }: OpenBlobs,
  decoders: ChildProcessMediaReader | null,
  metrics: PrometheusMetrics | null,
  tracing: OtlpTracing | null,
) {
  return {
    ports,
    metrics,
    tracing,
    scrubPosition,
    /** Resolves with a reason when the database ended by itself. */
    databaseEnded: ended,
    /** Chooses the isolation level of processes that read pictures, by starting one. */
    async isolateMedia() {
      if (decoders === null) throw new Error('Decoders belong to the primary process.');
      const chosen = await decoders.isolation();
      metrics?.mediaIsolated(chosen.level);
      return chosen;
    },
    /** Answers a request process: it counts requests here, and has its pictures read here. */
    serveProcess: (process: Rpc) =>
      process.serve({ ...rateWindowMethods(ports.rateWindows), ...mediaMethods(ports.media, process) }),
    /** Runs work on a snapshot of the whole database. */
    takeSnapshot: <T>(work: (snapshot: DatabaseSnapshot) => Promise<T>) =>
      PostgresSnapshot.take(clientConfig(stored(dataSource)), work),
    /** Runs a backup on its own. Errors: an Error when another process of the installation is making one. */
    whileAlone: <T>(work: () => Promise<T>) => whileAlone(clientConfig(stored(dataSource)), work),
  };
}

function stored(dataSource: DataSource | null): DataSource {
  if (dataSource === null) throw new Error('There is no database: everything is in memory.');
  return dataSource;
}

/**
 * Without the database no request can be answered. Without blobs, or the shared store of rate limits, most can, and no other process is
 * better off (docs/decisions/0019): these are reported and do not stop traffic.
 */
function checksOf(
  dataSource: DataSource | null,
  blobs: BlobStore,
  uploads: UploadSlots,
  rateWindows: RateWindowStore,
): ReadinessCheck[] {
  // For no item: absence is a valid answer.
  const nothing = stagingKey({ customerId: 0, importId: 0, id: 0, uploadId: 0 });
  const requireShared = async () => {
    if (!areShared(rateWindows)) throw new Error('Rate limits are counted by each process separately.');
  };
  const ofDatabase: ReadinessCheck[] = dataSource
    ? [
        { name: 'database', otherwise: 'failed', look: () => requireAnswer(dataSource) },
        { name: 'migrations', otherwise: 'failed', look: () => requireMigrated(dataSource) },
      ]
    : [];
  return [
    ...ofDatabase,
    { name: 'blobs', otherwise: 'degraded', look: () => blobs.head(nothing) },
    { name: 'diskSpace', otherwise: 'degraded', look: () => requireDiskSpace({ blobs, uploads }, 0) },
    { name: 'rateLimits', otherwise: 'degraded', look: requireShared },
  ];
}

/** @param isAlone Whether no other process of this service reports what waits in the database. */
async function openMetrics(
  { metricsPort }: Config,
  dataSource: DataSource | null,
  rateWindows: RateWindowStore,
  isAlone: boolean,
): Promise<PrometheusMetrics | null> {
  if (metricsPort === null) return null;
  const { PrometheusMetrics } = await import('./adapters/metrics/prometheus-metrics.js');
  return new PrometheusMetrics({
    ...(isAlone && dataSource && { backlog: () => readBacklog(dataSource) }),
    pool: () => (dataSource ? poolUse(dataSource) : { open: 0, idle: 0, waiting: 0 }),
    rateLimitsAreShared: () => areShared(rateWindows),
  });
}

async function openTracing({ otlpEndpoint, role }: Config): Promise<OtlpTracing | null> {
  if (otlpEndpoint === null) return null;
  const { OtlpTracing } = await import('./adapters/tracing/otlp-tracing.js');
  return new OtlpTracing(otlpEndpoint, { version: VERSION, role });
}

export function openMailer(smtp: SmtpConfig): Mailer {
  return new SmtpMailer(smtp);
}

export function openProviders({ identityProviders }: Config, clock?: Clock): readonly IdentityProvider[] {
  return identityProviders.map((provider) => new OpenIdProvider({ ...provider, ...(clock && { clock }) }));
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
