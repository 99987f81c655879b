import { isLoopback } from '../core/access/outgoing-url.js';
import type { BlobStoreKind, ChosenBlobStore } from '../core/blobs/blob-store-kind.js';
import { defaultLimits, type Limits } from '../core/customers/limits.js';
import { decoderPriorities, isolationLevels } from '../core/media/media-reader.js';
import { DAY, SECOND } from '../core/shared/clock.js';
import { type Environment, EnvironmentReader } from './environment-reader.js';
import { readProviders } from './identity-providers.js';

/** The validated and frozen settings. docs/operations.md has the table of all variables. */
export type Config = Readonly<ReturnType<typeof configOf>>;

export type SmtpConfig = ReturnType<typeof readSmtp>;

/** Backups that the service makes by itself. */
export type BackupSchedule = NonNullable<ReturnType<typeof readBackupSchedule>>;

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

/** Reads the environment. Throws one `ConfigError` that lists every problem. @param stores Those that `BLOB_STORE` may name, the default first. */
export function readConfig(env: Environment, stores: readonly BlobStoreKind[]): Config {
  return Object.freeze(readSome(env, (read) => configOf(read, stores)));
}

function configOf(read: EnvironmentReader, stores: readonly BlobStoreKind[]) {
  const host = read.text('HOST', '127.0.0.1');
  const named = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const port = read.whole('PORT', 3000, 1, 65_535);
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  return {
    host,
    port,
    /** May have a path; without a trailing slash. */
    publicUrl: readPublicUrl(read, `http://${named}:${port}`),
    dataDir: read.text('DATA_DIR', './data'),
    /** Null: the embedded database under `dataDir`. */
    databaseUrl,
    /** If `databaseUrl` leads through a pooler: the same database without it; otherwise null. */
    databaseDirectUrl: read.url('DATABASE_DIRECT_URL', ['postgres:', 'postgresql:']),
    /** False behind a pooler that does not support prepared statements. */
    databasePrepare: read.yesOrNo('DATABASE_PREPARE', true),
    /** Maximum number of database connections of one process, not counting those that listen for jobs and webhooks. */
    databasePool: read.whole('DATABASE_POOL', 10, 2, 500),
    blobStore: chooseBlobStore(read, stores),
    /** Where admissions are counted: one process only needs memory, several need a shared store. */
    rateLimitStore: readRateLimitStore(read, databaseUrl),
    role: read.oneOf('ROLE', ['all', 'api', 'worker'], 'all'),
    /** Processes that answer requests; null: as many as suit the machine. */
    processes: read.wholeOr('PROCESSES', 'auto', 1, 64),
    /** Newest first; null: the one stored under `dataDir`. */
    secretKeys: read.secrets('SECRET_KEY'),
    trustedProxies: read.ranges('TRUSTED_PROXIES'),
    /** The internal location where the trusted proxies, which are nginx, serve the local blobs; null: they do not. */
    blobsLocation: readBlobsLocation(read, stores),
    /** Seconds for which caches may store a delivered picture. */
    deliveryMaxAge: read.whole('DELIVERY_MAX_AGE', DAY / SECOND, 0, (365 * DAY) / SECOND),
    workerConcurrency: read.whole('WORKER_CONCURRENCY', 2, 1, 64),
    /** Webhooks may go to private addresses, and over http. */
    webhookAllowPrivate: read.yesOrNo('WEBHOOK_ALLOW_PRIVATE', false),
    /** Files may be fetched from private addresses, and over http. */
    fetchAllowPrivate: read.yesOrNo('FETCH_ALLOW_PRIVATE', false),
    /** Limits of one process that reads pictures. */
    media: {
      isolation: read.oneOf('MEDIA_ISOLATION', ['auto', ...isolationLevels], 'auto'),
      maxMemoryBytes: read.whole('MEDIA_MEMORY_BYTES', GIB, 128 * MIB, 64 * GIB),
      timeoutMs: 1000 * read.whole('MEDIA_TIMEOUT_SECONDS', 60, 1, 3600),
      priority: read.oneOf('MEDIA_PRIORITY', decoderPriorities, 'idle'),
    },
    /**
     * Where to report a vulnerability of this installation, as URIs; published at `/.well-known/security.txt`, which does not exist if there
     * are none.
     */
    securityContacts: read.contacts('SECURITY_CONTACT'),
    /** The server that mails are handed to; null: there are no mails, and people pass links on themselves. */
    smtp: read.has('SMTP_URL') ? readSmtp(read) : null,
    identityProviders: readProviders(read),
    /** The OpenTelemetry collector that traces are sent to, by OTLP over HTTP; null: there are no traces. */
    otlpEndpoint: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
    /** A server of pictures of maps; null: none, the map has its own shapes. */
    mapTiles: readMapTiles(read),
    /** Whether `/docs` and `/openapi.json` are served, which need no key. */
    docs: read.oneOf('DOCS', ['on', 'off'], 'on') === 'on',
    /** Whether the operator API is served under `/operator/v1`. */
    operatorApi: read.oneOf('OPERATOR_API', ['on', 'off'], 'off') === 'on',
    /** Where `/metrics` is served; null: nowhere. */
    metricsPort: readMetricsPort(read, port),
    /** `auto`: text where stderr is a terminal, else JSON. */
    logFormat: read.oneOf('LOG_FORMAT', ['auto', 'json', 'text'], 'auto'),
    logLevel: read.oneOf('LOG_LEVEL', ['silent', 'error', 'warn', 'info', 'debug'], 'info'),
    /** Bytes that uploads leave free on the disk of blobs; null: 1 GiB or 5 % of it, whichever is less. */
    minFreeBytes: read.has('MIN_FREE_BYTES') ? read.whole('MIN_FREE_BYTES', 0, 0, Number.MAX_SAFE_INTEGER) : null,
    /** Days in which every original that is a file is read once and compared with its hash; null: never. */
    scrubDays: read.whole('SCRUB_DAYS', 30, 0, 3650) || null,
    backups: readBackupSchedule(read),
    limits: {
      ...defaultLimits,
      maxFileBytes: read.whole('MAX_FILE_BYTES', defaultLimits.maxFileBytes, 1, 100 * GIB),
      maxPixels: read.whole('MAX_PIXELS', defaultLimits.maxPixels, 1, 4_000_000_000),
      importMaxPhotos: read.whole('IMPORT_MAX_PHOTOS', defaultLimits.importMaxPhotos, 1, 1_000_000),
      inlineMaxBytes: read.whole('INLINE_MAX_BYTES', defaultLimits.inlineMaxBytes, 1, 10 * GIB),
      openImports: read.whole('OPEN_IMPORTS', defaultLimits.openImports, 1, 100_000),
      tags: read.whole('MAX_TAGS', defaultLimits.tags, 1, 1_000_000),
    } satisfies Limits,
  };
}

