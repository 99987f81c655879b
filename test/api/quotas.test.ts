import { issueKey } from '../../src/core/access/keys.js';
import { commandLine } from '../../src/core/audit/audit-entry.js';
import { createCustomer } from '../../src/core/customers/create-customer.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { atOnce, present } from '../support/tenant.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture, postFiles, sha256 } from './support/photos.js';
import { Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let blobs: MemoryBlobStore;
beforeEach(async () => {
  blobs = new MemoryBlobStore();
  app = await startApp({ ports: () => ({ blobs }) });
});
afterEach(() => app.close());

/** A customer who may hold so much, with a key that may do everything. */
async function subscriber(storageBytesLimit: number | null, photosLimit: number | null): Promise<Actor> {
  const { id } = await createCustomer(app.ports, commandLine, { name: 'ACME', storageBytesLimit, photosLimit });
  const { key, token } = await issueKey(app.ports, operatorFor(id), {
    name: 'key',
    scopes: ['all'],
    ipList: [],
    readLimit: 10_000,
    writeLimit: 10_000,
    expiresAt: null,
  });
  return new Actor(app.ports, app.url, id, key.id, token);
}

const open = async (actor: Actor): Promise<number> => (await actor.post('/imports')).body.id;

let files = 0;
function file(sizeBytes: number) {
  files += 1;
  return { filename: `${files}.jpg`, sizeBytes, sha256: sha256(new TextEncoder().encode(`${files}`)) };
}

function register(actor: Actor, id: number, ...sizes: readonly number[]): Promise<Answer> {
  return actor.post(`/imports/${id}/photos`, { photos: sizes.map(file) });
}

const outcomes = ({ body }: Answer) =>
  body.data.map((one: { outcome: string; error: { code: string } | null }) => one.error?.code ?? one.outcome);

async function staged(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list('staging/')) keys.push(key);
  return keys;
}

test('GET /customer shows the quota', async () => {
  const actor = await subscriber(1000, 5);
  expect((await actor.get('/customer')).body.limits).toMatchObject({ storageBytes: 1000, photos: 5 });
});

test('files that fit into the quota are accepted one by one, and the others are rejected', async () => {
  const actor = await subscriber(1000, null);
  const id = await open(actor);
  const answer = await register(actor, id, 600, 500, 300, 200, 100);
  expect(answer.status).toBe(201);
  expect(outcomes(answer)).toEqual(['created', 'quota_exceeded', 'created', 'quota_exceeded', 'created']);
  expect(answer.body.data[1]).toMatchObject({ index: 1, photo: null });
  expect(answer.body.import.counts.total).toBe(3);
});

test('a request of which nothing fits is 403, and nothing is stored', async () => {
  const actor = await subscriber(1000, null);
  const id = await open(actor);
  await register(actor, id, 900);
  const answer = await register(actor, id, 150, 200);
  expect(answer.status).toBe(403);
  expect(answer.body.error).toMatchObject({
    code: 'quota_exceeded',
    details: { quota: 'storageBytes', limit: 1000, used: 900, requested: 350 },
  });
  expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(1);
});

test('a request that is rejected for other reasons, too, is 422 with each of them', async () => {
  const actor = await subscriber(null, 0);
  const answer = await register(actor, await open(actor), 100, 0);
  expect([answer.status, answer.body.error.code]).toEqual([422, 'no_photos_accepted']);
  const codes = answer.body.error.details.results.map(({ error }: { error: { code: string } }) => error.code);
  expect(codes).toEqual(['quota_exceeded', 'file_empty']);
});

test('a rejected file creates no tags', async () => {
  const actor = await subscriber(null, 0);
  const photos = [{ ...file(1), tagNames: ['never'] }];
  expect((await actor.post(`/imports/${await open(actor)}/photos`, { photos })).status).toBe(403);
  expect((await actor.get('/tags')).body.data).toEqual([]);
});

