import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { openBlobFolder } from '../composition/open-blobs.js';
import { backUpBlobs } from '../core/backup/back-up-blobs.js';
import { type MissedBlob, type NeededBlob } from '../core/backup/blob-backup.js';
import type { ArchivedSchema } from '../core/backup/database-snapshot.js';
import type { OpenPorts } from '../ports.module.js';
import { BackupFolder, type Part } from './backup-folder.js';
import { PartlyDone } from './exit-codes.js';
import { wholeOption } from './options.js';
import { print } from './print.js';
import { VERSION } from './version.js';
import { openInstallation, presentInstallation } from './with-ports.js';

interface BackupOptions {
  readonly parallel: number;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'back up the database and the photos while the service runs; the next backup into the same folder adds only what is new',
    )
    .argument('<dir>', 'the folder for backups')
    .option('--parallel <n>', 'photos copied at the same time', wholeOption, 4)
    .option('--json', 'print one JSON document')
    .action(async (dir: string, options: BackupOptions) => {
      const config = await presentInstallation();
      const open = await openInstallation(config, { create: false });
      try {
        const made = await makeBackup(open, resolve(dir), Math.max(1, options.parallel), config.secretKeys === null);
        const { rows, copied, unchanged, bytes, deleted, problems } = made;
        print(options, { ok: problems.length === 0, ...made }, [
          `Backup ${made.name}: ${rows} rows, ${copied} new files (${bytes} bytes), ${unchanged} files already backed up.`,
          ...(deleted > 0
            ? [`${deleted} photos were permanently deleted during the backup; a restore leaves them out.`]
            : []),
          ...problems.map(
            ({ key, why, id, customerId }) =>
              `${key} of photo ${id} (customer ${customerId}) is ${why}. See phs verify.`,
          ),
        ]);
        if (problems.length > 0) throw new PartlyDone();
      } finally {
        await open.close();
      }
    });
}

/** A store without its photos would report as many problems as there are photos. */
const MAX_TOLD = 1000;

interface Backup {
  readonly name: string;
  readonly path: string;
  readonly rows: number;
  readonly copied: number;
  readonly unchanged: number;
  readonly bytes: number;
  readonly deleted: number;
  readonly problems: readonly MissedBlob[];
}

/**
 * Rows first, then the blobs that they refer to: blobs added to the store meanwhile do not belong to them, and deleted ones are recognized.
 */
async function makeBackup(
  { ports, takeSnapshot }: OpenPorts,
  root: string,
  parallel: number,
  withSecret: boolean,
): Promise<Backup> {
  const startedAt = ports.clock.now();
  const folder = await BackupFolder.begin(root, startedAt);
  const { schema, tables, wanted } = await takeSnapshot(async (snapshot) => {
    const { tables: all } = await snapshot.schema();
    const parts: Record<string, Part> = {};
    for (const table of all) parts[table.name] = await folder.writePart(`${table.name}.copy.gz`, snapshot.rows(table));
    const list = await folder.openPart('wanted.jsonl.gz');
    for await (const blob of snapshot.neededBlobs()) await list.writeValue(blob);
    return { schema: (await snapshot.schema()) satisfies ArchivedSchema, tables: parts, wanted: await list.end() };
  });
  const [kept, missed] = [await folder.openPart('blobs.jsonl.gz'), await folder.openPart('missed.jsonl.gz')];
  const count = { copied: 0, unchanged: 0, bytes: 0, blobBytes: 0, deleted: 0 };
  const problems: MissedBlob[] = [];
  await backUpBlobs(
    ports,
    {
      from: ports.blobs,
      to: await openBlobFolder(join(root, 'blobs')),
      parallel,
      onBackedUp: (blob, isNew) => {
        count[isNew ? 'copied' : 'unchanged'] += 1;
        if (isNew) count.bytes += blob.sizeBytes;
        count.blobBytes += blob.sizeBytes;
        return kept.writeValue(blob);
      },
      onMissed: (blob) => {
        if (blob.why === 'deleted') count.deleted += 1;
        else if (problems.length < MAX_TOLD) problems.push(blob);
        return missed.writeValue(blob);
      },
    },
    folder.readValues<NeededBlob>(wanted),
  );
  const { blobBytes, ...told } = count;
  const lists = { blobs: await kept.end(), missed: await missed.end() };
  await rm(join(root, `${folder.name}.unfinished`, wanted.file));
  if (withSecret) await folder.writeSecret(ports.secrets[0]);
  const [snapshotAt, finishedAt] = [startedAt.toISOString(), ports.clock.now().toISOString()];
  const about = { format: 1, version: VERSION, snapshotAt, finishedAt, hasSecret: withSecret } as const;
  await folder.finish({ ...about, schema, tables, blobBytes, ...lists });
  const rows = Object.values(tables).reduce((sum, { lines }) => sum + lines, 0);
  return { name: folder.name, path: join(root, folder.name), rows, ...told, problems };
}
