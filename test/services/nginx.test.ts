import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { freePort, Installation } from '../e2e/support/service.js';
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
  const client = installation.client();
  const { id } = (await client.post('/imports')).body;
  expect((await client.inline(id, [{ name: 'cyclamen.jpg', bytes }])).status).toBe(201);
  await client.post(`/imports/${id}/finalize`);
  const ended = await until('the import to end', async () => {
    const { body } = await client.get(`/imports/${id}?include=photos`);
    return body.status === 'processing' ? false : body;
  });
  photoId = ended.photos.data[0].photoId;
  thumb = (await client.get(`/photos/${photoId}?include=urls`)).body.urls.thumb;
}, 120_000);
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
    ['proxy_pass http://service;', `proxy_pass http://service; proxy_bind ${NGINX};`],
  ];
  return places.reduce(
    (text, [from, to]) => {
      expect(text.split(from)).toHaveLength(2);
      return text.replace(from, to);
    },
    readFileSync(EXAMPLE, 'utf8'),
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
  ];
  return Object.fromEntries([...headers].filter(([name]) => !own.includes(name)));
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

test('the bytes are sent by nginx: the service has written none', async () => {
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
    [{ 'If-Match': '"another"' }, 200],
    [{ 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 200],
  ] as const) {
    const [through, past] = [await ask(original(front), headers), await ask(original(installation.url), headers)];
    expect([through.status, past.status]).toEqual([status, status]);
    if (status !== 416) expect(Buffer.from(through.bytes)).toEqual(Buffer.from(past.bytes));
  }
  const head = await ask(original(front), {}, 'HEAD');
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
});

test('the location is closed to clients, and an original that is gone is 503 in the words of the API', async () => {
  const originals = join(installation.dataDir, 'blobs', 'originals', '1');
  const [name = ''] = readdirSync(originals);
  expect(statSync(join(originals, name)).size).toBe(bytes.length);
  expect((await ask(`${front}/stored-blobs/originals/1/${name}`)).status).toBe(404);
  expect((await ask(original(front), { 'X-Accel-Redirect': '/stored-blobs/x' })).status).toBe(200);
  unlinkSync(join(originals, name));
  const gone = await ask(original(front));
  expect(gone.status).toBe(503);
  expect(JSON.parse(Buffer.from(gone.bytes).toString()).error.code).toBe('service_unavailable');
});
