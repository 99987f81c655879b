import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { type BlobKey, checkKeys, isBlobKey, readBlobKey } from '../../core/blobs/blob-key.js';
import type { BlobInfo, ByteRange } from '../../core/blobs/blob-store.js';
import { DomainError } from '../../core/shared/errors.js';
import { onStore } from '../remote-blobs/outage.js';
import {
  type ListedPage,
  type PartsUpload,
  RemoteBlobStore,
  type StoredResponse,
} from '../remote-blobs/remote-blob-store.js';
import { infoOf, type Marks, newMarks, refusalOf, type S3Bucket, sha256Of, statusOf } from './s3-client.js';

/** Maximum number of keys that S3 accepts in one call. */
const DELETED_AT_ONCE = 1000;

/** Blobs as objects of a bucket: `bucket/<key>`. Requirements on the store: docs/decisions/0014. */
export class S3BlobStore extends RemoteBlobStore {
  constructor(private readonly bucket: S3Bucket) {
    super('object', bucket);
  }

  async copy(from: BlobKey, to: BlobKey, ifMatch: string): Promise<boolean> {
    checkKeys(from, to);
    const source = await this.bucket.head(from);
    if (source === null) return false;
    const { sizeBytes, etag } = infoOf(source, source.ContentLength);
    if (etag !== ifMatch) return false;
    const condition = { CopySource: `${this.bucket.name}/${from}`, CopySourceIfMatch: source.ETag };
    const marks = newMarks(sha256Of(source));
    return onStore(async () => {
      try {
        if (sizeBytes > this.bucket.parts.copied) await this.copyInParts(to, condition, marks, sizeBytes);
        else {
          const target = { Bucket: this.bucket.name, Key: to, Metadata: marks, MetadataDirective: 'REPLACE' as const };
          const command = new CopyObjectCommand({ ...target, ...condition });
          await this.bucket.call(command);
        }
        return true;
      } catch (error) {
        if (refusalOf(error) === 'NoSuchKey' || statusOf(error) === 412) return false;
        throw error;
      }
    });
  }

  async delete(keys: readonly BlobKey[]): Promise<void> {
    checkKeys(...keys);
    const left = [...new Set(keys)];
    while (left.length > 0) {
      const Objects = left.splice(0, DELETED_AT_ONCE).map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket: this.bucket.name, Delete: { Objects, Quiet: true } });
      await onStore(async () => {
        const { Errors = [] } = await this.bucket.call(command);
        const failed = Errors.filter(({ Code }) => Code !== 'NoSuchKey');
        if (failed.length > 0) throw new Error(`${failed.length} objects could not be deleted: ${failed[0]?.Code}`);
      });
    }
  }

  /** Ends the uploads of blobs that began at this time or before and were never completed. Errors: `service_unavailable`. */
  sweep(until: Date): Promise<void> {
    return onStore(async () => {
      let page: ListMultipartUploadsCommandOutput | null = null;
      do {
        const from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } =
          page === null ? {} : { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
        const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
          Bucket: this.bucket.name,
          ...from,
        });
        page = await this.bucket.call(command);
        for (const { Key = '', UploadId, Initiated } of page.Uploads ?? []) {
          const isOurs = isBlobKey(Key) && readBlobKey(Key) !== null;
          if (!isOurs || Initiated === undefined || Initiated.getTime() > until.getTime()) continue;
          const abort = new AbortMultipartUploadCommand({ Bucket: this.bucket.name, Key, UploadId });
          await this.bucket.call(abort).catch((error) => {
            // Completed or aborted since it was listed.
            if (refusalOf(error) !== 'NoSuchUpload') throw error;
          });
        }
      } while (page.IsTruncated);
    });
  }

  protected async putAtOnce(key: BlobKey, bytes: Uint8Array): Promise<BlobInfo> {
    const marks = newMarks(createHash('sha256').update(bytes).digest('hex'));
    const command = new PutObjectCommand({ Bucket: this.bucket.name, Key: key, Body: bytes, Metadata: marks });
    await onStore(() => this.bucket.send(command));
    return { sizeBytes: bytes.length, etag: marks.write };
  }

  protected beginParts(key: BlobKey): Promise<PartsUpload> {
    return beginUpload(this.bucket, key, newMarks(null));
  }

  protected async infoAt(key: BlobKey): Promise<BlobInfo | null> {
    const found = await this.bucket.head(key);
    return found && infoOf(found, found.ContentLength);
  }

  private async copyInParts(to: BlobKey, condition: CopyCondition, marks: Marks, sizeBytes: number): Promise<void> {
    const upload = await beginUpload(this.bucket, to, marks);
    try {
      for (let start = 0; start < sizeBytes; start += this.bucket.parts.copied) {
        const end = Math.min(start + this.bucket.parts.copied, sizeBytes) - 1;
        await upload.copy({ ...condition, CopySourceRange: `bytes=${start}-${end}` });
      }
      await upload.complete(sizeBytes);
    } catch (error) {
      await upload.giveUp(error);
      throw error;
    }
  }

  protected async open(key: BlobKey, range: ByteRange | undefined): Promise<StoredResponse | 'not within' | null> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = new GetObjectCommand({ Bucket: this.bucket.name, Key: key, Range });
    try {
      const answer = await this.bucket.call(command);
      const body = answer.Body as IncomingMessage;
      // The client's own timeout does not distinguish a silent store from a paused reader.
      body.socket.setTimeout(0);
      const { ContentRange: contentRange, ContentLength: contentLength } = answer;
      return { contentRange, contentLength, infoOf: (size) => infoOf(answer, size), sha256: sha256Of(answer), body };
    } catch (error) {
      if (refusalOf(error) === 'NoSuchKey') return null;
      if (statusOf(error) === 416) return 'not within';
      throw error;
    }
  }

  protected async listPage(prefix: string, from: string | undefined): Promise<ListedPage> {
    const command = new ListObjectsV2Command({ Bucket: this.bucket.name, Prefix: prefix, ContinuationToken: from });
    const page = await this.bucket.call(command);
    const blobs = (page.Contents ?? []).map(({ Key, Size, LastModified }) => ({
      key: Key,
      sizeBytes: Size,
      modifiedAt: LastModified,
    }));
    return { blobs, next: page.IsTruncated ? page.NextContinuationToken : undefined };
  }
}

