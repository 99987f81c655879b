import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { makeFolders } from '../../adapters/data-dir.js';
import { syncFolder } from '../../adapters/sync-folder.js';
import { openBlobFolder } from '../../composition/open-blobs.js';
import { BeforeFirstRelease } from '../../core/backup/before-first-release.js';
import type { BackedUpBlob, Conversion } from '../../core/backup/blob-backup.js';
import type { ArchivedSchema } from '../../core/backup/database-snapshot.js';
import {
  type BackupSignature,
  backupKeys,
  backupName,
  isSigned,
  signBackup,
  UNFINISHED,
} from '../../core/backup/signature.js';
import type { BlobKey } from '../../core/blobs/blob-key.js';
import type { BlobStore } from '../../core/blobs/blob-store.js';
import type { Secrets } from '../../core/shared/secrets.js';
import { COMPRESSED, ENCRYPTED, type Part, PartWriter } from './part-file.js';

/** No path leads out of the backup. */
const PART = /^[a-z0-9_-]+(\.[a-z0-9]+)*$/i;

/** The end of a backup's name from when on it is being removed. */
const REMOVED = `.removed${UNFINISHED}`;

/** One backup in a folder of backups. It is named after its time; until it is complete, the name ends in `.unfinished`. */
export class BackupFolder {
  private constructor(
    readonly root: string,
    readonly name: string,
    private readonly path: string,
  ) {}

  static async begin(root: string, at: Date): Promise<BackupFolder> {
    const name = backupName(at);
    const path = join(root, `${name}${UNFINISHED}`);
    await makeFolders(root, 0o700);
    await mkdir(path, { mode: 0o700 });
    return new BackupFolder(root, name, path);
  }

  /** Names of complete backups, oldest first, and of incomplete ones. None if there is no such folder. */
  static async list(root: string): Promise<{ whole: string[]; unfinished: string[] }> {
    const entries = await readdir(root).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const names = entries.filter((name) => /^\d{4}-\d\d-\d\dT/.test(name)).sort();
    const isUnfinished = (name: string) => name.endsWith(UNFINISHED);
    return { whole: names.filter((name) => !isUnfinished(name)), unfinished: names.filter(isUnfinished) };
  }

  /** Removes what interrupted backups, and interrupted removals, have left. Only while no other backup runs. */
  static async removeUnfinished(root: string): Promise<void> {
    for (const name of (await BackupFolder.list(root)).unfinished) await remove(root, name);
  }

  /** Removes the oldest complete backups so that `count` are left; their names. One that is removed halfway is no complete backup. */
  static async keepNewest(root: string, count: number): Promise<string[]> {
    const { whole } = await BackupFolder.list(root);
    const oldest = whole.slice(0, Math.max(0, whole.length - count));
    for (const name of oldest) await remove(root, name);
    return oldest;
  }

  static at(root: string, name: string): BackupFolder {
    return new BackupFolder(root, name, join(root, name));
  }

  async writePart(file: string, bytes: AsyncIterable<Uint8Array>, encrypt: Conversion | null): Promise<Part> {
    const part = this.openPart(file, encrypt);
    for await (const chunk of bytes) await part.write(chunk);
    return part.end();
  }

  openPart(file: string, encrypt: Conversion | null): PartWriter {
    return new PartWriter(this.path, file, encrypt);
  }

  removePart({ file }: Part): Promise<void> {
    return rm(join(this.path, file));
  }

  /** Reads what was written, in the form in which it was given. Errors: an Error for an encrypted part without `decrypt`. */
  readPart({ file }: Pick<Part, 'file'>, decrypt: Conversion | null): Readable {
    if (file.endsWith(ENCRYPTED) && decrypt === null) throw new Error(`${join(this.path, file)} is encrypted.`);
    const stored = createReadStream(join(this.path, file));
    const plain = file.endsWith(ENCRYPTED) && decrypt !== null ? Readable.from(decrypt(stored)) : stored;
    if (!COMPRESSED.test(file)) return plain;
    const gunzip = createGunzip();
    // A reader sees the error of whichever ends first.
    pipeline(plain, gunzip).catch((error: Error) => gunzip.destroy(error));
    return gunzip;
  }

