// Requests a second of what clients ask for most, as ratios to a bare node:http server that answers 15 kB of JSON, measured in turns in
// one run; originals against bare createReadStream. Needs wrk (Debian: apt-get install wrk).
//   npm run bench:reads -- [photos in the library, default 2000] [seconds of each measurement, default 4] [only, a part of a name]
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import sharp from 'sharp';
import { openEmbeddedPostgres } from '../dist/adapters/embedded-postgres/embedded-postgres.js';
import { CONNECTIONS, load } from './load.mjs';
import { fillLibrary } from './scale/rows-read.mjs';
import { apiOf, freePort, memoryBytes, processorSeconds, root, startService, until200 } from './service.mjs';

const [photos, seconds, only = ''] = [Number(process.argv[2] ?? 2000), Number(process.argv[3] ?? 4), process.argv[4]];
const ROUNDS = 3;

/** A page in the middle of the newest thousand: what people see when they scroll. */
async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'phs-bench-reads-'));
  const service = await startService();
  const database = await openEmbeddedPostgres(service.dataDir, 'share', () => undefined);
  const started = [];
  const reference = async (name, args, path) => {
    const port = await freePort();
    const env = { ...process.env, DATABASE: JSON.stringify(database.connection) };
    const script = join(root, 'bench', 'references', name);
    const child = spawn(process.execPath, [script, String(port), ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    started.push(child);
    await until200(`http://127.0.0.1:${port}${path}`);
    return { url: `http://127.0.0.1:${port}${path}`, pid: child.pid };
  };
  try {
    const large = join(folder, 'large.jpg');
    writeFileSync(large, await threeMegabytes());
    const photo = await upload(service, large);
    await fill(database.connection, photos);
    const api = `${service.url}/api/v1`;
    const { urls } = await apiOf(service)('GET', `/photos/${photo}?include=urls`);
    const keyed = { Authorization: `Bearer ${service.token}` };
    const still = await reference('static.mjs', [], '/');
    const file = await reference('files.mjs', [large], '/');
    const page = await reference('express-pg.mjs', [], '/page');
    const row = { ...page, url: page.url.replace('/page', `/row/${photo}`) };
    const cases = [
      ['bare Express and pg, a page of 50', page, still],
      ['bare Express and pg, one row', row, still],
      ['GET /photos?limit=50', { ...service, url: `${api}/photos?limit=50`, headers: keyed }, still],
      ['GET /photos/{id}', { ...service, url: `${api}/photos/${photo}`, headers: keyed }, still],
      ['GET /me', { ...service, url: `${api}/me`, headers: keyed }, still],
      [
        'thumb through the API',
        { ...service, url: `${api}/photos/${photo}/download?rendition=thumb`, headers: keyed },
        still,
      ],
      ['thumb by a signed URL', { ...service, url: urls.thumb }, still],
      ['original of 3 MB', { ...service, url: `${api}/photos/${photo}/download`, headers: keyed }, file],
    ];
    const cores = availableParallelism();
    console.log(
      `${photos} photos, ${CONNECTIONS} connections, ${cores} cores, ${ROUNDS} turns of ${seconds} s, medians`,
    );
    for (const [name, target, bare] of cases) if (name.includes(only)) await compare(name, target, bare);
  } finally {
    for (const child of started) child.kill('SIGKILL');
    await database.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(name, target, bare) {
  const turns = [];
  await load(target, 1);
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const reference = await load(bare, seconds);
    const before = spent(target);
    const own = await load(target, seconds);
    const milliseconds = ((spent(target) - before) * 1000) / own.requests;
    turns.push({ ...own, milliseconds, ratio: own.rate / reference.rate, reference: reference.rate });
  }
  const median = (of) => turns.map(of).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  const cells = [
    name.padEnd(36),
    `${median((turn) => turn.ratio).toFixed(3)} of the reference`.padStart(24),
    `(${median((turn) => turn.rate).toFixed(0)}/s against ${median((turn) => turn.reference).toFixed(0)}/s),`,
    `${median((turn) => turn.milliseconds).toFixed(2)} ms of a processor each,`,
    `p50 ${median((turn) => turn.p50).toFixed(1)} ms, p99 ${median((turn) => turn.p99).toFixed(1)} ms,`,
    `${Math.round(memoryBytes(target) / 1e6)} MB`,
  ];
  console.log(cells.join(' '));
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

async function upload(service, path) {
  const api = apiOf(service);
  const bytes = readFileSync(path);
  const { id } = await api('POST', '/imports', {});
  const { data } = await api('POST', `/imports/${id}/photos`, {
    photos: [{ filename: 'large.jpg', sizeBytes: bytes.length }],
  });
  const { url, headers } = data[0].photo.upload;
  await fetch(url, { method: 'PUT', headers, body: bytes });
  await api('POST', `/imports/${id}/finalize`);
  for (;;) {
    const { photos: items } = await api('GET', `/imports/${id}?include=photos`);
    const [item] = items.data;
    if (item.status === 'imported') return item.photoId;
    if (item.status === 'failed') throw new Error(JSON.stringify(item.error));
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
