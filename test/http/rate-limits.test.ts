import { SECOND } from '../../src/core/shared/clock.js';
import type { Answer } from './support/http-client.js';
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

describe('API.md §4.3: budgets', () => {
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

describe('API.md §4.3: the budget of an address', () => {
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
