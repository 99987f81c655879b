import { addAbortSignal, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { nameKey, photoNames } from 'photo-service-cli/file-name';
import { ZipFile } from 'yazl';
import type { Id } from '../../core/shared/ids.js';

/** Archives have no earlier times, in every zone; yazl fails for those before 1970. */
const EARLIEST = new Date('1980-01-02T00:00:00Z');

/** Lengths of the records around the bytes of an entry: its header, what follows its bytes, and its line in the directory with its time. */
const HEADER = 30;
const DESCRIPTOR = 16;
const DIRECTORY_LINE = 46 + 9;
/** The same of an entry that begins beyond 4 GiB, in addition. */
const FAR_DESCRIPTOR = 8;
const FAR_LINE = 28;
/** At the end of the archive, and in addition where it is too large for that. */
const END = 22;
const LARGE_END = 56 + 20;
const FAR = 0xffff_ffff;

export interface ZipEntry {
  /** With slashes, from the top of the archive. */
  readonly path: string;
  readonly modifiedAt: Date;
  /** When it is known; other sizes are an error then. */
  readonly sizeBytes: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/**
 * A zip archive of any size. Nothing is compressed, and nothing is read before it is needed: the next entry is asked for when the one before has
 * been read. Fails when an entry does.
 */
export async function* zipOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  // Typed as any stream; it is one that can be destroyed.
  const output = zip.outputStream as Readable;
  zip.on('error', (error: Error) => void output.destroy(error));
  const stopping = new AbortController();
  const filled = fill(zip, entries, stopping.signal).catch((error: Error) => void output.destroy(error));
  try {
    for await (const chunk of output) yield chunk;
  } finally {
    // The client may have gone: what is being read is released, and so is what is only being opened.
    stopping.abort();
    await filled;
  }
}

/**
 * Returns how long the archive of these entries will be. yazl would tell, too, but wrongly: it counts on the larger end for a directory of 64 KiB,
 * which it writes for one of 4 GiB.
 */
export function zipSize(entries: readonly { readonly path: string; readonly sizeBytes: number }[]): number {
  let files = 0;
  let directory = 0;
  for (const { path, sizeBytes } of entries) {
    const isFar = files >= FAR || sizeBytes >= FAR;
    const name = Buffer.byteLength(path);
    files += HEADER + name + sizeBytes + DESCRIPTOR + (isFar ? FAR_DESCRIPTOR : 0);
    directory += DIRECTORY_LINE + name + (isFar ? FAR_LINE : 0);
  }
  const isLarge = entries.length >= 0xffff || files >= FAR || directory >= FAR;
  return files + directory + END + (isLarge ? LARGE_END : 0);
}

async function fill(zip: ZipFile, entries: AsyncIterable<ZipEntry>, stopping: AbortSignal): Promise<void> {
  for await (const { path, modifiedAt, sizeBytes, bytes } of entries) {
    const source = addAbortSignal(stopping, Readable.from(bytes, { objectMode: false }));
    const read = finished(source);
    const size = sizeBytes === null ? {} : { size: sizeBytes };
    const mtime = modifiedAt.getTime() < EARLIEST.getTime() ? EARLIEST : modifiedAt;
    if (!stopping.aborted) zip.addReadStream(source, path, { mtime, compress: false, ...size });
    await read;
  }
  zip.end();
}

/** Names that differ on every file system, in the order of the list: the same list has the same names. */
export function withFileNames<T extends { readonly id: Id; readonly filename: string }>(
  photos: readonly T[],
): readonly (T & { readonly path: string })[] {
  const taken = new Set<string>();
  return photos.map((photo) => {
    const path = photoNames(photo).find((name) => !taken.has(nameKey(name)));
    if (path === undefined) throw new Error(`There is no free file name for photo ${photo.id}.`);
    taken.add(nameKey(path));
    return { ...photo, path };
  });
}
