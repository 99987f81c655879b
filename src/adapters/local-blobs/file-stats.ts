import type { BigIntStats } from 'node:fs';
import type { BlobInfo, BlobState } from '../../core/blobs/blob-store.js';

/** The `etag` distinguishes a file from any other that ever had its path. */
export function infoOf(stats: BigIntStats): BlobInfo {
  const etag = [stats.ino, stats.mtimeNs, stats.size].map((part) => part.toString(36)).join('-');
  return { sizeBytes: Number(stats.size), etag };
}

/** The kernel sets the change time with everything that is done to a file, links to it included, and lets no program choose it. */
export function stateOf({ dev, ino, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): BlobState {
  const fingerprint = [dev, ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-');
  return { fingerprint, changedAt: new Date(Number(ctimeMs)) };
}
