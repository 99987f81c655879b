/** What the name of a backup ends in until it is complete, and from when on it is being removed. */
export const UNFINISHED = '.unfinished';

/** The folder of a backup, after the time of its snapshot: names sort by time, and every file system takes them. */
export function backupName(at: Date): string {
  return at.toISOString().replaceAll(':', '-');
}

/** Null if no complete backup is called so. */
export function timeOfBackup(name: string): Date | null {
  const at = new Date(name.replace(/^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)/, '$1:$2:$3'));
  return !Number.isNaN(at.getTime()) && backupName(at) === name ? at : null;
}
