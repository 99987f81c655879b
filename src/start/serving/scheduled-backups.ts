import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BackupSchedule } from '../../config/config.js';
import { timeOfBackup } from '../../core/backup/signature.js';
import { type Clock, HOUR } from '../../core/shared/clock.js';
import type { PeriodicTask } from '../../worker/periodic.js';

/** What `phs backup --json` prints. */
export interface MadeBackup {
  /** False: the service itself has lost photos, which are listed as problems. */
  readonly ok: boolean;
  readonly name: string;
  readonly problems: readonly unknown[];
}

interface BackupUses {
  readonly clock: Clock;
  /** Makes one with these arguments of `phs`. */
  readonly run: (args: readonly string[], stopping: AbortSignal) => Promise<MadeBackup>;
  /** Called with the time of the newest complete backup, or null, whenever the folder was looked at. Must not throw. */
  readonly onSeen: (newest: Date | null) => void;
  /** Must not throw. */
  readonly onMade: (made: MadeBackup) => void;
}

/** Makes a backup when the newest complete one in the folder is old enough, whoever made it: several processes, and people, may. */
export function backupTask({ folder, everyHours, keep, recipients }: BackupSchedule, uses: BackupUses): PeriodicTask {
  const encrypted = recipients.length === 0 ? [] : ['--recipient', recipients.join(',')];
  const args = ['backup', resolve(folder), '--keep', String(keep), '--json', ...encrypted];
  const look = async () => {
    const newest = await newestBackup(folder);
    uses.onSeen(newest);
    return newest;
  };
  return {
    name: 'make a backup',
    everySeconds: 60,
    run: async (stopping) => {
      const newest = await look();
      if (newest !== null && uses.clock.now().getTime() - newest.getTime() < everyHours * HOUR) return;
      uses.onMade(await uses.run(args, stopping));
      await look();
    },
  };
}

async function newestBackup(folder: string): Promise<Date | null> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const times = names.flatMap((name) => timeOfBackup(name) ?? []);
  return times.sort((a, b) => b.getTime() - a.getTime())[0] ?? null;
}

const PROGRAM = fileURLToPath(new URL('../../../bin/phs.js', import.meta.url));
/** Thousands of lost photos are listed in it. */
const MAX_REPORT_BYTES = 16 * 1024 * 1024;

/**
 * Runs `phs` on this installation in a process of its own, whose memory and processor time are not those of requests. Errors: an Error with
 * what it printed.
 */
export async function runPhs(args: readonly string[], signal: AbortSignal): Promise<MadeBackup> {
  const options = { signal, maxBuffer: MAX_REPORT_BYTES, killSignal: 'SIGTERM' } as const;
  const report = await promisify(execFile)(process.execPath, [PROGRAM, ...args], options).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string; message: string }) => {
      // Complete, except for photos that the service has lost: it says so and ends with 1.
      if (error.stdout) return error.stdout;
      throw new Error(error.stderr?.trim() || error.message);
    },
  );
  return JSON.parse(report);
}
