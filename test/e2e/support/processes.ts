import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface Process {
  readonly pid: number;
  readonly command: string;
}

/** Live processes (no zombies) that name the folder on their command line or work inside it; ours excepted. */
export function processesOn(folder: string): Process[] {
  if (!existsSync('/proc/self/cmdline')) {
    const lines = execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
    return lines
      .filter((line) => line.includes(folder))
      .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+ /, '') }));
  }
  const found: Process[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    const command = orEmpty(() => readFileSync(`/proc/${name}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    const place = orEmpty(() => readlinkSync(`/proc/${name}/cwd`));
    if (command.includes(folder) || place.startsWith(folder)) found.push({ pid: Number(name), command });
  }
  return found;
}

/**
 * Waits for a condition; an error after `seconds`, which no test should need: a job whose process was killed is taken again after 60.
 * Looks again after 5 ms, and ever later the longer it has waited, up to 100 ms: looking costs what is waited for its time.
 */
export async function until<T>(
  what: string,
  find: () => T | undefined | false | Promise<T | undefined | false>,
  seconds = 110,
): Promise<T> {
  const start = performance.now();
  for (;;) {
    const found = await find();
    if (found) return found;
    const waited = performance.now() - start;
    if (waited > seconds * 1000) throw new Error(`waited in vain for: ${what}`);
    await delay(Math.min(100, 5 + waited / 20));
  }
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return ''; // it ended meanwhile, or belongs to somebody else
  }
}
