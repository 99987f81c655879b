import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, link, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, chooseAccount, refuseForeign, runToEnd } from './account.js';
import { type Binaries, withoutGlibc } from './binaries.js';
import { DataDirInUseError, EmbeddedPostgresError, OtherVersionError } from './embedded-postgres-error.js';
import type { Log, ServerOptions } from './options.js';
import type { DataLock } from './ownership.js';

/** The folder of the cluster inside the data folder. A new major version gets a new name, so that it never opens files it cannot read. */
export const CLUSTER_FOLDER = 'pg18';
const CLUSTER_VERSION = '18';

/** The folder of Postgres's files in a data folder; it exists once a database has been created. */
export function clusterFolder(dataDir: string): string {
  return join(dataDir, CLUSTER_FOLDER);
}

/** Everything that is needed to touch the files of the cluster. */
export interface ClusterSetup {
  readonly dataDir: string;
  readonly binaries: Binaries;
  readonly env: Record<string, string>;
  readonly lock: DataLock;
  readonly password: string;
  readonly options: ServerOptions;
}

const HALF_DONE = `${CLUSTER_FOLDER}.new-`;

/** Only the one role may log in, by password and through the socket (Windows: loopback). The superuser has no password and cannot. */
const WHO_MAY_CONNECT =
  process.platform === 'win32'
    ? 'host all all 127.0.0.1/32 scram-sha-256\n'
    : 'local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n';

/**
 * Finds the cluster, or makes it. It is made beside its place and renamed when it is complete and on disk, so that a start that is killed
 * half way leaves nothing that looks like a database; the next start clears the rest away.
 * @returns the account that its server must run as.
 * @throws EmbeddedPostgresError for files of another version, or when it cannot be made here.
 */
export async function openCluster(setup: ClusterSetup, log: Log): Promise<Account> {
  const { dataDir, binaries, env } = setup;
  const names = await readdir(dataDir);
  if (setup.lock.certain) {
    for (const name of names.filter((each) => each.startsWith(HALF_DONE))) {
      await rm(join(dataDir, name), { recursive: true, force: true });
    }
  }
  const cluster = join(dataDir, CLUSTER_FOLDER);
  if (names.includes(CLUSTER_FOLDER)) await refuseForeign(cluster);
  if (names.includes(CLUSTER_FOLDER) && (await readdir(cluster)).length > 0) {
    const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new EmbeddedPostgresError(
        'not_a_database',
        `${cluster} is not empty but does not contain a Postgres database`,
        'move it away, or use an empty data folder',
      );
    });
    if (version.trim() !== CLUSTER_VERSION) throw new OtherVersionError(cluster, version.trim(), CLUSTER_VERSION);
    return chooseAccount({ dataDir, folder: cluster, fresh: false, binaries, env });
  }
  const other = names.find((name) => /^pg\d+$/.test(name) && name !== CLUSTER_FOLDER);
  if (other !== undefined) throw new OtherVersionError(join(dataDir, other), other.slice(2), CLUSTER_VERSION);
  const folder = await mkdtemp(join(dataDir, HALF_DONE));
  try {
    const account = await chooseAccount({ dataDir, folder, fresh: true, binaries, env });
    log(`creating a new database in ${cluster}, run as ${account.name}`);
    await makeCluster(setup, account, folder);
    await rename(folder, cluster).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      throw new DataDirInUseError(dataDir, 'another process that was creating a database there');
    });
    await syncFolder(dataDir);
    return account;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Gives the role the password of the password file; the server must be down. For a folder whose password file was lost or replaced. */
export async function resetPassword(setup: ClusterSetup, account: Account): Promise<void> {
  const cluster = join(setup.dataDir, CLUSTER_FOLDER);
  const role = setup.options.database;
  await singleUser(setup, account, cluster, [`ALTER ROLE "${role}" WITH LOGIN PASSWORD '${setup.password}'`]);
}

async function makeCluster(setup: ClusterSetup, account: Account, folder: string): Promise<void> {
  const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const access = ['--username=postgres', '--auth=reject', '--no-instructions'];
  await run(setup, account, [setup.binaries.initdb, '-D', folder, ...locale, ...access], 'be created');
  const accessFile = join(folder, 'pg_hba.conf');
  const hba = await open(accessFile, 'w', 0o600);
  await hba.writeFile(WHO_MAY_CONNECT).finally(() => hba.sync().finally(() => hba.close()));
  if (account.ids !== undefined) await chown(accessFile, account.ids.uid, account.ids.gid);
  const { database, initialSql } = setup.options;
  await singleUser(setup, account, folder, [
    `CREATE ROLE "${database}" LOGIN CREATEDB PASSWORD '${setup.password}'`,
    `GRANT pg_monitor TO "${database}"`,
    ...initialSql,
    `CREATE DATABASE "${database}" OWNER "${database}"`,
  ]);
}

/** Postgres without a server: each line is a command, no one else can be connected, and no password is asked for. */
async function singleUser(setup: ClusterSetup, account: Account, cluster: string, lines: string[]): Promise<void> {
  const quiet = ['-c', 'log_min_error_statement=panic', '-c', 'log_statement=none', '-c', 'log_checkpoints=off'];
  const command = [setup.binaries.postgres, '--single', '-D', cluster, ...quiet, 'postgres'];
  await run(setup, account, command, 'be prepared', `${lines.join('\n')}\n`);
}

async function run(
  setup: ClusterSetup,
  account: Account,
  command: string[],
  purpose: string,
  input = '',
): Promise<void> {
  const options = { env: setup.env, hold: setup.lock.fd, input };
  const finished = await runToEnd(account, command, options).catch((error: NodeJS.ErrnoException) => {
    // The kernel says "no such file" about a program that is there when the loader it asks for is missing: a system without glibc.
    throw error.code === 'ENOENT' && existsSync(command[0] as string) ? withoutGlibc() : error;
  });
  // Postgres in single-user mode reports a failed command and goes on to the next.
  if (finished.code === 0 && !/\b(ERROR|FATAL|PANIC):/.test(finished.stderr)) return;
  if (finished.code === 127 && /not found/.test(finished.stderr)) throw withoutGlibc();
  const reason = finished.stderr
    .trim()
    .replaceAll(setup.password, '***')
    .replaceAll(/\s*\n\s*/g, ' ');
  throw new EmbeddedPostgresError(
    'preparation_failed',
    `The database in ${setup.dataDir} could not ${purpose}: ${reason || 'no reason given'}`,
  );
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/**
 * The database role's password: made once, 192 bits, kept in `postgres-password` in the data folder, which only its owner may read. Of several
 * processes that make it at once, one wins and all get the same.
 */
export async function readOrMakePassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres-password');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (text !== undefined && /^[\w-]{32,}$/.test(text.trim())) return text.trim();
  const password = randomBytes(24).toString('base64url');
  const part = `${path}.${randomBytes(4).toString('hex')}`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(`${password}\n`);
    await file.sync().finally(() => file.close());
    const owner = await stat(dataDir);
    if (process.geteuid?.() === 0) await chown(part, owner.uid, owner.gid).catch(() => undefined);
    if (text !== undefined)
      await rename(part, path); // a damaged file gives way
    else if (!(await linked(part, path))) return await readOrMakePassword(dataDir);
  } finally {
    await rm(part, { force: true });
  }
  return password;
}

/** Unlike a rename, a link does not replace what another process has put there. @returns false when there is something. */
async function linked(part: string, path: string): Promise<boolean> {
  try {
    await link(part, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    await rename(part, path); // a file system without links
  }
  return true;
}
