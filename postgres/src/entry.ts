export { type Binaries, installedBinaries } from './binaries.js';
export { clusterFolder } from './cluster.js';
export { openPostgres, type RunningPostgres } from './embedded-postgres.js';
export {
  DataDirInUseError,
  EmbeddedPostgresError,
  type ErrorCode,
  OtherVersionError,
} from './embedded-postgres-error.js';
export type { Connection, EmbeddedPostgresOptions, Log } from './options.js';
