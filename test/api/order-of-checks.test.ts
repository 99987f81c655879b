import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { Answer, RequestParts } from './support/http-client.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** a request that fails at two steps is answered by the earlier one, and charged where that one charges. */

let app: RunningApp;
let actor: Actor;
let photo: { id: number };
let tag: { id: number };
beforeEach(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
  actor = await app.customer();
  [photo] = (await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }])) as [typeof photo];
  tag = (await actor.post('/tags', { name: 'Paris' })).body;
});
afterEach(() => app.close());

const code = (answer: Answer) => [answer.status, answer.body.error?.code];
const budget = ({ headers }: Answer) => [
  headers['x-ratelimit-resource'],
  headers['x-ratelimit-limit'],
  headers['x-ratelimit-remaining'],
];
const tooLong = { name: 'x'.repeat(1024 * 1024) };
const asText = { 'content-type': 'text/plain' };

describe('step 1, the key, before everything else', () => {
  const requests: readonly (readonly [string, RequestParts])[] = [
    ['an unknown path', { path: '/api/v1/nothing' }],
    ['a path that cannot be decoded', { path: '/api/v1/%zz' }],
    ['a wrong method', { method: 'POST', path: '/api/v1/me' }],
    ['OPTIONS', { method: 'OPTIONS', path: '/api/v1/photos' }],
    ['a body too large', { method: 'POST', path: '/api/v1/tags', body: tooLong }],
    ['a body of another type', { method: 'POST', path: '/api/v1/tags', body: 'x', headers: asText }],
    ['a body that is none', { method: 'POST', path: '/api/v1/tags', body: '{' }],
    ['an unknown parameter', { path: '/api/v1/photos?x=1' }],
    ['a bad Idempotency-Key', { method: 'POST', path: '/api/v1/imports', headers: { 'idempotency-key': '"' } }],
    ['an id that nobody has', { path: '/api/v1/photos/999999' }],
  ];

  test('401 is charged to the address', async () => {
    for (const [at, [what, request]] of requests.entries()) {
      const answer = await app.send(request);
      expect([what, ...code(answer)]).toEqual([what, 401, 'unauthorized']);
      expect(budget(answer)).toEqual(['anonymous', '300', String(299 - at)]);
    }
  });

  test('no budget of a key is charged for it', async () => {
    const before = (await actor.get('/me')).body.rateLimits;
    await app.send({ path: '/api/v1/me', headers: { authorization: `Bearer ${actor.token}x` } });
    const after = (await actor.get('/me')).body.rateLimits;
    expect(after.read.remaining).toBe(before.read.remaining - 1);
    expect(after.write.remaining).toBe(before.write.remaining);
  });
});

describe('step 2, the IP list, before the budget of the key and all that follows', () => {
  test('"the response is 403 with `code` = `ip_not_whitelisted`, even if the key is otherwise valid"', async () => {
    const locked = await actor.withKey({
      ipList: ['203.0.113.9'],
      scopes: ['tags:read'],
      readLimit: 0,
      writeLimit: 0,
    });
    const asked = [
      await locked.get('/me'),
      await locked.get('/nothing'),
      await locked.get('/photos/%zz'),
      await locked.post('/me', {}),
      await locked.post('/tags', tooLong),
      await locked.get('/tags?limit=0'),
    ];
    for (const [at, answer] of asked.entries()) {
      expect(code(answer)).toEqual([403, 'ip_not_whitelisted']);
      expect(budget(answer)).toEqual(['anonymous', '300', String(299 - at)]);
    }
  });

  test('an expired key is 401, wherever it comes from', async () => {
    const brief = await actor.withKey({
      ipList: ['203.0.113.9'],
      expiresAt: new Date(app.clock.now().getTime() + 1000),
    });
    expect(code(await brief.get('/me'))).toEqual([403, 'ip_not_whitelisted']);
    app.clock.pass(1000);
    expect(code(await brief.get('/me'))).toEqual([401, 'unauthorized']);
  });

  test('with the budget of the address used up steps 1 and 2 answer 429; a valid key from an allowed address is never blocked by it', async () => {
    const locked = await actor.withKey({ ipList: ['203.0.113.9'], readLimit: null });
    for (let call = 0; call < 300; call += 1) await app.send({ path: '/api/v1/me' });
    for (const answer of [await app.send({ path: '/api/v1/me' }), await locked.get('/me')]) {
      expect([...code(answer), ...budget(answer)]).toEqual([429, 'rate_limited', 'anonymous', '300', '0']);
      expect(answer.headers['retry-after']).toBe('60');
      expect(answer.headers['www-authenticate']).toBeUndefined();
    }
    expect((await actor.get('/me')).status).toBe(200);
    const inside = await locked.get('/me', { 'x-forwarded-for': '203.0.113.9' });
    expect([inside.status, ...budget(inside)]).toEqual([200, 'read', '300', '299']);
  });
});

