import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { START_TIME, STATE, statFields } from '../proc-stat.js';
import { isAbsence, systemCode } from './storage-error.js';

/** No upload pauses for so long: the process that created the file has ended. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * A temporary file is named `scope-pid-start-random`. The scope is the running system and its PID namespace: two containers that share the
 * folder do not see each other's processes and must not interpret their ids. The start distinguishes a process from a later one with the
 * same id.
 */
const NAME = /^([0-9a-f]{12})-([0-9]{1,10})-([0-9]{1,20})-[0-9a-f]{24}$/;

/** Names for new files in `folder`. */
export class TempFiles {
  private constructor(
    readonly folder: string,
    private readonly owner: string,
  ) {}

  static async open(folder: string): Promise<TempFiles> {
    const start = (await processStart(process.pid)) ?? '0';
    return new TempFiles(folder, `${await scope()}-${process.pid}-${start}`);
  }

  next(): string {
    return join(this.folder, `${this.owner}-${randomBytes(12).toString('hex')}`);
  }

  /** Removes files of dead processes, and those that have not been written to for 24 hours. Files with other names are left alone. */
  async sweep(): Promise<void> {
    const here = await scope();
    for (const name of await readdir(this.folder)) {
      const [, from, pid, start] = NAME.exec(name) ?? [];
      if (from === undefined) continue;
      const file = join(this.folder, name);
      const abandoned = from === here && (await processStart(Number(pid))) !== start;
      if (abandoned || (await isOld(file))) await rm(file, { force: true });
    }
  }
}

async function isOld(file: string): Promise<boolean> {
  try {
    // By the machine's clock, as the times of files are.
    return Date.now() - (await stat(file)).mtimeMs > MAX_AGE_MS;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

async function scope(): Promise<string> {
  const system = [hostname()];
  if (process.platform === 'linux') {
    system.push(await readFile('/proc/sys/kernel/random/boot_id', 'utf8'), await readlink('/proc/self/ns/pid'));
  }
  return createHash('sha256').update(system.join('\n')).digest('hex').slice(0, 12);
}

/**
 * A value that stays the same while a process lives, and that no later one with its id shares; null when there is none, or only a zombie.
 * Linux: clock ticks since boot. Elsewhere all live processes look alike.
 */
async function processStart(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return isAlive(pid) ? '0' : null;
  try {
    const fields = statFields(await readFile(`/proc/${pid}/stat`, 'utf8'));
    return fields[STATE] === 'Z' || fields[STATE] === 'X' ? null : (fields[START_TIME] ?? null);
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ESRCH') return null;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
