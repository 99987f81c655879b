import type { EnvironmentReader } from './environment-reader.js';

/** Backups that the service makes by itself. */
export interface BackupSchedule {
  readonly folder: string;
  readonly everyHours: number;
  /** Complete backups that are left in the folder. */
  readonly keep: number;
  /** Public keys of age; none: backups are not encrypted. */
  readonly recipients: readonly string[];
}

/** Null without BACKUP_TO: only `phs backup` makes backups. */
export function readBackupSchedule(read: EnvironmentReader): BackupSchedule | null {
  const recipients = read.list('BACKUP_RECIPIENTS');
  const others = {
    everyHours: read.whole('BACKUP_EVERY', 24, 1, 24 * 365),
    keep: read.whole('BACKUP_KEEP', 14, 1, 10_000),
  };
  for (const key of recipients) {
    if (!/^age1[a-z0-9]+$/.test(key))
      read.problem(
        `BACKUP_RECIPIENTS: "${key.slice(0, 8)}…" is not a public key of age, which begins with age1. Create one with: age-keygen`,
      );
  }
  if (read.has('BACKUP_TO')) return { folder: read.text('BACKUP_TO', ''), ...others, recipients };
  for (const name of ['BACKUP_EVERY', 'BACKUP_KEEP', 'BACKUP_RECIPIENTS'])
    if (read.has(name)) read.problem(`${name} has no effect without BACKUP_TO, the folder for backups.`);
  return null;
}
