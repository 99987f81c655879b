import { commandLine } from '../../src/core/audit/audit-entry.js';
import {
  createDeliveryKey,
  type DeliveryKeyWithSecret,
  deleteDeliveryKey,
} from '../../src/core/delivery/delivery-key.js';
import { savePreset } from '../../src/core/delivery/preset.js';
import { deliverySignature } from '../../src/core/delivery/signed-address.js';
import { HOUR, SECOND } from '../../src/core/shared/clock.js';
import { pictureIn } from '../../testing/memory/memory-media-reader.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
let key: DeliveryKeyWithSecret;
let photoId: number;
beforeEach(async () => {
  app = await startApp({ deliveryMaxAge: 3600 });
  actor = await app.customer();
  key = await newKey();
  photoId = (await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('one') }]))[0].id;
});
afterEach(() => app.close());

const caller = () => ({ customerId: actor.customerId, actor: commandLine });
const newKey = (more: { presetsOnly?: boolean; expiresAt?: Date } = {}) =>
  createDeliveryKey(app.ports, caller(), { name: 'site', presetsOnly: false, expiresAt: null, ...more });

/** A signed address, as a client's server makes it. */
function address(options: string, { by = key, id = photoId as number | string, exp = 0 } = {}): string {
  const signed = `/img/${by.key.publicId}/${id}/${options}${exp ? `?exp=${exp}` : ''}`;
  return `${signed}${exp ? '&' : '?'}sig=${deliverySignature(by.secret, signed)}`;
}
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') => app.send({ method, path, headers });
const code = (answer: Answer) => [answer.status, answer.body?.error?.code];
const sizeOf = ({ bytes }: Answer) => {
  const { width, height } = pictureIn(bytes) ?? {};
  return [width, height];
};
const inSeconds = (seconds: number) => Math.floor(app.clock.now().getTime() / SECOND) + seconds;
const forbidden = [403, 'url_forbidden'];

test('a signed address shows the picture that it asks for, to any page, for caches to store', async () => {
  const answer = await ask(address('w=200,h=200,fit=cover,f=webp'));
  expect([answer.status, sizeOf(answer)]).toEqual([200, [200, 200]]);
  expect(answer.headers).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'public, max-age=3600, stale-while-revalidate=60',
    'cache-tag': `photo-${photoId}`,
    'x-accel-expires': '60',
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
    'content-disposition': `inline; filename="${photoId}.webp"`,
    'content-security-policy': "default-src 'none'; sandbox",
    etag: expect.stringMatching(/^"[0-9a-f]{32}-[0-9a-f]{16}"$/),
  });
  for (const name of ['vary', 'last-modified', 'set-cookie', 'x-ratelimit-limit']) {
    expect([name, answer.headers[name]]).toEqual([name, undefined]);
  }
});

test('a signed address supports conditions, ranges, HEAD and OPTIONS, and refuses other methods', async () => {
  const path = address('w=100,f=jpeg');
  const { headers, bytes } = await ask(path);
  expect((await ask(path, { 'if-none-match': headers.etag ?? '' })).status).toBe(304);
  const part = await ask(path, { range: 'bytes=0-4' });
  expect([part.status, part.bytes]).toEqual([206, bytes.subarray(0, 5)]);
  expect((await ask(path, { range: `bytes=${bytes.length}-` })).status).toBe(416);
  expect((await ask(path, { range: 'bytes=0-4', 'if-range': '"another"' })).status).toBe(200);
  const head = await ask(path, {}, 'HEAD');
  expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([200, 0, String(bytes.length)]);
  expect((await ask(path, {}, 'OPTIONS')).status).toBe(204);
  const put = await ask(path, {}, 'PUT');
  expect([...code(put), put.headers.allow]).toEqual([405, 'method_not_allowed', 'GET, HEAD, OPTIONS']);
});

