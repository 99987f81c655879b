import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type Gateway, startGateway } from './support/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

test('the gateway keeps what an S3 client puts', async () => {
  const { endpoint, region, accessKeyId, secretAccessKey } = gateway;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  await client.send(new CreateBucketCommand({ Bucket: 'test' }));
  await client.send(new PutObjectCommand({ Bucket: 'test', Key: 'a', Body: 'bytes' }));
  const { Body } = await client.send(new GetObjectCommand({ Bucket: 'test', Key: 'a' }));
  expect(await Body?.transformToString()).toBe('bytes');
  client.destroy();
});
