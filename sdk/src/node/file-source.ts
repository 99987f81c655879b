import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
import { photoName } from '../import/photo-name.js';
import type { ImportSource } from '../import/source.js';
import type { HashPool } from './hash-pool.js';
import { type Connections, putFile } from './put-file.js';

/** A file of this machine as what an import takes. */
export function fileSource(
  { ref, path, stats }: { readonly ref: string; readonly path: string; readonly stats: BigIntStats },
  { pool, connections }: { readonly pool: HashPool; readonly connections: Connections },
): ImportSource {
  const sizeBytes = Number(stats.size);
  return {
    ref,
    filename: photoName(basename(path)),
    sizeBytes,
    // The change time too: the modification time can be set back by whoever edits a file.
    fingerprint: [stats.size, stats.mtimeNs, stats.ctimeNs, stats.ino].join(':'),
    sha256: (signal) => pool.sha256(path, signal),
    send: (target, onBytes, signal) => putFile(connections, { path, sizeBytes }, target, onBytes, signal),
  };
}
