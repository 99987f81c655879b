import { S3BlobStore } from '../../../src/adapters/s3-blobs/s3-blob-store.js';
import { S3Bucket, type S3Settings } from '../../../src/adapters/s3-blobs/s3-client.js';

/** How the program is told of a bucket. @param endpoint Where it reaches the store. */
export function bucketEnvironment(
  { bucket, region, credentials }: S3Settings,
  endpoint: string,
): Record<string, string> {
  return {
    BLOB_STORE: 's3',
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
  };
}

export async function keysIn(settings: S3Settings, prefix: string): Promise<string[]> {
  const bucket = new S3Bucket(settings);
  const keys: string[] = [];
  for await (const { key } of new S3BlobStore(bucket).list(prefix)) keys.push(key);
  bucket.close();
  return keys;
}
