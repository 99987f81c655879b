import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { DomainError } from '../../src/core/shared/errors.js';
import { endpoints } from './support/endpoints.js';
import type { Answer } from './support/http-client.js';
import { sendBytes } from './support/send-bytes.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
});
afterAll(() => app.close());

/** What every error under /api/v1 has in common. */
function expectEnvelope(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status, code });
  expect(Object.keys(answer.body)).toEqual(['error']);
  expect(answer.body.error.message).toEqual(expect.any(String));
  expect(answer.body.error.requestId).toBe(answer.headers['x-request-id']);
  expect(answer.headers['x-request-id']).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['cache-control']).toBe('no-store');
}

function expectBudget(answer: Answer): void {
  for (const name of ['limit', 'remaining', 'reset']) expect(answer.headers[`x-ratelimit-${name}`]).toMatch(/^[0-9]+$/);
}

describe('the envelope of errors', () => {
  const faults: readonly (readonly [string, number, string, () => Promise<Answer>])[] = [
    ['no key', 401, 'unauthorized', () => app.send({ path: '/api/v1/photos' })],
    ['no key on an unknown path', 401, 'unauthorized', () => app.send({ path: '/api/v1/nothing' })],
    [
      'no key and a body that is none',
      401,
      'unauthorized',
      () => app.send({ method: 'POST', path: '/api/v1/tags', body: '{' }),
    ],
    ['an unknown path', 404, 'not_found', () => actor.get('/nothing')],
    ['the root of the API', 404, 'not_found', () => actor.get('')],
    ['a slash at the end', 404, 'not_found', () => actor.get('/me/')],
    ['another case', 404, 'not_found', () => actor.get('/ME')],
    ['two slashes', 404, 'not_found', () => actor.get('//me')],
    ['a path up', 404, 'not_found', () => actor.get('/photos/../me')],
    ['a path that cannot be decoded', 404, 'not_found', () => actor.get('/photos/%zz')],
    ['an encoded path', 404, 'not_found', () => actor.get('/%6de')],
    ['an unknown method', 405, 'method_not_allowed', () => actor.post('/me', {})],
    ['a method nobody uses', 405, 'method_not_allowed', () => actor.send({ method: 'PROPFIND', path: '/api/v1/me' })],
    ['no scope', 403, 'scope_required', async () => (await actor.withKey({ scopes: ['tags:read'] })).get('/me')],
    [
      'a body of another type',
      415,
      'unsupported_media_type',
      () => actor.post('/tags', 'name=a', { 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    [
      'a body in another charset',
      415,
      'unsupported_media_type',
      () => actor.post('/tags', '{}', { 'content-type': 'application/json; charset=utf-16' }),
    ],
    [
      'a compressed body',
      415,
      'unsupported_media_type',
      () => actor.post('/tags', '{}', { 'content-encoding': 'gzip' }),
    ],
    ['a body over its limit', 413, 'payload_too_large', () => actor.post('/tags', { name: 'x'.repeat(1024 * 1024) })],
    [
      'an endless body',
      413,
      'payload_too_large',
      () =>
        actor.post('/tags', [Buffer.alloc(700_000, 32), Buffer.alloc(700_000, 32)], {
          'content-type': 'application/json',
        }),
    ],
    ['broken JSON', 400, 'invalid_request', () => actor.post('/tags', '{"name":')],
    [
      'JSON that is not UTF-8',
      400,
      'invalid_request',
      () => actor.post('/tags', Buffer.from('{"name":"\xff"}', 'latin1')),
    ],
    ['an unknown parameter', 400, 'invalid_request', () => actor.get('/photos?colour=red')],
    ['a cursor of nobody', 400, 'invalid_cursor', () => actor.get('/photos?cursor=abc')],
    ['an unknown id', 404, 'not_found', () => actor.get('/photos/999999')],
  ];

  test.each(faults)('%s: %d %s', async (_, status, code, ask) => {
    const answer = await ask();
    expectEnvelope(answer, status, code);
    expectBudget(answer);
  });

  test('HEAD of an error has its headers and no body', async () => {
    const answer = await actor.send({ method: 'HEAD', path: '/api/v1/photos/999999' });
    expect([answer.status, answer.bytes.length]).toEqual([404, 0]);
    expectBudget(answer);
  });

  test.each(['/nothing', '/API/v1/me', '/%zz', '/uploads', '/uploads/a/b'])(
    'is used outside the API, too: %s',
    async (path) => {
      const answer = await app.send({ path });
      expectEnvelope(answer, 404, 'not_found');
      expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
    },
  );

  test('each request has an id of its own', async () => {
    const ids = [await actor.get('/me'), await actor.get('/me')].map((answer) => answer.headers['x-request-id']);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('methods', () => {
  test('405 lists the allowed methods', async () => {
    const answer = await actor.delete('/photos');
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('OPTIONS answers 204 with Allow and counts as read; it needs a key and an existing path', async () => {
    const options = (path: string, headers = {}) => actor.send({ method: 'OPTIONS', path: `/api/v1${path}`, headers });
    const answer = await options('/photos/7');
    expect([answer.status, answer.headers.allow, answer.bytes.length]).toEqual([
      204,
      'DELETE, GET, HEAD, OPTIONS, PATCH',
      0,
    ]);
    expect(answer.headers['x-ratelimit-resource']).toBe('read');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect((await options('/nothing')).status).toBe(404);
    expect((await app.send({ method: 'OPTIONS', path: '/api/v1/photos' })).status).toBe(401);
  });

  test('HEAD is GET without a body', async () => {
    for (const path of ['/me', '/customer', '/photos', '/tags']) {
      const [get, head] = [await actor.get(path), await actor.send({ method: 'HEAD', path: `/api/v1${path}` })];
      expect([head.status, head.bytes.length]).toEqual([200, 0]);
      expect(head.headers['content-type']).toBe(get.headers['content-type']);
      expect(head.headers.etag).toBe(get.headers.etag);
    }
  });
});

describe('compression', () => {
  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('JSON over 1 KiB is sent as %s to a client that accepts it', async (encoding, decompress) => {
    const plain = await actor.get('/customer');
    const small = await actor.get('/photos', { 'accept-encoding': encoding });
    expect(small.headers['content-encoding']).toBeUndefined();
    for (let at = 0; at < 10; at += 1)
      await actor.post('/tags?ifExists=return', { name: `a tag to fill pages, number ${at}` });
    const large = await actor.get('/tags', { 'accept-encoding': encoding });
    expect(large.headers).toMatchObject({ 'content-encoding': encoding, vary: 'Accept-Encoding' });
    expect(JSON.parse(decompress(large.bytes).toString()).data.length).toBeGreaterThanOrEqual(10);
    expect(plain.headers['content-encoding']).toBeUndefined();
  });
});

describe('headers of every answer', () => {
  test('headers do not name the software, and restrict browsers', async () => {
    const answers = await Promise.all(
      endpoints.map(({ method, path, body }) => actor.send({ method, path: `/api/v1${path}`, body })),
    );
    for (const { headers } of [...answers, await app.send({ path: '/healthz' }), await app.send({ path: '/%zz' })]) {
      expect(headers['x-powered-by']).toBeUndefined();
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['x-request-id']).toMatch(/^req_/);
    }
  });
});

describe('errors of the service', () => {
  const startBroken = (error: Error) =>
    startApp({
      ports: (ports) => ({
        store: {
          ...ports.store,
          query: () => Promise.reject(error),
          transaction: ports.store.transaction.bind(ports.store),
        },
      }),
    });

  test('an internal error is 500 without details, which are in the log under the request id', async () => {
    const broken = await startBroken(new Error('the secret inside'));
    try {
      const client = await broken.customer();
      const answer = await client.get('/photos');
      expectEnvelope(answer, 500, 'internal_error');
      expectBudget(answer);
      expect(answer.text).not.toContain('secret');
      const line = broken.log.find((entry) => entry.includes('the secret inside'));
      expect(line).toContain(answer.headers['x-request-id']);
      expect(broken.log.join()).not.toContain(client.token);
    } finally {
      await broken.close();
    }
  });

  test('a store that is unavailable is 503 with Retry-After', async () => {
    const broken = await startBroken(new DomainError('service_unavailable', 'The database cannot be reached.'));
    try {
      const answer = await (await broken.customer()).get('/photos');
      expectEnvelope(answer, 503, 'service_unavailable');
      expect(answer.headers['retry-after']).toBe('5');
    } finally {
      await broken.close();
    }
  });

  test('a failure before any budget was charged still carries the headers', async () => {
    const failing = { findByHash: () => Promise.reject(new DomainError('service_unavailable', 'away')) };
    const broken = await startApp({ ports: ({ keys }) => ({ keys: Object.assign(Object.create(keys), failing) }) });
    try {
      const answer = await (await broken.customer()).get('/photos');
      expectEnvelope(answer, 503, 'service_unavailable');
      expectBudget(answer);
    } finally {
      await broken.close();
    }
  });
});

describe('hostile requests', () => {
  const raw = (bytes: string) => sendBytes(app.url, bytes);

  test.each([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 3\r\n'],
    ['the same length twice', 'Content-Length: 2\r\nContent-Length: 2\r\n'],
    ['a list of lengths', 'Content-Length: 2, 2\r\n'],
    ['a length with a sign', 'Content-Length: +2\r\n'],
    ['a length below nothing', 'Content-Length: -2\r\n'],
    ['a length in hexadecimal', 'Content-Length: 0x2\r\n'],
    ['length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'],
    ['chunks and length', 'Transfer-Encoding: chunked\r\nContent-Length: 2\r\n'],
    ['chunks that are not the last coding', 'Transfer-Encoding: chunked, identity\r\n'],
    ['a coding that only looks like chunks', 'Transfer-Encoding: xchunked\r\n'],
    ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'],
    ['a folded header', 'X-A: b\r\n c\r\n'],
    ['a space before the colon', 'Content-Length : 2\r\n'],
    ['a bare line feed', 'X-A: b\nContent-Length: 2\r\n'],
    ['a bare carriage return', 'X-A: b\rContent-Length: 2\r\n'],
    ['a NUL', 'X-A: b\0\r\n'],
    ['a header without a name', ': b\r\n'],
  ])('A24: %s are refused, and what follows is not taken for a request', async (_, headers) => {
    const smuggled = `GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${actor.token}\r\n\r\n`;
    const head = `POST /api/v1/tags HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${actor.token}\r\n`;
    const seen = await raw(`${head}Content-Type: application/json\r\n${headers}\r\n0\r\n\r\n${smuggled}`);
    expect(seen).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test.each([
    ['a chunk whose size is none', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a size with a prefix', '0x2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk longer than its size', '1\r\n{}\r\n0\r\n\r\n'],
    ['a size beyond all', 'ffffffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
  ])('A24: %s is refused', async (_, body) => {
    const head = `POST /api/v1/tags HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${actor.token}\r\n`;
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    expect(await raw(`${head}${type}\r\n${body}`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('a request that the HTTP parser refuses gets a bare 400 or 431, without the envelope of errors', async () => {
    for (const [bytes, status] of [
      ['GET /api/v1/me HTTP/1.1\r\n\r\n', 400],
      ['BREW /api/v1/me HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['GET /api/v1/me HTTP/1.1\nHost: a\n\n', 400],
      ['GET /api/v1/m\0e HTTP/1.1\r\nHost: a\r\n\r\n', 400],
      ['GET /api/v1/me HTTP/3.7\r\nHost: a\r\n\r\n', 400],
      ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
      [`GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
      [`GET /api/v1/${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ] as const) {
      const seen = await raw(bytes);
      expect([bytes.slice(0, 30), seen.split('\r\n')[0]]).toEqual([
        bytes.slice(0, 30),
        expect.stringContaining(`HTTP/1.1 ${status} `),
      ]);
      expect(seen).not.toContain('{');
    }
  });

  test('a body that the route does not expect ends at its declared length, and the next request is read correctly', async () => {
    const head = `Host: a\r\nAuthorization: Bearer ${actor.token}\r\n`;
    const inner = 'GET /api/v1/customer HTTP/1.1\r\nHost: a\r\n\r\n';
    const seen = await raw(
      `GET /api/v1/tags HTTP/1.1\r\n${head}Content-Length: ${inner.length}\r\n\r\n${inner}` +
        `GET /api/v1/me HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    );
    expect(seen.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(seen).toContain('"rateLimits"');
  });

  test('a field named like a prototype is unknown, like any other', async () => {
    const body = '{"name":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const answer = await actor.post('/tags', body);
    expect(
      answer.body.error.details.errors.map((error: { field: string; code: string }) => [error.field, error.code]),
    ).toEqual([
      ['__proto__', 'unknown_field'],
      ['constructor', 'unknown_field'],
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('names that every JavaScript object has are unknown fields, too', async () => {
    const names = ['hasOwnProperty', 'toString', 'valueOf', 'then', 'toJSON', 'prototype', '__defineGetter__'];
    const answer = await actor.post('/tags', { name: 'a', ...Object.fromEntries(names.map((name) => [name, 1])) });
    expect(answer.status).toBe(400);
    const found = answer.body.error.details.errors;
    expect(found.map((error: { field: string; code: string }) => [error.field, error.code]).sort()).toEqual(
      names.map((name) => [name, 'unknown_field']).sort(),
    );
  });

  test.each([
    ['{"location":{"latitude":1,"longitude":1,"constructor":1}}', 'location.constructor', 'unknown_field'],
    ['{"location":{"latitude":{"constructor":1},"longitude":1}}', 'location.latitude', 'invalid_type'],
    ['{"title":{"constructor":1}}', 'title', 'invalid_type'],
    ['{"metadata":{"__proto__":{"a":"b"}}}', 'metadata', 'invalid_type'],
  ])('a prototype in a nested value is refused: %s', async (body, field, code) => {
    const answer = await actor.patch('/photos/1', body);
    expect([answer.status, answer.body.error.details?.errors]).toMatchObject([400, [{ field, code }]]);
  });

  test('JSON with more than ten levels is refused', async () => {
    const nested = (levels: number) => `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect((await actor.post('/tags', nested(10))).body.error.details.errors[0].code).toBe('invalid_type');
    expect((await actor.post('/tags', nested(11))).body.error.details.errors[0].code).toBe('invalid_json');
    expect((await actor.post('/tags', nested(400_000))).status).toBe(400);
  });

  test.each([
    ['a number beyond all', '{"name":1e999}', 'invalid_type'],
    ['a NUL', '{"name":"a\\u0000b"}', 'invalid_format'],
    ['half a character', '{"name":"\\ud800","description":"\\ud800"}', 'invalid_format'],
    ['a list', '{"name":["a"]}', 'invalid_type'],
    [
      'very many fields',
      JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, at]))),
      'too_many',
    ],
  ])('%s is 400', async (_, body, code) => {
    const answer = await actor.post('/tags', body);
    expect([answer.status, answer.body.error?.details.errors[0].code]).toEqual([400, code]);
  });

  test.each([
    '0',
    '-1',
    '1.0',
    '1e3',
    '9007199254740993',
    '9223372036854775808',
    '01',
    '%31',
    '+1',
    'a',
    '١',
    '1%2C2x',
  ])('a malformed id is 404: %s', async (id) => {
    for (const path of [
      `/photos/${id}`,
      `/photos/${id}/download`,
      `/photos/${id}/tags`,
      `/tags/${id}`,
      `/imports/${id}`,
    ]) {
      const answer = await actor.get(encodeURI(path).replaceAll('%25', '%'));
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, 'not_found']);
    }
  });

  test('a body without end is answered, then cut', async () => {
    const megabyte = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024, 'a'), Buffer.from('\r\n')]);
    let seen = '';
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => {
        const head = `POST /api/v1/tags HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${actor.token}\r\n`;
        socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
        const flood = () => {
          while (!socket.destroyed) if (!socket.write(megabyte)) return socket.once('drain', flood);
        };
        flood();
      });
      socket.on('data', (chunk) => {
        seen += chunk.toString();
      });
      // The other side has closed: writing on fails.
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
    });
    expect(seen).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a client that disconnects in the middle of its request is not logged as an error', async () => {
    const before = app.log.length;
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => {
        const head = `POST /api/v1/tags HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${actor.token}\r\n`;
        socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`);
        socket.end();
        socket.resume();
      });
      socket.on('close', () => resolve());
    });
    while (!app.log.slice(before).some((line) => line.includes('"whole":false'))) await new Promise(setImmediate);
    expect(app.log.slice(before).filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
  });
});
