import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { openEmbeddedPostgres } from './adapters/embedded-postgres/embedded-postgres.js';
import { LocalBlobStore } from './adapters/local-blobs/local-blob-store.js';
import { ChildProcessMediaReader } from './adapters/media/child-process-media-reader.js';
import { MemoryRateWindowStore } from './adapters/memory/memory-rate-window-store.js';
import { readOrMakeSecret } from './adapters/secret-file.js';
import { SystemClock } from './adapters/system-clock.js';
import { TypeormKeyStore } from './adapters/typeorm/api-key.repository.js';
import { TypeormCustomerDirectory } from './adapters/typeorm/customer.repository.js';
import { TypeormCustomerStore } from './adapters/typeorm/customer-store.js';
import { openDataSource } from './adapters/typeorm/data-source.js';
import { TypeormJobQueue } from './adapters/typeorm/job.repository.js';
import type { Config } from './config.js';
import type { Ports } from './core/ports.js';

/** Ports on real adapters. */
export interface OpenPorts {
  readonly ports: Ports;
  /** Resolves with a reason when the database ended by itself. */
  readonly databaseEnded: Promise<string>;
  close(): Promise<void>;
}

/** How the embedded database is used: a service owns it, a command shares it with a running service. */
export type Ownership = 'own' | 'share';

/** Takes lines for people about what is waited for. */
type Log = (line: string) => void;

/** The only place that names adapters. */
export async function openPorts(config: Config, ownership: Ownership, log: Log): Promise<OpenPorts> {
  const database = await openDatabase(config, ownership, log);
  const media = new ChildProcessMediaReader({ scratchDir: join(config.dataDir, 'scratch') });
  const clock = new SystemClock();
  const { dataSource } = database;
  const ports: Ports = {
    clock,
    store: new TypeormCustomerStore(dataSource),
    customers: new TypeormCustomerDirectory(dataSource),
    keys: new TypeormKeyStore(dataSource),
    rateWindows: new MemoryRateWindowStore(clock, performance),
    blobs: await LocalBlobStore.open(join(config.dataDir, 'blobs')),
    media,
    jobs: new TypeormJobQueue(dataSource),
    secrets: config.secretKeys ?? [await readOrMakeSecret(config.dataDir)],
    limits: config.limits,
    publicUrl: config.publicUrl,
  };
  const close = async () => {
    await media.close();
    await database.close();
  };
  return { ports, databaseEnded: database.ended, close };
}

interface Database {
  readonly dataSource: DataSource;
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

async function openDatabase(config: Config, ownership: Ownership, log: Log): Promise<Database> {
  if (config.databaseUrl !== null) {
    const dataSource = await openDataSource({ url: config.databaseUrl });
    return { dataSource, ended: new Promise(() => undefined), close: () => dataSource.destroy() };
  }
  const postgres = await openEmbeddedPostgres(config.dataDir, ownership, log);
  try {
    const dataSource = await openDataSource({ connection: postgres.connection });
    const close = async () => {
      await dataSource.destroy();
      await postgres.stop();
    };
    return { dataSource, ended: postgres.ended, close };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}