describe('step 3, the budget, before route, scope and body', () => {
  test('429 is answered whatever the request would have been', async () => {
    const empty = await actor.withKey({ scopes: ['tags:read'], readLimit: 0, writeLimit: 0 });
    const asked: readonly (readonly ['read' | 'write', Answer])[] = [
      ['read', await empty.get('/nothing')],
      ['read', await empty.get('/me')],
      ['read', await empty.get('/tags?limit=0')],
      ['read', await empty.get('/tags/999999')],
      ['read', await empty.send({ method: 'OPTIONS', path: '/api/v1/tags' })],
      ['write', await empty.post('/me', {})],
      ['write', await empty.post('/tags', 'x', asText)],
      ['write', await empty.post('/tags', tooLong)],
      ['write', await empty.send({ method: 'PROPFIND', path: '/api/v1/tags' })],
    ];
    for (const [group, answer] of asked) {
      expect([...code(answer), ...budget(answer)]).toEqual([429, 'rate_limited', group, '0', '0']);
    }
  });
});

describe('step 4, route and method, before the scope', () => {
  test('404 and 405 are charged to the key', async () => {
    const narrow = await actor.withKey({ scopes: ['tags:read'], readLimit: 10, writeLimit: 10 });
    expect(code(await narrow.get('/nothing'))).toEqual([404, 'not_found']);
    const wrong = await narrow.post('/me', tooLong);
    expect(code(wrong)).toEqual([405, 'method_not_allowed']);
    expect(budget(wrong)).toEqual(['write', '10', '9']);
    expect(budget(await narrow.get('/tags'))).toEqual(['read', '10', '8']);
  });
});

describe('step 5, the scope, before what is sent and what there is', () => {
  test('403 scope_required is charged to the key', async () => {
    const narrow = await actor.withKey({ scopes: ['customer:read'], readLimit: 10, writeLimit: 10 });
    const asked = [
      await narrow.post('/tags', tooLong),
      await narrow.post('/tags', 'x', asText),
      await narrow.post('/tags', '{'),
      await narrow.post('/tags?x=1', {}),
      await narrow.patch(`/tags/${tag.id}`, {}, { 'if-match': '"x"' }),
      await narrow.delete('/tags/999999'),
      await narrow.post('/tags', { name: 'a' }, { 'idempotency-key': '"' }),
    ];
    for (const [at, answer] of asked.entries()) {
      expect([...code(answer), ...budget(answer)]).toEqual([403, 'scope_required', 'write', '10', String(9 - at)]);
      expect(answer.body.error.details).toEqual({ scope: 'tags:write' });
    }
    expect(code(await narrow.get('/photos/999999?x=1'))).toEqual([403, 'scope_required']);
  });
});

describe('step 7, size and type of the body, before its content and the query', () => {
  test('415 and 413 come before 400', async () => {
    expect(code(await actor.post('/tags?x=1', '{', asText))).toEqual([415, 'unsupported_media_type']);
    expect(code(await actor.post('/tags?x=1', tooLong))).toEqual([413, 'payload_too_large']);
    expect(code(await actor.post('/tags', tooLong, asText))).toEqual([415, 'unsupported_media_type']);
  });

  test('415 and 413 come before a stored response', async () => {
    const same = { 'idempotency-key': randomUUID() };
    await actor.post('/tags', { name: 'a' }, same);
    expect(code(await actor.post('/tags', { name: 'a' }, { ...same, ...asText }))[0]).toBe(415);
    expect(code(await actor.post('/tags', tooLong, same))[0]).toBe(413);
  });

  test('415 and 413 come before existence and conditions', async () => {
    const stale = { 'if-match': '"x"', ...asText };
    expect(code(await actor.patch('/tags/999999', 'x', stale))[0]).toBe(415);
    expect(code(await actor.patch(`/tags/${tag.id}`, 'x', stale))[0]).toBe(415);
    expect(code(await actor.patch('/tags/999999', tooLong))[0]).toBe(413);
  });
});

