import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { expectSound } from '../e2e/support/sound.js';
import { FaultFront } from './support/fault-front.js';
import { type Gateway, sharedGateway } from './support/gateway.js';

const folder = join(__dirname, '../fixtures/photos');
const files = readdirSync(folder)
  .filter((name) => name.startsWith('orientation-'))
  .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(folder, name))) }));

let gateway: Gateway;
let front: FaultFront;
let s3: Record<string, string>;
let bucket: string;
const made: Installation[] = [];

beforeAll(async () => {
  gateway = await sharedGateway();
  front = await FaultFront.to(gateway.endpoint);
  const settings = await gateway.bucket();
  bucket = settings.bucket;
  s3 = {
    S3_ENDPOINT: front.endpoint,
    S3_ACCESS_KEY_ID: settings.credentials?.accessKeyId ?? '',
    S3_SECRET_ACCESS_KEY: settings.credentials?.secretAccessKey ?? '',
  };
});
afterAll(async () => {
  for (const installation of made) await installation.remove();
  await front?.close();
});

/** The same data folder under another environment. */
function withEnvironment(installation: Installation, extra: Record<string, string>): Installation {
  const other = installation.with(extra);
  made.push(other);
  return other;
}

async function photosOf(installation: Installation): Promise<{ sha256: string; downloaded: string }[]> {
  const client = await installation.client();
  const { data } = (await client.get('/photos?sort=id')).body;
  const found = [];
  for (const photo of data) {
    found.push({ sha256: photo.sha256, downloaded: sha256(await client.bytes(`/photos/${photo.id}/download`)) });
  }
  return found;
}

test('an installation is moved from its disk to S3 with an interruption, and back again', async () => {
  const local = await Installation.make(s3);
  made.push(local);
  await local.start();
  const client = await local.client();
  const { id } = (await client.post('/imports')).body;
  await client.inline(id, files);
  await client.post(`/imports/${id}/finalize`);
  await until('the import to end', async () => (await client.get(`/imports/${id}`)).body.status === 'completed');
  const before = await photosOf(local);
  expect(before).toHaveLength(files.length);
  await local.stop();

  front.spoil((_, nth) => (nth > 40 ? { kind: 'refused', status: 403, code: 'AccessDenied' } : null));
  const broken = await local.command('blobs', 'copy', '--to', `s3://${bucket}`, '--json');
  expect(broken.status).toBe(4);
  expect(JSON.parse(broken.stdout)).toMatchObject({ error: { code: 'service_unavailable' } });
  front.heal();
  const copied = await local.command('blobs', 'copy', '--to', `s3://${bucket}`, '--json');
  expect(copied.stderr).toMatch(/^phs: acting on the installation in .*\n$/);
  const told = JSON.parse(copied.stdout);
  expect(told).toMatchObject({ ok: true, wrong: [] });
  expect(told.copied + told.unchanged).toBe(2 * files.length);
  expect(told.unchanged).toBeGreaterThan(0);

  await rm(join(local.dataDir, 'blobs'), { recursive: true });
  const remote = withEnvironment(local, { ...s3, BLOB_STORE: 's3', S3_BUCKET: bucket });
  await remote.start();
  expect(await photosOf(remote)).toEqual(before);
  await expectSound(remote);
  await remote.stop();

  const back = await remote.command('blobs', 'copy', '--to', `file://${local.dataDir}`, '--json');
  expect(JSON.parse(back.stdout)).toMatchObject({ ok: true, copied: 2 * files.length, unchanged: 0 });
  await local.start();
  expect(await photosOf(local)).toEqual(before);
  await expectSound(local);
});

test('an unknown name of a store is refused with a message', async () => {
  const installation = await Installation.make();
  made.push(installation);
  const { status, stderr } = await installation.command('blobs', 'copy', '--to', 'https://example.com/bucket');
  expect(status).toBe(2);
  expect(stderr).toContain('s3://BUCKET');
});
