import type pg from 'pg';
import { connected } from './database-archive.js';

/** Key of the `pg_advisory_lock` for backups: any number that nothing else in this database locks. */
const BACKUP_LOCK = 7_217_003;

/**
 * Runs a backup on its own: two at once would remove each other's files. A backup whose process has died holds nothing back. Errors: an
 * Error when another one is running.
 */
export function whileAlone<T>(config: pg.ClientConfig, work: () => Promise<T>): Promise<T> {
  return connected(config, async (client) => {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS alone', [BACKUP_LOCK]);
    if (!rows[0].alone)
      throw new Error('Another backup of this installation is running. Start this one when it has ended.');
    return work();
  });
}
