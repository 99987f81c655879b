import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { openS3Client } from '../../src/adapters/s3-blobs/s3-client.js';
import { sharedGateway } from './support/gateway.js';

/** The script of `s3-bucket` in docker/compose.yml, as a shell gets it. */
function script(): string {
  const compose = readFileSync(join(__dirname, '../../docker/compose.yml'), 'utf8');
  const lines = /\n {2}s3-bucket:\n[\s\S]*?\n {6}- \|\n((?: {8}.*\n)+)/.exec(compose)?.[1] ?? '';
  return lines.replaceAll('$$', '$');
}

test('docker/compose.yml creates the bucket, and finds it the next time', async () => {
  const gateway = await sharedGateway();
  const settings = await gateway.bucket();
  if (settings.credentials === null || settings.endpoint === null) throw new Error('the gateway has both');
  const bucket = `composed-${Date.now()}`;
  const lines = script().replaceAll('http://s3:8333/photos', `${settings.endpoint}/${bucket}`);
  const env = {
    PATH: process.env['PATH'],
    S3_ACCESS_KEY_ID: settings.credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: settings.credentials.secretAccessKey,
  };
  for (const _ of ['made', 'found']) {
    const { status, stderr } = spawnSync('/bin/sh', ['-c', lines], { env, encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  }
  const client = openS3Client(settings);
  await expect(client.send(new HeadBucketCommand({ Bucket: bucket }))).resolves.toBeDefined();
  client.destroy();
  const refused = spawnSync('/bin/sh', ['-c', lines.replaceAll('--retry 10', '--retry 0')], {
    env: { ...env, S3_SECRET_ACCESS_KEY: 'another' },
  });
  expect(refused.status).not.toBe(0);
});
