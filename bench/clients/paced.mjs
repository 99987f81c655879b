// A client that asks at a steady pace, as people and programs do that wait for nobody. A process of its own, so that nothing else delays it.
//   node bench/clients/paced.mjs '{"url":"…","headers":{},"perSecond":20,"seconds":30}'   → {"p50":2.1,"p99":6.3} in milliseconds
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const { url, headers, perSecond, seconds } = JSON.parse(process.argv[2]);
const agent = new Agent({ keepAlive: true });

function ask() {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
      response.on('end', () => resolve(performance.now() - start)).resume();
    }).on('error', reject);
  });
}

const started = performance.now();
const answers = [];
for (let at = 0; at < perSecond * seconds; at += 1) {
  await delay(started + (at * 1000) / perSecond - performance.now());
  answers.push(ask());
}
const times = (await Promise.all(answers)).sort((a, b) => a - b);
const at = (share) => times[Math.ceil(times.length * share) - 1];
console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99) }));
agent.destroy();
