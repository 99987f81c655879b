import { editKey } from '../../src/core/access/keys.js';
import { operatorFor } from '../../src/core/customers/customer.js';
import { HOUR } from '../../src/core/shared/clock.js';
import { signToken } from '../../src/core/shared/secrets.js';
import { present } from '../support/tenant.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeEach(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
  actor = await app.customer();
});
afterEach(() => app.close());

const bytes = picture('one');

/** An item that waits for the picture, and the path of its upload. */
async function waiting(client = actor) {
  const { id: importId } = (await client.post('/imports')).body;
  const photos = [{ filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) }];
  const [{ photo }] = (await client.post(`/imports/${importId}/photos`, { photos })).body.data;
  const status = async () => (await client.get(`/imports/${importId}?include=photos`)).body.photos.data[0].status;
  return { path: new URL(photo.upload.url).pathname, itemPath: `/imports/${importId}/photos/${photo.id}`, status };
}

const put = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.send({ method: 'PUT', path, body, headers });

describe('PUT /uploads/{token}', () => {
  test('takes the bytes without a key, from any page, at no cost', async () => {
    const { path, status } = await waiting();
    const answer = await put(path, bytes, { origin: 'https://example.com', 'content-type': 'whatever' });
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
    expect(await status()).toBe('processing');
    expect((await put(path, bytes)).status).toBe(204);
    expect((await put(path, picture('two'))).status).toBe(409);
  });

  test('accepts the bytes without a length, too', async () => {
    const { path, status } = await waiting();
    expect((await put(path, [bytes.subarray(0, 10), bytes.subarray(10)])).status).toBe(204);
    expect(await status()).toBe('processing');
  });

  test.each([
    ['too few bytes', bytes.subarray(1), 400, 'size_mismatch'],
    ['other bytes', bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)), 400, 'checksum_mismatch'],
    ['too many bytes', Buffer.concat([bytes, bytes]), 413, 'payload_too_large'],
  ])('%s are refused, and the item goes on waiting', async (_, sent, status, code) => {
    const item = await waiting();
    for (const body of [sent, [sent]]) {
      const answer = await put(item.path, body);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
    expect(await item.status()).toBe('awaiting_upload');
    expect((await put(item.path, bytes)).status).toBe(204);
  });

  test('a forged or expired address is 403, and so is one whose key is gone', async () => {
    const { path } = await waiting();
    for (const forged of [
      `${path}A`,
      path.slice(0, -1),
      '/uploads/abc',
      path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ]) {
      const answer = await put(forged, bytes);
      expect([answer.status, answer.body.error.code]).toEqual([403, 'upload_forbidden']);
    }
    const other = await actor.withKey({});
    const theirs = await waiting(other);
    await other.deleteKey();
    expect((await put(theirs.path, bytes)).status).toBe(403);
    app.clock.pass(6 * HOUR);
    expect((await put(path, bytes)).status).toBe(403);
  });

  test("the key's IP list guards the bytes as well", async () => {
    const { keyId } = actor;
    const { path } = await waiting();
    const known = present(await app.ports.keys.find(keyId)).key;
    await editKey(app.ports, operatorFor(actor.customerId), keyId, { ipList: ['203.0.113.0/24'] });
    expect((await put(path, bytes, { 'x-forwarded-for': '198.51.100.1' })).status).toBe(403);
    // The proxy does not say who sends.
    expect((await put(path, bytes)).status).toBe(403);
    expect((await put(path, bytes, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(204);
    await editKey(app.ports, operatorFor(actor.customerId), keyId, { ipList: known.ipList });
  });

  test('a cancelled item accepts no bytes', async () => {
    const { path, itemPath } = await waiting();
    await actor.patch(itemPath, { status: 'cancelled' });
    expect((await put(path, bytes)).body.error.code).toBe('import_photo_final');
  });

  test('answers other methods with 405, and preflight requests of any page', async () => {
    const { path } = await waiting();
    const get = await app.send({ path });
    expect([get.status, get.headers.allow]).toEqual([405, 'HEAD, OPTIONS, PATCH, PUT']);
    const asked = await app.send({
      method: 'OPTIONS',
      path,
      headers: { origin: 'https://example.com', 'access-control-request-method': 'PUT' },
    });
    expect([
      asked.status,
      asked.headers['access-control-allow-methods'],
      asked.headers['access-control-allow-headers'],
    ]).toEqual([204, 'HEAD, OPTIONS, PATCH, PUT', '*']);
  });

  test('the address appears in no log line and no response', async () => {
    const { path } = await waiting();
    const answer = await put(path, bytes.subarray(1));
    const token = path.split('/').at(-1) ?? '';
    expect(answer.text).not.toContain(token);
    expect(app.log.join()).not.toContain(token);
    expect(app.log.join()).not.toContain(actor.token);
  });
});

describe('GET /renditions/{token}', () => {
  async function urlOf(client = actor) {
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: bytes }]);
    return { id: photo.id as number, ...(await thumbOf(photo.id, client)) };
  }

  async function thumbOf(id: number, client = actor) {
    const { urls } = (await client.get(`/photos/${id}?include=urls`)).body;
    return { path: new URL(urls.thumb).pathname, expiresAt: new Date(urls.expiresAt) };
  }

  const secondsUntil = (end: Date) => Math.floor((end.getTime() - app.clock.now().getTime()) / 1000);
  const code = (answer: Answer) => [answer.status, answer.body?.error?.code];
  const inAnHour = () => new Date(app.clock.now().getTime() + HOUR);
  const forbidden = [403, 'url_forbidden'];

  test('shows the picture to everyone who has the address, for caches to keep', async () => {
    const { path, expiresAt } = await urlOf();
    const answer = await app.send({ path });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': `public, max-age=${secondsUntil(expiresAt)}, immutable`,
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'content-disposition': 'inline; filename="a.jpg"',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect((await app.send({ path, headers: { 'if-none-match': answer.headers.etag ?? '' } })).status).toBe(304);
    const part = await app.send({ path, headers: { range: 'bytes=0-4' } });
    expect([part.status, part.bytes.length]).toEqual([206, 5]);
    const head = await app.send({ method: 'HEAD', path });
    expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([
      200,
      0,
      answer.headers['content-length'],
    ]);
    expect((await app.send({ method: 'PUT', path })).headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('lets no cache store the picture for longer than the address is valid', async () => {
    const { path, expiresAt } = await urlOf();
    const tag = (await app.send({ path })).headers.etag ?? '';
    app.clock.pass(expiresAt.getTime() - app.clock.now().getTime() - 1500);
    for (const headers of [{}, { 'if-none-match': tag }, { range: 'bytes=0-4' }]) {
      const answer = await app.send({ path, headers });
      expect([answer.status < 400, answer.headers['cache-control']]).toEqual([true, 'public, max-age=1, immutable']);
    }
    app.clock.pass(1500);
    const ended = await app.send({ path });
    expect([...code(ended), ended.headers['cache-control']]).toEqual([...forbidden, 'no-store']);
  });

  test('stays the same for a key within the half day, so that caches can work', async () => {
    const { id, path, expiresAt } = await urlOf();
    app.clock.pass(expiresAt.getTime() - app.clock.now().getTime() - 12 * HOUR - 1);
    expect(await thumbOf(id)).toEqual({ path, expiresAt });
    app.clock.pass(1);
    expect((await thumbOf(id)).path).not.toBe(path);
    expect((await app.send({ path })).status).toBe(200);
  });

  test('becomes invalid with its key, and with no other', async () => {
    const other = await actor.withKey({});
    const { id, path } = await urlOf(other);
    const own = await thumbOf(id);
    expect(own.path).not.toBe(path);
    expect((await app.send({ path })).status).toBe(200);
    await other.deleteKey();
    expect(code(await app.send({ path }))).toEqual(forbidden);
    expect((await app.send({ path, method: 'HEAD' })).status).toBe(403);
    expect((await app.send({ path: own.path })).status).toBe(200);
  });

  test('tells no one without its key whether the photo still exists', async () => {
    const other = await actor.withKey({});
    const { id, path } = await urlOf(other);
    await actor.delete(`/photos/${id}`);
    expect((await app.send({ path })).status).toBe(404);
    await other.deleteKey();
    expect(code(await app.send({ path }))).toEqual(forbidden);
  });

  test('becomes invalid when its key expires or gets an IP list', async () => {
    const short = await actor.withKey({ expiresAt: inAnHour() });
    const { id, path } = await urlOf(short);
    const listed = await actor.withKey({});
    const { path: open } = await thumbOf(id, listed);
    app.clock.pass(HOUR - 1);
    expect((await app.send({ path })).status).toBe(200);
    app.clock.pass(1);
    expect(code(await app.send({ path }))).toEqual(forbidden);
    expect((await app.send({ path: open })).status).toBe(200);
    await editKey(app.ports, operatorFor(actor.customerId), listed.keyId, { ipList: ['203.0.113.0/24'] });
    expect(code(await app.send({ path: open }))).toEqual(forbidden);
  });

  test('accepts an address of the previous release, which names no key, until it expires', async () => {
    const { id } = await urlOf();
    const ends = inAnHour();
    const grant = [actor.customerId, id, 'thumb', 'jpeg', 0, ends.getTime() / 1000];
    const path = `/renditions/${signToken(app.ports.secrets, 'rendition', grant)}`;
    expect((await app.send({ path })).status).toBe(200);
    app.clock.pass(HOUR);
    expect(code(await app.send({ path }))).toEqual(forbidden);
  });

  test('accepts an address only for its own time and photo', async () => {
    const { id, path } = await urlOf();
    expect((await app.send({ path: `${path}A` })).body.error.code).toBe('url_forbidden');
    const { path: upload } = await waiting(await app.customer());
    expect((await app.send({ path: upload.replace('uploads', 'renditions') })).status).toBe(403);
    await actor.delete(`/photos/${id}`);
    expect((await app.send({ path })).status).toBe(404);
    app.clock.pass(24 * HOUR);
    expect((await app.send({ path })).status).toBe(403);
  });
});
