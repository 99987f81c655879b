import { connect } from 'node:net';
import { Gate } from '../support/tenant.js';
import { until } from '../support/until.js';
import type { Answer } from './support/http-client.js';
import { contentDispositionOf, importPhotos, picture, sha256 } from './support/photos.js';
import { type Actor, type RunningApp, type StartOptions, startApp } from './support/start-app.js';

const bytes = picture('Sunset', { description: 'x'.repeat(2000) });
const digest = sha256(bytes);

async function start(options: StartOptions = {}, filename = 'DSC_3701.jpg', content = bytes) {
  const app = await startApp(options);
  const actor = await app.customer();
  const [photo] = await importPhotos(app, actor, [{ filename, content }]);
  return { app, actor, id: photo.id as number };
}

let app: RunningApp;
let actor: Actor;
let id: number;
beforeAll(async () => {
  ({ app, actor, id } = await start());
});
afterAll(() => app.close());

const download = (headers: Record<string, string> = {}, query = '') =>
  actor.get(`/photos/${id}/download${query}`, headers);

describe('the original', () => {
  test('is the file, byte for byte, under the headers that keep it inert', async () => {
    const answer = await download();
    expect(answer.status).toBe(200);
    expect(answer.bytes.equals(bytes)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      etag: `"sha256-${digest}"`,
      'last-modified': app.clock.now().toUTCString(),
      'repr-digest': `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
      'content-disposition': 'attachment; filename="DSC_3701.jpg"',
      'cache-control': 'private, no-cache, no-transform',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'x-ratelimit-resource': 'read',
    });
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  test('HEAD is the same without the bytes', async () => {
    const [get, head] = [await download(), await actor.send({ method: 'HEAD', path: `/api/v1/photos/${id}/download` })];
    const { date: _, 'x-request-id': __, 'x-ratelimit-remaining': ___, ...expected } = get.headers;
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers).toMatchObject(expected);
  });

  test('disposition=inline shows it; anything else is refused', async () => {
    expect((await download({}, '?disposition=inline')).headers['content-disposition']).toBe(
      'inline; filename="DSC_3701.jpg"',
    );
    expect((await download({}, '?disposition=form-data')).status).toBe(400);
    expect((await download({}, '?format=webp')).body.error.details.errors).toMatchObject([
      { field: 'format', code: 'conflict' },
    ]);
  });
});

describe('ranges', () => {
  const size = bytes.length;

  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=10-', 10, size - 1],
    ['bytes=-5', size - 5, size - 1],
    [`bytes=-${size * 2}`, 0, size - 1],
    [`bytes=5-${size * 2}`, 5, size - 1],
    ['bytes=0-0', 0, 0],
  ])('%s is 206', async (range, start, end) => {
    const answer = await download({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers['content-range']).toBe(`bytes ${start}-${end}/${size}`);
    expect(answer.headers['content-length']).toBe(String(end - start + 1));
    expect(answer.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  test.each([`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, 'bytes=-0'])('%s is 416', async (range) => {
    const answer = await download({ range });
    expect([answer.status, answer.body.error.code]).toEqual([416, 'range_not_satisfiable']);
    expect(answer.headers['content-range']).toBe(`bytes */${size}`);
    expect(answer.headers.etag).toBeUndefined();
  });

  test.each([
    'bytes=0-1,3-4',
    `bytes=${Array.from({ length: 500 }, (_, at) => `${at * 2}-${at * 2}`).join()}`,
    'bytes=9-5',
    'bytes=a-b',
    'items=0-5',
    'bytes',
    'bytes=0-1;q=1',
  ])('%.20s gets the whole file', async (range) => {
    const answer = await download({ range });
    expect([answer.status, answer.bytes.length]).toEqual([200, size]);
  });

  test('If-Range holds the range to what the client has', async () => {
    const { etag = '', 'last-modified': modified = '' } = (await download()).headers;
    const status = async (ifRange: string) => (await download({ range: 'bytes=0-9', 'if-range': ifRange })).status;
    expect([await status(etag), await status(modified)]).toEqual([206, 206]);
    expect([await status('"other"'), await status(`W/${etag}`), await status('Thu, 01 Jan 1970 00:00:00 GMT')]).toEqual(
      [200, 200, 200],
    );
  });

  test('HEAD of a range has its headers', async () => {
    const answer = await actor.send({
      method: 'HEAD',
      path: `/api/v1/photos/${id}/download`,
      headers: { range: 'bytes=0-9' },
    });
    expect([answer.status, answer.headers['content-length'], answer.bytes.length]).toEqual([206, '10', 0]);
  });
});

describe('a file that the client already has', () => {
  test('is answered with 304, which comes before any range', async () => {
    const { etag = '', 'last-modified': modified = '' } = (await download()).headers;
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-none-match': '*' },
      { 'if-modified-since': modified },
      { 'if-none-match': etag, range: 'bytes=0-1' },
    ]) {
      const answer = await download(headers as Record<string, string>);
      expect([answer.status, answer.bytes.length, answer.headers.etag]).toEqual([304, 0, etag]);
    }
    expect((await download({ 'if-none-match': '"x"', 'if-modified-since': modified })).status).toBe(200);
    expect((await download({ 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' })).status).toBe(200);
  });
});

describe('the state that the client expects', () => {
  test('is answered with 412 when it differs, before 304 and ranges', async () => {
    const { etag = '', 'last-modified': modified = '' } = (await download()).headers;
    const earlier = 'Thu, 01 Jan 1970 00:00:00 GMT';
    for (const headers of [
      { 'if-match': '"other"' },
      { 'if-match': 'W/"other"' },
      { 'if-match': '"other"', 'if-none-match': etag },
      { 'if-match': '"other"', range: 'bytes=0-1' },
      { 'if-match': '"other"', 'if-unmodified-since': modified },
      { 'if-unmodified-since': earlier },
    ]) {
      const answer = await download(headers as Record<string, string>);
      expect([answer.status, answer.body.error.code]).toEqual([412, 'precondition_failed']);
      expect(answer.body.error.details).toEqual({ currentEtag: etag });
    }
    for (const headers of [
      { 'if-match': etag },
      { 'if-match': `"other", ${etag}` },
      { 'if-match': `W/${etag}` },
      { 'if-match': '*' },
      { 'if-match': etag, 'if-unmodified-since': earlier },
      { 'if-unmodified-since': modified },
      { 'if-unmodified-since': 'yesterday' },
    ]) {
      const answer = await download({ ...headers, range: 'bytes=0-1' } as Record<string, string>);
      expect([answer.status, answer.bytes.equals(bytes.subarray(0, 2))]).toEqual([206, true]);
    }
  });

  test('differs once the photo is rotated', async () => {
    const rendition = '?rendition=small';
    const { etag = '' } = (await download({}, rendition)).headers;
    await actor.patch(`/photos/${id}`, { rotation: 90 });
    const next = await download({ 'if-match': etag, range: 'bytes=4-' }, rendition);
    await actor.patch(`/photos/${id}`, { rotation: 0 });
    expect([next.status, next.body.error?.code]).toEqual([412, 'precondition_failed']);
  });
});

describe('GET /photos/{id}/download, the headers of every status', () => {
  const always = {
    'x-content-type-options': 'nosniff',
    'x-ratelimit-resource': 'read',
    'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
    'x-request-id': expect.stringMatching(/^req_/),
  };
  const ofBytes = {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache, no-transform',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
  };
  const head = (headers: Record<string, string>, query = '') =>
    actor.send({ method: 'HEAD', path: `/api/v1/photos/${id}/download${query}`, headers });

  describe.each(['', '?rendition=small&format=webp'])('of /download%s', (query) => {
    /** What is the same of two answers that came one after the other. */
    const steady = ({ headers: { date: _, 'x-request-id': __, 'x-ratelimit-remaining': ___, ...rest } }: Answer) =>
      rest;

    test('200, 206 and 304 have the headers that identify the bytes, and HEAD has the same', async () => {
      const whole = await download({}, query);
      const { etag = '', 'last-modified': modified = '' } = whole.headers;
      for (const [status, headers] of [
        [200, {}],
        [206, { range: 'bytes=0-4' }],
        [206, { range: 'bytes=-4', 'if-range': etag }],
        [206, { range: 'bytes=4-', 'if-range': modified }],
        [200, { range: 'bytes=0-4', 'if-range': '"another"' }],
        [304, { 'if-none-match': etag }],
        [304, { 'if-modified-since': modified }],
      ] as const) {
        const answer = await download(headers as Record<string, string>, query);
        expect([answer.status, answer.headers]).toMatchObject([
          status,
          { ...always, ...ofBytes, etag, 'last-modified': modified },
        ]);
        const bodiless = await head(headers as Record<string, string>, query);
        expect([bodiless.status, bodiless.bytes.length]).toEqual([status, 0]);
        expect(steady(bodiless)).toEqual(steady(answer));
      }
    });

    test('416 gives the length of the file and is an ordinary error, and HEAD has the same headers', async () => {
      const { length } = (await download({}, query)).bytes;
      const headers = { range: `bytes=${length}-` };
      const answer = await download(headers, query);
      expect([answer.status, answer.body.error.code]).toEqual([416, 'range_not_satisfiable']);
      expect(answer.headers).toMatchObject({
        ...always,
        'content-range': `bytes */${length}`,
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
      });
      expect(answer.headers['content-disposition']).toBeUndefined();
      const bodiless = await head(headers, query);
      expect([bodiless.status, bodiless.bytes.length]).toEqual([416, 0]);
      expect(bodiless.headers['content-range']).toBe(`bytes */${length}`);
    });

    test('"gzip/br … never for image bytes"', async () => {
      const plain = await download({}, query);
      const offered = await download({ 'accept-encoding': 'gzip, br' }, query);
      expect(offered.headers['content-encoding']).toBeUndefined();
      expect(offered.bytes.equals(plain.bytes)).toBe(true);
    });
  });

  test('a range of the original does not carry the digest of a part', async () => {
    const [whole, part] = [await download(), await download({ range: 'bytes=0-4' })];
    expect(part.headers['repr-digest']).toBe(whole.headers['repr-digest']);
  });

  test.each([
    ['?rendition=original', 200],
    ['?rendition=original&format=jpeg', 400],
    ['?format=webp', 400],
    ['?rendition=thumb&format=png', 400],
    ['?rendition=thumb&format=avif', 400],
    ['?rendition=', 400],
    ['?rendition=thumb&rendition=small', 400],
    ['?disposition=', 400],
    ['?size=640', 400],
    ['?rendition=medium', 200],
    ['?rendition=medium&format=webp&disposition=inline', 200],
  ])('%s is %d', async (query, status) => {
    expect((await download({}, query)).status).toBe(status);
  });

  test('a photo in the trash is 404', async () => {
    const other = await start();
    try {
      await other.actor.delete(`/photos/${other.id}`);
      for (const query of ['', '?rendition=thumb']) {
        const answer = await other.actor.get(`/photos/${other.id}/download${query}`);
        expect([answer.status, answer.body.error.details]).toEqual([404, { resource: 'photo' }]);
      }
    } finally {
      await other.app.close();
    }
  });

  test('editing a photo changes neither the ETag nor the date of its original', async () => {
    const before = (await download()).headers;
    app.clock.pass(5000);
    await actor.patch(`/photos/${id}`, { title: 'another' });
    expect((await download()).headers).toMatchObject({ etag: before.etag, 'last-modified': before['last-modified'] });
  });
});

describe('renditions', () => {
  test('are made in the format asked for, under a name and a tag of their own', async () => {
    const answer = await download({}, '?rendition=thumb');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/jpeg',
      etag: `"${digest}-thumb-jpeg-r0"`,
      'content-disposition': 'attachment; filename="DSC_3701.jpg"',
    });
    expect(answer.headers['repr-digest']).toBeUndefined();
    const webp = await download({}, '?rendition=large&format=webp');
    expect(webp.headers).toMatchObject({
      'content-type': 'image/webp',
      etag: `"${digest}-large-webp-r0"`,
      'content-disposition': 'attachment; filename="DSC_3701.webp"',
    });
    expect((await download({ range: 'bytes=0-3' }, '?rendition=thumb')).bytes.length).toBe(4);
    expect((await download({}, '?rendition=huge')).status).toBe(400);
  });

  test('follow the rotation of the photo', async () => {
    const turned = await start();
    try {
      await turned.actor.patch(`/photos/${turned.id}`, { rotation: 90 });
      const answer = await turned.actor.get(`/photos/${turned.id}/download?rendition=small`);
      expect(answer.headers.etag).toBe(`"${digest}-small-jpeg-r90"`);
    } finally {
      await turned.app.close();
    }
  });

  test('that cannot be made are 404 rendition, while the original is available', async () => {
    const media = { render: async () => null };
    const blind = await start({ ports: (ports) => ({ media: Object.assign(Object.create(ports.media), media) }) });
    try {
      const answer = await blind.actor.get(`/photos/${blind.id}/download?rendition=large`);
      expect([answer.status, answer.body.error.details]).toEqual([404, { resource: 'rendition' }]);
      expect((await blind.actor.get(`/photos/${blind.id}/download`)).status).toBe(200);
    } finally {
      await blind.app.close();
    }
  });
});

/** Content-Disposition by the grammar of RFC 6266 and RFC 8187, with nothing forgiven. */
function strictDisposition(header: unknown): { type: string; ascii: string; name: string } {
  const token = '[!#$&+.^_`|~0-9A-Za-z-]';
  const grammar = new RegExp(
    `^(attachment|inline); filename="((?:[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\])*)"(?:; filename\\*=UTF-8''((?:${token}|%[0-9A-F]{2})+))?$`,
  );
  const [whole, type = '', quoted = '', extended] = grammar.exec(String(header)) ?? [];
  if (whole === undefined) throw new Error(`not by the grammar: ${header}`);
  const ascii = quoted.replaceAll(/\\(["\\])/g, '$1');
  return { type, ascii, name: extended === undefined ? ascii : decodeURIComponent(extended) };
}

describe('file names in headers', () => {
  test.each([
    ['DSC_3701.jpg'],
    ['a"b.jpg', 'a_b.jpg'],
    [`it's 100%.jpg`],
    ['"; filename="evil.exe', '_; filename=_evil.exe'],
    ["x.jpg; filename*=UTF-8''evil.exe", "x.jpg; filename_=UTF-8''evil.exe"],
    ['=?utf-8?B?ZXZpbC5leGU=?=', '=_utf-8_B_ZXZpbC5leGU=_='],
    ['ünï 图.jpg'],
    ['x;y=z,w.jpg'],
    ['%41.jpg'],
    ['%0d%0aSet-Cookie: a=b.jpg', '%0d%0aSet-Cookie_ a=b.jpg'],
    ['𝕏.jpg'],
    ['👨‍👩‍👧.jpg'],
    ['abc\u202egpj.exe', 'abc_gpj.exe'],
    ['a\u2066b\u200e.jpg', 'a_b_.jpg'],
    ['a\u200b\u2060b.jpg'],
    ['a\u00a0b.jpg'],
    ['\u0301.jpg'],
    ['a  b'],
    ['.hidden', '_hidden'],
    ['no extension'],
    ["*'()!.jpg", "_'()!.jpg"],
    ['𝕏'.repeat(255), '𝕏'.repeat(55)],
    ['x'.repeat(255), 'x'.repeat(220)],
    ['con', '_con'],
    ['...', '_'],
  ])('%s', async (filename, name = filename.normalize('NFC')) => {
    expect((await actor.patch(`/photos/${id}`, { filename })).body.filename).toBe(filename.normalize('NFC'));
    for (const [query, type] of [
      ['', 'attachment'],
      ['?disposition=inline', 'inline'],
    ] as const) {
      const answer = await download({}, query);
      expect(answer.status).toBe(200);
      const parsed = strictDisposition(answer.headers['content-disposition']);
      expect(parsed).toMatchObject({ type, name });
      // What a client without RFC 8187 takes must be as harmless: no path, nothing but plain characters.
      expect(parsed.ascii).toMatch(/^[\x20-\x7e]+$/);
      expect(contentDispositionOf(answer)).toEqual({ type, filename: name });
    }
  });

  test.each([
    ['a.b.JPG', 'a.b.jpg'],
    ['図.heic', '図.jpg'],
    ['.hidden', '_hidden.jpg'],
    ['no extension', 'no extension.jpg'],
    ['ends.', 'ends.jpg'],
    ['a"b.png', 'a_b.jpg'],
  ])('"renditions get the new extension": %s as %s', async (filename, expected) => {
    await actor.patch(`/photos/${id}`, { filename });
    const answer = await download({}, '?rendition=thumb&format=jpeg');
    expect(strictDisposition(answer.headers['content-disposition']).name).toBe(expected);
  });
});

describe('a store that fails', () => {
  /** The memory store, but reading ends in an error after so many chunks. */
  const failingAfter = (chunks: number): StartOptions => ({
    ports: ({ blobs }) => {
      const get: typeof blobs.get = async (key, range) => {
        const blob = await blobs.get(key, range);
        return blob && key.startsWith('originals/') && armed ? { ...blob, bytes: cut(blob.bytes, chunks) } : blob;
      };
      return { blobs: Object.assign(Object.create(blobs), { get }) };
    },
  });
  let armed = false;
  afterEach(() => {
    armed = false;
  });

  async function* cut(source: AsyncIterable<Uint8Array>, chunks: number): AsyncIterable<Uint8Array> {
    let left = chunks;
    for await (const chunk of source) {
      for (let at = 0; at < chunk.length; at += 1000) {
        if (left === 0) throw new Error('the disk broke');
        left -= 1;
        yield chunk.subarray(at, at + 1000);
      }
    }
  }

  test('results in an ordinary error before the first byte', async () => {
    const broken = await start(failingAfter(0));
    try {
      armed = true;
      for (const headers of [{}, { range: 'bytes=10-19' }]) {
        const answer = await broken.actor.get(`/photos/${broken.id}/download`, headers);
        expect([answer.status, answer.body.error.code]).toEqual([500, 'internal_error']);
        expect([answer.headers['content-type'], answer.headers['repr-digest']]).toEqual([
          'application/json; charset=utf-8',
          undefined,
        ]);
        expect(answer.headers['content-range']).toBeUndefined();
      }
    } finally {
      await broken.app.close();
    }
  });

  test('cuts the connection after the first byte, and never sends a short 200', async () => {
    const broken = await start(failingAfter(2));
    try {
      armed = true;
      await expect(broken.actor.get(`/photos/${broken.id}/download`)).rejects.toThrow(/aborted|hang up|reset/i);
      const whole = () => broken.app.log.map((line) => JSON.parse(line).whole).filter((value) => value !== undefined);
      while (whole().at(-1) !== false) await new Promise(setImmediate);
      expect(whole().filter((value) => value === false)).toHaveLength(1);
    } finally {
      await broken.app.close();
    }
  });

  test('stops being read when the client disconnects', async () => {
    const gone = new Gate();
    let [pieces, isOver] = [0, false];
    async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
      try {
        for await (const chunk of source) {
          for (let at = 0; at < chunk.length; at += 100, pieces += 1) {
            if (pieces === 3) await gone.opened;
            yield chunk.subarray(at, at + 100);
          }
        }
      } finally {
        isOver = true;
      }
    }
    const left = await startChanging(inPieces);
    try {
      armed = true;
      const socket = connect(Number(new URL(left.app.url).port), '127.0.0.1');
      const head = [
        `GET /api/v1/photos/${left.id}/download HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${left.actor.token}`,
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.once('data', () => socket.destroy());
      await until(() => left.app.log.some((line) => JSON.parse(line).whole === false));
      gone.open();
      await until(() => isOver);
      expect(pieces).toBe(3);
    } finally {
      await left.app.close();
    }
  });

  /** A service whose store hands out other bytes than it keeps, once armed. */
  function startChanging(change: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) {
    return start({
      ports: ({ blobs }) => {
        const get: typeof blobs.get = async (key, range) => {
          const blob = await blobs.get(key, range);
          return blob && armed ? { ...blob, bytes: change(blob.bytes) } : blob;
        };
        return { blobs: Object.assign(Object.create(blobs), { get }) };
      },
    });
  }

  test('a bit that has flipped in the store is never handed out as the photo', async () => {
    const flipped = await startChanging(flip);
    try {
      armed = true;
      const answer = await flipped.actor.get(`/photos/${flipped.id}/download`);
      expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable']);
    } finally {
      await flipped.app.close();
    }
  });

  async function* flip(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of source) yield chunk.map((byte, at) => (at === 7 ? byte ^ 1 : byte));
  }
});

describe('behind a server that has the blobs', () => {
  let behind: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    behind = await start({ trustedProxies: ['127.0.0.1/32'], blobsLocation: '/stored-blobs' });
  });
  afterAll(() => behind.app.close());
  const get = (headers: Record<string, string> = {}, query = '') =>
    behind.actor.get(`/photos/${behind.id}/download${query}`, headers);

  test('the server gets the locations and headers of the blobs', async () => {
    const { bytes: sent, headers } = await get();
    expect(sent.length).toBe(0);
    expect(headers['x-accel-redirect']).toMatch(/^\/stored-blobs\/originals\/\d+\/[0-9a-f-]{36}$/);
    const names = ['content-type', 'etag', 'last-modified', 'repr-digest', 'content-disposition', 'cache-control'];
    const alone = (await get({ 'if-match': '*' })).headers;
    for (const name of names) expect([name, headers[name]]).toEqual([name, alone[name]]);
    const small = (await get({}, '?rendition=small')).headers['x-accel-redirect'];
    expect(small).toMatch(/^\/stored-blobs\/renditions\/\d+\/\d+\/v1-r0\/small\.jpeg$/);
  });

  test('the service itself answers requests with ranges or conditions', async () => {
    const { etag = '' } = (await get()).headers;
    for (const [headers, status] of [
      [{ range: 'bytes=0-4' }, 206],
      [{ 'if-none-match': etag }, 304],
      [{ 'if-match': etag }, 200],
    ] as const) {
      const answer = await get(headers as Record<string, string>);
      expect([answer.status, answer.headers['x-accel-redirect']]).toEqual([status, undefined]);
    }
  });

  test('missing bytes are 503 before the server looks for them', async () => {
    const {
      app: other,
      actor: owner,
      id: lost,
    } = await start({
      trustedProxies: ['127.0.0.1/32'],
      blobsLocation: '/stored-blobs',
      ports: ({ blobs }) => ({ blobs: Object.assign(Object.create(blobs), { head: async () => null }) }),
    });
    try {
      const answer = await owner.get(`/photos/${lost}/download`);
      expect([answer.status, answer.headers['x-accel-redirect']]).toEqual([503, undefined]);
    } finally {
      await other.close();
    }
  });

  test('a client that does not come through the server gets the bytes directly', async () => {
    const other = await start({ trustedProxies: ['10.0.0.0/8'], blobsLocation: '/stored-blobs' });
    try {
      const answer = await other.actor.get(`/photos/${other.id}/download`);
      expect([answer.bytes.equals(bytes), answer.headers['x-accel-redirect']]).toEqual([true, undefined]);
    } finally {
      await other.app.close();
    }
  });
});
