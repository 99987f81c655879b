// Requests a second of what clients ask for most, as ratios to a bare node:http server that answers 15 kB of JSON, measured in turns in
// one run; thumbs against bare res.sendFile, originals against bare createReadStream, and by nginx where there is one. Needs wrk (Debian: apt-get install wrk nginx-light).
//   npm run bench:reads -- [photos in the library, default 2000] [seconds of each measurement, default 4] [only, a part of a name]
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import sharp from 'sharp';
import { openEmbeddedPostgres } from '../dist/adapters/embedded-postgres.js';
import { CONNECTIONS, load } from './load.mjs';
import { hasNginx, NGINX_SETTINGS, startNginx } from './nginx.mjs';
import { fillLibrary } from './scale/rows-read.mjs';
import {
  apiOf,
  freePort,
  memoryBytes,
  processorSeconds,
  residentBytes,
  root,
  startService,
  unlimitedKey,
  until200,
} from './service.mjs';

const [photos, seconds, only = ''] = [Number(process.argv[2] ?? 2000), Number(process.argv[3] ?? 4), process.argv[4]];
const ROUNDS = 3;
/** Originals that are asked for in turn: three times what the service keeps in memory. */
const ORIGINALS = 32;
/** Proxies of a large network, with this machine at the end; and as many addresses as a key may have. */
const PROXIES = [...Array.from({ length: 22 }, (_, net) => `10.${net}.0.0/16`), '127.0.0.1'];
const ADDRESSES = [...Array.from({ length: 99 }, (_, host) => `198.51.100.${host}`), '127.0.0.1'];

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'phs-bench-reads-'));
  const service = await startService(NGINX_SETTINGS);
  const plain = await startService();
  const proxied = await startService({ TRUSTED_PROXIES: PROXIES.join(',') });
  const database = await openEmbeddedPostgres(service.dataDir, 'share', () => undefined);
  const references = new References(database.connection);
  let nginx = null;
  try {
    if (hasNginx()) nginx = await startNginx(service, folder);
    const jpeg = await threeMegabytes();
    // The first one is what nginx sends.
    const large = Array.from({ length: ORIGINALS }, (_, index) =>
      join(folder, index === 0 ? 'large.jpg' : `large-${index}.jpg`),
    );
    for (const path of large) writeFileSync(path, jpeg);
    const ids = await upload(service, jpeg);
    await fill(database.connection, photos);
    const { urls } = await apiOf(service)('GET', `/photos/${ids[0]}?include=urls`);
    const paths = { photo: `/api/v1/photos/${ids[0]}`, thumb: new URL(urls.thumb).pathname };
    process.env.PATHS = join(folder, 'originals');
    writeFileSync(process.env.PATHS, ids.map((id) => `/api/v1/photos/${id}/download`).join('\n'));
    console.log(
      `${photos} photos, ${CONNECTIONS} connections, ${availableParallelism()} cores, ${ROUNDS} turns of ${seconds} s, medians`,
    );
    const still = await references.start('static.mjs', [], '/');
    const file = await references.start('files.mjs', large, '/');
    const thumb = join(folder, 'thumb.jpg');
    writeFileSync(thumb, Buffer.from(await (await fetch(service.url + paths.thumb)).arrayBuffer()));
    const sent = await references.start('send-file.mjs', [thumb], '/');
    const rows = [
      ...(await ofRows(service, references, paths)).map((row) => [...row, still]),
      ...ofThumbs(service, paths).map((row) => [...row, sent]),
      ...ofFiles(service, paths).map((row) => [...row, file]),
      ...(nginx ? sentByNginx(service, paths, nginx).map((row) => [...row, file]) : []),
      ...ofAddresses(plain, proxied),
    ];
    if (nginx === null) console.log('nginx is not installed, so what it sends is left out');
    for (const [name, target, bare] of rows) if (name.includes(only)) await compare(name, target, bare);
  } finally {
    nginx?.stop();
    references.stop();
    await database.stop();
    await Promise.all([service, plain, proxied].map((each) => each.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bare servers to compare with, each in a process of its own. */
class References {
  #started = [];

  constructor(connection) {
    this.env = { ...process.env, DATABASE: JSON.stringify(connection) };
  }

  async start(name, args, path) {
    const port = await freePort();
    const script = join(root, 'bench', 'references', name);
    const stdio = ['ignore', 'ignore', 'inherit'];
    const child = spawn(process.execPath, [script, String(port), ...args], { env: this.env, stdio });
    this.#started.push(child);
    const url = `http://127.0.0.1:${port}${path}`;
    await until200(url);
    return { url, pid: child.pid };
  }

  stop() {
    for (const child of this.#started) child.kill('SIGKILL');
  }
}

/** What is answered out of the database, and small. */
async function ofRows(service, references, { photo }) {
  const page = await references.start('express-pg.mjs', [], '/page');
  const row = { ...page, url: page.url.replace('/page', `/row/${photo.split('/').at(-1)}`) };
  return [
    ['bare Express and pg, a page of 50', page],
    ['bare Express and pg, one row', row],
    ['GET /photos?limit=50', keyed(service, '/api/v1/photos?limit=50')],
    ['GET /photos/{id}', keyed(service, photo)],
    ['GET /me', keyed(service, '/api/v1/me')],
  ];
}

/** Small files. */
function ofThumbs(service, { photo, thumb }) {
  return [
    ['thumb through the API', keyed(service, `${photo}/download?rendition=thumb`)],
    ['thumb by a signed URL', { ...service, url: service.url + thumb }],
  ];
}

function ofFiles(service, { photo }) {
  const again = keyed(service, `${photo}/download`);
  return [
    ['original of 3 MB, asked for again', again],
    ['originals of 3 MB in turn', { ...again, script: join(root, 'bench', 'scale', 'addresses.lua') }],
  ];
}

/** What it costs to know the client's address and to compare it with a list: the reference is the same request without. */
function ofAddresses(plain, proxied) {
  const tags = (service, token, headers = {}) => ({
    ...service,
    url: `${service.url}/api/v1/tags`,
    headers: { Authorization: `Bearer ${token}`, ...headers },
  });
  const listed = unlimitedKey(
    plain.env,
    ADDRESSES.flatMap((address) => ['--ip', address]),
  );
  const bare = tags(plain, plain.token);
  return [
    ['GET /tags, a key with 100 addresses', tags(plain, listed), bare],
    [
      `GET /tags, ${PROXIES.length} trusted ranges`,
      tags(proxied, proxied.token, { 'X-Forwarded-For': '203.0.113.9' }),
      bare,
    ],
  ];
}

function sentByNginx(service, paths, { files, front, pid }) {
  const handedOver = ofFiles(service, paths).map(([name, target]) => {
    const url = target.url.replace(service.url, front);
    return [`${name}, sent by nginx`, { ...target, url }];
  });
  return [['bare nginx, original of 3 MB', { url: `${files}/large.jpg`, pid }], ...handedOver];
}

const keyed = (service, path) => ({
  ...service,
  url: service.url + path,
  headers: { Authorization: `Bearer ${service.token}` },
});

async function compare(name, target, bare) {
  const turns = [];
  await load(target, 1);
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const reference = await measured(bare);
    const own = await measured(target);
    const cost = own.milliseconds / reference.milliseconds;
    turns.push({ ...own, cost, ratio: own.rate / reference.rate, reference: reference.rate });
  }
  const median = (of) => turns.map(of).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  const cells = [
    name.padEnd(41),
    `${median((turn) => turn.ratio).toFixed(3)} of the reference`.padStart(24),
    `(${median((turn) => turn.rate).toFixed(0)}/s against ${median((turn) => turn.reference).toFixed(0)}/s),`,
    `${median((turn) => turn.milliseconds).toFixed(2)} ms of a processor each, ${median((turn) => turn.cost).toFixed(2)} × the reference,`,
    `p50 ${median((turn) => turn.p50).toFixed(1)} ms, p99 ${median((turn) => turn.p99).toFixed(1)} ms,`,
    `${Math.round(residentBytes(target) / 1e6)} MB, with all processes ${Math.round(memoryBytes(target) / 1e6)} MB`,
  ];
  console.log(cells.join(' '));
}

/** A turn, with the milliseconds of a processor that each request took, of all processes of the target. */
async function measured(target) {
  const before = spent(target);
  const turn = await load(target, seconds);
  return { ...turn, milliseconds: ((spent(target) - before) * 1000) / turn.requests };
}

const spent = (target) => Object.values(processorSeconds(target)).reduce((sum, each) => sum + each);

/** Noise does not compress: 3 MB at about 4 megapixels. */
async function threeMegabytes() {
  const [width, height] = [2000, 1500];
  const noise = { raw: { width, height, channels: 3 } };
  for (let quality = 95; ; quality -= 5) {
    const jpeg = await sharp(randomBytes(width * height * 3), noise)
      .jpeg({ quality })
      .toBuffer();
    if (jpeg.length < 3.3e6) return jpeg;
  }
}

/** As many photos of that size, no two of the same bytes. Their ids. */
async function upload(service, jpeg) {
  const api = apiOf(service);
  const files = Array.from({ length: ORIGINALS }, (_, index) => Buffer.concat([jpeg, Buffer.from(String(index))]));
  const { id } = await api('POST', '/imports', {});
  const named = files.map((bytes, index) => ({ filename: `${index}.jpg`, sizeBytes: bytes.length }));
  const { data } = await api('POST', `/imports/${id}/photos`, { photos: named });
  for (const [index, { photo }] of data.entries()) {
    await fetch(photo.upload.url, { method: 'PUT', headers: photo.upload.headers, body: files[index] });
  }
  await api('POST', `/imports/${id}/finalize`);
  for (;;) {
    const { photos: items } = await api('GET', `/imports/${id}?include=photos`);
    const failed = items.data.find(({ status }) => status === 'failed');
    if (failed) throw new Error(JSON.stringify(failed.error));
    if (items.data.every(({ status }) => status === 'imported')) return items.data.map(({ photoId }) => photoId);
    await delay(50);
  }
}

async function fill(connection, count) {
  const client = new pg.Client(connection);
  await client.connect();
  const sql = readFileSync(join(root, 'bench', 'scale', 'library.sql'), 'utf8');
  await fillLibrary((text) => client.query(text), sql, 1, count);
  await client.query('VACUUM ANALYZE');
  await client.end();
}

await main();
