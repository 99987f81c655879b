import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { PartlyDone } from 'photo-service-cli/exit-codes';
import { print } from 'photo-service-cli/print';
import { ageDecryption } from '../../adapters/age/age-encryption.js';
import { readSecretFile, writeSecretFile } from '../../adapters/secret-file.js';
import { configOf } from '../../composition/blob-stores.js';
import { openBlobs } from '../../composition/open-blobs.js';
import { openArchiveTarget } from '../../composition/open-database.js';
import type { Config } from '../../config/config.js';
import { refuseBeforeFirstRelease } from '../../core/backup/before-first-release.js';
import type { BackedUpBlob, Conversion, MissedBlob } from '../../core/backup/blob-backup.js';
import { checkBlobs, foreignBlob, removeMissed, restoreBlobs } from '../../core/backup/restore-blobs.js';
import { backupKeys, isBackupKey } from '../../core/backup/signature.js';
import { counted } from '../../core/shared/text.js';
import { wholeOption } from '../options.js';
import { openInstallation, printInstallation } from '../with-ports.js';
import { BackupFolder, blobFolders, openBlobFiles } from './backup-folder.js';
import type { Manifest } from './manifest.js';
import type { Part } from './part-file.js';

interface RestoreOptions {
  readonly at?: string;
  readonly identity?: string;
  readonly signedBy?: string;
  readonly check?: boolean;
  readonly leaveOutDamaged?: boolean;
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
    .option('--identity <file>', 'what decrypts it: a file of age-keygen')
    .option('--signed-by <key>', 'the key that must have signed it (default: that of this installation)', (text) => {
      if (!isBackupKey(text)) throw new InvalidArgumentError('It must be a key that phs backup has printed: phsb1_…');
      return text;
    })
    .option('--check', 'only compare every file with the signed list; an encrypted backup needs no identity for it')
    .option('--leave-out-damaged', 'restore everything else when files of photos are missing or damaged')
    .option('--parallel <n>', 'photos restored at the same time', wholeOption, 4)
    .action(async (dir: string, options: RestoreOptions) => {
      const config = configOf(process.env);
      if (!options.check) printInstallation(config);
      const folder = await chooseBackup(resolve(dir), options.at);
      const { manifest, signedBy } = await folder.manifest();
      console.error(`phs: ${await checkSigner(config, signedBy, options.signedBy)}`);
      if (!options.check) refuseBeforeFirstRelease('backup', manifest.schema.migrations);
      await folder.check(manifest);
      const decrypt = options.check ? null : await openEncryption(folder, manifest, options.identity);
      const parallel = Math.max(1, options.parallel);
      const damaged = await wrongBlobs(folder, manifest, parallel);
      if (damaged.length > 0 && !options.leaveOutDamaged) throw new Error(refusal(damaged));
      if (options.check) {
        const lines = damaged.length > 0 ? damaged : [`${folder.name} is complete, and nothing in it was altered.`];
        print(options, { ok: damaged.length === 0, name: folder.name, signedBy, damaged }, lines);
        if (damaged.length > 0) throw new PartlyDone();
        return;
      }
      const restored = await restoreBackup(config, { folder, manifest, decrypt, parallel });
      const ok = restored.wrong.length === 0;
      print(
        options,
        { ok, name: folder.name, ...restored },
        linesAbout(folder.name, restored, manifest.secret !== null),
      );
      if (!ok) throw new PartlyDone();
    });
}

/** Number of files that a message names: for a broken disk, a list of all would be too long. */
const NAMED = 20;

function refusal(damaged: readonly string[]): string {
  const more = damaged.length > NAMED ? [`and ${counted(damaged.length - NAMED, 'more file')}.`] : [];
  const named = damaged.slice(0, NAMED).map((file) => `${file}.`);
  return [...named, ...more, 'Nothing was written. --leave-out-damaged restores everything else.'].join('\n');
}

