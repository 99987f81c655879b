// Requests a second of what clients ask for most, as ratios to bare servers, measured in turns in one run: pages and photos against
// Express with one prepared query of pg, thumbs against res.sendFile, originals against createReadStream, and by nginx where there is
// one. Needs wrk (Debian: apt-get install wrk nginx-light).
//   npm run bench -- reads [photos in the library, default 2000] [seconds of each measurement, default 4] [only, a part of a name]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../dist/adapters/embedded-postgres.js';
import { copiesOf, fill, threeMegabytes, upload } from './library.mjs';
import { CONNECTIONS, keyed, load, measured, median } from './load.mjs';
import { hasNginx, NGINX_SETTINGS, References, readRows, startNginx } from './references/references.mjs';
import { apiOf, memoryBytes, residentBytes, root, startService, unlimitedKey } from './service.mjs';

const [photos, seconds, only = ''] = [Number(process.argv[2] ?? 2000), Number(process.argv[3] ?? 4), process.argv[4]];
const ROUNDS = 3;
/** Seconds. */
const WARM_UP = 4;
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
    const ids = await upload(service, copiesOf(jpeg, ORIGINALS));
    await fill(database.connection, photos);
    const { urls } = await apiOf(service)('GET', `/photos/${ids[0]}?include=urls`);
    const paths = { photo: `/api/v1/photos/${ids[0]}`, thumb: new URL(urls.thumb).pathname };
    process.env.PATHS = join(folder, 'originals');
    writeFileSync(process.env.PATHS, ids.map((id) => `/api/v1/photos/${id}/download`).join('\n'));
    console.log(
      `${photos} photos, ${CONNECTIONS} connections, ${availableParallelism()} cores, ${ROUNDS} turns of ${seconds} s, medians`,
    );
    const file = await references.start('files.mjs', large, '/');
    const rows = [
      ...(await readRows(service, references, paths, folder)),
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

function ofFiles(service, { photo }) {
  const again = keyed(service, `${photo}/download`);
  return [
    ['original of 3 MB, asked for again', again],
    ['originals of 3 MB in turn', { ...again, script: join(root, 'bench', 'clients', 'addresses.lua') }],
  ];
}

/** What it costs to know the client's address and to compare it with a list: the reference is the same request without. */
function ofAddresses(plain, proxied) {
  const options = ADDRESSES.flatMap((address) => ['--ip', address]);
  const listed = keyed({ ...plain, token: unlimitedKey(plain.env, options) }, '/api/v1/tags');
  const ranges = keyed(proxied, '/api/v1/tags');
  const forwarded = { ...ranges, headers: { ...ranges.headers, 'X-Forwarded-For': '203.0.113.9' } };
  const bare = keyed(plain, '/api/v1/tags');
  return [
    ['GET /tags, a key with 100 addresses', listed, bare],
    [`GET /tags, ${PROXIES.length} trusted ranges`, forwarded, bare],
  ];
}

function sentByNginx(service, paths, { files, front, pid }) {
  const handedOver = ofFiles(service, paths).map(([name, target]) => {
    const url = target.url.replace(service.url, front);
    return [`${name}, sent by nginx`, { ...target, url }];
  });
  return [['bare nginx, original of 3 MB', { url: `${files}/large.jpg`, pid }], ...handedOver];
}

async function compare(name, target, bare) {
  const turns = [];
  // Node compiles what is asked for often; references are done sooner.
  for (const each of [bare, target]) await load(each, WARM_UP);
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const reference = await measured(bare, seconds);
    const own = await measured(target, seconds);
    const cost = own.milliseconds / reference.milliseconds;
    turns.push({ ...own, cost, ratio: own.rate / reference.rate, reference: reference.rate });
  }
  const middle = (of) => median(turns.map(of));
  const cells = [
    name.padEnd(41),
    `${middle((turn) => turn.ratio).toFixed(3)} of the reference`.padStart(24),
    `(${middle((turn) => turn.rate).toFixed(0)}/s against ${middle((turn) => turn.reference).toFixed(0)}/s),`,
    `${middle((turn) => turn.milliseconds).toFixed(2)} ms of a processor each, ${middle((turn) => turn.cost).toFixed(2)} × the reference,`,
    `p50 ${middle((turn) => turn.p50).toFixed(1)} ms, p99 ${middle((turn) => turn.p99).toFixed(1)} ms,`,
    `${Math.round(residentBytes(target) / 1e6)} MB, with all processes ${Math.round(memoryBytes(target) / 1e6)} MB`,
  ];
  console.log(cells.join(' '));
}

await main();
