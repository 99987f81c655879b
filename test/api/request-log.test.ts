import { connect } from 'node:net';
import { until } from '../support/until.js';
import { endpoints } from './support/endpoints.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture, postFiles } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeEach(async () => {
  app = await startApp();
  actor = await app.customer();
});
afterEach(() => app.close());

/** The line of one request, which is written once its answer is out. */
async function lineOf({ headers }: Answer): Promise<Record<string, unknown>> {
  const isIt = (line: string) => line.includes('"request"') && line.includes(String(headers['x-request-id']));
  await until(() => app.log.some(isIt));
  return JSON.parse(app.log.find(isIt) ?? '');
}

describe('the log line of a request', () => {
  test('has time, key id, method, route template, status, error code, ms, bytes, IP and request id', async () => {
    const answer = await actor.get('/photos?q=secret%20words');
    expect(await lineOf(answer)).toEqual({
      level: 30,
      time: expect.any(Number),
      pid: expect.any(Number),
      hostname: expect.any(String),
      msg: 'request',
      requestId: answer.headers['x-request-id'],
      method: 'GET',
      route: '/api/v1/photos',
      status: 200,
      code: null,
      keyId: actor.keyId,
      clientIp: '127.0.0.1',
      ms: expect.any(Number),
      bytes: expect.any(Number),
      whole: true,
    });
  });

  test('names the route by its template, whatever the ids, and the error by its code', async () => {
    const narrow = await actor.withKey({ scopes: ['tags:read'] });
    const empty = await actor.withKey({ readLimit: 0 });
    const locked = await actor.withKey({ ipList: ['203.0.113.9'] });
    const nobody = { keyId: null };
    const seen: readonly (readonly [Answer, object])[] = [
      [await actor.get('/photos/7'), { route: '/api/v1/photos/:id', status: 404, code: 'not_found' }],
      [await actor.get('/tags?limit=0'), { route: '/api/v1/tags', status: 400, code: 'invalid_request' }],
      [await actor.get('/me/secret'), { route: '/api/v1/{*path}', status: 404, code: 'not_found' }],
      [await actor.get('/photos/%zz'), { route: '/api/v1/{*path}', status: 404, code: 'not_found' }],
      [await narrow.get('/photos/7'), { keyId: narrow.keyId, status: 403, code: 'scope_required' }],
      [await empty.get('/me'), { keyId: empty.keyId, route: '/api/v1/me', status: 429, code: 'rate_limited' }],
      [await locked.get('/me'), { keyId: locked.keyId, status: 403, code: 'ip_not_whitelisted' }],
      [await app.send({ path: '/api/v1/me' }), { ...nobody, route: '/api/v1/me', status: 401, code: 'unauthorized' }],
      [await app.send({ path: '/elsewhere' }), { ...nobody, route: null, status: 404, code: 'not_found' }],
      [
        await app.send({ method: 'PUT', path: '/uploads/x' }),
        { ...nobody, route: '/uploads/:token', status: 403, code: 'upload_forbidden' },
      ],
    ];
    for (const [answer, expected] of seen) expect(await lineOf(answer)).toMatchObject(expected);
  });

  test('counts the bytes of the whole response', async () => {
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('x'.repeat(200_000)) }]);
    const get = await actor.get(`/photos/${photo.id}/download`);
    const head = await actor.send({ method: 'HEAD', path: `/api/v1/photos/${photo.id}/download` });
    const [whole, none] = [await lineOf(get), await lineOf(head)];
    expect(Number(whole['bytes']) - Number(none['bytes'])).toBe(get.bytes.length);
    expect(Number(none['bytes'])).toBeGreaterThan(0);
  });

  test('is written for each request of a connection', async () => {
    const ask = (extra: string) =>
      `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${actor.token}\r\n${extra}\r\n`;
    let seen = '';
    await new Promise<void>((resolve, reject) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(ask('')));
      socket.on('data', (chunk) => {
        if (seen === '') socket.write(ask('Connection: close\r\n'));
        seen += chunk.toString('latin1');
      });
      socket.on('error', reject);
      socket.on('close', () => resolve());
    });
    const lines = () => app.log.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request');
    await until(() => lines().length === 2);
    expect(lines().reduce((sum, { bytes }) => sum + bytes, 0)).toBe(seen.length);
  });
});

describe('the log', () => {
  test('contains no key, signed address, query, body or file name, and no line that a client forged', async () => {
    const secret = 'what-nobody-else-may-read';
    for (const { method, path, body } of endpoints) {
      await actor.send({ method, path: `/api/v1${path}?${secret}=${secret}`, body });
      const broken = { method, path: `/api/v1${path}`, body: `{"${secret}":` };
      await actor.send(broken);
      await actor.send({ ...broken, headers: { authorization: `Bearer ${actor.token}x`, cookie: secret } });
    }
    await app.send({ path: `/api/v1/me?key=${actor.token}` });
    await app.send({ path: `/api/v1/${secret}` });
    await app.send({ path: `/${secret}`, headers: { 'user-agent': secret, 'x-forwarded-for': secret } });
    await actor.get('/me', { 'x-request-id': secret, traceparent: secret, referer: secret });
    await actor.get('/photos/1%0d%0a%7B%22level%22:30%7D');
    await actor.post('/tags', { name: secret, description: '\r\n{"level":30}' });
    const [photo] = await importPhotos(app, actor, [{ filename: `${secret}.jpg`, content: picture(secret) }]);
    const { urls } = (await actor.get(`/photos/${photo.id}?include=urls`)).body;
    const { id } = (await actor.post('/imports', { clientRef: secret })).body;
    await postFiles(actor, id, [{ filename: secret, content: secret }]);
    const photos = [{ filename: `${secret}.jpg`, sizeBytes: 3 }];
    const { upload } = (await actor.post(`/imports/${id}/photos`, { photos })).body.data[0].photo;
    for (const url of [upload.url, urls.small]) {
      for (const method of ['PUT', 'GET', 'POST', 'OPTIONS']) {
        await app.send({ method, path: new URL(url).pathname, body: method === 'GET' ? undefined : secret });
      }
    }
    const log = app.log.join('');
    expect(app.log.length).toBeGreaterThan(60);
    for (const word of [actor.token, secret, upload.url, urls.small].map((text) => text.split('/').at(-1))) {
      expect(log).not.toContain(word);
    }
    for (const line of app.log) {
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(JSON.parse(line)).toHaveProperty('msg');
    }
  });
});
