// What commands of the machine do with an installation's files, without opening its ports.
export { makeFolders } from '../adapters/data-dir.js';
export { binariesOfDatabase } from '../adapters/embedded-postgres.js';
export { readSecretFile, writeSecretFile } from '../adapters/secret-file.js';
export { syncFolder } from '../adapters/sync-folder.js';