/** The names of all settings: those that are read in an environment in which every optional part is enabled, and those of every store. */
export function settingNames(stores: readonly BlobStoreKind[]): readonly string[] {
  const everything: Environment = { RATE_LIMIT_STORE: 'redis', SMTP_URL: 'smtp:' };
  const names = namesReadBy(everything, (read) => configOf(read, stores));
  return [...new Set([...names, ...stores.flatMap(settingsOf)])];
}

export function settingsOf(store: BlobStoreKind): readonly string[] {
  return namesReadBy({}, (read) => store.settings(read));
}

/** Problems, such as the missing URL of a Redis that was requested, are of no interest. */
function namesReadBy(env: Environment, from: (read: EnvironmentReader) => void): readonly string[] {
  const names = new Set<string>();
  const noting = new Proxy(env, {
    get(target, name) {
      names.add(String(name));
      return target[String(name)];
    },
  });
  from(new EnvironmentReader(noting, []));
  return [...names];
}

/** Reads what `from` reads of these variables, or throws one `ConfigError` that lists every problem. */
export function readSome<T>(env: Environment, from: (read: EnvironmentReader) => T): T {
  const problems: string[] = [];
  const value = from(new EnvironmentReader(env, problems));
  if (problems.length > 0) throw new ConfigError(problems);
  return value;
}

function chooseBlobStore(read: EnvironmentReader, stores: readonly BlobStoreKind[]): ChosenBlobStore {
  const [usual] = stores;
  if (usual === undefined) throw new Error('There is no blob store.');
  const kind = read.text('BLOB_STORE', usual.kind);
  const store = stores.find((each) => each.kind === kind);
  if (store === undefined) {
    const kinds = stores.map((each) => each.kind).join(', ');
    read.problem(`BLOB_STORE must be ${kinds} or the path of a module such as ./my-store.mjs, not "${kind}".`);
  }
  return { store: store ?? usual, settings: store?.settings(read) };
}

/** Segments of a path in characters that no proxy encodes or resolves. */
const URL_PATH = /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/;

/** First segments of paths of the service that would be another one of its paths without what is in front. */
const takenPaths = ['.well-known', 'docs', 'healthz', 'openapi.json', 'operator', 'readyz', 'settings'];

/** The address that clients use, without a trailing slash. */
function readPublicUrl(read: EnvironmentReader, fallback: string): string {
  const text = read.url('PUBLIC_URL', ['http:', 'https:']);
  if (text === null) return fallback;
  // Not of a URL, which would resolve `..`, and encode what it does not take.
  const path = text.replace(/^[^:]*:\/\/[^/\\]*/, '').replace(/\/{1,9}$/, '');
  const problem = publicUrlProblem(text, path);
  if (problem !== null) read.problem(`PUBLIC_URL ${problem}`);
  return problem === null ? `${new URL(text).origin}${path}` : fallback;
}

