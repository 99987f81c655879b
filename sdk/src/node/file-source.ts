import { type BigIntStats, createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { photoName } from '../import/photo-name.js';
import type { ImportSource } from '../import/source.js';
import type { PhotoDetails } from '../resources.js';
import type { HashPool } from './hash-pool.js';
import { type Connections, sendContent } from './put-file.js';

/** A file of this machine. */
export interface LocalFile {
  /** Identifies it within its run, and in later runs. */
  readonly ref: string;
  readonly path: string;
  /** The path in the file system, where it is not UTF-8. */
  readonly bytes?: Buffer | undefined;
  /** The filename of the photo, if it differs from the file's. */
  readonly filename?: string | undefined;
  readonly stats: BigIntStats;
  readonly details?: PhotoDetails | undefined;
}

/** A file of this machine as what an import takes. */
export function fileSource(
  { ref, path, bytes, filename = basename(path), stats, details }: LocalFile,
  { pool, connections }: { readonly pool: HashPool; readonly connections: Connections },
): ImportSource {
  const sizeBytes = Number(stats.size);
  const location = bytes ?? path;
  const open = (start: number) => createReadStream(location, { start, end: sizeBytes - 1, highWaterMark: 256 * 1024 });
  return {
    ref,
    filename: photoName(filename),
    sizeBytes,
    ...(details && { details }),
    // The change time too: the modification time can be set back by the program that edits a file.
    fingerprint: [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(':'),
    sha256: (signal) => pool.sha256(location, signal),
    send: (request, onBytes, signal) => sendContent(connections, { open, sizeBytes }, request, onBytes, signal),
  };
}
