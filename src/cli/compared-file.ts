import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BlobKey } from '../core/blobs/blob-key.js';
import type { BlobInfo } from '../core/blobs/blob-store.js';
import type { Compared } from '../core/blobs/copy-blobs.js';

/**
 * Records in a file which blobs were found equal, one per line. A line refers to the states of two blobs: when one is rewritten, the line
 * no longer applies. A line that is lost or truncated costs one more comparison.
 */
export class ComparedFile implements Compared {
  private readonly known: Set<string>;

  constructor(private readonly file: string) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.known = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  }

  has(key: BlobKey, from: BlobInfo, to: BlobInfo): boolean {
    return this.known.has(lineOf(key, from, to));
  }

  add(key: BlobKey, from: BlobInfo, to: BlobInfo): void {
    const line = lineOf(key, from, to);
    this.known.add(line);
    appendFileSync(this.file, `${line}\n`, { mode: 0o600 });
  }
}

function lineOf(key: BlobKey, from: BlobInfo, to: BlobInfo): string {
  return createHash('sha256')
    .update(JSON.stringify([key, from.sizeBytes, from.etag, to.etag]))
    .digest('base64url');
}
