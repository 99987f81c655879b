// Photos through the whole pipeline, against the least that could do the same work in the same run: accepting them, without a worker
// and beside one, against hash, write and fsync alone; all of it against bare sharp making the same rendition of the same files, on as
// many cores.
//   node bench/import.mjs [photos, default 2000] [megapixels of each, default 0.3]
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { openEmbeddedPostgres } from '../dist/adapters/embedded-postgres.js';
import { resized, withComment } from './library.mjs';
import { References } from './references/references.mjs';
import { apiOf, processorSeconds, root, startService, ticksPerSecond, timedEach } from './service.mjs';

const count = Number(process.argv[2] ?? 2000);
const megapixels = Number(process.argv[3] ?? 0.3);
const cores = availableParallelism();
const UPLOADS_AT_ONCE = 8;
const BATCH = 500;
const folder = mkdtempSync(join(tmpdir(), 'phs-bench-import-'));

sharp.cache(false);
sharp.concurrency(1);

/** Real photos in the wanted size; each file differs from every other by a comment. */
async function makeFiles() {
  const names = ['cyclamen', 'notocactus', 'rocks'];
  const photos = await Promise.all(names.map((name) => inWantedSize(join(root, 'examples', 'photos', `${name}.jpg`))));
  const files = Array.from({ length: count }, (_, index) => ({ index, path: join(folder, `${index}.jpg`) }));
  await timedEach(files, UPLOADS_AT_ONCE, async (file) => {
    const bytes = withComment(photos[file.index % photos.length], `${file.index} ${randomBytes(8).toString('hex')}`);
    file.sizeBytes = bytes.length;
    file.sha256 = createHash('sha256').update(bytes).digest('hex');
    await writeFile(file.path, bytes);
  });
  return files;
}

async function inWantedSize(path) {
  const { width, height } = await sharp(path).metadata();
  const factor = Math.sqrt((megapixels * 1e6) / (width * height));
  return resized(path, { width: Math.round(width * factor), height: Math.round(height * factor) });
}

/** What accepting takes at least: every byte hashed, on the disk, and synced there. */
function bareAccept(files) {
  return timedEach(files, UPLOADS_AT_ONCE, async ({ path, index }) => {
    const bytes = await readFile(path);
    createHash('sha256').update(bytes).digest();
    const copy = await open(join(folder, `copy-${index}`), 'w');
    await copy.write(bytes);
    await copy.sync();
    await copy.close();
  });
}

/** What the worker takes at least: the same thumb of each. */
function bareSharp(files) {
  const size = { width: 320, height: 320, fit: 'inside', withoutEnlargement: true };
  return timedEach(files, cores, ({ path }) => sharp(path).rotate().resize(size).jpeg({ quality: 80 }).toBuffer());
}

async function register(api, importId, files) {
  for (let start = 0; start < files.length; start += BATCH) {
    const batch = files.slice(start, start + BATCH);
    const photos = batch.map(({ index, sizeBytes, sha256 }) => ({ filename: `${index}.jpg`, sizeBytes, sha256 }));
    const { data } = await api('POST', `/imports/${importId}/photos`, { photos });
    for (const [place, { photo }] of data.entries()) batch[place].upload = photo.upload;
  }
}

async function send({ path, upload }) {
  const answer = await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: await readFile(path) });
  if (answer.status !== 204) throw new Error(`an upload answered ${answer.status}: ${await answer.text()}`);
}

async function ended(api, importId) {
  for (;;) {
    const { status, counts } = await api('GET', `/imports/${importId}`);
    if (status === 'completed' && counts.imported === count) return;
    if (status !== 'processing') throw new Error(`the import is ${status}: ${JSON.stringify(counts)}`);
    await delay(250);
  }
}

/** Registered and uploaded, in seconds; the import stays open. */
async function accepted(api, files) {
  const began = performance.now();
  const { id } = await api('POST', '/imports', {});
  await register(api, id, files);
  await timedEach(files, UPLOADS_AT_ONCE, send);
  return { id, seconds: (performance.now() - began) / 1000 };
}

/** Nobody looks at what comes. Beside it, the least that a server could do with the same files. */
async function withoutWorker(files) {
  const service = await startService({ ROLE: 'api' });
  try {
    const { seconds } = await accepted(apiOf(service), files);
    return { seconds, bare: await bareUpload(service, files) };
  } finally {
    await service.stop();
  }
}

async function bareUpload(service, files) {
  const database = await openEmbeddedPostgres(service.dataDir, 'share', () => undefined);
  const references = new References(database.connection);
  try {
    const { url } = await references.start('upload.mjs', [folder], '/');
    return await timedEach(files, UPLOADS_AT_ONCE, ({ path }) => send({ path, upload: { url, headers: {} } }));
  } finally {
    references.stop();
    await database.stop();
  }
}

async function throughService(files) {
  const service = await startService();
  try {
    const api = apiOf(service);
    const before = processorSeconds(service);
    const idleBefore = idleSeconds();
    const began = performance.now();
    const { id, seconds } = await accepted(api, files);
    await api('POST', `/imports/${id}/finalize`);
    await ended(api, id);
    const all = (performance.now() - began) / 1000;
    const idle = (idleSeconds() - idleBefore) / (all * cores);
    const after = processorSeconds(service);
    const spent = Object.entries(after).map(([kind, spent]) => [kind, ((spent - before[kind]) * 1000) / count]);
    return { accepting: seconds, all, idle, spent };
  } finally {
    await service.stop();
  }
}

/** Of all processors of the machine, since its start: doing nothing, or waiting for a disk. Linux (proc_stat(5)). */
function idleSeconds() {
  const [, , , , idle, waiting] = /^cpu .*$/m.exec(readFileSync('/proc/stat', 'utf8'))[0].split(/ +/);
  return (Number(idle) + Number(waiting)) / ticksPerSecond;
}

try {
  const files = await makeFiles();
  const kilobytes = Math.round(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / count / 1000);
  console.log(`${count} photos of ${megapixels} megapixels, ${kilobytes} kB each, ${cores} cores`);
  const accept = await bareAccept(files);
  const decode = await bareSharp(files);
  const paused = await withoutWorker(files);
  const { accepting, all, idle, spent } = await throughService(files);
  const rate = (seconds) => `${(count / seconds).toFixed(1)} photos/s`;
  const row = (what, seconds, reference, bare) =>
    console.log(`${what}: ${(bare / seconds).toFixed(2)} of ${reference} (${rate(seconds)} against ${rate(bare)})`);
  row('registered and uploaded, no jobs running', paused.seconds, 'a bare upload', paused.bare);
  row('the same', paused.seconds, 'bare hash, write and fsync', accept);
  row('registered and uploaded, jobs running', accepting, 'bare hash, write and fsync', accept);
  row('end to end, library and thumb ready', all, 'bare sharp making the same thumb', decode);
  console.log(`processor time of a photo: ${spent.map(([kind, ms]) => `${kind} ${ms.toFixed(1)} ms`).join(', ')}`);
  console.log(`of the machine ${Math.round(idle * 100)} % idle`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
