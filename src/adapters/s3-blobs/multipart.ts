import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { isBlobKey, readBlobKey } from '../../core/blobs/blob-key.js';
import { DomainError } from '../../core/shared/errors.js';
import { type Marks, onStore, refusalOf, type S3Bucket } from './s3-client.js';

/** An object uploaded in parts: it appears as a whole, at the end. */
export class MultipartUpload {
  private readonly parts: CompletedPart[] = [];

  private constructor(
    private readonly bucket: S3Bucket,
    private readonly key: string,
    private readonly marks: Marks,
    private readonly id: string | undefined,
  ) {}

  static begin(bucket: S3Bucket, key: string, marks: Marks): Promise<MultipartUpload> {
    return onStore(async () => {
      const command = new CreateMultipartUploadCommand({ Bucket: bucket.name, Key: key, Metadata: marks });
      const { UploadId } = await bucket.call((client, options) => client.send(command, options));
      return new MultipartUpload(bucket, key, marks, UploadId);
    });
  }

  /** Parts are added one after the other. */
  send(bytes: Uint8Array): Promise<void> {
    return onStore(async () => {
      const command = new UploadPartCommand({ ...this.next(), Body: bytes });
      const { ETag } = await this.bucket.send((client, options) => client.send(command, options));
      this.parts.push({ PartNumber: this.parts.length + 1, ETag });
    });
  }

  /** Errors are those of the SDK. */
  async copy(source: { CopySource: string; CopySourceIfMatch: string | undefined; CopySourceRange: string }) {
    const command = new UploadPartCopyCommand({ ...this.next(), ...source });
    const { CopyPartResult } = await this.bucket.call((client, options) => client.send(command, options));
    this.parts.push({ PartNumber: this.parts.length + 1, ETag: CopyPartResult?.ETag });
  }

  /** When it resolves the object exists, or existed and has been replaced since. */
  complete(sizeBytes: number): Promise<void> {
    return onStore(async () => {
      const command = new CompleteMultipartUploadCommand({ ...this.names(), MultipartUpload: { Parts: this.parts } });
      let isTold = true;
      try {
        await this.bucket.call((client, options) => client.send(command, options));
      } catch (error) {
        // Called again after a lost response, a store no longer knows the upload.
        if (refusalOf(error) !== 'NoSuchUpload') throw error;
        isTold = false;
      }
      const found = await this.bucket.head(this.key);
      const isOurs = found?.Metadata?.['write'] === this.marks.write;
      if (isOurs ? found?.ContentLength === sizeBytes : isTold && found !== null) return;
      throw new Error('A multipart upload was completed, but the object does not exist.');
    });
  }

  /** Best effort: the sweep aborts what remains. After an outage the caller, who has waited long enough, does not wait for it. */
  async giveUp(because: unknown): Promise<void> {
    const command = new AbortMultipartUploadCommand(this.names());
    const aborted = this.bucket.call((client, options) => client.send(command, options)).catch(() => undefined);
    if (!(because instanceof DomainError)) await aborted;
  }

  private names() {
    return { Bucket: this.bucket.name, Key: this.key, UploadId: this.id };
  }

  private next() {
    return { ...this.names(), PartNumber: this.parts.length + 1 };
  }
}

/** Ends the uploads of blobs that began at this time or before and were never completed. Errors: `service_unavailable`. */
export function abortUnfinished(bucket: S3Bucket, until: Date): Promise<void> {
  return onStore(async () => {
    let page: ListMultipartUploadsCommandOutput | null = null;
    do {
      const from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } =
        page === null ? {} : { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({ Bucket: bucket.name, ...from });
      page = await bucket.call((client, options) => client.send(command, options));
      for (const { Key = '', UploadId, Initiated } of page.Uploads ?? []) {
        const isOurs = isBlobKey(Key) && readBlobKey(Key) !== null;
        if (!isOurs || Initiated === undefined || Initiated.getTime() > until.getTime()) continue;
        const abort = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key, UploadId });
        await bucket.call((client, options) => client.send(abort, options)).catch(unlessEnded);
      }
    } while (page.IsTruncated);
  });
}

/** Completed or aborted since it was listed. */
function unlessEnded(error: unknown): void {
  if (refusalOf(error) !== 'NoSuchUpload') throw error;
}

/** A part of a blob in memory, so that it can be sent more than once. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

const FIRST_ROOM = 64 * 1024;

/**
 * Cuts bytes into parts of exactly `partBytes` except for the last, of which there is always one. Errors of `bytes` are rethrown unchanged.
 */
export async function* inParts(bytes: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Part, void, void> {
  let filled = new Filling(partBytes);
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      if (filled.isFull) {
        yield { bytes: filled.take(), isLast: false };
        filled = new Filling(partBytes);
      }
      at += filled.add(chunk.subarray(at));
    }
  }
  yield { bytes: filled.take(), isLast: true };
}

/** A buffer that grows with its content, so that small blobs take little memory. */
class Filling {
  private buffer: Buffer;
  private length = 0;

  constructor(private readonly max: number) {
    this.buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_ROOM, max));
  }

  get isFull(): boolean {
    return this.length === this.max;
  }

  /** Copies what fits: the source may reuse its chunk. */
  add(chunk: Uint8Array): number {
    const taken = Math.min(chunk.length, this.max - this.length);
    this.reserve(this.length + taken);
    this.buffer.set(chunk.subarray(0, taken), this.length);
    this.length += taken;
    return taken;
  }

  take(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(needed: number): void {
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(this.max, Math.max(needed, this.buffer.length * 2)));
    grown.set(this.take());
    this.buffer = grown;
  }
}
