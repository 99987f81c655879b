import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { readSecretFile, writeSecretFile } from '../composition/installation-files.js';
import { openBlobFolder, openBlobs } from '../composition/open-blobs.js';
import { openArchiveTarget } from '../composition/open-database.js';
import { type Config, readConfig } from '../config.js';
import type { BackedUpBlob, MissedBlob } from '../core/backup/blob-backup.js';
import { removeMissed } from '../core/backup/remove-missed.js';
import { foreignBlob, restoreBlobs } from '../core/backup/restore-blobs.js';
import { BackupFolder, type Manifest } from './backup-folder.js';
import { PartlyDone } from './exit-codes.js';
import { wholeOption } from './options.js';
import { print } from './print.js';
import { openInstallation, printInstallation } from './with-ports.js';

interface RestoreOptions {
  readonly at?: string;
  readonly parallel: number;
  readonly json?: boolean;
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'restore a backup into the empty database and blob store of the environment; if interrupted, run it again',
    )
    .argument('<dir>', 'the folder of backups')
    .option('--at <name>', 'the backup to restore (default: the newest complete one)')
    .option('--parallel <n>', 'photos restored at the same time', wholeOption, 4)
    .option('--json', 'print one JSON document')
    .action(async (dir: string, options: RestoreOptions) => {
      const config = readConfig(process.env);
      printInstallation(config);
      const folder = await chooseBackup(resolve(dir), options.at);
      const manifest = await folder.manifest();
      const restored = await restore(config, folder, manifest, Math.max(1, options.parallel));
      print(options, { ok: restored.wrong.length === 0, name: folder.name, ...restored }, [
        `Restored ${folder.name}: ${restored.rows} rows and ${restored.files} files (${restored.bytes} bytes).`,
        ...(restored.leftOut > 0
          ? [`${restored.leftOut} photos and items have no bytes in the backup and were left out.`]
          : []),
        ...restored.wrong.map(
          (key) => `The backup lacks ${key}, or its bytes have changed: phs verify --repair marks its photo.`,
        ),
        ...(manifest.hasSecret ? [] : ['Set SECRET_KEY to its previous value: the backup does not contain it.']),
        'Run phs verify before you start the service.',
      ]);
      if (restored.wrong.length > 0) throw new PartlyDone();
    });
}

async function chooseBackup(root: string, name: string | undefined): Promise<BackupFolder> {
  const { whole, unfinished } = await BackupFolder.list(root).catch(() => ({
    whole: [] as string[],
    unfinished: [] as string[],
  }));
  const newest = name ?? whole.at(-1);
  if (newest !== undefined && whole.includes(newest)) return BackupFolder.at(root, newest);
  const others = unfinished.length > 0 ? ` ${unfinished.length} incomplete.` : '';
  throw new Error(`There is no complete backup${name === undefined ? '' : ` ${name}`} in ${root}.${others}`);
}

interface Restored {
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  /** Rows that have no bytes. */
  readonly leftOut: number;
  /** Keys whose bytes are missing from the backup. */
  readonly wrong: readonly string[];
}

/** Bytes first, rows second, and all rows at once: until the very end the database is empty, and the restore can be started again. */
async function restore(config: Config, folder: BackupFolder, manifest: Manifest, parallel: number): Promise<Restored> {
  for (const part of [...Object.values(manifest.tables), manifest.blobs, manifest.missed]) await folder.check(part);
  const secret = manifest.hasSecret && config.secretKeys === null ? await folder.readSecret() : null;
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
    await restoreAllBlobs(config, folder, manifest, parallel, count);
    if (secret !== null && present === null) await writeSecretFile(config.dataDir, secret);
    await target.fill(manifest.schema, (table) => folder.readPart(partOf(manifest, table)));
  } finally {
    await close();
  }
  // Opening the database migrates it from the schema of the backup to that of this program.
  const restored = await openInstallation(config, { create: true });
  const missed = folder.readValues<MissedBlob>(manifest.missed);
  const leftOut = await removeMissed(restored.ports, missed).finally(() => restored.close());
  const rows = Object.values(manifest.tables).reduce((sum, { lines }) => sum + lines, 0);
  return { rows, leftOut, ...count };
}

function partOf({ tables }: Manifest, table: string): Manifest['blobs'] {
  const part = tables[table];
  if (part === undefined) throw new Error(`The manifest has no entry for ${table}.`);
  return part;
}

async function restoreAllBlobs(
  config: Config,
  folder: BackupFolder,
  manifest: Manifest,
  parallel: number,
  count: { files: number; bytes: number; wrong: string[] },
): Promise<void> {
  const from = await openBlobFolder(join(folder.root, 'blobs'));
  const { blobs: to, close } = await openBlobs(config);
  try {
    const strange = await foreignBlob({ from, to });
    if (strange !== null)
      throw new Error(
        `The blob store is not empty: ${strange} is not part of this backup. Restore into an empty store.`,
      );
    const onDone = ({ sizeBytes }: BackedUpBlob) => {
      count.files += 1;
      count.bytes += sizeBytes;
    };
    const onWrong = ({ key }: BackedUpBlob) => count.wrong.push(key);
    await restoreBlobs({ from, to, parallel, onDone, onWrong }, folder.readValues<BackedUpBlob>(manifest.blobs));
  } finally {
    close();
  }
}
