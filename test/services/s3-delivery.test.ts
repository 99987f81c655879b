import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { S3Settings } from '../../src/adapters/s3-blobs/s3-client.js';
import type { Client } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { ImageSigner } from '../e2e/support/signed-image.js';
import { collectGarbage, expectSound } from '../e2e/support/sound.js';
import { emptyDatabase, type TestDatabase, urlOf } from '../support/postgres.js';
import { present } from '../support/tenant.js';
import { bucketEnvironment, keysIn } from './support/bucket.js';
import { FaultFront } from './support/fault-front.js';
import { sharedGateway } from './support/gateway.js';

const bytes = new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos/cyclamen.jpg')));

/** Two processes on one database and one bucket. */
let database: TestDatabase;
let settings: S3Settings;
let front: FaultFront;
let first: Installation;
let second: Installation;
let client: Client;
let signer: ImageSigner;
let photoId: number;

beforeAll(async () => {
  const gateway = await sharedGateway();
  settings = await gateway.bucket();
  front = await FaultFront.to(gateway.endpoint);
  database = await emptyDatabase();
  first = await Installation.make({ DATABASE_URL: urlOf(database), ...bucketEnvironment(settings, front.endpoint) });
  await first.start();
  second = await first.rival();
  await second.start();
  client = await first.client();
  signer = await ImageSigner.of(first);
});
afterAll(async () => {
  await second?.stop();
  await first?.remove();
  await front?.close();
  await database?.close();
});
beforeEach(async () => {
  photoId = await imported();
});
afterEach(() => front.heal());

async function imported(): Promise<number> {
  const { id } = (await client.post('/imports', { duplicatePolicy: 'allow' })).body;
  await client.inline(id, [{ name: 'a.jpg', bytes }]);
  await client.post(`/imports/${id}/finalize`);
  return until('the photo to be there', async () => {
    const { body } = await client.get(`/imports/${id}?include=photos`);
    return body.status === 'completed' && body.photos.data[0].photoId;
  });
}

const delivered = async () => {
  const keys = await keysIn(settings, `renditions/1/${photoId}/`);
  return keys.filter((key) => /[/][0-9a-f]{32}[.]/.test(key));
};
const show = (options: string, from = first) => fetch(`${from.url}${signer.path(photoId, options)}`);

test('a hundred first requests to two processes make a picture once, and store it in the bucket', async () => {
  front.asked.splice(0);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => show('w=300,h=200,fit=cover,f=webp', at % 2 ? first : second)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const bodies = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())));
  expect(new Set(bodies.map((body) => body.toString('hex'))).size).toBe(1);
  const header = await sharp(present(bodies[0])).metadata();
  expect([header.format, header.width, header.height]).toEqual(['webp', 300, 200]);
  const [key, ...others] = await delivered();
  expect(others).toEqual([]);
  expect(front.asked.filter((asked) => asked.startsWith('PUT ') && asked.includes(String(key)))).toHaveLength(1);
});

test('conditions and ranges work for a picture in the bucket, at either process', async () => {
  const whole = await show('w=200,f=jpeg');
  const body = Buffer.from(await whole.arrayBuffer());
  const path = `${second.url}${signer.path(photoId, 'w=200,f=jpeg')}`;
  const etag = whole.headers.get('etag') ?? '';
  expect((await fetch(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  const part = await fetch(path, { headers: { Range: 'bytes=10-99', 'If-Range': etag } });
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, body.subarray(10, 100)]);
});

test('pictures that a photo no longer shows are removed by `phs gc`, and nothing else', async () => {
  await show('w=100,f=png');
  await client.patch(`/photos/${photoId}`, { rotation: 90 });
  const turned = await show('w=100,f=png');
  expect(await sharp(await turned.arrayBuffer()).metadata()).toMatchObject({ width: 100, height: 60 });
  expect(await delivered()).toHaveLength(2);
  await until('the picture of the other rotation to be gone', async () => {
    await collectGarbage(first);
    return (await delivered()).length === 1;
  });
  expect(await delivered()).toEqual([expect.stringContaining('-r90/')]);
});

test('a delivered picture is 404 at once when its photo is trashed, and leaves nothing in the bucket when that is deleted', async () => {
  expect((await show('w=120,f=jpeg', second)).status).toBe(200);
  await client.delete(`/photos/${photoId}`);
  for (const from of [first, second]) expect((await show('w=120,f=jpeg', from)).status).toBe(404);
  expect((await show('w=121,f=jpeg')).status).toBe(404);
  await client.patch(`/photos/${photoId}`, { trashed: false });
  expect((await show('w=120,f=jpeg', second)).status).toBe(200);
  await client.delete(`/photos/${photoId}?permanent=true`);
  expect((await show('w=120,f=jpeg', second)).status).toBe(404);
  await until(
    'everything of it to be gone',
    async () => (await keysIn(settings, `renditions/1/${photoId}/`)).length === 0,
  );
});

test('a picture is 503 while the bucket refuses writes, and is shown as soon as it accepts them', async () => {
  front.spoil((asked) =>
    asked.startsWith('PUT ') && asked.includes('/renditions/') ? { kind: 'refused', status: 507, code: 'Full' } : null,
  );
  const refused = await show('w=130,f=jpeg');
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'service_unavailable' } }]);
  expect(await delivered()).toEqual([]);
  front.heal();
  expect((await show('w=130,f=jpeg')).status).toBe(200);
  expect(await delivered()).toHaveLength(1);
});

test('nothing is lost, and nothing is left over after the faults of the bucket', () => expectSound(first));
