import { newToken } from '../../src/core/access/api-key.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.0/8'] });
  actor = await app.customer();
});
afterAll(() => app.close());

const me = (headers: Record<string, string | readonly string[]>) => app.send({ path: '/api/v1/me', headers });

describe('API.md §4.2, step 1: the key', () => {
  const refused: readonly (readonly [string, (token: string) => Record<string, string | readonly string[]>])[] = [
    ['no header', () => ({})],
    ['an empty header', () => ({ authorization: '' })],
    ['another scheme', (token) => ({ authorization: `Basic ${token}` })],
    ['the scheme alone', () => ({ authorization: 'Bearer' })],
    ['the token alone', (token) => ({ authorization: token })],
    ['two tokens in one header', (token) => ({ authorization: `Bearer ${token} ${token}` })],
    ['two headers', (token) => ({ authorization: [`Bearer ${token}`, `Bearer ${token}`] })],
    ['a key of the sandbox to be', (token) => ({ authorization: `Bearer ${token.replace('_live_', '_test_')}` })],
    ['a mistyped key', (token) => ({ authorization: `Bearer ${token.slice(0, -1)}` })],
    ['a well-formed key that nobody has', () => ({ authorization: `Bearer ${newToken()}` })],
  ];

  test.each(refused)('%s is 401, without a word on what was wrong', async (_, headers) => {
    const answer = await me(headers(actor.token));
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.body.error).toEqual({
      code: 'unauthorized',
      message: 'Send a valid API key: Authorization: Bearer <API_KEY>.',
      requestId: answer.headers['x-request-id'],
    });
  });

  test.each(['bearer', 'BEARER'])('the scheme is read in any case: %s', async (scheme) => {
    expect((await me({ authorization: `${scheme} ${actor.token}` })).status).toBe(200);
  });

  test('a key in the query is not looked at', async () => {
    expect((await app.send({ path: `/api/v1/me?key=${actor.token}` })).status).toBe(401);
  });

  test('a deleted key is refused from the next request on', async () => {
    const doomed = await actor.withKey({});
    expect((await doomed.get('/me')).status).toBe(200);
    await doomed.deleteKey();
    expect((await doomed.get('/me')).status).toBe(401);
  });

  test('an expired key is refused', async () => {
    const brief = await actor.withKey({ expiresAt: new Date(app.clock.now().getTime() + 1000) });
    expect((await brief.get('/me')).status).toBe(200);
    app.clock.pass(1000);
    expect((await brief.get('/me')).status).toBe(401);
  });
});

describe('API.md §11: the last use of a key', () => {
  test('is kept with its address, at the latest when the process stops', async () => {
    const own = await startApp();
    const client = await own.customer();
    const locked = await client.withKey({ ipList: ['203.0.113.9'] });
    await client.get('/me');
    await locked.get('/me');
    await own.close();
    const [used, unused] = await Promise.all([client, locked].map(({ keyId }) => own.ports.keys.find(keyId)));
    expect(used?.key).toMatchObject({ lastUsedAt: own.clock.now(), lastUsedIp: '127.0.0.1' });
    expect(unused?.key).toMatchObject({ lastUsedAt: null, lastUsedIp: null });
  });
});

describe('API.md §4.2, step 2: the IP list', () => {
  test('a key is refused from elsewhere, whatever it asks for', async () => {
    const locked = await actor.withKey({ ipList: ['203.0.113.0/24'], scopes: ['photos:read'] });
    for (const path of ['/photos', '/me', '/nothing']) {
      const answer = await locked.get(path);
      expect(answer.status).toBe(403);
      expect(answer.body.error).toMatchObject({
        code: 'ip_not_whitelisted',
        message: expect.stringContaining('127.0.0.1'),
      });
    }
  });

  test('it is admitted from its list', async () => {
    const locked = await actor.withKey({ ipList: ['127.0.0.0/8'] });
    const answer = await locked.get('/me');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ clientIp: '127.0.0.1', apiKey: { ipRestricted: true } });
  });

  test('behind a trusted proxy the right-most foreign hop counts', async () => {
    const locked = await actor.withKey({ ipList: ['203.0.113.0/24'] });
    const inside = await locked.get('/me', { 'x-forwarded-for': '198.51.100.1, 203.0.113.9, 127.0.0.2' });
    expect([inside.status, inside.body.clientIp]).toEqual([200, '203.0.113.9']);
    const outside = await locked.get('/me', { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' });
    expect(outside.status).toBe(403);
    const lines = await locked.get('/me', { 'x-forwarded-for': ['203.0.113.9', '198.51.100.1'] });
    expect(lines.status).toBe(403);
  });

  test('without a trusted proxy the header is not believed', async () => {
    const bare = await startApp();
    try {
      const locked = await (await bare.customer()).withKey({ ipList: ['203.0.113.0/24'] });
      expect((await locked.get('/me', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(403);
    } finally {
      await bare.close();
    }
  });
});
