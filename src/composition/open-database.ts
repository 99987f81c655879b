import { resolve } from 'node:path';
import type { DataSource } from 'typeorm';
import { makeDataDir } from '../adapters/data-dir.js';
import type { RenditionLeases } from '../adapters/decorators/shared-rendition-maker.js';
import { EMBEDDED_CONNECTIONS, hasEmbeddedDatabase, openEmbeddedPostgres } from '../adapters/embedded-postgres.js';
import { PostgresArchiveTarget } from '../adapters/typeorm/backup/database-archive.js';
import { MigrationFailed, openDataSource } from '../adapters/typeorm/data-source.js';
import { rowSecurityOf } from '../adapters/typeorm/database/row-security.js';
import { type DatabasePorts, databasePorts } from '../adapters/typeorm/database-ports.js';
import { type DatabaseState, readDatabaseState } from '../adapters/typeorm/database-state.js';
import { TypeormRenditionLeases } from '../adapters/typeorm/photos/rendition-leases.repository.js';
import type { Config } from '../config/config.js';
import { BeforeFirstRelease } from '../core/backup/before-first-release.js';
import type { ArchiveTarget } from '../core/backup/database-snapshot.js';
import type { Clock } from '../core/shared/clock.js';
import { requireTables, unusable } from './require-installation.js';

export interface OpenOptions {
  /** The use of the embedded database: a service owns it, a command shares it with a running service. */
  readonly ownership: 'own' | 'share';
  /** Whether to create what is missing. Otherwise an installation must exist: call `requireInstallation` first. */
  readonly create: boolean;
  /** Processes of this service, each with its own connections; default 1. */
  readonly processes?: number;
}

/** Receives messages for people about what is waited for, and what is wrong. */
export type Log = (line: string, level?: 'info' | 'warn') => void;

export interface Database {
  /** Null in memory. */
  readonly dataSource: DataSource | null;
  ports(clock: Clock): DatabasePorts;
  readonly leases: RenditionLeases;
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

type PostgresDatabase = Database & { readonly dataSource: DataSource };

export async function openDatabase(config: Config, options: OpenOptions, log: Log): Promise<Database> {
  const database =
    config.databaseUrl === null
      ? await openEmbedded(config, options, log)
      : await openServer(config.databaseUrl, config);
  const { role, remedy } = rowSecurityOf(database.dataSource);
  if (role === null)
    log(`The database does not enforce the separation of customers, although it could. ${remedy}`, 'warn');
  return database;
}

function overPostgres(dataSource: DataSource) {
  return { dataSource, ports: () => databasePorts(dataSource), leases: new TypeormRenditionLeases(dataSource) };
}

async function openEmbedded(
  config: Config,
  { ownership, create, processes = 1 }: OpenOptions,
  log: Log,
): Promise<PostgresDatabase> {
  await makeDataDir(config.dataDir);
  // Room for the connections of every process: the database's own limit is for one process, and for commands.
  const connections = EMBEDDED_CONNECTIONS + (processes - 1) * (config.databasePool + 1);
  const settings: Record<string, string> = processes === 1 ? {} : { max_connections: String(connections) };
  const postgres = await openEmbeddedPostgres(config.dataDir, ownership, log, settings);
  try {
    // A first start that was interrupted leaves a database without tables.
    if (!create) await requireTables({ connection: postgres.connection }, resolve(config.dataDir));
    const dataSource = await openDataSource({ connection: postgres.connection, poolSize: config.databasePool });
    const close = async () => {
      await dataSource.destroy();
      await postgres.stop();
    };
    return { ...overPostgres(dataSource), ended: postgres.ended, close };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

async function openServer(
  url: string,
  { databaseDirectUrl, databasePool: poolSize, databasePrepare: prepare }: Config,
): Promise<PostgresDatabase> {
  try {
    const dataSource = await openDataSource({ url, directUrl: databaseDirectUrl ?? undefined, poolSize, prepare });
    return { ...overPostgres(dataSource), ended: new Promise(() => undefined), close: () => dataSource.destroy() };
  } catch (error) {
    throw error instanceof MigrationFailed || error instanceof BeforeFirstRelease ? error : unusable(url, error);
  }
}

/** Inspects the database and changes nothing; null when the embedded one has not been created yet. */
export async function databaseState(config: Config): Promise<DatabaseState | null> {
  const { databaseUrl, databaseDirectUrl, dataDir } = config;
  if (databaseUrl !== null) return readDatabaseState({ url: databaseDirectUrl ?? databaseUrl });
  if (!hasEmbeddedDatabase(dataDir)) return null;
  const postgres = await openEmbeddedPostgres(dataDir, 'share');
  try {
    return await readDatabaseState({ connection: postgres.connection });
  } finally {
    await postgres.stop();
  }
}

/** Opens the configured database for a restore. No service may use its data folder meanwhile. */
export async function openArchiveTarget(
  { databaseUrl, databaseDirectUrl, dataDir }: Config,
  log: Log,
): Promise<{ target: ArchiveTarget; close(): Promise<void> }> {
  if (databaseUrl !== null) {
    return {
      target: new PostgresArchiveTarget({ url: databaseDirectUrl ?? databaseUrl }),
      close: async () => undefined,
    };
  }
  await makeDataDir(dataDir);
  const postgres = await openEmbeddedPostgres(dataDir, 'own', log);
  return { target: new PostgresArchiveTarget({ connection: postgres.connection }), close: () => postgres.stop() };
}
