/** What a client needs to connect. The host is the folder of the unix socket, or a loopback address on Windows. */
export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** The folder of the cluster inside DATA_DIR. A new major version gets a new name, so that it never opens files it cannot read. */
export const CLUSTER_FOLDER = 'pg18';
export const CLUSTER_VERSION = '18';

export const ROLE = 'photo_service';
export const DATABASE = 'photo_service';

/** Names the socket file only; several servers share it because each has a socket folder of its own. */
export const SOCKET_PORT = 5432;

/**
 * Given on the command line, so that a later version of the program changes them for existing folders too. The first three are what
 * "acknowledged means kept" rests on. Statements are kept out of the log, since they hold customers' data.
 */
export const SERVER_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '60',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  password_encryption: 'scram-sha-256',
  unix_socket_permissions: '0700',
  cluster_name: 'photo-service',
};

export function settingArguments(): string[] {
  return Object.entries(SERVER_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
