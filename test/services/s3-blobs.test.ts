import { S3BlobStore } from '../../src/adapters/s3-blobs/s3-blob-store.js';
import { type PartSizes, S3Bucket } from '../../src/adapters/s3-blobs/s3-bucket.js';
import { patience, type S3Settings } from '../../src/adapters/s3-blobs/s3-client.js';
import { blobStoreContract } from '../contracts/blob-store.contract.js';
import { type Gateway, startGateway } from './support/gateway.js';

let gateway: Gateway;
let settings: S3Settings;
beforeAll(async () => {
  gateway = await startGateway();
  settings = await gateway.bucket();
});
afterAll(() => gateway?.stop());

const open = (parts?: PartSizes) => async () => {
  const bucket = new S3Bucket(settings, patience, parts);
  return { store: new S3BlobStore(bucket), close: async () => bucket.close() };
};

blobStoreContract('S3', open());
blobStoreContract('S3, all but the smallest in parts', open({ sent: 150_000, copied: 200_000 }));
