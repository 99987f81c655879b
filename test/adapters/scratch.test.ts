/* @rest */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScratch } from '../../src/adapters/media/processes/scratch.js';
import { swapping, type Victim, victimIn } from '../support/hostile-child.js';

/** docs/threat-model.md, A37: what a decoder does in its folder is never done to files outside it. */

let folder: string;
let shared: string;
let victim: Victim;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phs-scratch-'));
  shared = join(folder, 'shared');
  victim = await victimIn(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A process that swaps the folders in `tree` for links to the victim, once they are being removed. */
async function swapper(tree: string): Promise<ChildProcess> {
  const script = `
    const fs = require('node:fs');
    const attempt = (work) => { try { return work(); } catch {} };
    ${swapping}
    plant(${JSON.stringify(tree)}, 2000);
    console.log('planted');
    while (!swap(${JSON.stringify(tree)}, 2000, ${JSON.stringify(victim.path)}));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** The id of a process that has ended, in the name of a folder that it would have left. */
async function folderOfDead(): Promise<string> {
  const ended = spawn(process.execPath, ['--version']);
  await once(ended, 'exit');
  return `media.${hostname().replace(/[^A-Za-z0-9-]/g, '-')}.${ended.pid}.1.aaaaaa`;
}

describe('a folder whose process swaps folders in it for links', () => {
  test('is removed without touching what the links lead to', async () => {
    const scratch = await openScratch(shared);
    const own = await scratch.folder('process-1', null);
    const child = await swapper(join(own.path, 'tmp/tree'));
    try {
      await own.remove();
      expect(await victim.left()).toBe(victim.files);
    } finally {
      await end(child);
    }
    await scratch.removeAll();
    expect(await readdir(shared)).toEqual([]);
    expect(await victim.left()).toBe(victim.files);
  });

  test('of an earlier service is swept without touching what the links lead to', async () => {
    const left = join(shared, await folderOfDead());
    await mkdir(join(left, 'process-1'), { recursive: true });
    const child = await swapper(join(left, 'process-1/tree'));
    try {
      await openScratch(shared);
      expect(await victim.left()).toBe(victim.files);
    } finally {
      await end(child);
    }
    await openScratch(shared);
    expect((await readdir(shared)).filter((name) => name.endsWith('.aaaaaa'))).toEqual([]);
    expect(await victim.left()).toBe(victim.files);
  });

  test('returns no picture through a link that took its place', async () => {
    const scratch = await openScratch(shared);
    const own = await scratch.folder('process-1', null);
    await symlink(victim.path, join(own.path, 'picture'));
    await own.takeBack();
    expect(await victim.left()).toBe(victim.files);
    // Not even where the folder itself was moved and a link stands there.
    await rm(own.path, { recursive: true });
    await writeFile(join(victim.path, 'picture'), 'of a customer');
    await symlink(victim.path, own.path);
    await own.takeBack();
    expect(await victim.left()).toBe(victim.files + 1);
    await scratch.removeAll();
    expect(await victim.left()).toBe(victim.files + 1);
  });
});

test('a folder with more levels than a path can name is removed', async () => {
  const scratch = await openScratch(shared);
  const own = await scratch.folder('process-1', null);
  const deep = `
    for (let at = 0; at < 1500; at += 1) {
      require('node:fs').mkdirSync('level');
      process.chdir('level');
      require('node:fs').writeFileSync('file', '');
    }`;
  const child = spawn(process.execPath, ['-e', deep], { cwd: join(own.path, 'tmp'), stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([0, null]);
  await own.remove();
  expect(await readdir(scratch.path)).toEqual([]);
});

test('a folder in place of the picture is left to be removed with the folder of its process', async () => {
  const scratch = await openScratch(shared);
  const own = await scratch.folder('process-1', null);
  await mkdir(join(own.path, 'picture'));
  await expect(own.takeBack()).rejects.toMatchObject({ code: 'service_unavailable' });
  await own.remove();
  expect(await readdir(scratch.path)).toEqual([]);
});

test('a folder that was closed is not taken for the one that has its descriptor now', async () => {
  const first = await openScratch(shared);
  const [closed, other] = [await first.folder('process-1', null), await openScratch(join(folder, 'other'))];
  await first.removeAll();
  const owns = await Promise.all(Array.from({ length: 8 }, (_, at) => other.folder(`process-${at}`, null)));
  for (const { path } of owns) await writeFile(join(path, 'picture'), 'read now');
  await expect(closed.remove()).rejects.toThrow('closed');
  await expect(closed.takeBack()).rejects.toThrow('closed');
  for (const { path } of owns) expect((await readdir(path)).sort()).toEqual(['picture', 'tmp']);
  await other.removeAll();
});

test('leftovers that cannot be swept prevent no start of the service', async () => {
  await mkdir(shared);
  await symlink(victim.path, join(shared, await folderOfDead()));
  const scratch = await openScratch(shared);
  expect(await readdir(scratch.path)).toEqual([]);
  expect(await victim.left()).toBe(victim.files);
});
