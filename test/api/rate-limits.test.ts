import { SECOND } from '../../src/core/shared/clock.js';
import { atOnce } from '../support/tenant.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeEach(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
  actor = await (await app.customer()).withKey({ readLimit: null, writeLimit: null });
});
afterEach(() => app.close());

function budget({ headers }: Answer) {
  return {
    limit: Number(headers['x-ratelimit-limit']),
    remaining: Number(headers['x-ratelimit-remaining']),
    reset: Number(headers['x-ratelimit-reset']),
    resource: headers['x-ratelimit-resource'],
  };
}

const epoch = () => app.clock.now().getTime() / SECOND;

describe('budgets', () => {
  test('reads and writes have budgets of their own; the first call leaves one less', async () => {
    const reset = Math.ceil(epoch() + 60);
    expect(budget(await actor.get('/photos'))).toEqual({ limit: 300, remaining: 299, reset, resource: 'read' });
    expect(budget(await actor.post('/imports'))).toEqual({ limit: 30, remaining: 29, reset, resource: 'write' });
    expect(budget(await actor.send({ method: 'HEAD', path: '/api/v1/photos' })).remaining).toBe(298);
    expect(budget(await actor.send({ method: 'OPTIONS', path: '/api/v1/photos' })).remaining).toBe(297);
  });

  test('the budget is exact over the rolling window, and Retry-After says when the next call succeeds', async () => {
    await actor.post('/imports');
    app.clock.pass(20 * SECOND);
    for (let call = 2; call <= 30; call += 1) expect((await actor.post('/imports')).status).toBeLessThan(300);
    const refused = await actor.post('/imports');
    expect(refused.status).toBe(429);
    expect(refused.body.error).toEqual({
      code: 'rate_limited',
      message: 'Write budget used up. Retry in 40 seconds.',
      requestId: refused.headers['x-request-id'],
    });
    expect(refused.headers['retry-after']).toBe('40');
    expect(budget(refused)).toMatchObject({ limit: 30, remaining: 0, resource: 'write' });
    app.clock.pass(39 * SECOND);
    expect((await actor.post('/imports')).status).toBe(429);
    app.clock.pass(1 * SECOND);
    expect((await actor.post('/imports')).status).toBe(201);
    expect((await actor.post('/imports')).status).toBe(429);
  });

  test('a refused call does nothing and counts nothing; reads go on', async () => {
    for (let call = 1; call <= 30; call += 1) await actor.post('/imports');
    for (let call = 1; call <= 5; call += 1) expect((await actor.post('/tags', { name: 'never' })).status).toBe(429);
    expect((await actor.get('/tags')).body.data).toEqual([]);
    app.clock.pass(60 * SECOND);
    expect(budget(await actor.post('/tags', { name: 'now' }))).toMatchObject({ remaining: 29 });
  });

  test('every key has its own budgets, and the operator may have set them', async () => {
    const other = await actor.withKey({ readLimit: 2, writeLimit: 0 });
    expect(budget(await other.get('/photos'))).toMatchObject({ limit: 2, remaining: 1 });
    expect((await other.get('/photos')).status).toBe(200);
    expect((await other.get('/photos')).status).toBe(429);
    const write = await other.post('/imports');
    expect([write.status, write.headers['retry-after']]).toEqual([429, '60']);
    expect(budget(await actor.get('/photos')).remaining).toBe(299);
  });

  test('everything that passes the IP list counts, whatever comes of it', async () => {
    const narrow = await actor.withKey({ scopes: ['photos:read'], readLimit: null });
    await narrow.get('/tags');
    await narrow.get('/nothing');
    await narrow.get('/photos/1');
    await narrow.get('/photos?limit=0');
    await narrow.get('/photos/%zz');
    expect(budget(await narrow.get('/photos')).remaining).toBe(294);
  });

  test('GET /me tells the same numbers as its headers, and the write budget without spending it', async () => {
    await actor.post('/imports');
    const answer = await actor.get('/me');
    const { resource: _, ...own } = budget(answer);
    expect(answer.body.rateLimit).toEqual(own);
    expect(answer.body.rateLimits.read).toEqual(own);
    expect(answer.body.rateLimits.write).toEqual({ limit: 30, remaining: 29, reset: Math.ceil(epoch() + 60) });
  });

  test('an untouched budget is reset now', async () => {
    expect((await actor.get('/me')).body.rateLimits.write).toEqual({
      limit: 30,
      remaining: 30,
      reset: Math.ceil(epoch()),
    });
  });
});

