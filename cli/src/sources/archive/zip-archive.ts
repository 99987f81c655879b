import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import { type Entry, open, type ZipFile } from 'yauzl';
import { UsageError } from '../../exit-codes.js';
import type { Archive, ArchiveFile } from './archive-file.js';

/**
 * A zip archive, of any size. Entries are read from where they are in it; nothing is unpacked to the disk.
 * @throws UsageError for a file that is no zip archive.
 */
export async function openZip(path: string): Promise<Archive> {
  const { size, mtimeMs } = await stat(path);
  const zip = await opened(path);
  try {
    const entries = await entriesOf(zip);
    const files = entries.map((entry) => fileOf(zip, entry, path, `${size}:${mtimeMs}`));
    return {
      files,
      close: () => {
        zip.close();
        return Promise.resolve();
      },
    };
  } catch (error) {
    zip.close();
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function opened(path: string): Promise<ZipFile> {
  try {
    return await promisify<string, object, ZipFile>(open)(path, { lazyEntries: true, autoClose: false });
  } catch (error) {
    throw new UsageError(`${path} is not a complete zip archive: ${(error as Error).message}`);
  }
}

function entriesOf(zip: ZipFile): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.on('entry', (entry: Entry) => {
      if (!entry.fileName.endsWith('/')) entries.push(entry);
      zip.readEntry();
    });
    zip.once('end', () => resolve(entries));
    zip.once('error', reject);
    zip.readEntry();
  });
}

function fileOf(zip: ZipFile, entry: Entry, archive: string, state: string): ArchiveFile {
  const { fileName, uncompressedSize, crc32 } = entry;
  const content = { sizeBytes: uncompressedSize, open: (start: number) => read(zip, entry, start) };
  return {
    path: fileName.normalize('NFC'),
    label: `${basename(archive)}/${fileName}`,
    sizeBytes: uncompressedSize,
    crc32,
    open: content.open,
    bytes: (filename) => ({ filename, content, fingerprint: `${state}:${crc32}:${uncompressedSize}` }),
  };
}

async function read(zip: ZipFile, entry: Entry, start: number): Promise<Readable> {
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  return start === 0 ? stream : without(stream, start);
}

/** A stream without its first bytes: what is compressed can only be read from its beginning. */
function without(stream: Readable, bytes: number): Readable {
  let left = bytes;
  const rest = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      const skipped = Math.min(left, chunk.length);
      left -= skipped;
      done(null, chunk.subarray(skipped));
    },
  });
  stream.once('error', (error) => rest.destroy(error));
  rest.once('close', () => stream.destroy());
  return stream.pipe(rest);
}
