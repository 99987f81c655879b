import { readSecretFile, writeSecretFile } from '../../adapters/secret-file.js';
import { openBlobs } from '../../composition/open-blobs.js';
import { openArchiveTarget } from '../../composition/open-database.js';
import type { Config } from '../../config/config.js';
import type { BackedUpBlob, Conversion, MissedBlob } from '../../core/backup/blob-backup.js';
import { foreignBlob, removeMissed, restoreBlobs } from '../../core/backup/restore-blobs.js';
import { openInstallation } from '../with-ports.js';
import type { BackupFolder } from './backup-folder.js';
import { openBlobFiles } from './blob-folders.js';
import type { Manifest } from './manifest.js';
import type { Part } from './part-file.js';

export interface Restored {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Rows that have no bytes. */
  readonly leftOut: number;
  /** Keys whose bytes are missing from the backup. */
  readonly wrong: readonly string[];
}

export interface Restore {
  readonly folder: BackupFolder;
  readonly manifest: Manifest;
  readonly decrypt: Conversion | null;
  readonly parallel: number;
}

/**
 * Restores a backup that was checked. Bytes first, rows second, and all rows at once: until the very end the database is empty, and the
 * restore can be started again.
 */
export async function restoreBackup(config: Config, restore: Restore): Promise<Restored> {
  const { folder, manifest, decrypt } = restore;
  const secret =
    manifest.secret !== null && config.secretKeys === null ? await folder.readText(manifest.secret, decrypt) : null;
  const present = await readSecretFile(config.dataDir);
  if (secret !== null && present !== null && present !== secret) {
    throw new Error(
      `${config.dataDir} already has a different secret-key. Restore into a new DATA_DIR, or set SECRET_KEY.`,
    );
  }
  const { target, close } = await openArchiveTarget(config, (line) => console.error(line));
  const count = { files: 0, bytes: 0, wrong: [] as string[] };
  try {
    await target.prepare(manifest.schema.migrations);
    await restoreAllBlobs(config, restore, count);
    if (secret !== null && present === null) await writeSecretFile(config.dataDir, secret);
    await target.fill(manifest.schema, (table) => folder.readPart(partOf(manifest, table), decrypt));
  } finally {
    await close();
  }
  // Opening the database migrates it from the schema of the backup to that of this program.
  const restored = await openInstallation(config, { create: true });
  const missed = folder.readValues<MissedBlob>(manifest.missed, decrypt);
  const leftOut = await removeMissed(restored.ports, missed).finally(() => restored.close());
  const rows = Object.values(manifest.tables).reduce((sum, { lines }) => sum + lines, 0);
  return { rows, leftOut, ...count };
}

function partOf({ tables }: Manifest, table: string): Part {
  const part = tables[table];
  if (part === undefined) throw new Error(`The manifest has no entry for ${table}.`);
  return part;
}

async function restoreAllBlobs(
  config: Config,
  { folder, manifest, decrypt, parallel }: Restore,
  count: { files: number; bytes: number; wrong: string[] },
): Promise<void> {
  const from = await openBlobFiles(folder.root, manifest);
  const listed = () => folder.readValues<BackedUpBlob>(manifest.blobs, null);
  const { blobs: to, close } = await openBlobs(config);
  try {
    const strange = await foreignBlob(to, listed);
    if (strange !== null)
      throw new Error(
        `The blob store is not empty: ${strange} is not part of this backup. Restore into an empty store.`,
      );
    const onDone = (sizeBytes: number) => {
      count.files += 1;
      count.bytes += sizeBytes;
    };
    const onWrong = ({ key }: BackedUpBlob) => count.wrong.push(key);
    await restoreBlobs({ from, to, parallel, decrypt, onDone, onWrong }, listed());
  } finally {
    close();
  }
}