describe('the signature', () => {
  test('refuses everything that it does not cover in the same words, which no cache stores', async () => {
    const good = address('w=100');
    const other = await newKey();
    const exp = inSeconds(60);
    const refused = [
      address('w=100', { by: { ...key, secret: other.secret } }),
      good.replace('w=100', 'w=101'),
      good.replace('w=100', 'w=%31%30%30'),
      good.replace(`/${photoId}/`, `/${photoId + 1}/`),
      good.replace(key.key.publicId, other.key.publicId),
      good.replace(key.key.publicId, 'dk_0000000000000000'),
      good.replace(key.key.publicId, 'constructor'),
      `${good}A`,
      `${good}&x=1`,
      `${good}&sig=x`,
      good.replace('?', '?x=1&'),
      good.replace('?sig', `?exp=${exp}&sig`),
      good.replace(/sig=.*/, 'sig='),
      good.replace(/\?.*/, ''),
      address('w=100', { exp }).replace(String(exp), String(exp + 1)),
      address('w=100', { exp }).replace(/exp=\d+&/, ''),
      address('w=100', { exp }).replace(/\?(exp=\d+)&(sig=.*)/, '?$2&$1'),
    ];
    const texts = new Set<string>();
    for (const path of refused) {
      const answer = await ask(path);
      expect([path, ...code(answer), answer.headers['cache-control']]).toEqual([path, ...forbidden, 'no-store']);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      texts.add(answer.body.error.message);
    }
    expect(texts.size).toBe(1);
  });

  test('nothing of a customer is read before the signature is verified', async () => {
    let reads = 0;
    const { store } = app.ports;
    const query = store.query.bind(store);
    store.query = (customerId, work) => {
      reads += 1;
      return query(customerId, work);
    };
    const forged = (options: string) =>
      address(options).replace(/sig=(.)/, (_, first) => `sig=${first === '_' ? 'A' : '_'}`);
    for (const options of ['w=100', 'w=0', 'p=none']) await ask(forged(options));
    expect(reads).toBe(0);
    await ask(address('w=100'));
    expect(reads).toBeGreaterThan(0);
  });

  test('is checked before options and photos, so that only the owner of the key learns of them', async () => {
    expect(code(await ask(address('w=0')))).toEqual([400, 'invalid_request']);
    expect(code(await ask(address('w=0', { id: 'x' })))).toEqual([400, 'invalid_request']);
    expect(code(await ask(address('w=0').replace(/.$/, '')))).toEqual(forbidden);
    for (const id of [photoId + 999, 'x', '0', '01', '9'.repeat(30)]) {
      expect([id, ...code(await ask(address('w=10', { id })))]).toEqual([id, 404, 'not_found']);
    }
  });

  test('is never logged', async () => {
    const path = address('w=123');
    await ask(path);
    await ask(`${path}A`);
    expect(app.log.join('')).not.toContain('w=123');
    expect(app.log.join('')).not.toContain(path.slice(-20));
  });
});

describe('an address ends', () => {
  test('at its time; no cache stores the picture for longer', async () => {
    const path = address('w=100', { exp: inSeconds(100) });
    expect((await ask(path)).headers['cache-control']).toBe('public, max-age=100, stale-while-revalidate=0');
    app.clock.pass(99.5 * SECOND);
    const last = await ask(path);
    expect([last.status, last.headers['x-accel-expires']]).toEqual([200, '0']);
    app.clock.pass(SECOND);
    expect(code(await ask(path))).toEqual(forbidden);
    const far = address('w=100', { exp: inSeconds(10 * 24 * 3600) });
    expect((await ask(far)).headers['cache-control']).toBe('public, max-age=3600, stale-while-revalidate=60');
  });

  test('when its key expires', async () => {
    const short = await newKey({ expiresAt: new Date(app.clock.now().getTime() + HOUR / 2) });
    const path = address('w=100', { by: short, exp: inSeconds(24 * 3600) });
    expect((await ask(path)).headers['cache-control']).toBe('public, max-age=1800, stale-while-revalidate=0');
    app.clock.pass(HOUR / 2);
    expect(code(await ask(path))).toEqual(forbidden);
  });

  test('when its key is deleted, at once; others go on', async () => {
    const other = await newKey();
    await deleteDeliveryKey(app.ports, caller(), key.key.id);
    expect(code(await ask(address('w=100')))).toEqual(forbidden);
    expect((await ask(address('w=100', { by: other }))).status).toBe(200);
  });

  test('with the photo: in the trash at once, and again when it is restored', async () => {
    const path = address('w=100');
    expect((await ask(path)).status).toBe(200);
    await actor.delete(`/photos/${photoId}`);
    const gone = await ask(path);
    expect([...code(gone), gone.headers['cache-control']]).toEqual([404, 'not_found', 'no-store']);
    await actor.patch(`/photos/${photoId}`, { trashed: false });
    expect((await ask(path)).status).toBe(200);
  });

  test('when it names a photo of another customer', async () => {
    const stranger = await app.customer('Other');
    const [theirs] = await importPhotos(app, stranger, [{ filename: 'b.jpg', content: picture('two') }]);
    expect(code(await ask(address('w=100', { id: theirs.id })))).toEqual([404, 'not_found']);
  });
});

describe('presets', () => {
  beforeEach(() => savePreset(app.ports, caller(), { name: 'card', options: 'w=120,f=jpeg' }));

  test('give the options of a picture, which the address can override', async () => {
    expect(sizeOf(await ask(address('p=card')))).toEqual([120, 90]);
    expect(sizeOf(await ask(address('w=40,p=card')))).toEqual([40, 30]);
    expect(code(await ask(address('p=none')))).toEqual([400, 'invalid_request']);
  });

  test('show their changes at the same address, under another ETag', async () => {
    const path = address('p=card');
    const { headers } = await ask(path);
    await savePreset(app.ports, caller(), { name: 'card', options: 'w=80,f=jpeg' });
    const changed = await ask(path, { 'if-none-match': headers.etag ?? '' });
    expect([changed.status, sizeOf(changed)]).toEqual([200, [80, 60]]);
  });

  test('are the only options for a key that is restricted to them', async () => {
    const by = await newKey({ presetsOnly: true });
    expect((await ask(address('p=card', { by }))).status).toBe(200);
    for (const options of ['w=100', 'p=card,w=100', 'p=card,dpr=2']) {
      expect(code(await ask(address(options, { by })))).toEqual([400, 'invalid_request']);
    }
  });
});