test('simultaneous registrations never exceed the quota', async () => {
  const actor = await subscriber(10_000, 6);
  const imports = [await open(actor), await open(actor), await open(actor)];
  const answers = await atOnce(12, (number) => register(actor, present(imports[number % 3]), 1000, 1000));
  const created = answers.flatMap((answer) => (answer.status === 201 ? outcomes(answer) : []));
  expect(created.filter((outcome) => outcome === 'created')).toHaveLength(6);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 403]));
});

test('bytes in the request count with their actual size, and rejected ones leave nothing behind', async () => {
  const first = picture('first');
  const actor = await subscriber(first.length + 10, null);
  const id = await open(actor);
  const answer = await postFiles(actor, id, [
    { filename: 'a.jpg', content: first },
    { filename: 'b.jpg', content: picture('second') },
  ]);
  expect(outcomes(answer)).toEqual(['created', 'quota_exceeded']);
  expect(await staged()).toHaveLength(1);
  const refused = await postFiles(actor, id, [{ filename: 'c.jpg', content: picture('third') }]);
  expect([refused.status, refused.body.error.code]).toEqual([403, 'quota_exceeded']);
  expect(await staged()).toHaveLength(1);
});

test('a file that the library already has uses no quota', async () => {
  const actor = await subscriber(null, 1);
  const content = picture('same');
  await importPhotos(app, actor, [{ filename: 'a.jpg', content }]);
  const answer = await postFiles(actor, await open(actor), [{ filename: 'again.jpg', content }]);
  expect([answer.status, outcomes(answer)]).toEqual([201, ['duplicate']]);
});

test('a photo in the trash counts against the quota until it is permanently deleted', async () => {
  const actor = await subscriber(null, 1);
  const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
  const id = await open(actor);
  await actor.delete(`/photos/${photo.id}`);
  expect((await register(actor, id, 10)).status).toBe(403);
  expect((await actor.delete(`/photos/${photo.id}?permanent=true`)).status).toBe(204);
  expect((await register(actor, id, 10)).status).toBe(201);
});

test('an item that ends releases its quota, and needs it again to be retried', async () => {
  const actor = await subscriber(null, 1);
  const id = await open(actor);
  expect((await register(actor, id, 10)).status).toBe(201);
  expect((await register(actor, id, 10)).status).toBe(403);
  expect((await actor.post(`/imports/${id}/finalize`, { action: 'discard' })).status).toBe(200);
  const other = await open(actor);
  // Declared as a picture of ten bytes, and not one: it fails when it is looked at.
  const said = { filename: 'a.jpg', sizeBytes: 10, clientRef: 'a' };
  const [item] = (await actor.post(`/imports/${other}/photos`, { photos: [said] })).body.data;
  const { url, headers } = item.photo.upload;
  const put = { method: 'PUT', path: new URL(url).pathname, headers, body: Buffer.from('no picture') };
  expect((await app.send(put)).status).toBe(204);
  await app.work();
  expect((await actor.get(`/imports/${other}`)).body.counts).toMatchObject({ failed: 1 });
  expect((await register(actor, other, 10)).status).toBe(201);
  const path = `/imports/${other}/photos`;
  for (const again of [
    await actor.patch(`${path}/${item.photo.id}`, { status: 'awaiting_upload' }),
    await actor.post(path, { photos: [said] }),
  ]) {
    expect([again.status, again.body.error.code]).toEqual([403, 'quota_exceeded']);
  }
});

test('a larger size for an item is refused as a whole when it does not fit', async () => {
  const actor = await subscriber(1000, null);
  const id = await open(actor);
  const [item] = (await register(actor, id, 600)).body.data;
  const path = `/imports/${id}/photos/${item.photo.id}`;
  const refused = await actor.patch(path, { sizeBytes: 1001, title: 'new' });
  expect([refused.status, refused.body.error.details]).toEqual([
    403,
    { quota: 'storageBytes', limit: 1000, used: 600, requested: 401 },
  ]);
  const kept = (await actor.get(`/imports/${id}?include=photos`)).body.photos.data[0];
  expect(kept).toMatchObject({ sizeBytes: 600, title: null });
  expect((await actor.patch(path, { sizeBytes: 1000 })).status).toBe(200);
});
