import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Conversion } from '../../core/backup/blob-backup.js';

/** A file of a backup. Its name says its form: `.gz` is compressed, `.age` after that is encrypted. */
export interface Part {
  readonly file: string;
  readonly lines: number;
  /** Bytes of the file as it is on disk, like its hash. */
  readonly bytes: number;
  readonly sha256: string;
}

export const ENCRYPTED = '.age';
export const COMPRESSED = /\.gz(\.age)?$/;

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
