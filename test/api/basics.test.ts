import type { Answer } from './support/http-client.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
let photo: { id: number };
let tag: { id: number };
let subject: { id: number };
let item: { id: number };
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
  [photo] = (await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('x'.repeat(3000)) }])) as [
    typeof photo,
  ];
  tag = (await actor.post('/tags', { name: 'Paris' })).body;
  await actor.put(`/photos/${photo.id}/tags`, { tagIds: [tag.id] });
  subject = (await actor.post('/imports')).body;
  const registered = await actor.post(`/imports/${subject.id}/photos`, {
    photos: [{ filename: 'b.jpg', sizeBytes: 3 }],
  });
  item = registered.body.data[0].photo;
});
afterAll(() => app.close());

/** Every endpoint that GET reaches, on things that are there. */
const reads = () => [
  '/me',
  '/customer',
  '/photos',
  `/photos/${photo.id}`,
  `/photos/${photo.id}/download`,
  `/photos/${photo.id}/tags`,
  `/imports/${subject.id}`,
  '/tags',
  `/tags/${tag.id}`,
];

/** Every path of the API with its methods, on things that are there. */
const paths = (): readonly (readonly [string, string])[] => [
  ['/me', 'GET, HEAD, OPTIONS'],
  ['/customer', 'GET, HEAD, OPTIONS'],
  ['/photos', 'GET, HEAD, OPTIONS'],
  [`/photos/${photo.id}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
  [`/photos/${photo.id}/download`, 'GET, HEAD, OPTIONS'],
  [`/photos/${photo.id}/tags`, 'GET, HEAD, OPTIONS, PUT'],
  ['/imports', 'OPTIONS, POST'],
  [`/imports/${subject.id}`, 'GET, HEAD, OPTIONS'],
  [`/imports/${subject.id}/finalize`, 'OPTIONS, POST'],
  [`/imports/${subject.id}/photos`, 'OPTIONS, POST'],
  [`/imports/${subject.id}/photos/${item.id}`, 'OPTIONS, PATCH'],
  ['/tags', 'GET, HEAD, OPTIONS, POST'],
  [`/tags/${tag.id}`, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
];

const send = (method: string, path: string, headers = {}) => actor.send({ method, path: `/api/v1${path}`, headers });
const code = (answer: Answer) => [answer.status, answer.body.error?.code];

describe('paths', () => {
  test('"all endpoints are under `/api/v1`"; nothing answers elsewhere', async () => {
    for (const prefix of ['', '/api', '/v1', '/api/v2', '/API/V1', '/api/v1.0']) {
      for (const [path] of paths()) {
        const answer = await actor.send({ path: `${prefix}${path}` });
        expect([prefix, path, answer.status]).toEqual([prefix, path, 404]);
      }
    }
  });

  test('a path with a trailing slash, a doubled slash or other case is 404', async () => {
    for (const [path, allow] of paths()) {
      const [method = ''] = allow.split(', ').filter((one) => one !== 'OPTIONS');
      const changed = path.replace(/[a-z]/, (letter) => letter.toUpperCase());
      for (const wrong of [`${path}/`, `/${path}`, changed, path.toUpperCase(), `${path}/x/y`, `${path}//`]) {
        const answer = await send(method, wrong);
        if (method === 'HEAD') expect([wrong, answer.status]).toEqual([wrong, 404]);
        else expect([wrong, ...code(answer)]).toEqual([wrong, 404, 'not_found']);
      }
    }
  });

  test('OPTIONS of a path with a trailing or doubled slash is 404, too', async () => {
    for (const path of ['/me/', '/Me', '/photos/1/', '/photos/1/download/x', '/nothing']) {
      expect(code(await send('OPTIONS', path))).toEqual([404, 'not_found']);
    }
  });

  test('a request target in its absolute form is the same path (RFC 9112 §3.2.2)', async () => {
    const answer = await actor.send({ path: 'http://photos.example/api/v1/tags?limit=1' });
    expect([answer.status, answer.body.data.length]).toEqual([200, 1]);
  });
});

