import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { makeFolders } from '../../adapters/data-dir.js';
import { syncFolder } from '../../adapters/sync-folder.js';
import { openBlobFolder } from '../../composition/open-blobs.js';
import type { Conversion } from '../../core/backup/blob-backup.js';
import { backupName, UNFINISHED } from '../../core/backup/signature.js';
import type { BlobStore } from '../../core/blobs/blob-store.js';
import type { Secrets } from '../../core/shared/secrets.js';
import { MANIFEST_FILE, type Manifest, readManifest, SIGNATURE_FILE, unusable, writeManifest } from './manifest.js';
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
      if (!expected.has(name)) throw unusable(this.path, name, 'is not part of the backup: it was added');
    for (const part of parts) await this.checkPart(part);
  }

  /** Checks a file against its hash. Errors: an Error that names it. */
  async checkPart(part: Part): Promise<void> {
    if (!PART.test(part.file))
      throw unusable(this.path, MANIFEST_FILE, `names ${part.file}, which is not a file of a backup`);
    const hash = createHash('sha256');
    try {
      for await (const chunk of createReadStream(join(this.path, part.file))) hash.update(chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw unusable(this.path, part.file, 'is missing');
      throw error;
    }
    if (hash.digest('hex') !== part.sha256) throw unusable(this.path, part.file, 'was altered');
  }

  manifest(): Promise<{ manifest: Manifest; signedBy: string }> {
    return readManifest(this.path);
  }

  /** From here on it is a complete backup. */
  async finish(manifest: Manifest, secrets: Secrets): Promise<void> {
    await writeManifest(this.path, manifest, secrets);
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
