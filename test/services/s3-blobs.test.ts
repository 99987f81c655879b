import { setTimeout as delay } from 'node:timers/promises';
import { S3BlobStore } from '../../src/adapters/s3-blobs/s3-blob-store.js';
import { type PartSizes, S3Bucket } from '../../src/adapters/s3-blobs/s3-bucket.js';
import type { S3Settings } from '../../src/adapters/s3-blobs/s3-client.js';
import { S3DirectUploads } from '../../src/adapters/s3-blobs/s3-direct-uploads.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { directUploadsContract } from '../contracts/direct-uploads.contract.js';
import { type Gateway, startGateway } from './support/gateway.js';
import { sendPut } from './support/send-put.js';

let gateway: Gateway;
let settings: S3Settings;
beforeAll(async () => {
  gateway = await startGateway();
  settings = await gateway.bucket();
});
afterAll(() => gateway?.stop());

const open = (parts?: PartSizes) => async () => {
  const bucket = new S3Bucket(settings, parts && { parts });
  return { store: new S3BlobStore(bucket), close: async () => bucket.close() };
};

blobStoreContract('S3', open());
blobStoreContract('S3, all but the smallest in parts', open({ sent: 150_000, copied: 200_000 }));

directUploadsContract('S3', async () => {
  const bucket = new S3Bucket(settings);
  const uploads = new S3DirectUploads(settings);
  return {
    uploads,
    blobs: new S3BlobStore(bucket),
    send: async (url, headers, bytes) => (await sendPut(url, headers, bytes)) === 200,
    // The address tells its end in whole seconds of the server's clock: there is nothing else to wait for.
    wait: (seconds) => delay(seconds * 1000),
    async close() {
      uploads.close();
      bucket.close();
    },
  };
});
