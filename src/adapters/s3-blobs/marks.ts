import { randomUUID } from 'node:crypto';
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import { storeOutage } from './s3-errors.js';

/**
 * The S3 metadata of every object that this service writes. `write` identifies the write: an ETag of S3 depends on the bytes only, so that
 * the same bytes written again would look unchanged. `sha256` is present if it was known before the first byte was sent.
 */
export interface Marks extends Record<string, string> {
  readonly write: string;
}

export function newMarks(sha256: string | null): Marks {
  return { write: randomUUID(), ...(sha256 !== null && { sha256 }) };
}

type Described = Pick<HeadObjectCommandOutput, 'ETag' | 'LastModified' | 'Metadata'>;

/** 64 hex digits, or null for an object without it. */
export function sha256Of({ Metadata }: Described): string | null {
  return Metadata?.['sha256'] ?? null;
}

/** An object that a client put through a signed address has no such metadata: its ETag and the second of its write are used instead. */
export function infoOf({ ETag, LastModified, Metadata }: Described, sizeBytes: number | undefined): BlobInfo {
  if (ETag === undefined || sizeBytes === undefined) {
    throw storeOutage(new Error('The store did not return the ETag or length of an object.'));
  }
  return { sizeBytes, etag: Metadata?.['write'] ?? `${ETag}@${LastModified?.getTime()}` };
}
