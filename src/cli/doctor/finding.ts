import type { BlobStoreKind } from '../../core/blobs/blob-store-kind.js';
import { reasonOf } from '../../core/shared/errors.js';

export type Level = 'ok' | 'warn' | 'fail';

export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly message: string;
  /** Advice on what to do; empty if all is well. */
  readonly advice: string;
}

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message, advice: '' });
const bad = (level: Level) => (check: string, message: string, advice: string) => ({ check, level, message, advice });
export const warn = bad('warn');
export const fail = bad('fail');

/** An error thrown by a check is its finding. */
export async function findingOf(
  check: string,
  advice: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [fail(check, reasonOf(error), advice)];
  }
}

/** Settings whose values are numbers or words out of a few. Of any other, a file for others only says that it is set. */
export function shownSettings(stores: readonly BlobStoreKind[]): readonly string[] {
  return [
    ...['PORT', 'ROLE', 'PROCESSES', 'DATABASE_POOL', 'DATABASE_PREPARE', 'BLOB_STORE'],
    ...['RATE_LIMIT_STORE', 'DELIVERY_MAX_AGE', 'WORKER_CONCURRENCY', 'MEDIA_MEMORY_BYTES', 'MEDIA_TIMEOUT_SECONDS'],
    ...['MEDIA_ISOLATION', 'MEDIA_PRIORITY', 'WEBHOOK_ALLOW_PRIVATE', 'FETCH_ALLOW_PRIVATE', 'OPERATOR_API', 'DOCS'],
    ...['METRICS_PORT', 'SMTP_TLS', 'LOG_FORMAT', 'LOG_LEVEL', 'MAX_FILE_BYTES', 'SCRUB_DAYS', 'BACKUP_EVERY'],
    ...['BACKUP_KEEP', 'MIN_FREE_BYTES', 'MAX_PIXELS', 'IMPORT_MAX_PHOTOS', 'INLINE_MAX_BYTES', 'OPEN_IMPORTS'],
    'MAX_TAGS',
    ...stores.flatMap((store) => store.shownSettings ?? []),
  ];
}