  async *readValues<T>(part: Pick<Part, 'file'>, decrypt: Conversion | null): AsyncGenerator<T> {
    const input = this.readPart(part, decrypt);
    // The lines would otherwise just end where the bytes fail.
    const failed = once(input, 'error').then(([error]) => {
      throw error;
    });
    failed.catch(() => undefined);
    const lines = createInterface({ input })[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { value, done } = await Promise.race([lines.next(), failed]);
        if (done) return;
        yield JSON.parse(value) as T;
      }
    } finally {
      input.destroy();
    }
  }

  async readText(part: Pick<Part, 'file'>, decrypt: Conversion | null): Promise<string> {
    return (await text(this.readPart(part, decrypt))).trim();
  }

  /** Errors: an Error that names the first file that the manifest does not have, or has with other bytes. */
  async check(manifest: Manifest): Promise<void> {
    const { tables, blobs, missed, secret } = manifest;
    const parts = [...Object.values(tables), blobs, missed, ...(secret === null ? [] : [secret])];
    const expected = new Set([MANIFEST_FILE, SIGNATURE_FILE, ...parts.map(({ file }) => file)]);
    for (const name of await readdir(this.path))
      if (!expected.has(name)) throw this.refusal(name, 'is not part of the backup: it was added');
    for (const part of parts) await this.checkPart(part);
  }

  /** Checks a file against its hash. Errors: an Error that names it. */
  async checkPart(part: Part): Promise<void> {
    if (!PART.test(part.file)) throw this.refusal(MANIFEST_FILE, `names ${part.file}, which is not a file of a backup`);
    const hash = createHash('sha256');
    try {
      for await (const chunk of createReadStream(join(this.path, part.file))) hash.update(chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw this.refusal(part.file, 'is missing');
      throw error;
    }
    if (hash.digest('hex') !== part.sha256) throw this.refusal(part.file, 'was altered');
  }

  private refusal(file: string, what: string): Error {
    return new Error(`${join(this.path, file)} ${what}. Nothing was written: use another backup.`);
  }

  /** Errors: as `readManifest`, and an Error when there is no complete backup. */
  async manifest(): Promise<{ manifest: Manifest; signedBy: string }> {
    const manifest = await readFile(join(this.path, MANIFEST_FILE)).catch(() => null);
    if (manifest === null)
      throw new Error(`There is no complete backup: ${join(this.path, MANIFEST_FILE)} is missing.`);
    const signature = await readFile(join(this.path, SIGNATURE_FILE), 'utf8').catch(() => null);
    return readManifest(this.path, manifest, signature);
  }

  /** From here on it is a complete backup. */
  async finish(manifest: Manifest, secrets: Secrets): Promise<void> {
    const json = written(manifest);
    const options = { mode: 0o600, flush: true };
    await writeFile(join(this.path, MANIFEST_FILE), json, options);
    await writeFile(join(this.path, SIGNATURE_FILE), signatureText(secrets, json), options);
    await syncFolder(this.path);
    await rename(this.path, join(this.root, this.name));
    await syncFolder(this.root);
  }
}

/** Renamed first: a process that still writes it, because it outlived its service, cannot complete what has lost files. */
async function remove(root: string, name: string): Promise<void> {
  const going = name.endsWith(REMOVED) ? name : `${name.replace(UNFINISHED, '')}${REMOVED}`;
  await rename(join(root, name), join(root, going));
  await rm(join(root, going), { recursive: true });
}

/** Beside the backups: the blobs of all of them. Plain and encrypted files are apart, so that either kind can be deleted. */
export const blobFolders = { plain: 'blobs', encrypted: 'blobs.age' } as const;

export function openBlobFiles(root: string, { recipients }: Pick<Manifest, 'recipients'>): Promise<BlobStore> {
  return openBlobFolder(join(root, recipients.length > 0 ? blobFolders.encrypted : blobFolders.plain));
}

/**
 * The encrypted files of earlier backups that were signed by this installation, and are encrypted to the same keys. A backup that is
 * altered, or signed by others, says nothing that may be relied on.
 */
export async function knownFiles(
  root: string,
  secrets: Secrets,
  recipients: readonly string[],
): Promise<ReadonlyMap<BlobKey, BackedUpBlob>> {
  const [known, trusted] = [new Map<BlobKey, BackedUpBlob>(), backupKeys(secrets)];
  for (const name of (await BackupFolder.list(root)).whole) {
    const folder = BackupFolder.at(root, name);
    try {
      const { manifest, signedBy } = await folder.manifest();
      if (!trusted.includes(signedBy) || !isSame(manifest.recipients, recipients)) continue;
      await folder.checkPart(manifest.blobs);
      for await (const blob of folder.readValues<BackedUpBlob>(manifest.blobs, null)) known.set(blob.key, blob);
    } catch (error) {
      console.error(`phs: warning: ${(error as Error).message} Its files are not used again.`);
    }
  }
  return known;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}

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

/** The text of a manifest or a signature, as it is signed or compared. */
function written(value: Manifest | BackupSignature): string {
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
function readManifest(
  path: string,
  text: Uint8Array,
  signature: string | null,
): { manifest: Manifest; signedBy: string } {
  const altered = (file: string) => new Error(`${path}/${file} was altered. Nothing was written: use another backup.`);
  if (signature === null) {
    manifestOf(path, text);
    throw new Error(`${path}/${SIGNATURE_FILE} is missing. Nothing was written: use another backup.`);
  }
  const given = parsed<BackupSignature>(signature);
  if (typeof given?.signedBy !== 'string' || typeof given.signature !== 'string' || written(given) !== signature)
    throw altered(SIGNATURE_FILE);
  if (!isSigned(given, text)) throw altered(MANIFEST_FILE);
  return { manifest: manifestOf(path, text), signedBy: given.signedBy };
}

const MANIFEST_FILE = 'manifest.json';
const SIGNATURE_FILE = 'manifest.sig';

function manifestOf(path: string, text: Uint8Array): Manifest {
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
