import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { newToken } from '../../src/core/access/api-key.js';
import { endpoints } from './support/endpoints.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.0/8'] });
  actor = await app.customer();
});
afterAll(() => app.close());

const me = (headers: Record<string, string | readonly string[]>) => app.send({ path: '/api/v1/me', headers });

describe('step 1: the key', () => {
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
    ['a key with a wrong checksum', (token) => ({ authorization: `Bearer ${token.slice(0, -6)}000000` })],
    ['a key in another case', (token) => ({ authorization: `Bearer ${token.toUpperCase()}` })],
    ['a key with more behind it', (token) => ({ authorization: `Bearer ${token}x` })],
    ['a key in quotes', (token) => ({ authorization: `Bearer "${token}"` })],
    ['a key and parameters', (token) => ({ authorization: `Bearer ${token}, realm=x` })],
    ['two schemes', (token) => ({ authorization: `Basic YTpi, Bearer ${token}` })],
    ['a tab instead of the space', (token) => ({ authorization: `Bearer\t${token}` })],
    ['no space', (token) => ({ authorization: `Bearer${token}` })],
    ['characters beyond ASCII', () => ({ authorization: 'Bearer phs_live_\xe9' })],
    ['a cookie', (token) => ({ cookie: `authorization=Bearer ${token}` })],
    ['a header of another name', (token) => ({ 'x-api-key': token, 'proxy-authorization': `Bearer ${token}` })],
    ['one wrong header, then a right one', (token) => ({ authorization: ['Bearer x', `Bearer ${token}`] })],
    ['one right header, then a wrong one', (token) => ({ authorization: [`Bearer ${token}`, 'Bearer x'] })],
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

  test('a key in the query or in the body is ignored', async () => {
    for (const name of ['key', 'api_key', 'access_token', 'authorization', 'token']) {
      expect((await app.send({ path: `/api/v1/me?${name}=${actor.token}` })).status).toBe(401);
      const body = { [name]: actor.token };
      expect((await app.send({ method: 'POST', path: '/api/v1/tags', body })).status).toBe(401);
    }
  });

  test('the prefix of the sandbox, with a checksum of its own, is 401 like an unknown key', async () => {
    const sandbox = newToken().replace('_live_', '_test_');
    const [reserved, unknown] = [sandbox, newToken()].map((token) => me({ authorization: `Bearer ${token}` }));
    const shown = async (answer: typeof reserved) => {
      const { headers, body, status } = (await answer) as Awaited<ReturnType<typeof me>>;
      return [status, { ...body.error, requestId: null }, Object.keys(headers).sort()];
    };
    expect(await shown(reserved)).toEqual(await shown(unknown));
  });

  test('"Every request must include the header": each endpoint is 401 without it', async () => {
    const own = await startApp();
    try {
      for (const { method, path, body } of endpoints) {
        const answer = await own.send({ method, path: `/api/v1${path}`, body });
        expect([method, path, answer.status, answer.body.error.code]).toEqual([method, path, 401, 'unauthorized']);
      }
    } finally {
      await own.close();
    }
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

describe('the last use of a key', () => {
  test('is stored with its address, at the latest when the process stops', async () => {
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

describe('step 2: the IP list', () => {
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

  test('a key is admitted from its list', async () => {
    const locked = await actor.withKey({ ipList: ['203.0.113.0/24'] });
    const answer = await locked.get('/me', { 'x-forwarded-for': '203.0.113.9' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ clientIp: '203.0.113.9', apiKey: { ipRestricted: true } });
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

  test.each([
    ['malformed', 'unknown'],
    ['empty', ''],
    ['with leading zeros', '203.000.113.009'],
    ['with a zone', 'fe80::1%eth0'],
    ['its last hop malformed', '203.0.113.9, x'],
    ['not there', undefined],
  ])('a header that is %s gives no address, and no IP list admits the request', async (_, header) => {
    const everyone = await actor.withKey({ ipList: ['0.0.0.0/0', '::/0'] });
    const headers: Record<string, string> = header === undefined ? {} : { 'x-forwarded-for': header };
    const answer = await everyone.get('/me', headers);
    const message = 'This key is restricted to certain addresses, and the proxy at 127.0.0.1 did not report yours.';
    expect([answer.status, answer.body.error.code, answer.body.error.message]).toEqual([
      403,
      'ip_not_whitelisted',
      message,
    ]);
    // A key without a list is for everyone, and what it asks counts for the proxy.
    const free = await actor.get('/me', headers);
    expect([free.status, free.body.clientIp]).toEqual([200, '127.0.0.1']);
  });

  test('when every hop is a trusted proxy, the address of the socket counts', async () => {
    const ours = { 'x-forwarded-for': '127.0.0.3, 127.0.0.2' };
    const elsewhere = await (await actor.withKey({ ipList: ['203.0.113.0/24'] })).get('/me', ours);
    expect([elsewhere.status, elsewhere.body.error.message]).toEqual([403, 'This key may not be used from 127.0.0.1.']);
    expect((await (await actor.withKey({ ipList: ['127.0.0.1'] })).get('/me', ours)).status).toBe(200);
  });

  test('ports in the header are accepted', async () => {
    const locked = await actor.withKey({ ipList: ['203.0.113.0/24', '2001:db8::/32'] });
    for (const [header, address] of [
      ['203.0.113.9:1234', '203.0.113.9'],
      ['198.51.100.1:80, [2001:db8::7]:99', '2001:db8::7'],
    ] as const) {
      const answer = await locked.get('/me', { 'x-forwarded-for': header });
      expect([answer.status, answer.body.clientIp]).toEqual([200, address]);
    }
  });

  test('a header behind 1,500 others is still read', async () => {
    const locked = await actor.withKey({ ipList: ['203.0.113.0/24'] });
    const junk = 'x:1\r\n'.repeat(1500);
    const request = `GET /api/v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${locked.token}\r\n${junk}`;
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write(`${request}X-Forwarded-For: 203.0.113.9\r\nConnection: close\r\n\r\n`);
    const answer = (await text(socket)).split('\r\n');
    expect([answer[0], answer.at(-1)]).toEqual([
      'HTTP/1.1 200 OK',
      expect.stringContaining('"clientIp":"203.0.113.9"'),
    ]);
  });

  test('an IPv4 address mapped into IPv6 is treated as the IPv4 address', async () => {
    const locked = await actor.withKey({ ipList: ['203.0.113.9'] });
    const mapped = await locked.get('/me', { 'x-forwarded-for': '::ffff:203.0.113.9' });
    expect([mapped.status, mapped.body.clientIp]).toEqual([200, '203.0.113.9']);
    const listed = await actor.withKey({ ipList: ['::ffff:203.0.113.9'] });
    expect((await listed.get('/me', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200);
  });

  test('"IPv4 and IPv6 addresses or CIDR ranges"; "When the list is empty, any source IP is accepted"', async () => {
    const both = await actor.withKey({ ipList: ['198.51.100.7', '2001:db8:1::/48', '10.0.0.0/8'] });
    const status = async (client: Actor, address: string) => {
      return (await client.get('/me', { 'x-forwarded-for': address })).status;
    };
    for (const inside of ['198.51.100.7', '2001:db8:1:ffff::1', '2001:DB8:1::1', '10.255.255.255']) {
      expect([inside, await status(both, inside)]).toEqual([inside, 200]);
    }
    for (const outside of ['198.51.100.8', '2001:db8:2::1', '11.0.0.0', '9.255.255.255', '::1']) {
      expect([outside, await status(both, outside)]).toEqual([outside, 403]);
      expect([outside, await status(actor, outside)]).toEqual([outside, 200]);
    }
  });

  test('an IP list that cannot be read admits no address', async () => {
    const broken = await startApp({
      ports: ({ keys }) => {
        const findByHash = async (hash: string) => {
          const known = await keys.findByHash(hash);
          return known && { ...known, key: { ...known.key, ipList: ['127.0.0.1/32', '010.0.0.1'] } };
        };
        return { keys: Object.assign(Object.create(keys), { findByHash }) };
      },
    });
    try {
      const answer = await (await broken.customer()).get('/me');
      expect([answer.status, answer.body.error.code]).toEqual([403, 'ip_not_whitelisted']);
    } finally {
      await broken.close();
    }
  });

  test.each([
    '10.0.0.0/33',
    '010.0.0.1',
    '10.0.0',
    'fe80::1%eth0',
    '10.0.0.1:80',
    '::/129',
    'a.example',
    '',
    '1.2.3.4/08',
  ])('%s is refused when a key is made', async (entry) => {
    await expect(actor.withKey({ ipList: [entry] })).rejects.toMatchObject({ code: 'invalid_request' });
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
