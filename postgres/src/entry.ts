export { demandPresent, findBinaries } from './binaries.js';
export { openEmbeddedPostgres, type RunningPostgres } from './embedded-postgres.js';
export { DataDirInUseError, EmbeddedPostgresError } from './embedded-postgres-error.js';
export { CLUSTER_FOLDER, type Connection } from './settings.js';
