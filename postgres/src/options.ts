/** Called with one line, without a line break, per event. Lines never contain the password. */
export type Log = (line: string) => void;

export interface EmbeddedPostgresOptions {
  /**
   * The behavior when another process owns the server of the data folder. `'own'`, for a service: throw. `'share'`, for a command: use the
   * owner's server. If no process owns it, both start the server and own it. A service waits up to 10 s for a command that owns the server.
   * @default 'own'
   */
  readonly mode?: 'own' | 'share';
  /**
   * Name of the application, for error messages. In lower case, with hyphens for everything but a to z and digits, it is part of the names of the
   * server's processes and of the socket folder under the temporary folder.
   * @default 'App'
   */
  readonly application?: string;
  /**
   * Name of the database and of the role that owns it: 1 to 63 lower-case letters, digits and underscores, not starting with a digit or `pg_`,
   * and not `postgres`. It is fixed when the data folder is created. Where another process owns the server, its name applies.
   * @default 'app'
   */
  readonly database?: string;
  /**
   * SQL statements that a superuser runs in the database `postgres`, once, when the data folder is created: after the application's role is
   * created and before its database is. For roles and grants, which the application's role may not create. One line each.
   * @default []
   */
  readonly initialSql?: readonly string[];
  /**
   * Settings of the server (`{ max_connections: '60' }`), which apply from the next start on. They override the package's own settings, such as
   * `fsync`, and those in the data folder, but cannot open a port. Values consist of letters, digits and `_ . , : / + * -`; others can be set with
   * `ALTER DATABASE … SET`.
   * @default {}
   */
  readonly settings?: Readonly<Record<string, string>>;
  /** By default nothing is logged. */
  readonly log?: Log;
}

/** Options with their defaults, checked. */
export interface ServerOptions {
  readonly application: string;
  /** The application's name as part of the name of a process, file or pipe. */
  readonly label: string;
  readonly database: string;
  readonly initialSql: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** The path of a socket, which contains it, has at most 103 bytes. */
const MAX_LABEL_LENGTH = 32;

/** @throws TypeError for invalid options. */
export function resolveOptions({
  application = 'App',
  database = 'app',
  initialSql = [],
  settings = {},
}: EmbeddedPostgresOptions): ServerOptions {
  const isName = /^[a-z_][a-z0-9_]{0,62}$/.test(database) && database !== 'postgres' && !database.startsWith('pg_');
  if (!isName) throw new TypeError(`database: ${JSON.stringify(database)} is not a valid name`);
  if (initialSql.some((statement) => /[\r\n]/.test(statement))) {
    throw new TypeError('initialSql: a statement contains a line break');
  }
  for (const [name, value] of Object.entries(settings)) {
    // On Windows a shell reads them.
    if (!/^[a-z_][\w.]*$/i.test(name) || !/^[\w.,:/+*-]*$/.test(value)) {
      throw new TypeError(`settings: ${name}=${JSON.stringify(value)} contains characters that are not allowed`);
    }
  }
  const words = application
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '');
  const label = words.slice(0, MAX_LABEL_LENGTH).replace(/-$/, '') || 'app';
  return { application, label, database, initialSql, settings };
}

/** The address and password that a client needs to connect, as pg and TypeORM take it. The host is the folder of the unix socket, or a loopback address on Windows. */
export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

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
