import { type BlobKey } from '../blobs/blob-key.js';
import type { BlobStore } from '../blobs/blob-store.js';
import { checkedAtEnd, type Measure, TooManyBytes } from '../blobs/measure.js';
import { DomainError } from '../shared/errors.js';
import { mismatch } from './registration.js';
import { type UploadGrant } from './upload-target.js';

/** What is known of a file before its bytes arrive; a source need not state its size. */
export interface DeclaredBytes extends Pick<UploadGrant, 'sha256'> {
  readonly sizeBytes: number | null;
}

/** Stores the bytes if they are the declared ones. Errors: those of a wrong size or hash, and then nothing is stored. */
export async function storeDeclaredBytes(
  { blobs }: { blobs: BlobStore },
  key: BlobKey,
  grant: DeclaredBytes,
  bytes: AsyncIterable<Uint8Array>,
  measure: Measure,
): Promise<void> {
  const requireDeclared = () => {
    requireDeclaredSize(grant, measure.sizeBytes);
    const wrong = mismatch(grant, measure);
    if (wrong !== null) throw new DomainError('checksum_mismatch', wrong.message);
  };
  try {
    await blobs.put(key, checkedAtEnd(bytes, requireDeclared));
  } catch (error) {
    throw error instanceof TooManyBytes ? tooLong(grant) : error;
  }
}

/** Reads the bytes to their end, for their hash. */
export async function readDeclaredBytes(bytes: AsyncIterable<Uint8Array>, grant: UploadGrant): Promise<void> {
  try {
    for await (const _ of bytes);
  } catch (error) {
    throw error instanceof TooManyBytes ? tooLong(grant) : error;
  }
}

export function requireDeclaredSize(grant: DeclaredBytes, sizeBytes: number): void {
  if (grant.sizeBytes === null) return;
  if (sizeBytes > grant.sizeBytes) throw tooLong(grant);
  if (sizeBytes === grant.sizeBytes) return;
  const message = `${grant.sizeBytes} bytes were declared, but ${sizeBytes} were sent. Send the whole file again.`;
  throw new DomainError('size_mismatch', message);
}

export function tooLong(grant: DeclaredBytes): DomainError {
  const message = `${grant.sizeBytes} bytes were declared, but more were sent. Register the file with its actual size.`;
  return new DomainError('payload_too_large', message, { maxBytes: grant.sizeBytes });
}

export interface Upload {
  readonly token: string;
  /** The sender's address, as IP lists see it; null if a proxy did not send it. */
  readonly address: string | null;
  /** `Content-Length`, if the sender sends one. */
  readonly declaredBytes: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether the sender has disconnected: then it must not end the upload of one that is still connected. */
  readonly isGone?: () => boolean;
}
