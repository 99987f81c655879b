import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BeforeFirstRelease } from '../../core/backup/before-first-release.js';
import type { ArchivedSchema } from '../../core/backup/database-snapshot.js';
import { type BackupSignature, isSigned, signBackup } from '../../core/backup/signature.js';
import type { Secrets } from '../../core/shared/secrets.js';
import type { Part } from './part-file.js';

/** The list of what a backup consists of. It is signed, by a file beside it. */
export interface Manifest {
  readonly format: 2;
  /** Version of the program that made it. */
  readonly version: string;
  /** The time of the snapshot. */
  readonly snapshotAt: string;
  readonly finishedAt: string;
  readonly schema: ArchivedSchema;
  /** By table. */
  readonly tables: Readonly<Record<string, Part>>;
  /** Blobs of the rows, in a folder beside all backups. Never encrypted: it names files and says nothing of what is in them. */
  readonly blobs: Part;
  readonly blobBytes: number;
  /** Rows whose bytes are not here, and why. */
  readonly missed: Part;
  /** The secret of the installation; null if it was left out. */
  readonly secret: Part | null;
  /** The public keys of age; none: it is not encrypted. */
  readonly recipients: readonly string[];
}

export const SECRET = 'secret-key';
export const MANIFEST_FILE = 'manifest.json';
export const SIGNATURE_FILE = 'manifest.sig';

/** Writes it and its signature into the folder of its backup. */
export async function writeManifest(path: string, manifest: Manifest, secrets: Secrets): Promise<void> {
  const json = written(manifest);
  const options = { mode: 0o600, flush: true };
  await writeFile(join(path, MANIFEST_FILE), json, options);
  await writeFile(join(path, SIGNATURE_FILE), signatureText(secrets, json), options);
}

export function signatureText(secrets: Secrets, manifest: string): string {
  return written(signBackup(secrets, new TextEncoder().encode(manifest)));
}

/** The form that is signed and compared. */
function written(value: Manifest | BackupSignature): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * The manifest of a backup and the key that signed it. Errors: an Error when there is no complete backup, for a text that is not what was signed,
 * and for one that this program does not know; `BeforeFirstRelease` for the form that backups had when they were not signed.
 */
export async function readManifest(path: string): Promise<{ manifest: Manifest; signedBy: string }> {
  const json = await readFile(join(path, MANIFEST_FILE)).catch(() => null);
  if (json === null) throw new Error(`There is no complete backup: ${join(path, MANIFEST_FILE)} is missing.`);
  const signature = await readFile(join(path, SIGNATURE_FILE), 'utf8').catch(() => null);
  let signedBy: string | null = null;
  if (signature !== null) {
    const given = parsed<BackupSignature>(signature);
    if (typeof given?.signedBy !== 'string' || typeof given.signature !== 'string' || written(given) !== signature)
      throw unusable(path, SIGNATURE_FILE, 'was altered');
    if (!isSigned(given, json)) throw unusable(path, MANIFEST_FILE, 'was altered');
    signedBy = given.signedBy;
  }
  const manifest = parsed<Manifest | { readonly format: 1 }>(new TextDecoder().decode(json));
  if (manifest === null) throw unusable(path, MANIFEST_FILE, 'is damaged');
  if (manifest.format === 1) throw new BeforeFirstRelease('backup');
  if (manifest.format !== 2) throw new Error(`The backup at ${path} was made by a different version of this program.`);
  // Only now: the first form had no signature.
  if (signedBy === null) throw unusable(path, SIGNATURE_FILE, 'is missing');
  return { manifest, signedBy };
}

function parsed<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}

export function unusable(path: string, file: string, why: string): Error {
  return new Error(`${join(path, file)} ${why}. Nothing was written: use another backup.`);
}
