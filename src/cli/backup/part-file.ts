import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Conversion } from '../../core/backup/blob-backup.js';

/** A file of a backup. Its name says its form: `.gz` is compressed, `.age` after that is encrypted. */
export interface Part {
  readonly file: string;
  readonly lines: number;
  /** Bytes of the file as it is on disk, like its hash. */
  readonly bytes: number;
  readonly sha256: string;
}

const ENCRYPTED = '.age';
const COMPRESSED = /\.gz(\.age)?$/;

/** Writes one part no faster than the disk accepts it. @param encrypt Null: it is not encrypted. */
export class PartWriter {
  private lines = 0;
  private bytes = 0;
  private readonly hash = createHash('sha256');
  private readonly file: string;
  private readonly input: PassThrough;
  private readonly written: Promise<void>;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(folder: string, name: string, encrypt: Conversion | null) {
    this.file = encrypt === null ? name : `${name}${ENCRYPTED}`;
    this.input = new PassThrough();
    const measuring = new Transform({
      transform: (chunk: Uint8Array, _, done) => {
        this.bytes += chunk.length;
        this.hash.update(chunk);
        done(null, chunk);
      },
    });
    const compressing = COMPRESSED.test(name) ? createGzip() : new PassThrough();
    const disk = createWriteStream(join(folder, this.file), { flags: 'wx', mode: 0o600, flush: true });
    this.written = pipeline(this.input, compressing, encrypt ?? new PassThrough(), measuring, disk);
    // It is thrown by `write` and `end`.
    this.written.catch(() => undefined);
  }

  write(chunk: Uint8Array): Promise<void> {
    const writing = this.turn.then(async () => {
      for (const byte of chunk) if (byte === 10) this.lines += 1;
      if (!this.input.write(chunk)) await Promise.race([once(this.input, 'drain'), this.written]);
    });
    this.turn = writing.catch(() => undefined);
    return writing;
  }

  writeValue(value: unknown): Promise<void> {
    return this.write(Buffer.from(`${JSON.stringify(value)}\n`));
  }

  async end(): Promise<Part> {
    await this.turn;
    this.input.end();
    await this.written;
    return { file: this.file, lines: this.lines, bytes: this.bytes, sha256: this.hash.digest('hex') };
  }
}

/** Reads what was written, in the form in which it was given. Errors: an Error for an encrypted part without `decrypt`. */
export function readPart(folder: string, { file }: Pick<Part, 'file'>, decrypt: Conversion | null): Readable {
  const stored = createReadStream(join(folder, file));
  if (file.endsWith(ENCRYPTED) && decrypt === null) throw new Error(`${join(folder, file)} is encrypted.`);
  const plain = file.endsWith(ENCRYPTED) && decrypt !== null ? Readable.from(decrypt(stored)) : stored;
  if (!COMPRESSED.test(file)) return plain;
  const gunzip = createGunzip();
  // A reader sees the error of whichever ends first.
  pipeline(plain, gunzip).catch((error: Error) => gunzip.destroy(error));
  return gunzip;
}

export async function* readValues<T>(
  folder: string,
  part: Pick<Part, 'file'>,
  decrypt: Conversion | null,
): AsyncGenerator<T> {
  const input = readPart(folder, part, decrypt);
  // The lines would otherwise just end where the bytes fail.
  const failed = once(input, 'error').then(([error]) => {
    throw error;
  });
  failed.catch(() => undefined);
  const lines = createInterface({ input })[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (done) return;
    yield JSON.parse(value) as T;
  }
}

/** Null when the file is missing. */
export async function hashOfFile(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return hash.digest('hex');
}
