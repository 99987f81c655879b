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
import type { BlobInfo } from '../../core/blobs/blob-store.js';
import { DomainError } from '../../core/shared/errors.js';
import { onStore } from '../remote-blobs/outage.js';
import type { PartsUpload } from '../remote-blobs/parts.js';
import { type Marks, refusalOf, type S3Bucket } from './s3-client.js';

export class MultipartUpload implements PartsUpload {
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

  complete(sizeBytes: number): Promise<BlobInfo> {
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
      const info = { sizeBytes, etag: this.marks.write };
      if (isOurs ? found?.ContentLength === sizeBytes : isTold && found !== null) return info;
      throw new Error('A multipart upload was completed, but the object does not exist.');
    });
  }

  /** The sweep aborts what remains. */
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
