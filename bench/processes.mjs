// Requests a second with several processes against one, two services in turns, and the processor time of each request. Needs wrk.
//   npm run bench -- processes [processes, default 2] [seconds of each measurement, default 4]
import { availableParallelism } from 'node:os';
import { openEmbeddedPostgres } from '../dist/adapters/embedded-postgres.js';
import { fill } from './library.mjs';
import { CONNECTIONS, keyed, load, measured } from './load.mjs';
import { apiOf, memoryBytes, startService } from './service.mjs';

const [processes, seconds] = [Number(process.argv[2] ?? 2), Number(process.argv[3] ?? 4)];
const PHOTOS = 2000;
const ROUNDS = 3;

async function main() {
  const one = await startService({ PROCESSES: '1' });
  const several = await startService({ PROCESSES: String(processes) });
  try {
    for (const service of [one, several]) await fillFor(service);
    console.log(
      `${processes} processes against one, ${availableParallelism()} processors, ${CONNECTIONS} connections, medians of ${ROUNDS} turns`,
    );
    const { data } = await apiOf(one)('GET', '/photos?limit=1');
    for (const path of ['/healthz', `/api/v1/photos/${data[0].id}`, '/api/v1/photos?limit=50', '/api/v1/me'])
      await compare(path, one, several);
    const megabytes = [one, several].map((service) => `${Math.round(memoryBytes(service) / 1e6)} MB`);
    console.log(`memory with the database, what is shared counted once: ${megabytes.join(' and ')}`);
  } finally {
    await Promise.all([one.stop(), several.stop()]);
  }
}

async function compare(path, ...services) {
  const targets = services.map((service) => keyed(service, path));
  const turns = [];
  for (const target of targets) await load(target, 1);
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const [one, several] = [await measured(targets[0], seconds), await measured(targets[1], seconds)];
    turns.push({ one, several, ratio: several.rate / one.rate, cost: several.milliseconds / one.milliseconds });
  }
  const median = (of) => turns.map(of).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  const rates = `${median((turn) => turn.several.rate).toFixed(0)}/s against ${median((turn) => turn.one.rate).toFixed(0)}/s`;
  const cost = `${median((turn) => turn.several.milliseconds).toFixed(2)} ms of a processor each, ${median((turn) => turn.cost).toFixed(2)} × that of one`;
  console.log(`${path.padEnd(24)} ${median((turn) => turn.ratio).toFixed(2)} × (${rates}), ${cost}`);
}

async function fillFor({ dataDir }) {
  const database = await openEmbeddedPostgres(dataDir, 'share', () => undefined);
  await fill(database.connection, PHOTOS);
  await database.stop();
}

await main();
