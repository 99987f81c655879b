import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Functions with which a script speaks to the parent as the real one does: `onJob(work)`, and `answer(json, bytes)`. */
export const childChannel = `
  const answer = (json) => process.send(json);
  const onJob = (work) => {
    process.on('message', work);
    process.on('disconnect', () => process.exit());
    process.send('ready');
  };`;

/** What the service is told of a picture by a child that does not read it. */
export const REFUSED = `{ inspection: { outcome: 'refused', error: { code: 'decode_failed', message: 'Not read.' } } }`;

/**
 * A script for a child process that does what code might do that has taken the decoder over. @param work The body of an asynchronous
 * function: `job` is what the child was asked for, `answer(json, bytes)` answers it, `attempt(work)` ignores what is refused.
 */
export async function hostileChild(folder: string, work: string): Promise<string> {
  const script = join(folder, 'hostile-child.mjs');
  await writeFile(
    script,
    `import fs from 'node:fs';
    import { spawn } from 'node:child_process';
    const attempt = (work) => {
      try {
        return work();
      } catch {}
    };
    const until = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    ${childChannel}
    onJob(async (job) => {
      ${work}
    });`,
  );
  return script;
}

/**
 * Code of functions: `plant` makes a folder with many folders in it, and `swap`, called again and again, replaces those by links to `victim`
 * once somebody has begun to remove them and taken them for folders.
 */
export const swapping = `
  const plant = (tree, count) => {
    fs.mkdirSync(tree);
    for (let at = 0; at < count; at += 1) {
      fs.mkdirSync(tree + '/' + at);
      fs.writeFileSync(tree + '/' + at + '/file', '');
    }
  };
  const swap = (tree, count, victim) => {
    // Read for the first time since its last entry was made: now its entries are looked at.
    const { atimeMs, mtimeMs } = attempt(() => fs.statSync(tree)) ?? {};
    if (atimeMs <= mtimeMs && fs.existsSync(tree + '/0/file')) return false;
    for (let at = count - 1; at >= 0; at -= 1) {
      attempt(() => fs.renameSync(tree + '/' + at, tree + '/aside-' + at));
      attempt(() => fs.symlinkSync(victim, tree + '/' + at));
    }
    return true;
  };`;

/** A folder with files that nothing of a decoder may reach. */
export interface Victim {
  readonly path: string;
  readonly files: number;
  /** How many are there. */
  left(): Promise<number>;
}

export async function victimIn(folder: string): Promise<Victim> {
  const path = join(folder, 'victim');
  const files = 200;
  await mkdir(path);
  for (let at = 0; at < files; at += 1) await writeFile(join(path, `original-${at}`), 'of a customer');
  return { path, files, left: async () => (await readdir(path)).length };
}

/** Processes in whose command line this text is. */
export async function processesWith(text: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (pid !== process.pid && command.includes(text)) found.push(pid);
  }
  return found;
}
