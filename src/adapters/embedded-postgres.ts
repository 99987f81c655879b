import { existsSync } from 'node:fs';
import {
  clusterFolder,
  EmbeddedPostgresError,
  type ErrorCode,
  installedBinaries,
  type Log,
  OtherVersionError,
  openPostgres,
  type RunningPostgres,
} from 'photo-service-postgres';

const NAME = 'photo_service';
/** Transactions of customers run as this role, and the owner of the tables cannot create roles (docs/decisions/0029). */
const TENANT = `${NAME}_tenant`;

/** The most connections of one process and of the commands beside it. */
export const EMBEDDED_CONNECTIONS = 60;

/** The advice for each error, in terms of this service's settings and commands; null if the error explains itself. */
const ADVICE = {
  data_dir_in_use: 'stop it first, or set another DATA_DIR (or a DATABASE_URL) for this process',
  data_dir_unusable: 'run as its owner, choose another DATA_DIR, or set DATABASE_URL',
  other_version: (error) => {
    const version = error instanceof OtherVersionError ? error.version : 'server';
    return `take a backup with the version that created it (phs backup) and restore it into an empty DATA_DIR (phs restore), or run it on a Postgres ${version} server of your own and set DATABASE_URL`;
  },
  not_a_database: 'move it away, or restore a backup into an empty DATA_DIR',
  foreign_owner: 'run as that user, give the folder to this one (chown -R), or set DATABASE_URL',
  owner_without_access: 'make them reachable, run as an ordinary user with its own DATA_DIR, or set DATABASE_URL',
  owned_by_root: 'give DATA_DIR to an ordinary user (chown -R) and run as an ordinary user, or set DATABASE_URL',
  no_account_for_root: 'run as an ordinary user, or set DATABASE_URL to a Postgres server',
  user_without_name: 'run as a user that has one, install libnss-wrapper, or set DATABASE_URL to a Postgres server',
  unsupported_platform: 'set DATABASE_URL to a Postgres server (version 15 or later)',
  not_installed:
    'install with optional dependencies (the slim image has none), or set DATABASE_URL to a Postgres server',
  incomplete_installation: null,
  missing_links: 'reinstall with install scripts enabled, or set DATABASE_URL',
  no_glibc: 'use a Debian-based image, or set DATABASE_URL to a Postgres server',
  no_socket_folder: 'use a shorter DATA_DIR, or set TMPDIR to a folder of the current user',
  password_refused: null,
  preparation_failed: null,
  start_failed: null,
  stop_failed: null,
} satisfies Record<ErrorCode, string | ((error: EmbeddedPostgresError) => string) | null>;

/**
 * The service's database in `dataDir`, as opened by photo-service-postgres.
 * @param settings Of the server, in addition to or instead of the service's own.
 * @throws EmbeddedPostgresError whose advice names the settings of this service.
 */
export async function openEmbeddedPostgres(
  dataDir: string,
  mode: 'own' | 'share',
  log: Log = () => undefined,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningPostgres> {
  const running = openPostgres(dataDir, {
    mode,
    application: 'Photo Service',
    database: NAME,
    initialSql: [`CREATE ROLE ${TENANT} NOLOGIN NOINHERIT`, `GRANT ${TENANT} TO ${NAME}`],
    settings: { max_connections: String(EMBEDDED_CONNECTIONS), shared_buffers: '128MB', ...settings },
    log,
  });
  return running.catch((error: unknown) => {
    throw withServiceAdvice(error);
  });
}

/** Whether a database has been created in `dataDir`; starts nothing. */
export function hasEmbeddedDatabase(dataDir: string): boolean {
  return existsSync(clusterFolder(dataDir));
}

/** Where the programs of the embedded database are. Errors: one that says what is missing. */
export function binariesOfDatabase(): string {
  try {
    return installedBinaries().postgres;
  } catch (error) {
    throw withServiceAdvice(error);
  }
}

function withServiceAdvice(error: unknown): unknown {
  if (!(error instanceof EmbeddedPostgresError)) return error;
  const advice: string | ((about: EmbeddedPostgresError) => string) | null = ADVICE[error.code];
  if (advice === null) return error;
  return error.withAdvice(typeof advice === 'string' ? advice : advice(error));
}
