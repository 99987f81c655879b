import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { freePort, Installation } from '../e2e/support/service.js';
import { ImageSigner } from '../e2e/support/signed-image.js';
import { Daemon } from './support/daemon.js';
import { program } from './support/programs.js';

const EXAMPLE = join(__dirname, '../../docker/nginx.conf');
/** Where nginx comes from, and nobody else. */
const NGINX = '127.0.0.2';
const bytes = new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos/cyclamen.jpg')));

let folder: string;
let installation: Installation;
let nginx: Daemon;
let front: string;
let photoId: number;
let thumb: string;
/** One that no test deletes before it is done with it. */
let pictureId: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  front = `http://127.0.0.1:${port}`;
  installation = await Installation.make({
    NGINX_BLOBS_LOCATION: '/stored-blobs',
    TRUSTED_PROXIES: NGINX,
    PUBLIC_URL: front,
    LOG_LEVEL: 'info',
  });
  await installation.start();
  writeFileSync(join(folder, 'nginx.conf'), configuration(port));
  const command = [program('nginx', 'nginx-light'), '-p', folder, '-c', 'nginx.conf', '-e', 'error.log'] as const;
  nginx = Daemon.start([...command, '-g', 'daemon off; pid nginx.pid;'], join(folder, 'nginx.out'));
  await until('nginx to pass requests on', () =>
    fetch(`${front}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  const client = await installation.client();
  const { id } = (await client.post('/imports')).body;
  const other = new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos/notocactus.jpg')));
  const files = [
    { name: 'cyclamen.jpg', bytes },
    { name: 'notocactus.jpg', bytes: other },
  ];
  expect((await client.inline(id, files)).status).toBe(201);
  await client.post(`/imports/${id}/finalize`);
  const ended = await until('the import to end', async () => {
    const { body } = await client.get(`/imports/${id}?include=photos`);
    return body.status === 'processing' ? false : body;
  });
  [photoId, pictureId] = ended.photos.data.map((item: { photoId: number }) => item.photoId);
  thumb = (await client.get(`/photos/${photoId}?include=urls`)).body.urls.thumb;
});
afterAll(async () => {
  await nginx?.stop();
  await installation?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The example, with the places of this test. */
function configuration(port: number): string {
  const places: [string, string][] = [
    ['user photo-service;', process.getuid?.() === 0 ? 'user root;' : ''],
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['server 127.0.0.1:3000;', `server 127.0.0.1:${installation.port};`],
    ['/var/lib/photo-service/blobs/;', `${installation.dataDir}/blobs/;`],
    ['/var/cache/nginx/photo-service', `${folder}/cache`],
  ];
  return places.reduce(
    (text, [from, to]) => {
      expect(text.split(from)).toHaveLength(2);
      return text.replace(from, to);
    },
    // Each location says so.
    readFileSync(EXAMPLE, 'utf8').replaceAll('proxy_pass http://service;', `$& proxy_bind ${NGINX};`),
  );
}

const ask = async (url: string, headers: Record<string, string> = {}, method = 'GET') => {
  const keyed = url.includes('/api/') ? { Authorization: `Bearer ${installation.token()}` } : {};
  const answer = await fetch(url, { method, headers: { ...keyed, ...headers } });
  return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
};
type Asked = Awaited<ReturnType<typeof ask>>;

/** What two answers to the same question have in common. */
const steady = ({ headers }: Asked) => {
  const own = [
    'date',
    'server',
    // Of whoever ends TLS.
    'strict-transport-security',
    'connection',
    'keep-alive',
    'x-request-id',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    // To nginx.
    'x-accel-expires',
  ];
  // A second may pass between the two.
  const untimed = (value: string) => value.replace(/max-age=\d+/, 'max-age=N');
  return Object.fromEntries(
    [...headers].flatMap(([name, value]) => (own.includes(name) ? [] : [[name, untimed(value)]])),
  );
};
const original = (base: string) => `${base}/api/v1/photos/${photoId}/download`;

test.each([
  ['the original', original],
  ['a rendition, made for it', (base: string) => `${original(base)}?rendition=small&format=webp&disposition=inline`],
  ['a signed address', (base: string) => thumb.replace(front, base)],
])('%s through nginx is what the service alone would have answered', async (_, at) => {
  const through = await ask(at(front));
  const past = await ask(at(installation.url));
  expect([through.status, past.status]).toEqual([200, 200]);
  expect(sha256(through.bytes)).toBe(sha256(past.bytes));
  expect(through.headers.get('server')).toMatch(/^nginx/);
  expect(steady(through)).toEqual(steady(past));
  expect(through.headers.get('x-request-id')).toMatch(/^req_/);
  expect(through.headers.has('x-accel-redirect')).toBe(false);
});

test('nginx sends the bytes itself, and the service writes none', async () => {
  const { headers } = await ask(original(front));
  const line = await until('the request to be logged', () =>
    installation
      .printed()
      .split('\n')
      .filter((text) => text.includes(headers.get('x-request-id') ?? 'none'))
      .map((text) => JSON.parse(text))
      .at(0),
  );
  expect(line).toMatchObject({ status: 200, whole: true });
  expect(line.bytes).toBeLessThan(3000);
});

test('ranges and conditions are answered as without nginx', async () => {
  const etag = `"sha256-${sha256(bytes)}"`;
  for (const [headers, status] of [
    [{ Range: 'bytes=5-14' }, 206],
    [{ Range: 'bytes=0-1,5-6' }, 200],
    [{ Range: `bytes=${bytes.length}-` }, 416],
    [{ 'If-None-Match': etag }, 304],
    [{ 'If-Match': '"another"' }, 412],
    [{ 'If-Match': etag }, 200],
    [{ 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 412],
  ] as const) {
    const [through, past] = [await ask(original(front), headers), await ask(original(installation.url), headers)];
    expect([through.status, past.status]).toEqual([status, status]);
    if (status < 400) expect(Buffer.from(through.bytes)).toEqual(Buffer.from(past.bytes));
  }
  const head = await ask(original(front), {}, 'HEAD');
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
});

test('the internal location is closed to clients, and a missing original is 503 in the words of the API', async () => {
  const originals = join(installation.dataDir, 'blobs', 'originals', '1');
  const name = readdirSync(originals).find((each) => statSync(join(originals, each)).size === bytes.length) ?? '';
  expect(name).not.toBe('');
  expect((await ask(`${front}/stored-blobs/originals/1/${name}`)).status).toBe(404);
  expect((await ask(original(front), { 'X-Accel-Redirect': '/stored-blobs/x' })).status).toBe(200);
  unlinkSync(join(originals, name));
  const gone = await ask(original(front));
  expect(gone.status).toBe(503);
  expect(JSON.parse(Buffer.from(gone.bytes).toString()).error.code).toBe('service_unavailable');
});

describe('delivered pictures in its cache', () => {
  const ROUTE = '/img/:deliveryKeyId/:photoId/:imageOptions';
  /** Statuses of the requests that have come to the service. */
  const served = () =>
    installation
      .printed()
      .split('\n')
      .filter((line) => line.includes(ROUTE))
      .map((line) => JSON.parse(line).status as number);
  let signer: ImageSigner;
  beforeAll(async () => {
    signer = await ImageSigner.of(installation);
  });

  test('are requested from the service once for each set of formats that matters', async () => {
    const url = `${front}${signer.path(pictureId, 'w=200')}`;
    const accepts: [string, string][] = [
      ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'image/avif'],
      ['image/avif,image/webp,*/*', 'image/avif'],
      ['image/webp,image/png;q=0.8,*/*;q=0.5', 'image/webp'],
      ['image/avif;q=0,image/webp;q=0.5', 'image/webp'],
      ['image/avif;q=0.0, */*', 'image/jpeg'],
      ['*/*', 'image/jpeg'],
      ['text/html', 'image/jpeg'],
    ];
    const before = served().length;
    for (const [Accept, type] of [...accepts, ...accepts]) {
      const { status, headers } = await ask(url, { Accept });
      expect([Accept, status, headers.get('content-type'), headers.get('vary')]).toEqual([Accept, 200, type, 'Accept']);
      expect(headers.has('x-accel-expires')).toBe(false);
    }
    await ask(`${installation.url}/img/none/1/w=1`);
    // The last line is of a request past nginx.
    await until('the log to be complete', () => served().length > before + 3);
    expect(served().slice(before)).toEqual([200, 200, 200, 403]);
  });

  test('are requested from the service once for many first requests, and nginx answers ranges and conditions', async () => {
    const url = `${front}${signer.path(pictureId, 'w=210,f=jpeg')}`;
    const before = served().length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(url)));
    expect(new Set(answers.map(({ status, bytes: body }) => `${status} ${sha256(body)}`)).size).toBe(1);
    const whole = answers[0]?.bytes ?? new Uint8Array();
    const part = await ask(url, { Range: 'bytes=5-14' });
    expect([part.status, Buffer.from(part.bytes)]).toEqual([206, Buffer.from(whole.subarray(5, 15))]);
    const etag = answers[0]?.headers.get('etag') ?? '';
    expect((await ask(url, { 'If-None-Match': etag })).status).toBe(304);
    const head = await ask(url, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(whole.length)]);
    await ask(`${installation.url}/img/none/1/w=1`);
    await until('the log to be complete', () => served().length > before + 1);
    expect(served().slice(before)).toEqual([200, 403]);
  });

  test('are stored without errors, and another signature is another address', async () => {
    const url = `${front}${signer.path(pictureId, 'w=220')}`;
    const forged = url.replace(/sig=(.)/, (_, first) => `sig=${first === '_' ? 'A' : '_'}`);
    expect((await ask(forged)).status).toBe(403);
    expect((await ask(url)).status).toBe(200);
    expect((await ask(forged)).status).toBe(403);
    expect((await ask(`${front}${signer.path(999_999, 'w=1')}`)).status).toBe(404);
  });

  test('are revalidated by a 304, and those of a deleted photo expire', async () => {
    await installation.stop();
    await installation.start({ DELIVERY_MAX_AGE: '1' });
    const url = `${front}${signer.path(pictureId, 'w=230,f=jpeg')}`;
    await until('nginx to reach the service again', async () => (await ask(url)).status === 200);
    await until('the stored picture to be confirmed', async () => {
      expect((await ask(url)).status).toBe(200);
      return served().includes(304);
    });
    expect((await (await installation.client()).delete(`/photos/${pictureId}`)).status).toBe(204);
    expect((await ask(url.replace(front, installation.url))).status).toBe(404);
    await until('nginx to ask again', async () => (await ask(url)).status === 404);
  });
});
