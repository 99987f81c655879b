import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Config } from '../config.js';
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
    const text = await readFile(this.path, 'utf8').catch(() => null);
    if (text === null) return null;
    const written = JSON.parse(text) as Identity;
    return JSON.stringify(written) === JSON.stringify(identityOf(written.pid)) && isAlive(written.pid)
      ? written.pid
      : null;
  }
}

function identityOf(pid: number): Identity {
  return { host: hostname(), pid, started: startOf(pid) };
}

/** Field 22 of proc_pid_stat(5); the second one, a name in brackets, may contain spaces. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
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