test('options that change the picture change its ETag', async () => {
  const tagOf = async (options: string) => (await ask(address(options))).headers.etag;
  const options = 'w=50,h=50,fit=cover,f=jpeg';
  const tags = [await tagOf(options), await tagOf(`${options},q=70`), await tagOf('w=50,f=jpeg')];
  await actor.patch(`/photos/${photoId}`, { focus: { x: 0.1, y: 0.9 } });
  tags.push(await tagOf(options));
  await actor.patch(`/photos/${photoId}`, { rotation: 90, focus: null });
  tags.push(await tagOf(options));
  expect(new Set(tags).size).toBe(5);
  await actor.patch(`/photos/${photoId}`, { rotation: 0, title: 'another' });
  expect(await tagOf(options)).toBe(tags[0]);
  expect(await tagOf('fit=cover,f=jpeg,dpr=2,h=25,w=25')).toBe(tags[0]);
});

test('a picture that was made again is sent in full, because it may have other bytes', async () => {
  const path = address('w=50,f=jpeg');
  const { headers } = await ask(path);
  const again = { 'if-none-match': headers.etag ?? '', 'if-range': headers.etag ?? '', range: 'bytes=0-4' };
  expect((await ask(path, again)).status).toBe(304);
  const { blobs } = app.ports;
  for await (const { key: stored } of blobs.list(`renditions/${actor.customerId}/`)) await blobs.delete([stored]);
  expect((await ask(path, again)).status).toBe(200);
});

describe('f=auto', () => {
  test.each([
    ['image/avif,image/webp,image/apng,image/*,*/*;q=0.8', 'image/avif'],
    ['image/webp,*/*', 'image/webp'],
    ['image/webp;q=0.1, image/png', 'image/webp'],
    ['IMAGE/AVIF', 'image/avif'],
    ['image/avif;q=0,image/webp;q=0.000', 'image/jpeg'],
    ['image/avif;q=0.001', 'image/avif'],
    ['image/*,*/*', 'image/jpeg'],
    ['text/html;x="image/avif"', 'image/jpeg'],
    ['', 'image/jpeg'],
  ])('Accept: %s gets %s', async (accept, type) => {
    for (const options of ['w=100', 'w=100,f=auto']) {
      const answer = await ask(address(options), { accept });
      expect([answer.headers['content-type'], answer.headers.vary]).toEqual([type, 'Accept']);
    }
    expect((await ask(address('w=100,f=png'), { accept })).headers['content-type']).toBe('image/png');
  });

  test('a photo with transparency keeps it with f=auto', async () => {
    const content = picture('clear', { alpha: true, contentType: 'image/png' });
    const [clear] = await importPhotos(app, actor, [{ filename: 'c.png', content }]);
    expect((await ask(address('w=100', { id: clear.id }))).headers['content-type']).toBe('image/png');
  });
});

test('a hundred first requests make the picture once', async () => {
  const { media } = app.ports;
  const render = media.render.bind(media);
  let made = 0;
  media.render = (...order) => {
    made += 1;
    return render(...order);
  };
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask(address('w=77'))));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(made).toBe(1);
});

test('a picture that cannot be made is attempted once, and refused in the same way from then on', async () => {
  let attempts = 0;
  app.ports.media.render = async () => {
    attempts += 1;
    return null;
  };
  const refusal = async () => {
    const { status, headers, body } = await ask(address('w=300'));
    const { requestId: _, ...error } = body.error;
    return { status, error, caching: headers['cache-control'], retryAfter: headers['retry-after'] };
  };
  const first = await refusal();
  expect(first).toMatchObject({ status: 404, error: { code: 'not_found', details: { resource: 'rendition' } } });
  expect(await refusal()).toEqual(first);
  expect((await ask(address('w=300'), {}, 'HEAD')).status).toBe(404);
  expect(attempts).toBe(1);
});

test('delivered bytes and new pictures are counted for the key', async () => {
  const path = address('w=90,f=jpeg');
  const { bytes, headers } = await ask(path);
  await ask(path);
  await ask(path, { 'if-none-match': headers.etag ?? '' });
  await ask(path, {}, 'HEAD');
  await ask(path, { range: 'bytes=0-9' });
  await ask(`${path}A`);
  await app.writeCounts();
  const [other] = await Promise.all(Array.from({ length: 5 }, () => ask(address('w=91,f=jpeg'))));
  await app.writeCounts();
  const counts = await app.ports.store.query(actor.customerId, ({ traffic }) => traffic.pictures('2000-01-01'));
  const sent = 2 * bytes.length + 10 + 5 * (other?.bytes.length ?? 0);
  const expected = { deliveryKeyId: key.key.id, requests: 10, bytes: sent, made: 2 };
  expect(counts).toEqual([expect.objectContaining(expected)]);
});
