import type { BlobStore } from '../../core/blobs/blob-store.js';
import type { DirectUploads } from '../../core/blobs/direct-uploads.js';
import { S3BlobStore } from './s3-blob-store.js';
import { partsFor, S3Bucket } from './s3-bucket.js';
import type { S3Settings } from './s3-client.js';
import { S3DirectUploads } from './s3-direct-uploads.js';

export interface S3Blobs {
  readonly blobs: BlobStore;
  /** Null when clients cannot reach the store. */
  readonly directUploads: DirectUploads | null;
  close(): void;
}

/**
 * Opens a bucket, which must exist; whether it does shows at the first call, so that a service can start while its store is unavailable.
 * @param maxFileBytes The largest blob that will be put.
 */
export function openS3(
  settings: S3Settings & { readonly publicEndpoint: string | null },
  maxFileBytes: number,
): S3Blobs {
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
