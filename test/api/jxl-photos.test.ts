/* @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import { deliverySignature } from '../../src/core/delivery/signed-address.js';
import { type OpenMedia, openMedia } from '../support/media.js';
import { importPhotos, postFiles, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** JPEG XL from the import to the delivery, as clients see it. */

const fixture = (name: string) => readFile(join(__dirname, '../fixtures/jxl', `${name}.jxl`));

let media: OpenMedia;
let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  media = await openMedia();
  app = await startApp({ ports: () => ({ media: media.reader }) });
  actor = await app.customer();
});
afterAll(async () => {
  await app.close();
  await media.close();
});

test('the customer sees that JPEG XL is accepted', async () => {
  expect((await actor.get('/customer')).body.formats).toContain('image/jxl');
});

test.each([
  ['a container', 'jpeg-with-metadata', { width: 60, height: 80, title: 'A title', rating: 4, alpha: false }],
  ['a codestream on its own', 'alpha-8', { width: 64, height: 64, title: null, rating: null, alpha: true }],
])('%s becomes a photo, and is downloaded byte for byte', async (_, name, expected) => {
  const content = await fixture(name);
  const filename = `${name}.jxl`;
  const [{ id }] = await importPhotos(app, actor, [{ filename, content }]);
  const photo = (await actor.get(`/photos/${id}`)).body;
  const { alpha, ...fields } = expected;
  expect(photo).toMatchObject({ ...fields, filename, contentType: 'image/jxl', orientation: 1, damaged: false });
  expect(photo.thumbhash).toEqual(expect.any(String));
  expect(photo.dominantColor).toMatch(/^#[0-9a-f]{6}$/);

  const original = await actor.get(`/photos/${id}/download`);
  expect([sha256(original.bytes), original.headers['content-type']]).toEqual([sha256(content), 'image/jxl']);
  expect(original.headers['content-disposition']).toContain(`filename="${filename}"`);

  const { width, height } = expected;
  const rendered = await actor.get(`/photos/${id}/download?rendition=small`);
  expect(await sharp(rendered.bytes).metadata()).toMatchObject({ format: alpha ? 'webp' : 'jpeg', width, height });

  const named = { name, presetsOnly: false, expiresAt: null };
  const { key, secret } = await createDeliveryKey(
    app.ports,
    { customerId: actor.customerId, actor: commandLine },
    named,
  );
  const path = `/img/${key.publicId}/${id}/w=20,h=20,fit=cover,f=png`;
  const delivered = await app.send({ path: `${path}?sig=${deliverySignature(secret, path)}` });
  expect(await sharp(delivered.bytes).metadata()).toMatchObject({ format: 'png', width: 20, height: 20 });
});

test('photos are found by the type', async () => {
  const [{ id }] = await importPhotos(app, actor, [{ filename: 'patches.jpg', content: await fixture('p3-16') }]);
  const found = (await actor.get('/photos?contentType=image/jxl')).body.data;
  expect(found.map((photo: { id: number }) => photo.id)).toContain(id);
  expect((await actor.get('/photos?contentType=image/jpeg')).body.data).toEqual([]);
});

test('a damaged one fails with what to do', async () => {
  const { id } = (await actor.post('/imports')).body;
  const content = (await fixture('photo')).subarray(0, 100);
  await postFiles(actor, id, [{ filename: 'cut.jxl', content }]);
  await app.work();
  await actor.post(`/imports/${id}/finalize`);
  await app.work();
  const [item] = (await actor.get(`/imports/${id}?include=photos`)).body.photos.data;
  expect([item.status, item.error.code, item.error.message]).toEqual([
    'failed',
    'decode_failed',
    expect.stringContaining('Send it again from the original.'),
  ]);
});