function linesAbout(name: string, restored: Awaited<ReturnType<typeof restoreBackup>>, hasSecret: boolean): string[] {
  return [
    `Restored ${name}: ${counted(restored.rows, 'row')} and ${counted(restored.files, 'file')} (${counted(restored.bytes, 'byte')}).`,
    ...(restored.leftOut > 0
      ? [
          `${counted(restored.leftOut, 'photo or item has', 'photos and items have')} no bytes in the backup and ${restored.leftOut === 1 ? 'was' : 'were'} left out.`,
        ]
      : []),
    ...restored.wrong.map(
      (key) => `The backup lacks ${key}, or its bytes have changed: phs verify --repair marks its photo.`,
    ),
    ...(hasSecret ? [] : ['Set SECRET_KEY to its previous value: the backup does not contain it.']),
    'Run phs verify before you start the service.',
  ];
}

/** Errors: an Error when there is no complete backup, or none of that name. */
async function chooseBackup(root: string, name: string | undefined): Promise<BackupFolder> {
  const { whole, unfinished } = await BackupFolder.list(root);
  const newest = name ?? whole.at(-1);
  if (newest !== undefined && whole.includes(newest)) return BackupFolder.at(root, newest);
  const others = unfinished.length > 0 ? ` ${unfinished.length} incomplete.` : '';
  throw new Error(`There is no complete backup${name === undefined ? '' : ` ${name}`} in ${root}.${others}`);
}

/**
 * Whether the signer of the backup may have made it: the key that the operator names, otherwise that of the installation if its secret is
 * here. Errors: an Error if not. Answers what people must know.
 */
export async function checkSigner(
  { secretKeys, dataDir }: Config,
  signedBy: string,
  expected: string | undefined,
): Promise<string> {
  if (expected === signedBy) return `Signed by ${signedBy}, as expected.`;
  if (expected !== undefined) throw new Error(`The backup is signed by ${signedBy}, not by ${expected}.`);
  const stored = secretKeys === null ? await readSecretFile(dataDir) : null;
  const own = backupKeys(secretKeys ?? (stored === null ? ['none'] : [stored]));
  if (own.includes(signedBy)) return `Signed by ${signedBy}, the key of this installation.`;
  if (secretKeys !== null || stored !== null)
    throw new Error(
      `The backup is signed by ${signedBy}, not by the key of this installation (${own.join(', ')}). If you know that key, name it with --signed-by.`,
    );
  return `Signed by ${signedBy}. Compare it with the key that phs backup printed: anyone can sign with a key of their own.`;
}

/** Returns what decrypts a backup; null if it is not encrypted. Errors: an Error when the identity is missing, or does not open the backup. */
export async function openEncryption(
  folder: BackupFolder,
  { recipients, missed }: Manifest,
  identityFile: string | undefined,
): Promise<Conversion | null> {
  if (recipients.length === 0) return null;
  if (identityFile === undefined)
    throw new Error(
      `The backup is encrypted to ${recipients.join(', ')}. Name the file of an identity with --identity.`,
    );
  const decrypt = await ageDecryption(await readFile(identityFile, 'utf8'));
  try {
    await folder.readText(missed, decrypt);
  } catch {
    throw new Error(`${identityFile} has no identity of ${recipients.join(', ')}, to which the backup is encrypted.`);
  }
  return decrypt;
}

/** The files of blobs, by their path, that are missing or were altered. */
export async function wrongBlobs(folder: BackupFolder, manifest: Manifest, parallel: number): Promise<string[]> {
  const from = await openBlobFiles(folder.root, manifest);
  const kind = manifest.recipients.length > 0 ? blobFolders.encrypted : blobFolders.plain;
  const wrong: string[] = [];
  const onWrong = ({ key, file }: BackedUpBlob, why: 'missing' | 'altered') => {
    wrong.push(`${join(folder.root, kind, file ?? key)} ${why === 'missing' ? 'is missing' : 'was altered'}`);
  };
  await checkBlobs({ from, parallel, onWrong }, folder.readValues<BackedUpBlob>(manifest.blobs, null));
  return wrong;
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
async function restoreBackup(config: Config, restore: Restore) {
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
  // `wrong`: keys whose bytes are missing from the backup.
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