describe('ids', () => {
  const wrong = [
    '0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    '0x1',
    '9007199254740992',
    '9223372036854775808',
    'a',
    '1a',
    '1;a',
  ];
  const encoded = ['%31', '1%20', '%201', '1%00', '1%2F', '%D9%A1', '%EF%BC%91', '%2B1'];

  test.each([...wrong, ...encoded])('every endpoint answers 404 for a malformed id in its path: %s', async (id) => {
    const asked: readonly (readonly [string, string, unknown?])[] = [
      ['GET', `/photos/${id}`],
      ['GET', `/photos/${id}/download`],
      ['GET', `/photos/${id}/tags`],
      ['PATCH', `/photos/${id}`, {}],
      ['PUT', `/photos/${id}/tags`, { tagIds: [] }],
      ['DELETE', `/photos/${id}`],
      ['DELETE', `/photos/${id}?permanent=true`],
      ['GET', `/imports/${id}`],
      ['GET', `/imports/${id}?include=photos`],
      ['POST', `/imports/${id}/finalize`, {}],
      ['POST', `/imports/${id}/photos`, { photos: [{ filename: 'a.jpg', sizeBytes: 1 }] }],
      ['PATCH', `/imports/${id}/photos/${item.id}`, {}],
      ['PATCH', `/imports/${subject.id}/photos/${id}`, {}],
      ['GET', `/tags/${id}`],
      ['PATCH', `/tags/${id}`, {}],
      ['DELETE', `/tags/${id}`],
    ];
    for (const [method, path, body] of asked) {
      const answer = await actor.send({ method, path: `/api/v1${path}`, body });
      expect([method, path, ...code(answer)]).toEqual([method, path, 404, 'not_found']);
    }
  });

  test('a malformed id is checked last, after other errors', async () => {
    for (const id of ['0', '01', 'a', '9223372036854775808']) {
      expect(code(await actor.get(`/photos/${id}?x=1`))).toEqual([400, 'invalid_request']);
      expect(code(await actor.patch(`/tags/${id}`, { name: 1 }))).toEqual([400, 'invalid_request']);
      const narrow = await actor.withKey({ scopes: ['customer:read'] });
      expect(code(await narrow.get(`/photos/${id}`))).toEqual([403, 'scope_required']);
    }
  });

  test('only PATCH and DELETE /photos/{id} take a comma list; elsewhere, and with anything else in it, 404', async () => {
    for (const list of ['1,2', '1%2C2', '1%2c2']) {
      for (const path of [`/photos/${list}`, `/photos/${list}/tags`, `/tags/${list}`, `/imports/${list}`]) {
        expect([path, ...code(await actor.get(path))]).toEqual([path, 404, 'not_found']);
      }
      expect(code(await actor.patch(`/tags/${list}`, {}))).toEqual([404, 'not_found']);
      expect(code(await actor.put(`/photos/${list}/tags`, { tagIds: [] }))).toEqual([404, 'not_found']);
    }
    for (const list of ['1,2,', ',1', '1,,2', '1,a', '1, 2'.replace(' ', '%20'), '1,01', '1,-2', ',']) {
      expect([list, ...code(await actor.patch(`/photos/${list}`, {}))]).toEqual([list, 404, 'not_found']);
      expect([list, ...code(await actor.delete(`/photos/${list}`))]).toEqual([list, 404, 'not_found']);
    }
  });

  test.each([
    '0',
    '-1',
    '01',
    '1.0',
    '1e0',
    '9007199254740992',
    '9223372036854775808',
    'a',
    '',
    '%D9%A1',
    '1,,2',
    '1 ',
  ])('a malformed id in a query is 400 invalid_type: %s', async (id) => {
    const text = id.replace(' ', '%20');
    for (const [path, field] of [
      ['/photos', 'ids'],
      ['/photos', 'tagIds'],
      ['/photos', 'anyTagIds'],
      ['/photos', 'excludeTagIds'],
      ['/photos', 'importId'],
      ['/tags', 'ids'],
    ]) {
      const answer = await actor.get(`${path}?${field}=${text}`);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details.errors).toMatchObject([{ field, code: 'invalid_type' }]);
    }
  });

  test.each(['0', '-1', '1.5', '9007199254740992', '9223372036854775808', '1e400', '"1"', 'null', 'true', '[1]', '{}'])(
    'a malformed id in a body is 400 invalid_type: %s',
    async (id) => {
      for (const [method, path, field] of [
        ['PUT', `/photos/${photo.id}/tags`, 'tagIds'],
        ['POST', '/imports', 'tagIds'],
        ['PATCH', `/imports/${subject.id}/photos/${item.id}`, 'tagIds'],
        ['PATCH', `/tags/${tag.id}`, 'addPhotoIds'],
        ['PATCH', `/tags/${tag.id}`, 'removePhotoIds'],
        ['PATCH', `/tags/${tag.id}`, 'mergeTagIds'],
      ] as const) {
        const answer = await actor.send({ method, path: `/api/v1${path}`, body: `{"${field}":[${id}]}` });
        expect([field, answer.status]).toEqual([field, 400]);
        expect(answer.body.error.details.errors).toMatchObject([{ field, code: 'invalid_type' }]);
      }
      const sent = `{"photos":[{"filename":"a.jpg","sizeBytes":1,"tagIds":[${id}]}]}`;
      const registered = await actor.post(`/imports/${subject.id}/photos`, sent);
      expect(registered.body.error.details.errors).toMatchObject([{ field: 'photos[0].tagIds', code: 'invalid_type' }]);
    },
  );

  test('are JSON integers, and are never reused', async () => {
    const ids: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { id } = (await actor.post('/tags', { name: 'brief' })).body;
      await actor.delete(`/tags/${id}`);
      ids.push(id);
    }
    expect(ids.every(Number.isSafeInteger)).toBe(true);
    expect(new Set(ids).size).toBe(3);
  });
});

