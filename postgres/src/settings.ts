import { join } from 'node:path';
import type { ServerOptions } from './options.js';

/** The address and password that a client needs to connect, as pg and TypeORM take it. The host is the folder of the unix socket, or a loopback address on Windows. */
export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** The folder of the cluster inside the data folder. A new major version gets a new name, so that it never opens files it cannot read. */
export const CLUSTER_FOLDER = 'pg18';
export const CLUSTER_VERSION = '18';

/** The folder of Postgres's files in a data folder; it exists once a database has been created. */
export function clusterFolder(dataDir: string): string {
  return join(dataDir, CLUSTER_FOLDER);
}

/** Names the socket file only; several servers share it because each has a socket folder of its own. */
export const SOCKET_PORT = 5432;

/**
 * Given on the command line, so that a later version of the program changes them for existing folders too. The first three are what
 * "acknowledged means kept" rests on. Statements are kept out of the log, since they may hold data.
 */
const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  password_encryption: 'scram-sha-256',
  unix_socket_permissions: '0700',
};

export function settingArguments({ label, settings }: Pick<ServerOptions, 'label' | 'settings'>): string[] {
  const all = { ...SERVER_SETTINGS, cluster_name: label, ...settings };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