describe('the budget of an address', () => {
  const from = (address: string, headers: Record<string, string> = {}) =>
    app.send({ path: '/api/v1/me', headers: { 'x-forwarded-for': address, ...headers } });

  test('calls without a valid key share 300 a minute by address, and are 429 after that', async () => {
    for (let call = 1; call <= 299; call += 1) await from('203.0.113.9');
    const last = await from('203.0.113.9', { authorization: 'Bearer nonsense' });
    expect([last.status, budget(last)]).toEqual([
      401,
      expect.objectContaining({ limit: 300, remaining: 0, resource: 'anonymous' }),
    ]);
    const over = await from('203.0.113.9');
    expect([over.status, over.body.error.code, over.headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
    expect((await from('203.0.113.10')).status).toBe(401);
    const valid = await from('203.0.113.9', { authorization: `Bearer ${actor.token}` });
    expect([valid.status, budget(valid).resource]).toEqual([200, 'read']);
  });

  test('an IPv6 site is one address', async () => {
    await from('2001:db8:1:2::1');
    expect(budget(await from('2001:db8:1:2:ffff::9')).remaining).toBe(298);
    expect(budget(await from('2001:db8:1:3::1')).remaining).toBe(299);
  });

  test('a key refused for its address spends the address, not the key, and sees nothing of the key', async () => {
    const locked = await actor.withKey({ ipList: ['198.51.100.0/24'], readLimit: null });
    const refused = await locked.get('/me', { 'x-forwarded-for': '203.0.113.9' });
    expect(budget(refused)).toMatchObject({ limit: 300, remaining: 299, resource: 'anonymous' });
    expect(budget(await locked.get('/me', { 'x-forwarded-for': '198.51.100.1' })).remaining).toBe(299);
  });
});

describe('charges of budgets', () => {
  const original = picture('a');

  /** What each request leaves of the key's budget, when every one counts 1. */
  async function expectCounted(
    group: 'read' | 'write',
    ...requests: readonly (readonly [number, () => Promise<Answer>])[]
  ): Promise<void> {
    const { remaining } = (await actor.get('/me')).body.rateLimits[group];
    let left = remaining;
    for (const [status, ask] of requests) {
      const answer = await ask();
      left -= 1;
      expect([answer.status, budget(answer).resource, budget(answer).remaining]).toEqual([status, group, left]);
    }
  }

  test('downloads, ranges, 304, 416, HEAD, OPTIONS, refusals: each read is 1', async () => {
    const owner = await actor.withKey({});
    const [photo] = await importPhotos(app, owner, [{ filename: 'a.jpg', content: original }]);
    const path = `/photos/${photo.id}/download`;
    const { etag = '' } = (await owner.get(path)).headers;
    await expectCounted(
      'read',
      [200, () => actor.get(path)],
      [206, () => actor.get(path, { range: 'bytes=0-0' })],
      [206, () => actor.get(path, { range: 'bytes=1-1' })],
      [416, () => actor.get(path, { range: 'bytes=9999-' })],
      [304, () => actor.get(path, { 'if-none-match': etag })],
      [200, () => actor.send({ method: 'HEAD', path: `/api/v1${path}` })],
      [204, () => actor.send({ method: 'OPTIONS', path: `/api/v1${path}` })],
      [400, () => actor.get('/photos?limit=0')],
      [404, () => actor.get('/photos/999999')],
      [404, () => actor.get('/nothing')],
    );
  });

  test('failed validations, replays, conflicts and unknown methods: each write is 1', async () => {
    const same = { 'idempotency-key': 'the-same' };
    await expectCounted(
      'write',
      [201, () => actor.post('/tags', { name: 'a' }, same)],
      [201, () => actor.post('/tags', { name: 'a' }, same)],
      [422, () => actor.post('/tags', { name: 'b' }, same)],
      [409, () => actor.post('/tags', { name: 'A' })],
      [400, () => actor.post('/tags', '{')],
      [415, () => actor.post('/tags', 'x', { 'content-type': 'text/plain' })],
      [412, () => actor.patch('/tags/1', {}, { 'if-match': '"x"' })],
      [405, () => actor.put('/tags', {})],
      [405, () => actor.send({ method: 'PROPFIND', path: '/api/v1/tags' })],
      [404, () => actor.delete('/tags/999999')],
    );
  });

  test('signed addresses are outside /api/v1 and count nothing', async () => {
    const { id } = (await actor.post('/imports')).body;
    const photos = [{ filename: 'a.jpg', sizeBytes: original.length }];
    const { upload } = (await actor.post(`/imports/${id}/photos`, { photos })).body.data[0].photo;
    const before = (await actor.get('/me')).body.rateLimits;
    const put = await app.send({ method: 'PUT', path: new URL(upload.url).pathname, body: original });
    expect([put.status, put.headers['x-ratelimit-limit']]).toEqual([204, undefined]);
    const after = (await actor.get('/me')).body.rateLimits;
    expect(after.write).toEqual(before.write);
    expect(after.read.remaining).toBe(before.read.remaining - 1);
  });

  test('every write method counts as write, every read method as read', async () => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE', 'PROPFIND', 'TRACE']) {
      expect(budget(await actor.send({ method, path: '/api/v1/me' })).resource).toBe('write');
    }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      expect(budget(await actor.send({ method, path: '/api/v1/me' })).resource).toBe('read');
    }
  });
});