describe('step 8, what is sent, before what there is', () => {
  test('errors of query and body are reported together', async () => {
    const answer = await actor.post('/tags?x=1&ifExists=no', { name: 1, colour: 'red' });
    const found = answer.body.error.details.errors.map((one: { field: string; code: string }) => [one.field, one.code]);
    expect(answer.body.error.message).toBe('4 fields are invalid.');
    expect(found.sort()).toEqual([
      ['colour', 'unknown_field'],
      ['ifExists', 'invalid_format'],
      ['name', 'invalid_type'],
      ['x', 'unknown_parameter'],
    ]);
  });

  const invalid: readonly (readonly [string, string, unknown])[] = [
    ['GET', '/photos/999999?x=1', undefined],
    ['GET', '/photos/999999?include=all', undefined],
    ['GET', '/photos/999999/download?rendition=huge', undefined],
    ['GET', '/photos/999999/download?format=webp', undefined],
    ['GET', '/photos/999999/tags?x=1', undefined],
    ['PATCH', '/photos/999999', { title: 1 }],
    ['PATCH', '/photos/999999', { title: 'x'.repeat(256) }],
    ['PATCH', '/photos/999999', { rating: 6 }],
    ['PATCH', '/photos/999999', { takenAt: '2020-01-01T00:00:00Z', timeZone: '+01:00' }],
    ['PATCH', '/photos/999999', { trashed: true }],
    ['PUT', '/photos/999999/tags', {}],
    ['PUT', '/photos/999999/tags', { tagNames: [''] }],
    ['PUT', '/photos/999999/tags', { tagNames: ['x'.repeat(101)] }],
    ['DELETE', '/photos/999999?permanent=yes', undefined],
    ['GET', '/imports/999999?limit=1', undefined],
    ['GET', '/imports/999999?include=photos&limit=0', undefined],
    ['POST', '/imports/999999/finalize', { action: 'undo' }],
    ['POST', '/imports/999999/photos', { photos: [] }],
    ['POST', '/imports/999999/photos', { photos: [{ filename: 'a.jpg' }] }],
    ['PATCH', '/imports/999999/photos/999999', { rating: 6 }],
    ['PATCH', '/imports/999999/photos/999999', { sizeBytes: 0 }],
    ['PATCH', '/imports/999999/photos/999999', { tagNames: ['\t'] }],
    ['PATCH', '/tags/999999', { name: ' ' }],
    ['PATCH', '/tags/999999', { color: 'red' }],
    ['PATCH', '/tags/999999', { mergeTagIds: [999999] }],
    ['DELETE', '/tags/999999?x=1', undefined],
  ];

  test('400 invalid_request comes before 404', async () => {
    for (const [method, path, body] of invalid) {
      const answer = await actor.send({ method, path: `/api/v1${path}`, body, headers: { 'if-match': '"x"' } });
      expect([method, path, ...code(answer)]).toEqual([method, path, 400, 'invalid_request']);
    }
  });

  test('400 invalid_cursor comes before 404', async () => {
    expect(code(await actor.get('/imports/999999?include=photos&cursor=abc'))).toEqual([400, 'invalid_cursor']);
  });

  test('400 comes before 412', async () => {
    const stale = { 'if-match': '"x"' };
    expect(code(await actor.patch(`/tags/${tag.id}`, { name: '' }, stale))[0]).toBe(400);
    expect(code(await actor.put(`/photos/${photo.id}/tags`, { tagNames: [''] }, stale))[0]).toBe(400);
    expect(code(await actor.patch(`/photos/${photo.id}`, { rating: 6 }, stale))[0]).toBe(400);
  });

  test('an invalid body, parameter or Idempotency-Key is refused before a stored response is sent', async () => {
    const same = { 'idempotency-key': randomUUID() };
    await actor.post('/tags', { name: 'a' }, same);
    expect(code(await actor.post('/tags', '{', same))[0]).toBe(400);
    expect(code(await actor.post('/tags', { name: 1 }, same))[0]).toBe(400);
    expect(code(await actor.post('/tags?x=1', { name: 'a' }, same))[0]).toBe(400);
    expect(code(await actor.delete('/tags/999999', { 'idempotency-key': '' }))[0]).toBe(400);
  });
});

