import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { DatabaseHolder } from '../e2e/support/database-holder.js';
import { installAdapter } from '../e2e/support/installed-adapter.js';

/** As a container gets one that runs under a number of its own. */
const NAMELESS = { uid: 54321, gid: 54321 };

let root: string;
let installation: string;

beforeAll(async () => {
  const libraries = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((folder) => `/usr/lib/${folder}/libnss_wrapper.so`);
  if (!libraries.some(existsSync)) throw new Error('libnss_wrapper.so is needed here: apt-get install libnss-wrapper');
  root = mkdtempSync(join(tmpdir(), 'nameless-'));
  await chmod(root, 0o755);
  installation = installAdapter(join(root, 'installation'));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

it('an account without a name gets one from libnss-wrapper where user namespaces are refused, as in a container', async () => {
  const dataDir = join(root, 'data');
  mkdirSync(dataDir);
  await chown(dataDir, NAMELESS.uid, NAMELESS.gid);
  // All that is on the PATH: no unshare, which makes a user namespace.
  const path = join(root, 'programs');
  mkdirSync(path);
  for (const program of ['env', 'id', 'flock']) symlinkSync(join('/usr/bin', program), join(path, program));

  /** Opens, writes a row, stops in order. @returns how many rows there are. */
  const useOnce = async () => {
    const holder = DatabaseHolder.start(installation, dataDir, 'own', { ids: NAMELESS, path });
    try {
      const client = new pg.Client(await holder.opened());
      await client.connect();
      await client.query('CREATE TABLE IF NOT EXISTS kept (n serial); INSERT INTO kept DEFAULT VALUES');
      const { rows } = await client.query('SELECT count(*)::int AS n FROM kept');
      await client.end();
      await holder.stop();
      return rows[0].n;
    } finally {
      await holder.kill();
    }
  };

  expect(await useOnce()).toBe(1);
  writeFileSync(join(dataDir, 'postgres-password'), 'lost');
  expect(await useOnce()).toBe(2);
  expect(statSync(join(dataDir, 'pg18')).uid).toBe(NAMELESS.uid);
});