describe('the window', () => {
  test('no 60 seconds admit more than the limit, wherever they begin', async () => {
    const small = await actor.withKey({ readLimit: 5 });
    const start = epoch();
    const admitted: number[] = [];
    for (let second = 0; second < 200; second += 3) {
      app.clock.set(new Date((start + second) * SECOND));
      for (let call = 0; call < 2; call += 1) if ((await small.get('/tags')).status === 200) admitted.push(second);
    }
    for (const from of admitted) {
      expect(admitted.filter((at) => at >= from && at < from + 60).length).toBeLessThanOrEqual(5);
    }
    expect(admitted.length).toBeGreaterThanOrEqual(15);
  });

  test('`Retry-After` is "integer, seconds until the next request will succeed": not a second less', async () => {
    const small = await actor.withKey({ readLimit: 3 });
    for (const pause of [0, 7_500, 11_250]) {
      app.clock.pass(pause);
      await small.get('/tags');
    }
    const refused = await small.get('/tags');
    const wait = Number(refused.headers['retry-after']);
    expect([refused.status, wait]).toEqual([429, Math.ceil(60 - 18.75)]);
    expect(wait).toBeLessThanOrEqual(budget(refused).reset - epoch());
    app.clock.pass((wait - 1) * SECOND);
    expect((await small.get('/tags')).status).toBe(429);
    app.clock.pass(1 * SECOND);
    expect((await small.get('/tags')).status).toBe(200);
  });

  test('`X-RateLimit-Reset` is when the whole budget is back, if the client stops', async () => {
    const small = await actor.withKey({ readLimit: 3 });
    await small.get('/tags');
    app.clock.pass(10_500);
    const { reset } = budget(await small.get('/tags'));
    expect(reset).toBe(Math.ceil(epoch() + 60));
    app.clock.set(new Date(reset * SECOND));
    expect(budget(await small.get('/tags')).remaining).toBe(2);
  });

  test('a refused call moves neither Reset nor Retry-After', async () => {
    const small = await actor.withKey({ readLimit: 1 });
    const { reset } = budget(await small.get('/tags'));
    for (const left of [60, 50, 40]) {
      const refused = await small.get('/tags');
      expect([refused.headers['retry-after'], budget(refused).reset]).toEqual([String(left), reset]);
      app.clock.pass(10 * SECOND);
    }
  });

  test('twenty at once get exactly what is left', async () => {
    const small = await actor.withKey({ readLimit: 7 });
    const answers = await atOnce(20, () => small.get('/tags'));
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted.map((answer) => budget(answer).remaining).sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(13);
  });
});

describe('nothing goes around the budget', () => {
  test('another address, spelling, method or case of the key has no other budget', async () => {
    const small = await actor.withKey({ readLimit: 3, writeLimit: 0 });
    for (let call = 0; call < 3; call += 1) await small.get('/tags', { 'x-forwarded-for': `203.0.113.${call}` });
    const tries = [
      await small.get('/tags', { 'x-forwarded-for': '198.51.100.7' }),
      await small.get('/tags', { forwarded: 'for=198.51.100.7', 'x-real-ip': '198.51.100.7', 'client-ip': '::1' }),
      await small.get('/tags/'),
      await small.get('//tags'),
      await small.get('/TAGS'),
      await small.get('/tags?x=1'),
      await small.get('/tags?'),
      await small.get('/photos'),
      await small.get('/%74ags'),
      await small.send({ method: 'HEAD', path: '/api/v1/tags' }),
      await small.send({ method: 'OPTIONS', path: '/api/v1/tags' }),
      await small.get('/tags', { authorization: `bearer ${small.token}` }),
      await small.get('/tags', { authorization: `BEARER  ${small.token}` }),
      await small.post('/tags', {}, { 'x-http-method-override': 'GET' }),
      await small.get('/tags', { connection: 'close', 'cache-control': 'no-cache' }),
    ];
    expect(tries.map(({ status }) => status)).toEqual(tries.map(() => 429));
    const mistyped = await small.get('/tags', { authorization: `Bearer ${small.token.toUpperCase()}` });
    expect([mistyped.status, budget(mistyped).resource]).toEqual([401, 'anonymous']);
  });
});
