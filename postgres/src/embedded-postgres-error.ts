/** The kind of problem. The list is closed, so that an application can have advice of its own for every code (`satisfies Record<ErrorCode, …>`). */
export type ErrorCode =
  /** Another live process uses the data folder. */
  | 'data_dir_in_use'
  /** The data folder cannot be created, read or written by this user, or it is not a folder. */
  | 'data_dir_unusable'
  /** The database was created by another major version of Postgres. */
  | 'other_version'
  /** There are other files where the database belongs. */
  | 'not_a_database'
  /** The database belongs to another user than the ordinary user that opens it. */
  | 'foreign_owner'
  /** Root opens the database of a user who cannot reach it, or cannot reach the binaries. */
  | 'owner_without_access'
  /** Root opens a database that belongs to root, and user namespaces are not available. */
  | 'owned_by_root'
  /** Root creates a database, and there is no account that could run it. */
  | 'no_account_for_root'
  /** A user id without a name creates a database, and user namespaces are not available. */
  | 'user_without_name'
  /** There are no binaries for this operating system and processor. */
  | 'unsupported_platform'
  /** The package with the binaries for this platform is not installed. */
  | 'not_installed'
  /** Some of the binaries are missing. */
  | 'incomplete_installation'
  /** Library links are missing, and the folder of the binaries cannot be written. */
  | 'missing_links'
  /** The system has no GNU C library. */
  | 'no_glibc'
  /** There is no safe folder for the socket: each path is too long or belongs to another user. */
  | 'no_socket_folder'
  /** The database refuses its password, even after a reset. */
  | 'password_refused'
  /** A Postgres program failed while the database was created or repaired. */
  | 'preparation_failed'
  /** The server ended before it accepted connections. */
  | 'start_failed'
  /** The server did not stop (Windows). */
  | 'stop_failed';

/**
 * Why the database cannot run here. `message` is one sentence for a person: the problem and, where there is any, the advice. It never
 * contains the password.
 */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';

  /**
   * @param problem what is wrong.
   * @param advice what to do about it, without a full stop.
   */
  constructor(
    readonly code: ErrorCode,
    readonly problem: string,
    readonly advice?: string,
  ) {
    super(advice === undefined ? problem : `${problem}: ${advice}.`);
  }

  /** The same error with the advice of an application, which knows what its settings are called. */
  withAdvice(advice: string): EmbeddedPostgresError {
    return new EmbeddedPostgresError(this.code, this.problem, advice);
  }
}

/** Another live process uses the data folder. */
export class DataDirInUseError extends EmbeddedPostgresError {
  override name = 'DataDirInUseError';

  /** @param holder who uses it, in words: 'another process'. */
  constructor(
    readonly dataDir: string,
    readonly holder: string,
    advice = 'stop it first, or use another data folder',
  ) {
    super('data_dir_in_use', `The data folder ${dataDir} is in use by ${holder}`, advice);
  }

  override withAdvice(advice: string): DataDirInUseError {
    return new DataDirInUseError(this.dataDir, this.holder, advice);
  }
}

/** The database was created by another major version of Postgres. */
export class OtherVersionError extends EmbeddedPostgresError {
  override name = 'OtherVersionError';

  /**
   * @param folder of the database.
   * @param version the major version that created it: '17'.
   * @param ownVersion the major version of the binaries: '18'.
   */
  constructor(
    readonly folder: string,
    readonly version: string,
    readonly ownVersion: string,
    advice = `dump it with Postgres ${version} and load the dump into an empty data folder, or go back to the earlier version of the program`,
  ) {
    const problem = `The database in ${folder} was created by Postgres ${version}, but this program contains Postgres ${ownVersion}`;
    super('other_version', problem, advice);
  }

  override withAdvice(advice: string): OtherVersionError {
    return new OtherVersionError(this.folder, this.version, this.ownVersion, advice);
  }
}
