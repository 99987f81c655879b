// Delivered pictures: made a second, against bare sharp on as many cores; and stored ones asked for again, against the thumb by its signed URL,
// and through nginx's cache against bare nginx. Needs wrk (Debian: apt-get install wrk nginx-light).
//   npm run bench -- delivery [photos of 12 megapixels, default 24] [seconds of each measurement, default 4] [only, a part of a name]
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { resized, upload, withComment } from './library.mjs';
import { load, median } from './load.mjs';
import { hasNginx, NGINX_SETTINGS, startNginx } from './references/references.mjs';
import {
  apiOf,
  commandsOf,
  mediaPeakBytes,
  processorSeconds,
  root,
  startService,
  timedEach,
  until200,
} from './service.mjs';

const [count, seconds, only = ''] = [Number(process.argv[2] ?? 24), Number(process.argv[3] ?? 4), process.argv[4]];
const ROUNDS = 3;
/** Seconds until Node has compiled what is asked for often. */
const WARM_UP = 4;
const MIB = 1024 ** 2;
const cores = availableParallelism();
const [WIDTH, HEIGHT] = [4000, 3000];

const square = { width: 512, height: 512, fit: 'cover' };
const inside = { width: 1280, height: 1280, fit: 'inside' };
/** Options of URLs, and the same work for sharp alone. */
const cases = [
  ['512², JPEG', 'w=512,h=512,fit=cover,f=jpeg', (picture) => picture.resize(square).jpeg({ quality: 80 })],
  ['1280, JPEG', 'w=1280,h=1280,f=jpeg', (picture) => picture.resize(inside).jpeg({ quality: 80 })],
  ['512², WebP', 'w=512,h=512,fit=cover,f=webp', (picture) => picture.resize(square).webp({ quality: 80 })],
  ['1280, WebP', 'w=1280,h=1280,f=webp', (picture) => picture.resize(inside).webp({ quality: 80 })],
  ['512², AVIF', 'w=512,h=512,fit=cover,f=avif', (picture) => picture.resize(square).avif({ quality: 55, effort: 0 })],
  ['1280, AVIF', 'w=1280,h=1280,f=avif', (picture) => picture.resize(inside).avif({ quality: 55, effort: 0 })],
];

sharp.cache(false);
sharp.concurrency(1);

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'phs-bench-delivery-'));
  const settings = { WORKER_CONCURRENCY: String(cores), MEDIA_PRIORITY: 'low', PUBLIC_URL: 'http://127.0.0.1' };
  const service = await startService({ ...settings, ...NGINX_SETTINGS });
  let nginx = null;
  try {
    const files = await makeFiles(folder);
    const ids = await upload(
      service,
      files.map((path) => readFileSync(path)),
    );
    const sign = signer(service);
    console.log(`${count} photos of ${WIDTH} × ${HEIGHT}, ${cores} cores, ${ROUNDS} rounds, medians`);
    for (const one of cases) if (one[0].includes(only)) await ofMaking(service, sign, ids, files, one);
    console.log(
      `memory of decoders at most: ${mediaPeakBytes(service)
        .map((bytes) => `${Math.round(bytes / MIB)} MiB`)
        .join(', ')}`,
    );
    if (!'stored'.includes(only)) return;
    const stored = `${service.url}${sign(ids[0], 'w=320,h=320,f=jpeg')}`;
    const { urls } = await apiOf(service)('GET', `/photos/${ids[0]}?include=urls`);
    const thumb = `${service.url}${new URL(urls.thumb).pathname}`;
    await ofServing('stored picture, of the thumb by its signed URL', stored, thumb);
    if (!hasNginx()) return;
    mkdirSync(join(folder, 'cache'));
    writeFileSync(join(folder, 'picture'), Buffer.from(await (await fetch(stored)).arrayBuffer()));
    nginx = await startNginx(service, folder);
    const through = stored.replace(service.url, nginx.front);
    await until200(through);
    await ofServing("through nginx's cache, of bare nginx", through, `${nginx.files}/picture`);
  } finally {
    nginx?.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each round has a quality of its own, so that nothing has been made before; both do the same. The first is not counted. */
async function ofMaking(service, sign, ids, files, [name, options, work]) {
  const rates = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const quality = `q=${(options.includes('avif') ? 55 : 80) - round}`;
    const before = processorSeconds(service);
    const made = await timedEach(ids, 2 * cores, async (id) => {
      const answer = await fetch(`${service.url}${sign(id, `${options},${quality}`)}`);
      if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    });
    const after = processorSeconds(service);
    const atFirst = process.cpuUsage();
    const bare = await timedEach(files, cores, (file) => work(sharp(file).autoOrient()).toBuffer());
    const { user, system } = process.cpuUsage(atFirst);
    if (round === 0) continue;
    const spent = Object.keys(after).map((kind) => ((after[kind] - before[kind]) * 1000) / ids.length);
    rates.push({
      made: ids.length / made,
      bare: files.length / bare,
      spent,
      own: (user + system) / 1000 / files.length,
    });
  }
  const [made, bare] = [median(rates.map((each) => each.made)), median(rates.map((each) => each.bare))];
  const ratio = median(rates.map((each) => each.made / each.bare));
  console.log(`${name}: ${ratio.toFixed(2)} of bare sharp (${made.toFixed(1)} and ${bare.toFixed(1)} a second)`);
  const milliseconds = (of) => `${median(rates.map(of)).toFixed(1)} ms`;
  const [ofService, media, database] = [0, 1, 2].map((kind) => milliseconds(({ spent }) => spent[kind]));
  const cost = `service ${ofService}, decoders ${media}, database ${database}; bare sharp ${milliseconds(({ own }) => own)}`;
  console.log(`  processor time of a picture: ${cost}`);
}

async function ofServing(name, url, reference) {
  const rates = [];
  for (const each of [url, reference]) await load({ url: each }, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.push({ own: await load({ url }, seconds), other: await load({ url: reference }, seconds) });
  }
  const ratio = median(rates.map(({ own, other }) => own.rate / other.rate));
  const [own, p99] = [median(rates.map((each) => each.own.rate)), median(rates.map((each) => each.own.p99))];
  console.log(`${name}: ${ratio.toFixed(2)} (${own.toFixed(0)} a second, p99 ${p99.toFixed(1)} ms)`);
}

/** One photo with a camera's grain; each file differs by a comment. */
async function makeFiles(folder) {
  const jpeg = await resized(join(root, 'examples', 'photos', 'rocks.jpg'), { width: WIDTH, height: HEIGHT });
  return Array.from({ length: count }, (_, at) => {
    const path = join(folder, `${at}.jpg`);
    writeFileSync(path, withComment(jpeg, `photo ${at}`));
    return path;
  });
}

function signer({ env }) {
  const { id, secret } = commandsOf(env)('delivery-key', 'create', '--customer', '1', '--name', 'bench');
  return (photoId, options) => {
    const signed = `/img/${id}/${photoId}/${options}`;
    return `${signed}?sig=${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
}

await main();
