// What five requests cost: milliseconds of a processor, of all processes of the service, against a bare server in the same run, the
// database included in both; and how many statements an imported photo takes, of small ones by eight connections. Fails when one costs 15 % more than
// bench/cost.json says, in each of four starts. Rates depend on what else runs on a machine; these hardly do. Needs wrk.
//   npm run bench -- cost            compares
//   npm run bench -- cost --write notes what was measured, to be committed with the change that explains it
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { openEmbeddedPostgres } from '../dist/adapters/embedded-postgres.js';
import { copiesOf, fill, threeMegabytes, upload } from './library.mjs';
import { load, measured, median } from './load.mjs';
import { References, readRows } from './references/references.mjs';
import { apiOf, root, startService } from './service.mjs';

const NOTED = join(root, 'bench', 'cost.json');
const PHOTOS = 2000;
const [STATEMENTS, IMPORTED] = ['statements a photo', 400];
const ALLOWED = 1.15;
/** Seconds; until Node has compiled most of what is asked for. A row that would have needed more is measured again. */
const WARM_UP = 1;
const [TURNS, SECONDS] = [3, 1];
/** A row that seems dearer is measured up to three times, and again after each of up to three restarts: what costs more, does so every time. */
const [TRIES, STARTS] = [3, 4];

async function main() {
  const writes = process.argv.includes('--write');
  const noted = JSON.parse(readFileSync(NOTED, 'utf8'));
  const wanted = (name) => (writes ? 0 : noted[name] * ALLOWED);
  // Each start has its own costs: what is noted is those of the dearest.
  const chosen = writes ? Math.max : Math.min;
  const costs = {};
  const dearer = () => Object.keys({ ...noted, ...costs }).filter((name) => !(costs[name] <= wanted(name)));
  for (let start = 0; start < STARTS && dearer().length > 0; start += 1) {
    if (!(costs[STATEMENTS] <= wanted(STATEMENTS))) {
      const count = await statements();
      costs[STATEMENTS] = chosen(costs[STATEMENTS] ?? count, count);
      console.log(`${STATEMENTS.padEnd(24)} ${costs[STATEMENTS].toFixed(2)}, ${noted[STATEMENTS]} noted`);
    }
    await withRows(async (service, rows) => {
      for (const [name, target, bare] of rows) {
        if (costs[name] <= wanted(name)) continue;
        await Promise.all([load(bare, WARM_UP), load(target, WARM_UP)]);
        const cost = await cheapest({ target, bare, service }, wanted(name));
        costs[name] = chosen(costs[name] ?? cost, cost);
        console.log(`${name.padEnd(24)} ${costs[name].toFixed(2)} × the bare server, ${noted[name]} noted`);
      }
    });
  }
  if (writes) return writeFileSync(NOTED, `${JSON.stringify(costs, null, 2)}\n`);
  if (dearer().length > 0) {
    console.error(`over ${ALLOWED} × what bench/cost.json says: ${dearer().join(', ')}`);
    process.exitCode = 1;
  }
}

/** Statements of a service for each of `IMPORTED` photos. It has no others, of which its upkeep would bring some up to date meanwhile. */
async function statements() {
  const folder = mkdtempSync(join(tmpdir(), 'phs-bench-statements-'));
  const counting = pathToFileURL(join(root, 'bench', 'count-statements.mjs'));
  const file = join(folder, 'count');
  const service = await startService({ STATEMENTS_FILE: file, NODE_OPTIONS: `--import ${counting}` });
  const soFar = async () => {
    process.kill(service.pid, 'SIGUSR2');
    await delay(500);
    return Number(readFileSync(file, 'utf8'));
  };
  try {
    const before = await soFar();
    await upload(service, copiesOf(readFileSync(join(root, 'examples', 'photos', 'rocks.jpg')), IMPORTED));
    return Math.round((((await soFar()) - before) / IMPORTED) * 100) / 100;
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The least of the tries, at most until one is as cheap as wanted. */
async function cheapest(row, wanted) {
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < TRIES && !(least <= wanted); tried += 1) least = Math.min(least, await cost(row, wanted));
  return Math.round(least * 100) / 100;
}

/** The median of turns, each of both; or no less than it, once more than half of them are as cheap as wanted: then the median is, too. */
async function cost({ target, bare, service }, wanted) {
  const ratios = [];
  const cheap = () => ratios.filter((ratio) => ratio <= wanted);
  while (ratios.length < TURNS && cheap().length <= TURNS / 2) {
    // The bare server asks the service's database, and the share of databases in the work is not the same on each machine.
    const reference = await measured(bare, SECONDS, [service]);
    ratios.push((await measured(target, SECONDS)).milliseconds / reference.milliseconds);
  }
  if (cheap().length > TURNS / 2) return Math.max(...cheap());
  return median(ratios);
}

async function withRows(work) {
  const folder = mkdtempSync(join(tmpdir(), 'phs-bench-cost-'));
  const service = await startService();
  const database = await openEmbeddedPostgres(service.dataDir, 'share', () => undefined);
  const references = new References(database.connection);
  try {
    const [id] = await upload(service, [await threeMegabytes()]);
    await fill(database.connection, PHOTOS);
    const { urls } = await apiOf(service)('GET', `/photos/${id}?include=urls`);
    const paths = { photo: `/api/v1/photos/${id}`, thumb: new URL(urls.thumb).pathname };
    await work(service, await readRows(service, references, paths, folder));
  } finally {
    references.stop();
    await database.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
