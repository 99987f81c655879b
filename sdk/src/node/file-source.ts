import type { BigIntStats } from 'node:fs';
import { basename } from 'node:path';
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

/** A name that the service takes (1 to 255 characters, no control characters, no backslash), as near to the file's as can be. */
function photoName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[\p{Cc}\\]/gu, '_')
    .trim();
  const characters = [...plain];
  if (characters.length <= 255) return plain === '' ? '_' : plain;
  const extension = /\.\w{1,8}$/.exec(plain)?.[0] ?? '';
  return characters.slice(0, 255 - extension.length).join('') + extension;
}
