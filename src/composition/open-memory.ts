import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { MemoryDatabase } from '../../testing/memory/memory-database.js';
import { MemoryRenditionLeases } from '../../testing/memory/photos/memory-renditions.js';
import { memoryDatabasePorts } from '../../testing/memory-ports.js';
import { ConfigError } from '../config/config.js';
import type { Environment } from '../config/environment-reader.js';
import type { Clock } from '../core/shared/clock.js';
import type { OpenBlobs } from './open-blobs.js';
import type { Database } from './open-database.js';

/** Stands in for what stores: it ends with the process. */
export type Memory = ReturnType<typeof openMemory>;

const STORES_NOTHING = 'and --memory stores nothing';
const IS_ONE_PROCESS = 'and the memory is that of one process';

/** The settings that contradict it, why, and the values that do not. */
const contradictions: readonly (readonly [name: string, why: string, harmless: RegExp])[] = [
  ['DATA_DIR', `names a folder to store in, ${STORES_NOTHING}`, /^$/],
  ['DATABASE_URL', `names a database, ${STORES_NOTHING}`, /^$/],
  ['DATABASE_DIRECT_URL', `names a database, ${STORES_NOTHING}`, /^$/],
  ['BLOB_STORE', `names a store for photos, ${STORES_NOTHING}`, /^(local)?$/],
  ['BACKUP_TO', `names a folder for backups, ${STORES_NOTHING}`, /^$/],
  ['RATE_LIMIT_STORE', `names a store that processes share, ${IS_ONE_PROCESS}`, /^(memory)?$/],
  ['PROCESSES', `asks for several processes, ${IS_ONE_PROCESS}`, /^(1|auto)?$/],
  ['ROLE', `asks for one part of a service, ${IS_ONE_PROCESS}`, /^(all)?$/],
];

/** Errors: a `ConfigError` with a sentence for each setting that names something to store in. */
export function openMemory(env: Environment) {
  const value = (name: string) => env[name]?.trim() ?? '';
  const problems = contradictions
    .filter(([name, , harmless]) => !harmless.test(value(name)))
    .map(([name, why]) => `${name} ${why}: remove ${name}, or start without --memory.`);
  if (value('NODE_ENV') === 'production') {
    problems.push(
      'NODE_ENV is production, and --memory loses everything when it ends: start without --memory, or remove NODE_ENV to try the service out.',
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    database: {
      dataSource: null,
      ports: (clock: Clock) => memoryDatabasePorts(new MemoryDatabase(), clock),
      leases: new MemoryRenditionLeases(),
      ended: new Promise<string>(() => undefined),
      close: async () => undefined,
    } satisfies Database,
    blobs: (clock: Clock): OpenBlobs => ({
      blobs: new MemoryBlobStore(clock),
      directUploads: null,
      scrubPosition: null,
      close: () => undefined,
    }),
  };
}
