import { type BackupSchedule, readBackupSchedule } from './backup-schedule.js';
import { readBlobsLocation } from './blobs-location.js';
import { defaultLimits, type Limits } from './core/customers/limits.js';
import {
  type DecoderPriority,
  decoderPriorities,
  isolationLevels,
  type WantedIsolation,
} from './core/media/isolation.js';
import { DAY, SECOND } from './core/shared/clock.js';
import { type Environment, EnvironmentReader } from './environment-reader.js';
import { type ProviderConfig, readProviders } from './identity-providers.js';
import { readPublicUrl } from './public-url.js';
import { readS3, readS3Location, type S3Config, type S3Place } from './s3-settings.js';
import { readSmtp, type SmtpConfig } from './smtp-settings.js';

export interface MapTiles {
  /** With `{z}`, `{x}` and `{y}` for the numbers of a tile. */
  readonly url: string;
  /** Whom the map names as its source; empty: nobody. */
  readonly attribution: string;
}

/** The validated and frozen settings. docs/operations.md has the table of all variables. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** May have a path; without a trailing slash. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** Null: the embedded database under `dataDir`. */
  readonly databaseUrl: string | null;
  /** If `databaseUrl` leads through a pooler: the same database without it; otherwise null. */
  readonly databaseDirectUrl: string | null;
  /** False behind a pooler that does not support prepared statements. */
  readonly databasePrepare: boolean;
  /** Maximum number of database connections of one process, not counting those that listen for jobs and webhooks. */
  readonly databasePool: number;
  /** The bucket that stores blobs; null: they are files under `dataDir`. */
  readonly s3: S3Config | null;
  /** Where admissions are counted: one process only needs memory, several need a shared store. */
  readonly rateLimitStore: RateLimitStore;
  readonly role: 'all' | 'api' | 'worker';
  /** Processes that answer requests; null: as many as suit the machine. */
  readonly processes: number | null;
  /** Newest first; null: the one stored under `dataDir`. */
  readonly secretKeys: readonly [string, ...string[]] | null;
  readonly trustedProxies: readonly string[];
  /** The internal location where the trusted proxies, which are nginx, serve the local blobs; null: they do not. */
  readonly blobsLocation: string | null;
  /** How long caches may store a delivered picture, in seconds. */
  readonly deliveryMaxAge: number;
  readonly workerConcurrency: number;
  /** Webhooks may go to private addresses, and over http. */
  readonly webhookAllowPrivate: boolean;
  /** Files may be fetched from private addresses, and over http. */
  readonly fetchAllowPrivate: boolean;
  /** Limits of one process that reads pictures. */
  readonly media: {
    readonly isolation: WantedIsolation;
    readonly maxMemoryBytes: number;
    readonly timeoutMs: number;
    readonly priority: DecoderPriority;
  };
  /**
   * Where to report a vulnerability of this installation, as URIs; published at `/.well-known/security.txt`, which does not exist if there
   * are none.
   */
  readonly securityContacts: readonly string[];
  /** The server that mails are handed to; null: there are no mails, and people pass links on themselves. */
  readonly smtp: SmtpConfig | null;
  /** Where people sign in by OpenID Connect. */
  readonly identityProviders: readonly ProviderConfig[];
  /** The OpenTelemetry collector that traces are sent to, by OTLP over HTTP; null: there are no traces. */
  readonly otlpEndpoint: string | null;
  /** Whether `/docs` and `/openapi.json` are served, which need no key. */
  readonly docs: boolean;
  /** Whether the operator API is served under `/operator/v1`. */
  readonly operatorApi: boolean;
  /** A server of pictures of maps; null: none, the map has its own shapes. */
  readonly mapTiles: MapTiles | null;
  /** Where `/metrics` is served; null: nowhere. */
  readonly metricsPort: number | null;
  /** `auto`: text where stderr is a terminal, else JSON. */
  readonly logFormat: 'auto' | 'json' | 'text';
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** Bytes that uploads leave free on the disk of blobs; null: 1 GiB or 5 % of it, whichever is less. */
  readonly minFreeBytes: number | null;
  /** Days in which every original that is a file is read once and compared with its hash; null: never. */
  readonly scrubDays: number | null;
  readonly backups: BackupSchedule | null;
  readonly limits: Limits;
}

/** `redis` with its address, which may contain a password. */
export type RateLimitStore =
  | { readonly kind: 'memory' | 'postgres' }
  | { readonly kind: 'redis'; readonly url: string };

