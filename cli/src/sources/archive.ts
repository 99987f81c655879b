import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { FileProblem } from 'photo-service-sdk';
import { type Entry, open, type ZipFile } from 'yauzl';
import { UsageError } from '../exit-codes.js';
import type { PhotoSource, SourceFile, SourceItem } from './photo-source.js';
import { without } from './streams.js';

/** The files of an export, wherever it lies. */
interface Archive {
  readonly files: readonly ArchiveFile[];
  close(): Promise<void>;
}

/** A file of an export: an entry of an archive, or a file of the folder into which the archive was unpacked. */
export interface ArchiveFile {
  /** Within the export, with slashes, in NFC. */
  readonly path: string;
  /** The name by which people find it, with that of the archive. */
  readonly label: string;
  readonly sizeBytes: number;
  /** CRC-32 of the content; null when it is not known without reading it. */
  readonly crc32: number | null;
  open(start: number): Promise<Readable>;
  /** For the import, as a photo of this name. */
  bytes(filename: string): SourceFile;
}

/**
 * An export that consists of several archives, of folders into which they were unpacked, or of both, as one source.
 * @throws UsageError for a path that is neither.
 */
export async function openArchives(
  paths: readonly string[],
  items: (files: readonly ArchiveFile[], signal: AbortSignal) => AsyncIterable<SourceItem>,
): Promise<PhotoSource> {
  const archives: Archive[] = [];
  const close = async () => {
    await Promise.all(archives.map((archive) => archive.close()));
  };
  try {
    for (const path of paths) {
      const isFolder = (await stat(path)).isDirectory();
      if (!isFolder && !/\.zip$/i.test(path))
        throw new UsageError(`${path} is neither a zip archive nor a folder. Unpack other archives first.`);
      archives.push(isFolder ? await openFolder(path) : await openZip(path));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const files = archives.flatMap((archive) => archive.files);
  return { items: (signal) => items(files, signal), close };
}

/** An export that was unpacked. Links are not followed. */
export async function openFolder(folder: string): Promise<Archive> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files: ArchiveFile[] = [];
  for (const path of paths.sort()) {
    const stats = await stat(path, { bigint: true });
    files.push({
      path: relative(folder, path).split(sep).join('/').normalize('NFC'),
      label: path,
      sizeBytes: Number(stats.size),
      crc32: null,
      open: (start) => Promise.resolve(createReadStream(path, { start })),
      bytes: (filename) => ({ path, stats, filename }),
    });
  }
  return { files, close: () => Promise.resolve() };
}

/**
 * A zip archive, of any size. Entries are read from where they are in it; nothing is unpacked to the disk.
 * @throws UsageError for a file that is no zip archive.
 */
export async function openZip(path: string): Promise<Archive> {
  const { size, mtimeMs } = await stat(path);
  const options = { lazyEntries: true, autoClose: false };
  const zip = await promisify<string, object, ZipFile>(open)(path, options).catch((error: Error) => {
    throw new UsageError(`${path} is not a complete zip archive: ${error.message}`);
  });
  try {
    const files = (await entriesOf(zip)).map((entry): ArchiveFile => {
      const { fileName, uncompressedSize: sizeBytes, crc32 } = entry;
      const start = async (from: number) => {
        const stream = await new Promise<Readable>((resolve, reject) => {
          zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
        });
        return from === 0 ? stream : without(stream, from);
      };
      const fingerprint = `${size}:${mtimeMs}:${crc32}:${sizeBytes}`;
      return {
        path: fileName.normalize('NFC'),
        label: `${basename(path)}/${fileName}`,
        sizeBytes,
        crc32,
        open: start,
        bytes: (filename) => ({ filename, content: { sizeBytes, open: start }, fingerprint }),
      };
    });
    return { files, close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
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

/**
 * The whole of a small file.
 * @throws FileProblem for a larger one; what the stream throws.
 */
export async function wholeOf(file: ArchiveFile, most: number): Promise<Buffer> {
  if (file.sizeBytes > most) throw new FileProblem('unreadable', `It has more than ${most} bytes.`);
  return buffer(await file.open(0));
}

/** A JSON document of an export; null for what is none, or is larger than any that an export has. */
export async function jsonOf(file: ArchiveFile): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse((await wholeOf(file, 64 * 1024 * 1024)).toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof FileProblem) return null;
    throw error;
  }
}
