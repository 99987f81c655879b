import { createHash } from 'node:crypto';
import type { BlobKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';

/** What a row says about its bytes; unknown values are not compared. */
export interface Expected {
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
}

/** What can be wrong with stored bytes. `unreadable` may be temporary: the others are not. */
export interface Fault {
  readonly kind: 'missing' | 'damaged' | 'unreadable';
  /** Follows "The original of this photo". */
  readonly message: string;
}

/** Reads a blob to its end and compares; null when all is well. `fast` compares the size only. */
export async function faultOf(
  { blobs }: { blobs: BlobStore },
  key: BlobKey,
  expected: Expected,
  { fast }: { fast: boolean },
): Promise<Fault | null> {
  try {
    const info = await blobs.head(key);
    if (info === null) return { kind: 'missing', message: 'is missing.' };
    if (expected.sizeBytes !== null && info.sizeBytes !== expected.sizeBytes) {
      return { kind: 'damaged', message: `has ${info.sizeBytes} bytes instead of ${expected.sizeBytes}.` };
    }
    if (fast || expected.sha256 === null) return null;
    const blob = await blobs.get(key);
    if (blob === null) return { kind: 'missing', message: 'is missing.' };
    if ((await sha256Of(blob.bytes)) === expected.sha256) return null;
    return { kind: 'damaged', message: 'has changed: its SHA-256 is not that of the imported file.' };
  } catch (error) {
    return { kind: 'unreadable', message: `cannot be read: ${reasonOf(error)}` };
  }
}

async function sha256Of(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** The store's own messages are for clients; the operator needs those of the underlying system. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
