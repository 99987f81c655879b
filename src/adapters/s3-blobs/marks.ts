import { randomUUID } from 'node:crypto';
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import { storeOutage } from './s3-errors.js';

/**
 * What is kept beside the bytes of every object that this service writes, as S3 metadata.
 * `write` names the writing: an ETag of S3 is made from the bytes alone, so that the same bytes written again would look untouched.
 * `sha256` is there where it was known before the first byte was sent.
 */
export interface Marks extends Record<string, string> {
  readonly write: string;
}

export function newMarks(sha256: string | null): Marks {
  return { write: randomUUID(), ...(sha256 !== null && { sha256 }) };
}

type Described = Pick<HeadObjectCommandOutput, 'ETag' | 'LastModified' | 'Metadata'>;

/** 64 hex digits, or null for an object that has no such mark. */
export function sha256Of({ Metadata }: Described): string | null {
  return Metadata?.['sha256'] ?? null;
}

/** An object that a client put through a signed address has no marks: its ETag and the second of its writing stand for them. */
export function infoOf({ ETag, LastModified, Metadata }: Described, sizeBytes: number | undefined): BlobInfo {
  if (ETag === undefined || sizeBytes === undefined) {
    throw storeOutage(new Error('The store does not tell the ETag or the length of an object.'));
  }
  return { sizeBytes, etag: Metadata?.['write'] ?? `${ETag}@${LastModified?.getTime()}` };
}