describe('bodies', () => {
  /** Names whose values are the client's own, or are named by the file. */
  const theirs = ['metadata', 'exif', 'headers'];

  function each(value: unknown, visit: (name: string, value: unknown) => void): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) {
      if (!Array.isArray(value)) visit(name, part);
      if (!theirs.includes(name)) each(part, visit);
    }
  }

  const answers = async () => [
    ...(await Promise.all(
      reads()
        .filter((path) => !path.endsWith('/download'))
        .map((path) => actor.get(path)),
    )),
    await actor.get(`/imports/${subject.id}?include=photos`),
    await actor.get(`/photos/${photo.id}?include=urls,exif`),
    await actor.get('/photos?include=urls'),
    await actor.get('/photos?limit=0'),
    await actor.get('/photos/999999'),
    await actor.patch(`/tags/${tag.id}`, { addPhotoIds: [photo.id] }),
  ];

  test('name every field in camelCase', async () => {
    const names = new Set<string>();
    for (const { body } of await answers()) each(body, (name) => names.add(name));
    expect(names.size).toBeGreaterThan(60);
    expect([...names].filter((name) => !/^[a-z]+([A-Z][a-z]+|[0-9]+(mm)?|Mm)*$/.test(name))).toEqual([]);
  });

  test('instants are RFC 3339 in UTC with milliseconds', async () => {
    const instants: unknown[] = [];
    for (const { body } of await answers()) {
      each(body, (name, value) => {
        if (/(At|Time)$/.test(name) && value !== null) instants.push(value);
      });
    }
    expect(instants.length).toBeGreaterThan(15);
    for (const at of instants) expect(at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  });

  test('single resources are bare; lists have `data` (array of items) and `pagination` (object)', async () => {
    for (const path of ['/customer', `/photos/${photo.id}`, `/imports/${subject.id}`, `/tags/${tag.id}`]) {
      expect((await actor.get(path)).body.id).toEqual(expect.any(Number));
    }
    expect((await actor.get('/me')).body.rateLimit).toEqual(expect.any(Object));
    for (const path of ['/photos', '/tags', `/photos/${photo.id}/tags`]) {
      expect((await actor.get(path)).body).toEqual({
        data: expect.any(Array),
        pagination: { nextCursor: null, hasMore: false },
      });
    }
  });

  test('all fields of a resource are always present: null, [] and {} stand for nothing', async () => {
    const full = (await actor.post('/tags', { name: 'full', color: '#000000', description: 'd' })).body;
    const bare = (await actor.post('/tags', { name: 'bare' })).body;
    expect(Object.keys(bare)).toEqual(Object.keys(full));
    expect(bare).toMatchObject({ color: null, description: null, photoCount: 0 });
    const said = (
      await actor.post('/imports', { name: 'n', source: 's', clientRef: 'c', defaultTimeZone: 'Europe/Paris' })
    ).body;
    const unsaid = (await actor.post('/imports')).body;
    expect(Object.keys(unsaid)).toEqual(Object.keys(said));
    expect(unsaid).toMatchObject({ name: null, source: null, clientRef: null, defaultTimeZone: null, tags: [] });
    expect(unsaid).toMatchObject({ finalizedAt: null, completedAt: null });
    const { body } = await actor.get(`/photos/${photo.id}`);
    expect(body).toMatchObject({ title: expect.any(String), description: null, location: null, metadata: {} });
    await actor.put(`/photos/${photo.id}/tags`, { tagIds: [] });
    const untagged = (await actor.get(`/photos/${photo.id}`)).body;
    expect([Object.keys(untagged), untagged.tags]).toEqual([Object.keys(body), []]);
    await actor.put(`/photos/${photo.id}/tags`, { tagIds: [tag.id] });
  });

  test('JSON is UTF-8, as its Content-Type says', async () => {
    const name = 'Übermut 😀 日本';
    const answer = await actor.post('/tags', { name });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.bytes.includes(Buffer.from(name, 'utf8'))).toBe(true);
    const typed = { 'content-type': 'application/json; charset="UTF-8"' };
    expect((await actor.post('/tags?ifExists=return', { name }, typed)).body).toEqual(answer.body);
  });
});