describe('step 9, the Idempotency-Key, before what there is now', () => {
  test('409, 422 and the stored response come before 404 and 412', async () => {
    const same = { 'idempotency-key': randomUUID() };
    expect((await actor.delete(`/tags/${tag.id}`, same)).status).toBe(204);
    expect((await actor.delete(`/tags/${tag.id}`, { ...same, 'if-match': '"x"' })).status).toBe(204);
    expect(code(await actor.delete('/tags/999999', same))).toEqual([422, 'idempotency_key_reused']);
  });
});

describe('step 10, existence, before step 11, the state', () => {
  test('404 comes before 412 and 409', async () => {
    const stale = { 'if-match': '"x"' };
    for (const [method, path, body] of [
      ['PATCH', '/photos/999999', {}],
      ['PUT', '/photos/999999/tags', { tagIds: [] }],
      ['DELETE', '/photos/999999', undefined],
      ['DELETE', '/photos/999999?permanent=true', undefined],
      ['PATCH', '/tags/999999', { name: 'Paris' }],
      ['DELETE', '/tags/999999', undefined],
    ] as const) {
      const answer = await actor.send({ method, path: `/api/v1${path}`, body, headers: stale });
      expect([method, path, ...code(answer)]).toEqual([method, path, 404, 'not_found']);
    }
    const { id } = (await actor.post('/imports')).body;
    await actor.post(`/imports/${id}/finalize`);
    expect(code(await actor.patch(`/imports/${id}/photos/999999`, {}))).toEqual([404, 'not_found']);
  });

  test('412 comes before 409', async () => {
    await actor.post('/tags', { name: 'London' });
    const answer = await actor.patch(`/tags/${tag.id}`, { name: 'London' }, { 'if-match': '"x"' });
    expect(code(answer)).toEqual([412, 'precondition_failed']);
  });
});

describe('a client that waits to be asked for the body (Expect: 100-continue)', () => {
  /** Sends the body only when it is asked for. */
  function expecting(path: string, headers: Record<string, string>, body: string) {
    return new Promise<{ wasAsked: boolean; status: number | undefined; connection: string | undefined }>(
      (resolve, reject) => {
        let wasAsked = false;
        const length = { 'content-length': String(Buffer.byteLength(body)), expect: '100-continue' };
        const request = httpRequest(`${app.url}${path}`, { method: 'POST', headers: { ...headers, ...length } });
        request.on('continue', () => {
          wasAsked = true;
          request.end(body);
        });
        request.on('response', (response) => {
          const { statusCode: status, headers } = response;
          response.resume();
          response.on('end', () => {
            request.destroy();
            resolve({ wasAsked, status, connection: headers.connection });
          });
        });
        request.on('error', reject);
        request.flushHeaders();
      },
    );
  }

  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Rome' });

  test('is answered 401, 403, 404 and 413 without being asked, on a connection that ends', async () => {
    const reader = await actor.withKey({ scopes: ['tags:read'] });
    const bearer = (of: Actor) => ({ authorization: `Bearer ${of.token}` });
    const tooMuch = JSON.stringify(tooLong);
    for (const [path, headers, sent, status] of [
      ['/api/v1/tags', json, body, 401],
      ['/api/v1/tags', { ...json, ...bearer(reader) }, body, 403],
      ['/api/v1/nothing', { ...json, ...bearer(actor) }, body, 404],
      ['/api/v1/tags', { ...json, ...bearer(actor) }, tooMuch, 413],
    ] as const) {
      expect(await expecting(path, headers, sent)).toEqual({ wasAsked: false, status, connection: 'close' });
    }
  });

  test('is asked once nothing is in the way, and keeps its connection', async () => {
    const headers = { ...json, authorization: `Bearer ${actor.token}` };
    const answer = await expecting('/api/v1/tags', headers, body);
    expect(answer).toEqual({ wasAsked: true, status: 201, connection: undefined });
  });
});
