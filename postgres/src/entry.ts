export { type Binaries, installedBinaries } from './binaries.js';
export { openPostgres, type RunningPostgres } from './embedded-postgres.js';
export {
  DataDirInUseError,
  EmbeddedPostgresError,
  type ErrorCode,
  OtherVersionError,
} from './embedded-postgres-error.js';
export type { EmbeddedPostgresOptions, Log } from './options.js';
export { type Connection, clusterFolder } from './settings.js';