describe('HEAD works wherever GET does, and counts as read', () => {
  const varying = ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'content-length'];
  const steady = ({ headers }: Answer) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !varying.includes(name)));

  test('HEAD returns the same status and headers, without a body', async () => {
    for (const path of reads()) {
      const [get, head] = [await actor.get(path), await send('HEAD', path)];
      expect([path, head.status, head.bytes.length]).toEqual([path, 200, 0]);
      expect(steady(head)).toEqual(steady(get));
      expect(head.headers['x-ratelimit-resource']).toBe('read');
      if (path !== '/me') expect(head.headers['content-length']).toBe(get.headers['content-length']);
      const left = Number(get.headers['x-ratelimit-remaining']);
      expect(Number(head.headers['x-ratelimit-remaining'])).toBe(left - 1);
    }
  });

  test('HEAD needs the key, the scope and the resource as GET does', async () => {
    const narrow = await actor.withKey({ scopes: ['customer:read'] });
    const head = (path: string) => ({ method: 'HEAD', path: `/api/v1${path}` });
    expect((await app.send(head('/me'))).status).toBe(401);
    expect((await narrow.send(head('/tags'))).status).toBe(403);
    expect((await actor.send(head('/tags/999999'))).status).toBe(404);
    expect((await actor.send(head('/tags?x=1'))).status).toBe(400);
    expect((await actor.send(head('/imports'))).status).toBe(405);
  });

  test('HEAD returns 304 where GET does', async () => {
    const { etag = '' } = (await actor.get('/customer')).headers;
    expect((await send('HEAD', '/customer', { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('OPTIONS and other methods', () => {
  test('OPTIONS answers 204 with Allow on every path, whether or not its ids exist, and counts as read', async () => {
    const all = [...paths(), ['/photos/999999', 'DELETE, GET, HEAD, OPTIONS, PATCH'] as const];
    for (const [path, allow] of all) {
      const answer = await send('OPTIONS', path, { origin: 'https://example.org' });
      expect([path, answer.status, answer.headers.allow, answer.bytes.length]).toEqual([path, 204, allow, 0]);
      expect(answer.headers['x-ratelimit-resource']).toBe('read');
    }
  });

  test('any other method is 405, with Allow; it counts as a write', async () => {
    for (const [path, allow] of paths()) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'].filter(
        (one) => !allow.includes(one),
      )) {
        const answer = await send(method, path);
        expect([method, path, ...code(answer)]).toEqual([method, path, 405, 'method_not_allowed']);
        expect(answer.headers.allow).toBe(allow);
        expect(answer.headers['x-ratelimit-resource']).toBe(method === 'GET' ? 'read' : 'write');
      }
    }
  });

  test('a method is not overridden by a header or a parameter', async () => {
    const { id } = (await actor.post('/tags', { name: 'stays' })).body;
    const names = ['x-http-method-override', 'x-http-method', 'x-method-override'];
    const answer = await actor.get(`/tags/${id}`, Object.fromEntries(names.map((name) => [name, 'DELETE'])));
    expect(answer.status).toBe(200);
    expect((await actor.post(`/tags/${id}?_method=DELETE`, {})).status).toBe(405);
    expect((await actor.get(`/tags/${id}`)).status).toBe(200);
  });

  test('no response under /api/v1 allows CORS, whatever the origin and the status', async () => {
    const headers = {
      origin: 'https://example.org',
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization',
    };
    const answers = [
      ...(await Promise.all(reads().map((path) => actor.get(path, headers)))),
      ...(await Promise.all(paths().map(([path]) => send('OPTIONS', path, headers)))),
      await actor.get('/nothing', headers),
      await actor.post('/tags', {}, headers),
      await app.send({ method: 'OPTIONS', path: '/api/v1/photos', headers }),
    ];
    for (const answer of answers) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('headers of every answer', () => {
  test('X-Request-Id is made by the service, whatever the client sends', async () => {
    const ids: string[] = [];
    for (let call = 0; call < 3; call += 1) {
      const answer = await actor.get('/tags', { 'x-request-id': 'req_00000000000000000000000000' });
      ids.push(String(answer.headers['x-request-id']));
    }
    for (const id of ids) expect(id).toMatch(/^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(new Set(ids).size).toBe(3);
  });

  test('Cache-Control: no-store on errors and /me, private and no-cache on resources', async () => {
    const control = async (answer: Answer | Promise<Answer>) => (await answer).headers['cache-control'];
    for (const path of reads()) {
      const expected = path === '/me' ? 'no-store' : /^private, no-cache(, no-transform)?$/;
      expect(await control(actor.get(path))).toMatch(expected);
    }
    const { etag = '' } = (await actor.get('/customer')).headers;
    expect(await control(actor.get('/customer', { 'if-none-match': etag }))).toBe('private, no-cache');
    const { body: made, headers } = await actor.post('/tags', { name: 'cached?' });
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(await control(actor.delete(`/tags/${made.id}`))).toBe('private, no-cache');
    const empty = await actor.withKey({ readLimit: 0 });
    for (const refused of [
      actor.get('/tags?limit=0'),
      app.send({ path: '/api/v1/me' }),
      actor.get('/photos/999999'),
      actor.get('/photos/999999/download'),
      actor.get(`/photos/${photo.id}/download`, { range: 'bytes=999999-' }),
      actor.patch(`/tags/${tag.id}`, {}, { 'if-match': '"x"' }),
      actor.post('/me', {}),
      actor.post('/tags', 'x', { 'content-type': 'text/plain' }),
      empty.get('/tags'),
    ]) {
      expect((await refused).status).toBeGreaterThanOrEqual(400);
      expect(await control(refused)).toBe('no-store');
    }
  });

  test('"Every response carries the rate-limit headers", 204, 304, 206 and 416 too', async () => {
    const { etag = '' } = (await actor.get('/customer')).headers;
    const { id } = (await actor.post('/tags', { name: 'brief' })).body;
    const answers = [
      await actor.delete(`/tags/${id}`),
      await actor.get('/customer', { 'if-none-match': etag }),
      await actor.get(`/photos/${photo.id}/download`, { range: 'bytes=0-1' }),
      await actor.get(`/photos/${photo.id}/download`, { range: 'bytes=999999-' }),
      await send('OPTIONS', '/photos'),
      await send('HEAD', '/photos'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 304, 206, 416, 204, 200]);
    for (const { headers } of answers) {
      for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`]).toMatch(/^[0-9]+$/);
    }
  });
});

describe('compression', () => {
  const accept = { 'accept-encoding': 'gzip, br' };

  test('image bytes are never compressed, and say no-transform', async () => {
    for (const query of ['', '?rendition=small', '?rendition=thumb&format=webp']) {
      const answer = await actor.get(`/photos/${photo.id}/download${query}`, accept);
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, undefined]);
      expect(answer.headers['cache-control']).toContain('no-transform');
      expect(Number(answer.headers['content-length'])).toBe(answer.bytes.length);
    }
  });

  test('errors of more than 1 KiB are compressed, too', async () => {
    const unknown = Array.from({ length: 40 }, (_, at) => `x${at}=1`).join('&');
    const answer = await actor.get(`/photos?${unknown}`, accept);
    expect([answer.status, answer.headers['content-encoding']]).toEqual([400, 'br']);
  });

  test('an answer is not compressed for a client that does not accept it', async () => {
    for (const encoding of ['identity', 'gzip;q=0, br;q=0', 'deflate;q=0', '*;q=0']) {
      const answer = await actor.get('/photos?x=1', { 'accept-encoding': encoding });
      expect(answer.headers['content-encoding']).toBeUndefined();
    }
  });

  test('all JSON varies by Accept-Encoding, compressed or not, and so does its 304', async () => {
    for (const path of ['/customer', `/photos/${photo.id}`, `/tags/${tag.id}`, `/imports/${subject.id}`]) {
      const { headers } = await actor.get(path);
      expect(headers.vary).toBe('Accept-Encoding');
      const same = await actor.get(path, { 'if-none-match': String(headers.etag), ...accept });
      expect([same.status, same.headers.vary]).toEqual([304, 'Accept-Encoding']);
    }
  });
});
