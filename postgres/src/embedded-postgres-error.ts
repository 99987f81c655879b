/** Why the embedded database cannot run here: one sentence that a person can act on. Never holds the password. */
export class EmbeddedPostgresError extends Error {
  override name = 'EmbeddedPostgresError';
}

/** Another live process works on the same data folder; the sentence names the folder and what to do. */
export class DataDirInUseError extends EmbeddedPostgresError {
  override name = 'DataDirInUseError';

  constructor(dataDir: string, holder: string) {
    super(
      `The data folder ${dataDir} is in use by ${holder}: stop that first, or give this process another DATA_DIR (or a DATABASE_URL).`,
    );
  }
}
