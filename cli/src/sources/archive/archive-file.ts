import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { FileProblem } from 'photo-service-sdk';
import type { LocalBytes, RemoteBytes } from '../photo-source.js';

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
  bytes(filename: string): LocalBytes | RemoteBytes;
}

/** The files of an export, wherever it lies. */
export interface Archive {
  readonly files: readonly ArchiveFile[];
  close(): Promise<void>;
}

/**
 * The whole of a small file.
 * @throws FileProblem for a larger one; what the stream throws.
 */
export async function wholeOf(file: ArchiveFile, most: number): Promise<Buffer> {
  if (file.sizeBytes > most) throw new FileProblem('unreadable', `It has more than ${most} bytes.`);
  return buffer(await file.open(0));
}

/** The first bytes of a file. */
export async function headOf(file: Pick<ArchiveFile, 'open'>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of await file.open(0)) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop ends the stream.
    if (length >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most);
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