export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Reads the environment. Throws one `ConfigError` that lists every problem. */
export function readConfig(env: Environment): Config {
  const problems: string[] = [];
  const read = new EnvironmentReader(env, problems);
  const host = read.text('HOST', '127.0.0.1');
  const port = read.whole('PORT', 3000, 1, 65_535);
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const config: Config = {
    host,
    port,
    publicUrl: readPublicUrl(read, `http://${hostInUrl(host)}:${port}`),
    dataDir: read.text('DATA_DIR', './data'),
    databaseUrl,
    databaseDirectUrl: read.url('DATABASE_DIRECT_URL', ['postgres:', 'postgresql:']),
    databasePrepare: read.yesOrNo('DATABASE_PREPARE', true),
    databasePool: read.whole('DATABASE_POOL', 10, 2, 500),
    s3: read.oneOf('BLOB_STORE', ['local', 's3'], 'local') === 's3' ? readS3(read) : null,
    rateLimitStore: readRateLimitStore(read, databaseUrl),
    role: read.oneOf('ROLE', ['all', 'api', 'worker'], 'all'),
    processes: read.wholeOr('PROCESSES', 'auto', 1, 64),
    secretKeys: read.secrets('SECRET_KEY'),
    trustedProxies: read.ranges('TRUSTED_PROXIES'),
    blobsLocation: readBlobsLocation(read),
    deliveryMaxAge: read.whole('DELIVERY_MAX_AGE', DAY / SECOND, 0, (365 * DAY) / SECOND),
    workerConcurrency: read.whole('WORKER_CONCURRENCY', 2, 1, 64),
    webhookAllowPrivate: read.yesOrNo('WEBHOOK_ALLOW_PRIVATE', false),
    fetchAllowPrivate: read.yesOrNo('FETCH_ALLOW_PRIVATE', false),
    media: {
      isolation: read.oneOf('MEDIA_ISOLATION', ['auto', ...isolationLevels], 'auto'),
      maxMemoryBytes: read.whole('MEDIA_MEMORY_BYTES', GIB, 128 * MIB, 64 * GIB),
      timeoutMs: 1000 * read.whole('MEDIA_TIMEOUT_SECONDS', 60, 1, 3600),
      priority: read.oneOf('MEDIA_PRIORITY', decoderPriorities, 'idle'),
    },
    securityContacts: read.contacts('SECURITY_CONTACT'),
    smtp: read.has('SMTP_URL') ? readSmtp(read) : null,
    identityProviders: readProviders(read),
    otlpEndpoint: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    mapTiles: readMapTiles(read),
    docs: read.oneOf('DOCS', ['on', 'off'], 'on') === 'on',
    operatorApi: read.oneOf('OPERATOR_API', ['on', 'off'], 'off') === 'on',
    metricsPort: readMetricsPort(read, port),
    logFormat: read.oneOf('LOG_FORMAT', ['auto', 'json', 'text'], 'auto'),
    logLevel: read.oneOf('LOG_LEVEL', ['silent', 'error', 'warn', 'info', 'debug'], 'info'),
    minFreeBytes: read.has('MIN_FREE_BYTES') ? read.whole('MIN_FREE_BYTES', 0, 0, Number.MAX_SAFE_INTEGER) : null,
    scrubDays: read.whole('SCRUB_DAYS', 30, 0, 3650) || null,
    backups: readBackupSchedule(read),
    limits: readLimits(read),
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** The names of all settings: those that are read in an environment in which every optional part is enabled. */
export function settingNames(): readonly string[] {
  const names = new Set<string>();
  const everything: Environment = { BLOB_STORE: 's3', RATE_LIMIT_STORE: 'redis', SMTP_URL: 'smtp:' };
  const noting = new Proxy(everything, {
    get(env, name) {
      names.add(String(name));
      return env[String(name)];
    },
  });
  try {
    readConfig(noting);
  } catch (error) {
    // Neither a bucket nor Redis is configured, but both were requested.
    if (!(error instanceof ConfigError)) throw error;
  }
  return [...names];
}

/** The S3 settings in the environment, wherever blobs are stored. Throws one `ConfigError` that lists every problem. */
export function readS3Place(env: Environment): S3Place {
  const problems: string[] = [];
  const place = readS3Location(new EnvironmentReader(env, problems));
  if (problems.length > 0) throw new ConfigError(problems);
  return place;
}

function readRateLimitStore(read: EnvironmentReader, databaseUrl: string | null): RateLimitStore {
  const fallback = databaseUrl === null ? 'memory' : 'postgres';
  const kind = read.oneOf('RATE_LIMIT_STORE', ['memory', 'postgres', 'redis'], fallback);
  if (kind !== 'redis') return { kind };
  if (read.has('REDIS_URL')) return { kind, url: read.url('REDIS_URL', ['redis:', 'rediss:']) ?? '' };
  return { kind, url: read.needed('REDIS_URL', 'RATE_LIMIT_STORE is redis') };
}

/** Errors: a URL that does not say where the numbers of a tile stand. */
function readMapTiles(read: EnvironmentReader): MapTiles | null {
  const attribution = read.text('MAP_TILES_ATTRIBUTION', '');
  if (!read.has('MAP_TILES_URL')) return null;
  const url = read.url('MAP_TILES_URL', ['http:', 'https:']) ?? '';
  const missing = ['{z}', '{x}', '{y}'].filter((part) => !url.includes(part));
  if (url !== '' && missing.length > 0) read.problem(`MAP_TILES_URL must contain ${missing.join(' and ')}.`);
  return { url, attribution };
}

function readMetricsPort(read: EnvironmentReader, port: number): number | null {
  if (!read.has('METRICS_PORT')) return null;
  const metricsPort = read.whole('METRICS_PORT', 0, 1, 65_535);
  if (metricsPort === port) read.problem('METRICS_PORT must differ from PORT: metrics require no key.');
  return metricsPort;
}

function readLimits(read: EnvironmentReader): Limits {
  return {
    ...defaultLimits,
    maxFileBytes: read.whole('MAX_FILE_BYTES', defaultLimits.maxFileBytes, 1, 100 * GIB),
    maxPixels: read.whole('MAX_PIXELS', defaultLimits.maxPixels, 1, 4_000_000_000),
    importMaxPhotos: read.whole('IMPORT_MAX_PHOTOS', defaultLimits.importMaxPhotos, 1, 1_000_000),
    inlineMaxBytes: read.whole('INLINE_MAX_BYTES', defaultLimits.inlineMaxBytes, 1, 10 * GIB),
    openImports: read.whole('OPEN_IMPORTS', defaultLimits.openImports, 1, 100_000),
    tags: read.whole('MAX_TAGS', defaultLimits.tags, 1, 1_000_000),
  };
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
