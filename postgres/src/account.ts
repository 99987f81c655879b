import { spawn } from 'node:child_process';
import { chown, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** Whom the database's programs run as; Postgres refuses to run as root. */
export interface Account {
  readonly name: string;
  /** Words that go before every command. */
  readonly prefix: readonly string[];
  /** Set only where the programs run as another user than this process. */
  readonly ids?: { readonly uid: number; readonly gid: number };
}

export const OURSELVES: Account = { name: 'this user', prefix: [] };

/** Inside it we are 65534 to Postgres, while files stay those of the real user: root outside, `nobody` inside. */
const USER_NAMESPACE: Account = {
  name: 'a user namespace',
  prefix: ['unshare', '--user', '--map-user=65534', '--map-group=65534'],
};

const UNPRIVILEGED = ['postgres', 'node', 'nobody'];

interface Place {
  readonly dataDir: string;
  /** The cluster's folder: there already, or just made and empty. */
  readonly folder: string;
  readonly fresh: boolean;
  readonly binaries: Binaries;
  readonly env: Record<string, string>;
}

/**
 * An ordinary user runs the database itself. Root follows the owner of an existing cluster; a fresh one goes to the first of: the owner of
 * the data folder, postgres, node, nobody that can reach binaries and folder, and else stays root's, run under a user namespace.
 * A fresh folder belongs to the chosen account afterwards.
 * @throws EmbeddedPostgresError when no account can run it.
 */
export async function chooseAccount(place: Place): Promise<Account> {
  const uid = process.geteuid?.();
  if (uid === undefined) return OURSELVES;
  if (uid !== 0) {
    try {
      userInfo();
      return OURSELVES;
    } catch {
      return namelessAccount(place, uid);
    }
  }
  if (place.fresh) return accountForFresh(place);
  const owner = await stat(place.folder);
  if (owner.uid === 0) {
    if (await works(USER_NAMESPACE, place)) return USER_NAMESPACE;
    throw new EmbeddedPostgresError(
      'owned_by_root',
      `The database in ${place.folder} belongs to root, but Postgres refuses to run as root and user namespaces are not allowed here`,
      'give the data folder to an ordinary user (chown -R) and run as that user',
    );
  }
  const account = { name: `user id ${owner.uid}`, prefix: [], ids: { uid: owner.uid, gid: owner.gid } };
  if (await works(account, place)) return account;
  throw new EmbeddedPostgresError(
    'owner_without_access',
    `The database in ${place.folder} belongs to user id ${owner.uid}, which cannot access both that folder and ${place.binaries.folder}`,
    'make them accessible, or run as an ordinary user with its own data folder',
  );
}

async function accountForFresh(place: Place): Promise<Account> {
  const holder = await stat(place.dataDir);
  const candidates: Account[] = [];
  if (holder.uid !== 0) {
    candidates.push({ name: `user id ${holder.uid}`, prefix: [], ids: { uid: holder.uid, gid: holder.gid } });
  }
  const accounts = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  for (const wanted of UNPRIVILEGED) {
    const [name, , uid, gid] = accounts.findLast((fields) => fields[0] === wanted && fields[2] && fields[3]) ?? [];
    if (name && Number(uid) !== 0) candidates.push({ name, prefix: [], ids: { uid: Number(uid), gid: Number(gid) } });
  }
  for (const account of [...candidates, USER_NAMESPACE]) {
    const { uid, gid } = account.ids ?? { uid: 0, gid: 0 };
    const given = await chown(place.folder, uid, gid).then(
      () => true,
      () => false, // some file systems and containers refuse to give files away
    );
    if (given && (await works(account, place))) return account;
  }
  throw new EmbeddedPostgresError(
    'no_account_for_root',
    `The embedded database cannot run as root here (none of the accounts ${UNPRIVILEGED.join(', ')} can access both ${place.dataDir} and ${place.binaries.folder}, and user namespaces are not allowed)`,
    'run as an ordinary user',
  );
}

/**
 * initdb and single-user mode want a name for their user, and containers often run under a number that /etc/passwd does not know. The server
 * itself needs none.
 */
async function namelessAccount(place: Place, uid: number): Promise<Account> {
  // Where it gets one from, if libnss-wrapper is installed: the C library reads our name from this file instead of /etc/passwd.
  const names = join(place.dataDir, 'postgres.passwd');
  const account: Account = {
    name: 'this user, with a name from libnss-wrapper',
    prefix: ['env', 'LD_PRELOAD=libnss_wrapper.so', `NSS_WRAPPER_PASSWD=${names}`, 'NSS_WRAPPER_GROUP=/dev/null'],
  };
  await writeFile(names, `postgres:x:${uid}:${process.getegid?.()}::/:/bin/sh\n`);
  if (await works(account, place, 'with a name')) return account;
  await rm(names, { force: true });
  if (!place.fresh) return OURSELVES;
  if (await works(USER_NAMESPACE, place, 'with a name')) return USER_NAMESPACE;
  throw new EmbeddedPostgresError(
    'user_without_name',
    `The embedded database cannot be created by user id ${uid}, which has no name in /etc/passwd`,
    'run as a user that has one, or install libnss-wrapper',
  );
}

/** Tried, not deduced: permissions, mounts, containers and security modules all have a say. */
async function works(account: Account, { folder, binaries, env }: Place, needs?: 'with a name'): Promise<boolean> {
  const script = `cd -- "$1" && [ -w . ] && [ -r "$3" ] && ${needs ? 'id -un && ' : ''}"$2" --version`;
  const bki = `${binaries.folder}/share/postgresql/postgres.bki`;
  const command = ['/bin/sh', '-c', script, 'sh', folder, binaries.postgres, bki];
  try {
    return (await runToEnd(account, command, { env })).code === 0;
  } catch {
    return false; // no unshare here, or changing the user is refused
  }
}

/** @throws EmbeddedPostgresError for an ordinary user before another user's cluster, which it could not even read. */
export async function refuseForeign(cluster: string): Promise<void> {
  const uid = process.geteuid?.();
  const owner = await stat(cluster);
  if (uid === undefined || uid === 0 || owner.uid === uid) return;
  throw new EmbeddedPostgresError(
    'foreign_owner',
    `The database in ${cluster} belongs to user id ${owner.uid}, but this process runs as ${uid}`,
    'run as that user, or give the folder to this one (chown -R)',
  );
}

/**
 * Runs a short program to its end; its code is null when a signal ended it. Rejects only where it could not be started.
 * @param hold A descriptor that the program holds as its number 3, so that a lock on it lasts as long as the program.
 */
export function runToEnd(
  account: Account,
  command: readonly string[],
  { env, input = '', hold }: { env?: Record<string, string>; input?: string; hold?: number } = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const [program, ...args] = [...account.prefix, ...command];
  return new Promise((resolve, reject) => {
    const child = spawn(program as string, args, {
      ...account.ids,
      cwd: '/', // our own folder may be closed to the account
      env: programEnvironment(env),
      stdio: ['pipe', 'pipe', 'pipe', hold ?? 'ignore'],
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin?.on('error', () => undefined); // it ended without reading; its exit code tells
    child.stdin?.end(input);
  });
}

/**
 * An allow-list: the programs may run as another account, which could read the service's secrets from an inherited environment, and
 * PGDATA and its kin would lead them elsewhere.
 */
export function programEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', TZ: 'UTC', ...extra };
  for (const name of ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'SYSTEMROOT', 'windir', 'ComSpec']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