type CopyCondition = { readonly CopySource: string; readonly CopySourceIfMatch: string | undefined };

/** Begins a large object, which is put or copied part by part. */
async function beginUpload(bucket: S3Bucket, key: string, marks: Marks) {
  const create = new CreateMultipartUploadCommand({ Bucket: bucket.name, Key: key, Metadata: marks });
  const { UploadId } = await onStore(() => bucket.call(create));
  const names = { Bucket: bucket.name, Key: key, UploadId };
  const Parts: CompletedPart[] = [];
  const next = () => ({ ...names, PartNumber: Parts.length + 1 });
  return {
    send: (bytes: Uint8Array): Promise<void> =>
      onStore(async () => {
        const { ETag } = await bucket.send(new UploadPartCommand({ ...next(), Body: bytes }));
        Parts.push({ PartNumber: Parts.length + 1, ETag });
      }),
    /** Errors are those of the SDK. */
    async copy(source: CopyCondition & { readonly CopySourceRange: string }) {
      const { CopyPartResult } = await bucket.call(new UploadPartCopyCommand({ ...next(), ...source }));
      Parts.push({ PartNumber: Parts.length + 1, ETag: CopyPartResult?.ETag });
    },
    complete: (sizeBytes: number): Promise<BlobInfo> =>
      onStore(async () => {
        let isTold = true;
        try {
          await bucket.call(new CompleteMultipartUploadCommand({ ...names, MultipartUpload: { Parts } }));
        } catch (error) {
          // Called again after a lost response, a store no longer knows the upload.
          if (refusalOf(error) !== 'NoSuchUpload') throw error;
          isTold = false;
        }
        const found = await bucket.head(key);
        const isOurs = found?.Metadata?.['write'] === marks.write;
        const info = { sizeBytes, etag: marks.write };
        if (isOurs ? found?.ContentLength === sizeBytes : isTold && found !== null) return info;
        throw new Error('A multipart upload was completed, but the object does not exist.');
      }),
    /** The sweep aborts what remains. */
    async giveUp(because: unknown): Promise<void> {
      const aborted = bucket.call(new AbortMultipartUploadCommand(names)).catch(() => undefined);
      if (!(because instanceof DomainError)) await aborted;
    },
  };
}
