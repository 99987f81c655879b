import { request } from 'node:http';
import { operatorFor } from '../../src/core/customers/customer.js';
import { createShare, readShare, revokeShare } from '../../src/core/shares/own-shares.js';
import type { ShareSettings } from '../../src/core/shares/share.js';
import {
  HeldByLater,
  RESERVED_MS,
  reserveUpload,
  settleUpload,
  UPLOADS_OF_VISITOR,
} from '../../src/core/shares/visitor-upload.js';
import { createWebhookEndpoint, listDeliveries } from '../../src/core/webhooks/endpoints.js';
import { BrowserClient } from '../api/support/browser-client.js';
import { type FilePart, importPhotos, multipart, picture } from '../api/support/photos.js';
import { type Actor, type RunningApp, startApp } from '../api/support/start-app.js';
import { until } from '../support/until.js';

let app: RunningApp;
let actor: Actor;
let visitor: BrowserClient;
let own: { id: number };

beforeEach(async () => {
  app = await startApp();
  actor = await app.customer('Studio North');
  visitor = new BrowserClient(app.url);
  [own] = (await importPhotos(app, actor, [{ filename: 'own.jpg', content: picture('own') }])) as [{ id: number }];
});
afterEach(() => app.close());

async function share(values: Partial<ShareSettings> = {}) {
  const settings = {
    ...{ title: 'Wedding, all', mayDownload: false, expiresAt: null, password: null, photoIds: [own.id] },
    ...{ uploadFilesLimit: 5, uploadBytesLimit: 1_000_000 },
  };
  const created = await createShare(app.ports, operatorFor(actor.customerId), { ...settings, ...values });
  return { id: created.share.id, path: `/s/${created.token}` };
}
const upload = async (path: string, ...files: FilePart[]) => {
  const { body, type } = multipart(files);
  return visitor.send({ method: 'POST', path: `${path}/upload`, body, headers: { 'content-type': type } });
};
const jpeg = (name: string, filename = `${name}.jpg`): FilePart => ({ filename, content: picture(name) });
const usedOf = async (id: number) => {
  const { uploadedFiles, uploadedBytes } = (await readShare(app.ports, actor.customerId, id)).share;
  return [uploadedFiles, uploadedBytes];
};
const library = async () => (await actor.get('/photos?sort=id')).body.data;
const lastImport = async () => (await actor.get(`/imports/${(await library()).at(-1).importId}`)).body;

