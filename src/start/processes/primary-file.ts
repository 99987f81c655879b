import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { START_TIME, statFields } from '../../adapters/process-usage.js';
import type { Config } from '../../config/config.js';
import { writePrivateFile } from '../private-file.js';

/** Names the primary process of a service, for commands on the same machine. */
export class PrimaryFile {
  private readonly path: string;

  constructor({ dataDir, port }: Pick<Config, 'dataDir' | 'port'>) {
    this.path = resolve(join(dataDir, `primary-${port}.json`));
  }

  async write(): Promise<void> {
    await writePrivateFile(this.path, JSON.stringify(identityOf(process.pid)));
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => undefined);
  }

  /** The id of the process; null when none of this service is running. */
  async find(): Promise<number | null> {
    try {
      const written: ReturnType<typeof identityOf> = JSON.parse(await readFile(this.path, 'utf8'));
      const { pid } = written;
      return JSON.stringify(written) === JSON.stringify(identityOf(pid)) && isAlive(pid) ? pid : null;
    } catch {
      // There is none, or only what a process that was killed had written of it.
      return null;
    }
  }
}

/** `started`: when, as the system says; null where it does not. Another process may get the id later. */
function identityOf(pid: number) {
  let started: string | null = null;
  try {
    started = statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))[START_TIME] ?? null;
  } catch {
    // It has ended, or the system has no such file.
  }
  return { host: hostname(), pid, started };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
