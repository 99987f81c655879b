/* @slow */
import { setTimeout as delay } from 'node:timers/promises';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import type { PartSizes } from '../../src/adapters/remote-blobs/remote-blob-store.js';
import { S3DirectUploads } from '../../src/adapters/s3-blobs/open-s3.js';
import { S3BlobStore } from '../../src/adapters/s3-blobs/s3-blob-store.js';
import { openS3Client, S3Bucket, type S3Settings } from '../../src/adapters/s3-blobs/s3-client.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { directUploadsContract } from '../contracts/direct-uploads.contract.js';
import { breaking, FaultFront } from './support/fault-front.js';
import { type Gateway, sharedGateway } from './support/gateway.js';
import { sendPut } from './support/send-put.js';

/** The least that the gateway takes (gateway.ts). */
const PART = 65_536;

let gateway: Gateway;
let front: FaultFront;
let settings: S3Settings;
beforeAll(async () => {
  gateway = await sharedGateway();
  front = await FaultFront.to(gateway.endpoint);
  settings = await gateway.bucket();
});
afterAll(() => front?.close());

/** The same bucket for each case, whose connections are kept. */
const open = (parts?: PartSizes) => {
  let bucket: S3Bucket | undefined;
  afterAll(() => bucket?.close());
  return async () => {
    bucket ??= new S3Bucket({ ...settings, endpoint: front.endpoint }, parts && { parts });
    return { store: new S3BlobStore(bucket), close: async () => undefined };
  };
};

blobStoreContract(
  'S3',
  open(),
  breaking(() => front),
);
blobStoreContract('S3, in tiny parts', open({ sent: PART, copied: PART }), {
  partBytes: PART,
  ...breaking(() => front),
});

directUploadsContract('S3', async () => {
  const bucket = new S3Bucket(settings);
  const uploads = new S3DirectUploads(settings);
  return {
    uploads,
    blobs: new S3BlobStore(bucket),
    send: async (url, headers, bytes) => (await sendPut(url, headers, bytes)) === 200,
    tryAs: async (method, url) => (await fetch(url, { method })).ok,
    // The address tells its end in whole seconds of the server's clock: there is nothing else to wait for.
    wait: (seconds) => delay(seconds * 1000),
    async close() {
      uploads.close();
      bucket.close();
    },
  };
});

test('unfinished uploads in parts are aborted by the sweep, and others are left alone', async () => {
  const client = openS3Client(settings);
  const { bucket: Bucket } = settings;
  const [ours, foreign] = ['staging/1/2-3-4', 'backups/2026/all.tar'];
  for (const Key of [ours, foreign]) {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: Buffer.alloc(100_000) }));
  }
  const unfinished = async () =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.map(({ Key }) => Key).sort() ?? [];
  const bucket = new S3Bucket(settings);
  const store = new S3BlobStore(bucket);
  await store.sweep(new Date(Date.now() - 60_000));
  expect(await unfinished()).toEqual([foreign, ours]);
  await store.sweep(new Date(Date.now() + 60_000));
  expect(await unfinished()).toEqual([foreign]);
  bucket.close();
  client.destroy();
});
