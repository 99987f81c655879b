import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ageDecryption } from '../../adapters/age/age-encryption.js';
import { readSecretFile } from '../../adapters/secret-file.js';
import type { Config } from '../../config/config.js';
import type { BackedUpBlob, Conversion } from '../../core/backup/blob-backup.js';
import { checkBlobs } from '../../core/backup/restore-blobs.js';
import { backupKeys } from '../../core/backup/signature.js';
import { BackupFolder } from './backup-folder.js';
import { blobFolders, openBlobFiles } from './blob-folders.js';
import type { Manifest } from './manifest.js';

/** Errors: an Error when there is no complete backup, or none of that name. */
export async function chooseBackup(root: string, name: string | undefined): Promise<BackupFolder> {
  const { whole, unfinished } = await BackupFolder.list(root);
  const newest = name ?? whole.at(-1);
  if (newest !== undefined && whole.includes(newest)) return BackupFolder.at(root, newest);
  const others = unfinished.length > 0 ? ` ${unfinished.length} incomplete.` : '';
  throw new Error(`There is no complete backup${name === undefined ? '' : ` ${name}`} in ${root}.${others}`);
}

/**
 * Whether whoever signed the backup may have made it: the key that the operator names, otherwise that of the installation if its secret is
 * here. Errors: an Error if not. Answers what people must know.
 */
export async function checkSigner(
  { secretKeys, dataDir }: Config,
  signedBy: string | null,
  expected: string | undefined,
): Promise<string> {
  if (signedBy === null) {
    if (expected !== undefined)
      throw new Error('The backup is not signed: it was made by an earlier version, or was altered to look like it.');
    return 'The backup was made before backups were signed: nothing shows whether it was altered on purpose.';
  }
  if (expected === signedBy) return `Signed by ${signedBy}, as expected.`;
  if (expected !== undefined) throw new Error(`The backup is signed by ${signedBy}, not by ${expected}.`);
  const stored = secretKeys === null ? await readSecretFile(dataDir) : null;
  const own = backupKeys(secretKeys ?? (stored === null ? ['none'] : [stored]));
  if (own.includes(signedBy)) return `Signed by ${signedBy}, the key of this installation.`;
  if (secretKeys !== null || stored !== null)
    throw new Error(
      `The backup is signed by ${signedBy}, not by the key of this installation (${own.join(', ')}). If you know that key, name it with --signed-by.`,
    );
  return `Signed by ${signedBy}. Compare it with the key that phs backup printed: anybody can sign with a key of their own.`;
}

/** What decrypts a backup; null if it is not encrypted. Errors: an Error when the identity is missing, or does not open the backup. */
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
