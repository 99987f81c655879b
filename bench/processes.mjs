// Requests a second with several processes against one, the service's and bare Express's, in turns; the processor time of each request, and whose
// it is. Where bare Express gains nothing by more processes, the service cannot either: the machine has no processor left. Needs wrk.
//   npm run bench -- processes [processes, default 2] [seconds of each measurement, default 4]
import { availableParallelism } from 'node:os';
import { openEmbeddedPostgres } from '../dist/adapters/embedded-postgres.js';
import { fill } from './library.mjs';
import { CONNECTIONS, keyed, load, median } from './load.mjs';
import { References } from './references/references.mjs';
import { apiOf, memoryBytes, processorSeconds, startService } from './service.mjs';

const [processes, seconds] = [Number(process.argv[2] ?? 2), Number(process.argv[3] ?? 4)];
const PHOTOS = 2000;
const ROUNDS = 7;
/** Seconds until Node has compiled what is asked for often, in each of the processes. */
const WARM_UP = 4;

async function main() {
  const one = await startService({ PROCESSES: '1' });
  const several = await startService({ PROCESSES: String(processes) });
  const databases = [];
  const references = [];
  try {
    for (const { dataDir } of [one, several]) {
      const database = await openEmbeddedPostgres(dataDir, 'share', () => undefined);
      databases.push(database);
      await fill(database.connection, PHOTOS);
      references.push(new References(database.connection));
    }
    console.log(
      `${processes} processes against one, ${availableParallelism()} processors, ${CONNECTIONS} connections, medians of ${ROUNDS} turns`,
    );
    const { data } = await apiOf(one)('GET', '/photos?limit=1');
    const bare = async (path) => [
      { ...(await references[0].start('express-pg.mjs', [], path)), database: one.pid },
      { ...(await references[1].start('express-pg.mjs', [], path, processes)), database: several.pid },
    ];
    const own = (path) => [one, several].map((service) => keyed(service, path));
    await compare('bare row', await bare(`/row/${data[0].id}`));
    await compare('bare page', await bare('/page'));
    const photo = `/api/v1/photos/${data[0].id}`;
    for (const path of ['/healthz', photo, '/api/v1/photos?limit=50', '/api/v1/me']) {
      await compare(path, own(path));
    }
    const megabytes = [one, several].map((service) => `${Math.round(memoryBytes(service) / 1e6)} MB`);
    console.log(`memory with the database, what is shared counted once: ${megabytes.join(' and ')}`);
  } finally {
    for (const each of references) each.stop();
    for (const each of databases) await each.stop();
    await Promise.all([one.stop(), several.stop()]);
  }
}

async function compare(name, targets) {
  const turns = [];
  for (const target of targets) await load(target, WARM_UP);
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const [one, several] = [await shares(targets[0]), await shares(targets[1])];
    turns.push({ one, several, ratio: several.rate / one.rate, cost: several.milliseconds / one.milliseconds });
  }
  const middle = (of) => median(turns.map(of));
  const of = (which) => {
    const part = (name) => middle((turn) => turn[which][name]).toFixed(2);
    return `${part('milliseconds')} ms (database ${part('database')}), ${part('processors')} processors`;
  };
  const rates = `${middle((turn) => turn.several.rate).toFixed(0)}/s against ${middle((turn) => turn.one.rate).toFixed(0)}/s`;
  const [ratio, cost] = [middle((turn) => turn.ratio).toFixed(2), middle((turn) => turn.cost).toFixed(2)];
  console.log(`${name.padEnd(24)} ${ratio} × (${rates}), cost ${cost} ×: ${of('several')} against ${of('one')}`);
}

/** The processor time of each request, that of its database, and how many processors were busy with it. */
async function shares(target) {
  const spent = () => {
    const { service, media, database } = processorSeconds(target);
    const { database: shared } =
      target.database === undefined ? { database } : processorSeconds({ pid: target.database });
    return { service: service + media, database: shared };
  };
  const before = spent();
  const began = performance.now();
  const { requests, rate } = await load(target, seconds);
  const passed = (performance.now() - began) / 1000;
  const after = spent();
  const [own, database] = [after.service - before.service, after.database - before.database];
  const each = (sum) => (sum * 1000) / requests;
  return { rate, milliseconds: each(own + database), database: each(database), processors: (own + database) / passed };
}

await main();
