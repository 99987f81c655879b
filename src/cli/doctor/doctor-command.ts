import { writeFile } from 'node:fs/promises';
import { arch, availableParallelism, freemem, platform, release, totalmem } from 'node:os';
import { Command } from 'commander';
import { exitCodes } from 'photo-service-cli/exit-codes';
import { print, table } from 'photo-service-cli/print';
import { binariesOfDatabase } from '../../adapters/embedded-postgres.js';
import type { DatabaseState } from '../../adapters/typeorm/database-state.js';
import { blobStoresOf, configOf, loadSettings } from '../../composition/blob-stores.js';
import { openBlobs } from '../../composition/open-blobs.js';
import { databaseState } from '../../composition/open-database.js';
import { openRedis } from '../../composition/open-rate-windows.js';
import { requireInstallation } from '../../composition/require-installation.js';
import { type Config, ConfigError, settingNames } from '../../config/config.js';
import type { Settings } from '../../config/settings-file.js';
import { VERSION } from '../../config/version.js';
import { openMailer, openMedia, openProviders } from '../../ports.module.js';
import { ExitWith, envFileOf } from '../options.js';
import {
  checkDataDir,
  checkMemory,
  checkNode,
  checkProxies,
  checkPublicUrl,
  checkSecret,
  checkSettings,
  inTrialFolder,
} from './environment.js';
import { type Finding, fail, findingOf, ok, shownSettings } from './finding.js';
import {
  checkBlobs,
  checkLimiter,
  checkMail,
  checkMedia,
  checkProviders,
  judgeDatabase,
  judgeIsolation,
} from './services.js';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'check whether the service can run here, and suggest remedies; exit codes: 0 yes, 1 yes, with warnings, 4 no',
    )
    .option('--json', 'print one JSON document')
    .option('--bundle <file>', 'also write a file for those who are to help: versions, settings without secrets, sizes')
    .action(async (options: { json?: boolean; bundle?: string }, command: Command) => {
      const checked = await runChecks(envFileOf(command));
      const { findings } = checked;
      const failed = findings.some(({ level }) => level === 'fail');
      const warned = findings.some(({ level }) => level === 'warn');
      const rows = findings.flatMap(({ level, check, message, advice }) => [
        [level, check, message],
        ...(advice === '' ? [] : [['', '', `→ ${advice}`]]),
      ]);
      print(options, { ok: !failed && !warned, findings }, table(rows));
      if (options.bundle !== undefined) {
        const document = supportDocument(checked);
        await writeFile(options.bundle, `${JSON.stringify(document, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      }
      if (failed) throw new ExitWith(exitCodes.environment);
      if (warned) throw new ExitWith(exitCodes.partial);
    });
}

/** `database` is null if it could not be read, or there is none yet. */
async function runChecks(
  envFile: string | undefined,
): Promise<{ findings: readonly Finding[]; database: DatabaseState | null }> {
  const read = readAll(envFile);
  if (!('config' in read)) return { findings: [checkNode(process.version), ...read], database: null };
  const { config, settings } = read;
  let database: DatabaseState | null = null;
  const { databaseUrl } = config;
  const place = databaseUrl === null ? 'the embedded database' : `the database at ${new URL(databaseUrl).host}`;
  const findings = [
    checkNode(process.version),
    ...(await checkSettings(settings)),
    checkPublicUrl(config),
    checkProxies(config),
    await checkSecret(config),
    checkLimiter(config),
    checkMemory(config),
    ...(await checkDataDir(config)),
    ...(databaseUrl === null
      ? await findingOf(
          'embedded database',
          'Install them (npm ci without --omit=optional), or set DATABASE_URL.',
          async () => [ok('embedded database', binariesOfDatabase())],
        )
      : []),
    ...(await findingOf('database', `Check whether ${place} is running and reachable, and check its log.`, async () => {
      database = await databaseState(config);
      return database === null ? [ok('database', 'created at the first start')] : judgeDatabase(database);
    })),
    ...(await redis(config)),
    ...(config.smtp === null ? [] : await checkMail(config.smtp, openMailer(config.smtp))),
    ...(await checkProviders(openProviders(config), config.publicUrl)),
    ...(await findingOf('blob store', config.blobStore.store.advice, () =>
      inDataDir(config, (dataDir) => blobs(config, dataDir)),
    )),
    ...(await findingOf('pictures', 'Reinstall the packages (npm ci) and check MEDIA_MEMORY_BYTES.', () =>
      inDataDir(config, (dataDir) => pictures({ ...config, dataDir })),
    )),
  ];
  return { findings, database };
}

function readAll(envFile: string | undefined): { config: Config; settings: Settings } | readonly Finding[] {
  try {
    const settings = loadSettings(envFile);
    return { config: configOf(settings.env), settings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => fail('configuration', problem, 'docs/operations.md lists all variables.'));
  }
}

async function redis({ rateLimitStore }: Config): Promise<readonly Finding[]> {
  if (rateLimitStore.kind !== 'redis') return [];
  const { url } = rateLimitStore;
  const advice = 'Check whether it is running, and check REDIS_URL; until it responds, each process counts separately.';
  return findingOf('redis', advice, async () => {
    const store = await openRedis(url);
    // What the service asks, and counts nothing.
    await store.peek({ name: 'doctor', limit: 1 }).finally(() => store.close());
    return [ok('redis', new URL(url).host)];
  });
}

/**
 * In the installation's own folder, so that its disks and permissions are tested; if there is no installation, nothing is left that looks
 * like one.
 */
async function inDataDir<T>(config: Config, work: (dataDir: string) => Promise<T>): Promise<T> {
  const isThere = await requireInstallation(config).then(
    () => true,
    () => false,
  );
  return isThere ? work(config.dataDir) : inTrialFolder(config, work);
}

async function blobs(config: Config, dataDir: string): Promise<readonly Finding[]> {
  const { store, settings } = config.blobStore;
  const opened = await openBlobs({ ...config, dataDir });
  try {
    return await checkBlobs(opened.blobs, store.describe(settings, config.dataDir));
  } finally {
    opened.close();
  }
}

async function pictures(config: Config): Promise<readonly Finding[]> {
  const media = openMedia(config);
  try {
    const isolation = judgeIsolation(await media.isolation());
    return [isolation, ...(await checkMedia(media, config.limits.maxPixels))];
  } finally {
    await media.close();
  }
}

/** Returns what is needed to help with an installation, without secrets and without anything of its customers. */
function supportDocument({ findings, database }: Awaited<ReturnType<typeof runChecks>>): object {
  const { env } = process;
  const stores = blobStoresOf(env);
  const visible = shownSettings(stores);
  const set = settingNames(stores)
    .filter((name) => (env[name] ?? '').trim() !== '')
    .sort();
  return {
    createdAt: new Date().toISOString(),
    versions: {
      photoService: VERSION,
      node: process.version,
      v8: process.versions.v8,
      openssl: process.versions.openssl,
    },
    machine: {
      system: `${platform()} ${release()} ${arch()}`,
      processors: availableParallelism(),
      memoryBytes: totalmem(),
      freeMemoryBytes: freemem(),
    },
    settings: Object.fromEntries(set.map((name) => [name, visible.includes(name) ? env[name] : '(set)'])),
    findings,
    database,
  };
}
