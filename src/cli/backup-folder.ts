import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { makeFolders } from '../composition/installation-files.js';
import type { ArchivedSchema } from '../core/backup/database-snapshot.js';

/** A file of a backup, compressed with gzip. */
export interface Part {
  readonly file: string;
  readonly lines: number;
  /** Of the compressed file. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly format: 1;
  /** Version of the program that made it. */
  readonly version: string;
  /** The time of the snapshot. */
  readonly snapshotAt: string;
  readonly finishedAt: string;
  readonly schema: ArchivedSchema;
  /** By table. */
  readonly tables: Readonly<Record<string, Part>>;
  /** Blobs of the rows, in `blobs/` beside all backups of the folder. */
  readonly blobs: Part;
  readonly blobBytes: number;
  /** Rows whose bytes are not here, and why. */
  readonly missed: Part;
  /** Whether `secret-key` is included; if not, it was in the environment. */
  readonly hasSecret: boolean;
}

const UNFINISHED = '.unfinished';
const MANIFEST = 'manifest.json';

/** One backup in a folder of backups. It is named after its time; until it is complete, the name ends in `.unfinished`. */
export class BackupFolder {
  private constructor(
    readonly root: string,
    readonly name: string,
    private readonly path: string,
  ) {}

  static async begin(root: string, at: Date): Promise<BackupFolder> {
    const name = at.toISOString().replaceAll(':', '-');
    const path = join(root, `${name}${UNFINISHED}`);
    await makeFolders(root, 0o700);
    await mkdir(path, { mode: 0o700 });
    return new BackupFolder(root, name, path);
  }

  /** Names of complete backups, oldest first, and of incomplete ones. */
  static async list(root: string): Promise<{ whole: string[]; unfinished: string[] }> {
    const names = (await readdir(root)).filter((name) => /^\d{4}-\d\d-\d\dT/.test(name)).sort();
    const isUnfinished = (name: string) => name.endsWith(UNFINISHED);
    return { whole: names.filter((name) => !isUnfinished(name)), unfinished: names.filter(isUnfinished) };
  }

  static at(root: string, name: string): BackupFolder {
    return new BackupFolder(root, name, join(root, name));
  }

  async writePart(file: string, bytes: AsyncIterable<Uint8Array>): Promise<Part> {
    const part = await this.openPart(file);
    for await (const chunk of bytes) await part.write(chunk);
    return part.end();
  }

  async openPart(file: string): Promise<PartWriter> {
    return new PartWriter(file, join(this.path, file));
  }

  /** Errors: an Error when the file does not match the manifest byte for byte. */
  async check({ file, sha256 }: Part): Promise<void> {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(this.path, file))) hash.update(chunk);
    if (hash.digest('hex') !== sha256) throw new Error(`${join(this.path, file)} is damaged. Create another backup.`);
  }

  readPart({ file }: Part): AsyncIterable<Uint8Array> {
    const gunzip = createGunzip();
    createReadStream(join(this.path, file))
      .on('error', (error) => gunzip.destroy(error))
      .pipe(gunzip);
    return gunzip;
  }

  async *readValues<T>({ file }: Pick<Part, 'file'>): AsyncGenerator<T> {
    const input = createGunzip();
    createReadStream(join(this.path, file))
      .on('error', (error) => input.destroy(error))
      .pipe(input);
    for await (const line of createInterface({ input })) yield JSON.parse(line) as T;
  }

  writeSecret(secret: string): Promise<void> {
    return writeFile(join(this.path, 'secret-key'), `${secret}\n`, { mode: 0o600, flush: true });
  }

  async readSecret(): Promise<string> {
    return (await readFile(join(this.path, 'secret-key'), 'utf8')).trim();
  }

  async manifest(): Promise<Manifest> {
    const text = await readFile(join(this.path, MANIFEST), 'utf8').catch(() => null);
    if (text === null) throw new Error(`There is no complete backup at ${this.path}.`);
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.format === 1) return manifest;
    throw new Error(`The backup at ${this.path} was made by a different version of this program.`);
  }

  /** From here on it is a complete backup. */
  async finish(manifest: Manifest): Promise<void> {
    await writeFile(join(this.path, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
    await syncFolder(this.path);
    await rename(this.path, join(this.root, this.name));
    await syncFolder(this.root);
  }
}

/** Writes one part, compressed, no faster than the disk accepts it. */
export class PartWriter {
  private lines = 0;
  private bytes = 0;
  private readonly hash = createHash('sha256');
  private readonly gzip = createGzip();
  private readonly written: Promise<void>;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly file: string,
    path: string,
  ) {
    const measuring = new Transform({
      transform: (chunk: Uint8Array, _, done) => {
        this.bytes += chunk.length;
        this.hash.update(chunk);
        done(null, chunk);
      },
    });
    this.written = pipeline(this.gzip, measuring, createWriteStream(path, { mode: 0o600, flush: true }));
    // It is thrown by `write` and `end`.
    this.written.catch(() => undefined);
  }

  write(chunk: Uint8Array): Promise<void> {
    const writing = this.turn.then(async () => {
      for (const byte of chunk) if (byte === 10) this.lines += 1;
      if (!this.gzip.write(chunk)) await Promise.race([once(this.gzip, 'drain'), this.written]);
    });
    this.turn = writing.catch(() => undefined);
    return writing;
  }

  writeValue(value: unknown): Promise<void> {
    return this.write(Buffer.from(`${JSON.stringify(value)}\n`));
  }

  async end(): Promise<Part> {
    await this.turn;
    this.gzip.end();
    await this.written;
    return { file: this.file, lines: this.lines, bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
