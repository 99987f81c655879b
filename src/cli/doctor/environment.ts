import { constants } from 'node:fs';
import { access, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.js';
import type { Settings } from '../../config/settings-file.js';
import { type Finding, fail, ok, warn } from './finding.js';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** Memory that the service and the embedded database need, apart from the processes that read pictures. */
const BASE_MEMORY = 512 * MIB;
const LITTLE_SPACE = 5 * GIB;
const NO_SPACE = 512 * MIB;

const gib = (bytes: number) => `${(bytes / GIB).toFixed(1)} GiB`;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? ok('node', `Node ${version}`)
    : fail('node', `Node ${version} is too old.`, 'Install Node 20.19 or newer.');
}

export async function checkSettings(settings: Pick<Settings, 'file' | 'warnings'>): Promise<readonly Finding[]> {
  const { file, warnings } = settings;
  const mode = file === null ? 0 : (await stat(file)).mode;
  const open = `${file} may contain secrets and is readable by others.`;
  return [
    ...((mode & 0o077) === 0 ? [] : [warn('configuration', open, `chmod 600 ${file}`)]),
    ok('configuration', file === null ? 'complete' : `complete, with ${file}`),
    ...warnings.map((warning) => warn('configuration', warning, 'docs/operations.md lists all variables.')),
  ];
}

export function checkPublicUrl({ publicUrl, host }: Pick<Config, 'publicUrl' | 'host'>): Finding {
  const url = new URL(publicUrl);
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const isLocal = name === 'localhost' || name === '::1' || name.startsWith('127.');
  const isHostLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
  if (name === '0.0.0.0' || name === '::') {
    return fail('PUBLIC_URL', `Clients cannot reach ${publicUrl}.`, 'Set PUBLIC_URL to the address that clients use.');
  }
  if (isLocal && !isHostLocal) {
    const message = `The service listens on ${host}, but upload URLs begin with ${publicUrl}, which only this machine can reach.`;
    return warn('PUBLIC_URL', message, 'Set PUBLIC_URL to the address that clients use.');
  }
  if (!isLocal && url.protocol === 'http:') {
    return warn(
      'PUBLIC_URL',
      `${publicUrl} is not encrypted: keys can be intercepted.`,
      'Put a proxy with TLS in front, and set PUBLIC_URL to https://….',
    );
  }
  return ok('PUBLIC_URL', publicUrl);
}

export function checkProxies({ trustedProxies, publicUrl }: Pick<Config, 'trustedProxies' | 'publicUrl'>): Finding {
  const advice = 'List only the addresses of your load balancers.';
  const everyone = trustedProxies.filter((range) => Number(range.split('/')[1]) === 0);
  if (everyone.length > 0) {
    const message = `${everyone.join(', ')} trusts every address: any client can claim any address, and IP lists have no effect.`;
    return fail('TRUSTED_PROXIES', message, advice);
  }
  const wide = trustedProxies.filter((range) => Number(range.split('/')[1]) < (range.includes(':') ? 32 : 8));
  if (wide.length > 0) return warn('TRUSTED_PROXIES', `${wide.join(', ')} is a very wide range.`, advice);
  if (trustedProxies.length === 0 && publicUrl.startsWith('https:')) {
    const message =
      'PUBLIC_URL is https, so there must be a proxy, but it is not trusted: every client appears to have its address.';
    return warn('TRUSTED_PROXIES', message, 'Set TRUSTED_PROXIES to the addresses of the proxy.');
  }
  return ok('TRUSTED_PROXIES', trustedProxies.join(', ') || 'none');
}