test('photos that visitors add are an import with a tag of its own, and are not shown to visitors', async () => {
  const { id, path } = await share();
  expect((await visitor.get(path)).text).toContain(`action="${path}/upload"`);
  expect((await visitor.get(path)).text).toMatch(/accept="image\/\*,[^"]*\.hif,[^"]*\.nrw/);
  const answer = await upload(path, jpeg('a'), jpeg('b', '../../etc/b.jpg'));
  expect([answer.status, answer.text.includes('Your photos have arrived')]).toEqual([200, true]);
  await app.work();
  const tags = [{ name: `Share ${id}: Wedding, all` }];
  expect(await lastImport()).toMatchObject({ status: 'completed', source: 'Share', apiKeyId: null, tags });
  const added = (await library()).slice(1);
  expect(added).toMatchObject([{ filename: 'a.jpg', tags }, { tags }]);
  expect(added[1].filename).not.toContain('/');
  expect(await usedOf(id)).toEqual([2, picture('a').length + picture('b').length]);
  const { body } = await visitor.get(`${path}/photos.json`, { accept: 'application/json' });
  expect(body.data.map((photo: { id: number }) => photo.id)).toEqual([own.id]);
});

test('hostile files of a visitor fail as elsewhere, and the others are imported', async () => {
  const { path } = await share();
  const answer = await upload(
    path,
    { filename: 'page.jpg', content: '<!doctype html><script>alert(1)</script>' },
    { filename: 'empty.jpg', content: '' },
    { filename: 'half.jpg', content: picture('half').subarray(0, 40) },
    jpeg('good', '<img src=x onerror=alert(1)>.jpg'),
  );
  expect([answer.status, answer.text.includes('<script>')]).toEqual([200, false]);
  await app.work();
  expect(await lastImport()).toMatchObject({ status: 'completed_with_errors', counts: { imported: 1, failed: 3 } });
  expect(await library()).toHaveLength(2);
  expect((await visitor.get(path)).status).toBe(200);
});

test('the fields of a visitor’s form, which are held in memory, are limited, whatever the files may have', async () => {
  const { path } = await share();
  const field = (name: string, content: string): FilePart => ({ name, content });
  const long = await upload(path, field('a', 'x'.repeat(150_000)), field('b', 'x'.repeat(150_000)), jpeg('late'));
  const many = await upload(path, ...Array.from({ length: 250 }, (_, at) => field(`${at}`, '')), jpeg('late'));
  expect([long.status, many.status]).toEqual([413, 400]);
  expect(await library()).toHaveLength(1);
  expect((await upload(path, field('a', 'x'.repeat(150_000)), jpeg('in time'))).status).toBe(200);
});

test('an upload of a visitor restores nothing from the trash', async () => {
  const { path } = await share();
  await actor.delete(`/photos/${own.id}`);
  await upload(path, { filename: 'own.jpg', content: picture('own') });
  await app.work();
  expect(await library()).toEqual([]);
});

test('there are never more files or bytes than the share allows, however many come at once', async () => {
  const { id, path } = await share({ uploadFilesLimit: 2 });
  const three = await upload(path, jpeg('a'), jpeg('b'), jpeg('c'));
  expect([three.status, three.text.includes('No more photos can be added')]).toEqual([409, true]);
  await app.work();
  expect([await usedOf(id), (await library()).length]).toEqual([[0, 0], 1]);
  const both = await Promise.all([upload(path, jpeg('d'), jpeg('e')), upload(path, jpeg('f'), jpeg('g'))]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  await app.work();
  expect([(await usedOf(id))[0], (await library()).length]).toEqual([2, 3]);
  expect((await visitor.get(path)).text).not.toContain('/upload"');
  const small = await share({ uploadBytesLimit: picture('h').length });
  expect((await upload(small.path, jpeg('h'), jpeg('i'))).status).toBe(409);
  expect((await upload(small.path, jpeg('h'))).status).toBe(200);
  expect((await upload(small.path, jpeg('i'))).status).toBe(409);
});

test('an upload that is refused names the limit of the share that it would exceed', async () => {
  const limits = { uploadFilesLimit: 2, uploadBytesLimit: 1000 };
  const { id } = await share(limits);
  const { share: known } = await readShare(app.ports, actor.customerId, id);
  const reserve = (files: number, bytes: number) => reserveUpload(app.ports, known, { files, bytes });
  await expect(reserve(3, 1)).rejects.toMatchObject({
    code: 'limit_reached',
    details: { limit: 2, name: 'shareUploads' },
  });
  await expect(reserve(1, 1001)).rejects.toMatchObject({ details: { limit: 1000, name: 'shareUploadBytes' } });
});

test('the form says how many files may be sent at once: what the share leaves, and no more than one request can have', async () => {
  const label = async (path: string) => /<label for="files">([^<]*)</.exec((await visitor.get(path)).text)?.[1];
  const { path } = await share({ uploadFilesLimit: 3 });
  expect(await label(path)).toBe('Add your own photos, up to 3 at once');
  await upload(path, jpeg('a'), jpeg('b'));
  expect(await label(path)).toBe('Add a photo of your own');
  await upload(path, jpeg('c'));
  expect(await label(path)).toBeUndefined();
  const many = await share({ uploadFilesLimit: 10_000 });
  const { inlineMaxFiles } = app.ports.limits;
  expect(await label(many.path)).toBe(`Add your own photos, up to ${inlineMaxFiles} at once`);
});

test('a share without upload limits, revoked or unknown accepts no upload; one with a password only from visitors who know it', async () => {
  const closed = await share({ uploadFilesLimit: 0, uploadBytesLimit: 0 });
  expect((await visitor.get(closed.path)).text).not.toContain('/upload"');
  expect((await upload(closed.path, jpeg('a'))).status).toBe(409);
  const revoked = await share();
  await revokeShare(app.ports, operatorFor(actor.customerId), revoked.id);
  expect((await upload(revoked.path, jpeg('a'))).status).toBe(404);
  expect((await upload(`/s/${'x'.repeat(43)}`, jpeg('a'))).status).toBe(404);
  const locked = await share({ password: 'seven sailors' });
  expect((await upload(locked.path, jpeg('a'))).status).toBe(403);
  await visitor.post(`${locked.path}/password`, { password: 'seven sailors' });
  expect((await upload(locked.path, jpeg('a'))).status).toBe(200);
  await app.work();
  expect(await library()).toHaveLength(2);
});

test('an upload that has only begun leaves others most of the limits of the share', async () => {
  const { id, path } = await share({ uploadFilesLimit: 3, uploadBytesLimit: 200_000 });
  const { body, type } = multipart([jpeg('slow')]);
  const headers = { 'content-type': type, 'content-length': String(body.length) };
  const slow = request(`${app.url}${path}/upload`, { method: 'POST', headers });
  const answered = new Promise<number | undefined>((resolve) => slow.on('response', (r) => resolve(r.statusCode)));
  const some = body.indexOf(picture('slow').subarray(0, 20)) + 20;
  slow.write(body.subarray(0, some));
  const held = async () => (await readShare(app.ports, actor.customerId, id)).share.uploadReservations;
  await until(async () => (await held()).length === 1);
  const [{ files, bytes } = { files: 0, bytes: 0 }] = await held();
  expect([files, bytes <= 100_001]).toEqual([1, true]);
  expect((await upload(path, jpeg('a'), jpeg('b'))).status).toBe(200);
  expect((await upload(path, jpeg('c'))).status).toBe(409);
  slow.end(body.subarray(some));
  expect(await answered).toBe(200);
  expect([(await usedOf(id))[0], await held()]).toEqual([3, []]);
});

test('of two uploads that need the rest of a limit the older one gets it', async () => {
  const { id } = await share({ uploadFilesLimit: 2 });
  const { share: stored } = await readShare(app.ports, actor.customerId, id);
  const older = await reserveUpload(app.ports, stored, { files: 1, bytes: 1 });
  const newer = await reserveUpload(app.ports, stored, { files: 1, bytes: 1 });
  const two = { files: 2, bytes: 1 };
  await expect(reserveUpload(app.ports, stored, two, newer)).rejects.toMatchObject({ code: 'limit_reached' });
  await expect(reserveUpload(app.ports, stored, two, older)).rejects.toBeInstanceOf(HeldByLater);
  await settleUpload(app.ports, stored, newer, { files: 0, bytes: 0 });
  expect(await reserveUpload(app.ports, stored, two, older)).toMatchObject({ id: older.id, files: 2 });
});

test('a reservation of a request whose process was killed ends after ten minutes', async () => {
  const { id, path } = await share({ uploadFilesLimit: 2 });
  const { share: stored } = await readShare(app.ports, actor.customerId, id);
  // As far as such a request came.
  await reserveUpload(app.ports, stored, { files: 2, bytes: 1 });
  expect((await visitor.get(path)).text).not.toContain('/upload"');
  expect((await upload(path, jpeg('a'))).status).toBe(409);
  app.clock.pass(RESERVED_MS);
  expect((await visitor.get(path)).text).toContain('/upload"');
  expect((await upload(path, jpeg('a'), jpeg('b'))).status).toBe(200);
  expect([(await usedOf(id))[0], (await upload(path, jpeg('c'))).status]).toEqual([2, 409]);
});

test('webhooks report photos that visitors add, but not uploads of which every file fails', async () => {
  const { id, path } = await share();
  const values = { url: 'https://example.com/hook', description: '', events: ['share.uploaded'] };
  const { endpoint } = await createWebhookEndpoint(app.ports, operatorFor(actor.customerId), values);
  const page = { limit: 10, cursor: null };
  const told = async () => (await listDeliveries(app.ports, actor.customerId, endpoint.id, page)).data.length;
  const half = picture('half').subarray(0, 40);
  const answer = await upload(path, { filename: 'empty.jpg', content: '' });
  const accepted = await upload(path, { filename: 'half.jpg', content: half });
  await app.work();
  expect([answer.status, accepted.status, await told()]).toEqual([200, 200, 0]);
  await upload(path, jpeg('a'));
  expect(await told()).toBe(0);
  await app.work();
  expect([await told(), await usedOf(id)]).toEqual([1, [3, half.length + picture('a').length]]);
  // The library has it already.
  await upload(path, jpeg('a', 'again.jpg'));
  await app.work();
  expect(await told()).toBe(2);
});

test('a form without files adds nothing, and an address has a budget', async () => {
  const { id, path } = await share();
  const nothing = await upload(path, { name: 'file', filename: '', content: '' });
  expect([nothing.status, nothing.text.includes('Nothing was added')]).toEqual([200, true]);
  expect(await usedOf(id)).toEqual([0, 0]);
  for (let used = 0; used < UPLOADS_OF_VISITOR; used += 1) {
    await app.ports.rateWindows.hit({ name: 'visitor-uploads:127.0.0.1', limit: UPLOADS_OF_VISITOR });
  }
  expect((await upload(path, jpeg('a'))).status).toBe(429);
});
