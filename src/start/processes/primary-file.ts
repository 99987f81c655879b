import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { START_TIME, statFields } from '../../adapters/process-usage.js';
import type { Config } from '../../config/config.js';
import { writePrivateFile } from '../private-file.js';

interface Identity {
  readonly host: string;
  readonly pid: number;
  /** When the process was started, as the system says; null where it does not. Another process may get the id later. */
  readonly started: string | null;
}

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
    const written = await this.read();
    if (written === null) return null;
    return JSON.stringify(written) === JSON.stringify(identityOf(written.pid)) && isAlive(written.pid)
      ? written.pid
      : null;
  }

  /** Null where there is none, or only what a process that was killed had written of it. */
  private async read(): Promise<Identity | null> {
    try {
      return JSON.parse(await readFile(this.path, 'utf8')) as Identity;
    } catch {
      return null;
    }
  }
}

function identityOf(pid: number): Identity {
  return { host: hostname(), pid, started: startOf(pid) };
}

function startOf(pid: number): string | null {
  try {
    return statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))[START_TIME] ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
