import { setImmediate as others } from 'node:timers/promises';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { storedKey } from '../../core/blobs/blob-key.js';
import type { OpenedBlobStore } from '../../core/blobs/blob-store-kind.js';
import type { DirectUploads, ExpectedBlob } from '../../core/blobs/direct-uploads.js';
import type { UploadAddress } from '../../core/shared/addresses.js';
import { onStore } from '../remote-blobs/outage.js';
import { S3BlobStore } from './s3-blob-store.js';
import { openS3Client, partsFor, S3Bucket, type S3Config, type S3Settings } from './s3-client.js';

/**
 * Opens a bucket, which must exist; whether it does shows at the first call, so that a service can start while its store is unavailable.
 * @param maxFileBytes The largest blob that will be put.
 */
export function openS3(settings: S3Config, maxFileBytes: number): OpenedBlobStore {
  const { publicEndpoint } = settings;
  const bucket = new S3Bucket(settings, { parts: partsFor(maxFileBytes) });
  const direct = publicEndpoint === null ? null : new S3DirectUploads({ ...settings, endpoint: publicEndpoint });
  return {
    blobs: new S3BlobStore(bucket),
    directUploads: direct,
    close() {
      bucket.close();
      direct?.close();
    },
  };
}

/** A signature takes about a millisecond of the main thread: after so many, other work gets its turn. */
const SIGNED_AT_ONCE = 10;

const CHECKSUM = 'x-amz-checksum-sha256';

/** Signed addresses of a bucket, for clients outside. */
export class S3DirectUploads implements DirectUploads {
  private readonly client: S3Client;
  private readonly bucket: string;

  /** `settings.endpoint` is where clients reach the store. */
  constructor(settings: S3Settings) {
    this.client = openS3Client(settings);
    this.bucket = settings.bucket;
  }

  async sign(blobs: readonly ExpectedBlob[], seconds: number): Promise<readonly UploadAddress[]> {
    const signed: UploadAddress[] = [];
    for (const blob of blobs) {
      if (signed.length % SIGNED_AT_ONCE === SIGNED_AT_ONCE - 1) await others();
      // Credentials may come from elsewhere, which may be unavailable.
      signed.push(await onStore(() => this.signOne(blob, seconds)));
    }
    return signed;
  }

  /** The URL contains the bucket as clients need it: in the path, or before the host name. */
  async origin(): Promise<string> {
    const [signed] = await this.sign([{ key: storedKey('origin'), sizeBytes: 0, sha256: null }], 1);
    return new URL(signed?.url ?? '').origin;
  }

  close(): void {
    this.client.destroy();
  }

  private async signOne({ key, sizeBytes, sha256 }: ExpectedBlob, expiresIn: number): Promise<UploadAddress> {
    const checksum = sha256 === null ? {} : { ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64') };
    const command = new PutObjectCommand({ Bucket: this.bucket, Key: key, ContentLength: sizeBytes, ...checksum });
    // By default the signer moves the checksum into the query, where it is not enforced.
    const url = await getSignedUrl(this.client, command, { expiresIn, unhoistableHeaders: new Set([CHECKSUM]) });
    const bound = sha256 === null ? {} : { [CHECKSUM]: checksum.ChecksumSHA256 ?? '' };
    return { url, headers: { 'content-length': String(sizeBytes), ...bound } };
  }
}