export async function checkSecret(config: Pick<Config, 'secretKeys' | 'databaseUrl' | 'dataDir'>): Promise<Finding> {
  const { secretKeys, databaseUrl, dataDir } = config;
  if (secretKeys !== null) {
    const weak = secretKeys.some((secret) => new Set(secret).size < 10);
    return weak
      ? fail(
          'SECRET_KEY',
          'A secret consists of few different characters and can be guessed.',
          'Create one with: openssl rand -hex 32',
        )
      : ok('SECRET_KEY', secretKeys.length === 1 ? 'set' : `set, with ${secretKeys.length - 1} older`);
  }
  const file = join(dataDir, 'secret-key');
  const stats = await stat(file).catch(() => null);
  if (stats !== null && (stats.mode & 0o077) !== 0) {
    return fail('SECRET_KEY', `${file} is readable by others.`, `chmod 600 ${file}`);
  }
  if (databaseUrl !== null) {
    const message = `It is not set, so this process uses ${file}: processes with another DATA_DIR cannot read its cursors and signed URLs.`;
    return warn('SECRET_KEY', message, 'Set the same SECRET_KEY for every process.');
  }
  return ok('SECRET_KEY', stats === null ? `${file} is created at the first start` : file);
}

export function checkMemory(
  { workerConcurrency, media, role }: Pick<Config, 'workerConcurrency' | 'media' | 'role'>,
  total = totalmem(),
  free = freemem(),
): Finding {
  const needed = BASE_MEMORY + (role === 'api' ? 1 : workerConcurrency + 1) * media.maxMemoryBytes;
  const has = `${gib(total)} in total, ${gib(free)} free`;
  if (needed <= total) return ok('memory', has);
  const message = `${has}, but ${workerConcurrency} images at once may need ${gib(needed)}.`;
  return warn('memory', message, 'Lower WORKER_CONCURRENCY or MEDIA_MEMORY_BYTES.');
}

/** Whether files can be created, and how much space there is. A missing folder is not created. */
export async function checkDataDir({ dataDir }: Pick<Config, 'dataDir'>): Promise<readonly Finding[]> {
  const advice = `Run as the owner of ${dataDir}, or set DATA_DIR to a folder of this user.`;
  const folder = await nearestFolder(resolve(dataDir));
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const probe = join(folder, `doctor-${process.pid}`);
    await writeFile(probe, 'probe', { flush: true }).finally(() => rm(probe, { force: true }));
  } catch (error) {
    return [fail('DATA_DIR', (error as Error).message, advice)];
  }
  const { bavail, bsize } = await statfs(folder);
  const space = judgeSpace(folder, bavail * bsize);
  if (folder !== resolve(dataDir)) return [ok('DATA_DIR', `${dataDir} is created at the first start`), space];
  const { mode, gid } = await stat(folder);
  // Group 0 is that of root, and in containers of user ids without a name.
  const others = gid === 0 ? 0o002 : 0o022;
  const rights =
    (mode & others) === 0
      ? ok('DATA_DIR', dataDir)
      : warn('DATA_DIR', `Other users can write to ${dataDir}.`, `chmod go-w ${dataDir}`);
  return [rights, space];
}

/** The path itself, or its nearest existing parent; a file counts, and is refused when it is written to. */
async function nearestFolder(path: string): Promise<string> {
  const isThere = await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path));
}

/** Runs work that writes into a data folder in a temporary one, on the disk where the data folder is or will be. */
export async function inTrialFolder<T>(
  { dataDir }: Pick<Config, 'dataDir'>,
  work: (dataDir: string) => Promise<T>,
): Promise<T> {
  const trial = await mkdtemp(join(await nearestFolder(resolve(dataDir)), 'doctor-'));
  try {
    return await work(trial);
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

export function judgeSpace(folder: string, left: number): Finding {
  const message = `${gib(left)} left on the disk of ${folder}`;
  const advice = 'Free some space, or move DATA_DIR to a larger disk: without space, uploads are refused with 503.';
  if (left < NO_SPACE) return fail('disk space', `${message}.`, advice);
  return left < LITTLE_SPACE ? warn('disk space', `${message}.`, advice) : ok('disk space', message);
}