/** Returns what to do about the value, which is not repeated: it may contain a password. */
function publicUrlProblem(text: string, path: string): string | null {
  if (text.includes('@'))
    return 'must not contain a user name or password: remove everything from the slashes to the @.';
  if (/[?#]/.test(text)) return 'must end with its host or its path: remove everything from the first ? or # on.';
  if (!URL_PATH.test(path)) {
    return 'must have a path of letters, digits, ".", "_", "~" and "-", such as https://example.com/photos, without "..", empty segments and encoded characters, or none.';
  }
  if (/\/api\/v1(\/|$)/.test(path)) return 'must not contain /api/v1, which clients add themselves: remove it.';
  const root = path.split('/')[1] ?? '';
  if (!takenPaths.includes(root)) return null;
  return `must not have a path that begins with /${root}, which the service uses itself: choose another one, such as /photos.`;
}

/** Null unless nginx, as the only trusted proxy, sends stored files itself. */
function readBlobsLocation(read: EnvironmentReader, stores: readonly BlobStoreKind[]): string | null {
  const name = 'NGINX_BLOBS_LOCATION';
  if (!read.has(name)) return null;
  const location = read.text(name, '');
  if (!/^(\/[A-Za-z0-9_-]+)+$/.test(location)) {
    read.problem(`${name} must be a path such as /stored-blobs, without a trailing slash, not "${location}".`);
  }
  if (!read.has('TRUSTED_PROXIES'))
    read.problem(`TRUSTED_PROXIES must be set because ${name} is: only trusted proxies may use it.`);
  const [usual, ...others] = stores.flatMap(({ kind, folder }) => (folder === undefined ? [] : [kind]));
  if (![usual, ...others].includes(read.text('BLOB_STORE', usual ?? '')))
    read.problem(`${name} requires BLOB_STORE=${[usual, ...others].join(' or ')}: nginx reads files.`);
  return location;
}

/** SMTP_URL, MAIL_FROM and SMTP_TLS, if the first is set. */
function readSmtp(read: EnvironmentReader) {
  const url = new URL(read.url('SMTP_URL', ['smtp:', 'smtps:']) ?? 'smtp://localhost');
  const implicitTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tlsByDefault = isLoopback(url.hostname) ? 'optional' : 'required';
  if (host === '') read.problem('SMTP_URL must name a host, as in smtp://user:password@mail.example.com:587.');
  return {
    host,
    port: Number(url.port) || (implicitTls ? 465 : 587),
    /** `smtps:`: encrypted from the first byte. */
    implicitTls,
    /** Neither encryption nor a certificate is required. */
    plaintextAllowed: read.oneOf('SMTP_TLS', ['required', 'optional'], tlsByDefault) === 'optional',
    credentials:
      url.username === '' ? null : { user: decodedPart(read, url.username), pass: decodedPart(read, url.password) },
    from: readMailFrom(read),
  };
}

function decodedPart(read: EnvironmentReader, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    read.problem('SMTP_URL: a % in the user name or the password must be written as %25.');
    return '';
  }
}

/** `Photos <photos@example.com>`, or the address alone. */
function readMailFrom(read: EnvironmentReader) {
  const text = read.needed('MAIL_FROM', 'SMTP_URL is set');
  const [, name = '', inside, alone] = /^(?:([^<>\p{Cc}]*)<([^\s<>]+)>|([^\s<>]+))$/u.exec(text) ?? [];
  const address = inside ?? alone ?? '';
  if (text !== '' && !/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(address)) {
    read.problem('MAIL_FROM must be an address such as photos@example.com, or Photos <photos@example.com>.');
  }
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

/** Null without BACKUP_TO: only `phs backup` makes backups. */
function readBackupSchedule(read: EnvironmentReader) {
  // Public keys of age; none: backups are not encrypted.
  const recipients = read.list('BACKUP_RECIPIENTS');
  const others = {
    everyHours: read.whole('BACKUP_EVERY', 24, 1, 24 * 365),
    /** Complete backups that are left in the folder. */
    keep: read.whole('BACKUP_KEEP', 14, 1, 10_000),
  };
  for (const key of recipients) {
    if (!/^age1[a-z0-9]+$/.test(key))
      read.problem(
        `BACKUP_RECIPIENTS: "${key.slice(0, 8)}…" is not a public key of age, which begins with age1. Create one with: age-keygen`,
      );
  }
  if (read.has('BACKUP_TO')) return { folder: read.text('BACKUP_TO', ''), ...others, recipients };
  for (const name of ['BACKUP_EVERY', 'BACKUP_KEEP', 'BACKUP_RECIPIENTS'])
    if (read.has(name)) read.problem(`${name} has no effect without BACKUP_TO, the folder for backups.`);
  return null;
}

function readRateLimitStore(read: EnvironmentReader, databaseUrl: string | null): RateLimitStore {
  const fallback = databaseUrl === null ? 'memory' : 'postgres';
  const kind = read.oneOf('RATE_LIMIT_STORE', ['memory', 'postgres', 'redis'], fallback);
  if (kind !== 'redis') return { kind };
  if (read.has('REDIS_URL')) return { kind, url: read.url('REDIS_URL', ['redis:', 'rediss:']) ?? '' };
  return { kind, url: read.needed('REDIS_URL', 'RATE_LIMIT_STORE is redis') };
}

/** The numbers of a tile stand in the URL for `{z}`, `{x}` and `{y}`. Errors: a URL without them. */
function readMapTiles(read: EnvironmentReader) {
  // Whom the map names as its source; empty: none.
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
