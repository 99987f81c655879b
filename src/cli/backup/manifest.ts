import { BeforeFirstRelease } from '../../core/backup/before-first-release.js';
import type { ArchivedSchema } from '../../core/backup/database-snapshot.js';
import { type BackupSignature, isSigned, signBackup } from '../../core/backup/signature.js';
import type { Secrets } from '../../core/shared/secrets.js';
import type { Part } from './part-file.js';

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

/** Every file of the backup except the manifest and its signature. */
export function partsOf({ tables, blobs, missed, secret }: Manifest): readonly Part[] {
  return [...Object.values(tables), blobs, missed, ...(secret === null ? [] : [secret])];
}

/** The text of a manifest or a signature, as it is signed or compared. */
export function written(value: Manifest | BackupSignature): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function signatureText(secrets: Secrets, manifest: string): string {
  return written(signBackup(secrets, new TextEncoder().encode(manifest)));
}

/**
 * A manifest and the key that signed it. Errors: an Error for a text that is not what was signed, or that this program does not know;
 * `BeforeFirstRelease` for the form that backups had when they were not signed.
 * @param path Of the backup, for messages.
 */
export function readManifest(
  path: string,
  text: Uint8Array,
  signature: string | null,
): { manifest: Manifest; signedBy: string } {
  const altered = (file: string) => new Error(`${path}/${file} was altered. Nothing was written: use another backup.`);
  if (signature === null) {
    known(path, text);
    throw new Error(`${path}/${SIGNATURE_FILE} is missing. Nothing was written: use another backup.`);
  }
  const given = parsed<BackupSignature>(signature);
  if (typeof given?.signedBy !== 'string' || typeof given.signature !== 'string' || written(given) !== signature)
    throw altered(SIGNATURE_FILE);
  if (!isSigned(given, text)) throw altered(MANIFEST_FILE);
  return { manifest: known(path, text), signedBy: given.signedBy };
}

export const MANIFEST_FILE = 'manifest.json';
export const SIGNATURE_FILE = 'manifest.sig';

function known(path: string, text: Uint8Array): Manifest {
  const manifest = parsed<Manifest | { readonly format: 1 }>(new TextDecoder().decode(text));
  if (manifest === null)
    throw new Error(`${path}/${MANIFEST_FILE} is damaged. Nothing was written: use another backup.`);
  if (manifest.format === 1) throw new BeforeFirstRelease('backup');
  if (manifest.format !== 2) throw new Error(`The backup at ${path} was made by a different version of this program.`);
  return manifest;
}

function parsed<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T;
  } catch {
    return null;
  }
}
