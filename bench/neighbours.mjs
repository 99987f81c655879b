// What one customer notices of another's attacks: p99 of a page and of a thumb while ten clients of the other have renditions of large
// pictures made and hold uploads open, as a ratio to the same on the quiet service. Both are measured in turn, several times, and their
// medians are compared: the tails of one measurement differ by as much as what is looked for. The customer asks 20 times a second
// (`ordinary`), or as fast as eight connections are answered (`flooding`; needs wrk, Debian: apt-get install wrk).
//   npm run bench -- neighbours [seconds of each measurement, default 12] [large pictures of the attacker, default 160] [turns, default 3]
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { upload } from './library.mjs';
import { keyed, load, median, pacedLoad } from './load.mjs';
import { apiOf, commandsOf, startService, unlimitedKey } from './service.mjs';

const [seconds, pictures, turns] = [12, 160, 3].map((standard, at) => Number(process.argv[at + 2] ?? standard));
const ATTACKERS = 10;
/** What an ordinary customer asks for. */
const PER_SECOND = 20;

async function main() {
  const service = await startService();
  try {
    const { id } = commandsOf(service.env)('customer', 'create', '--name', 'Attacker');
    const attacker = { ...service, token: unlimitedKey(service.env, [], id) };
    const [own] = await upload(service, [await picture(600, 400)]);
    const large = await upload(
      attacker,
      await Promise.all(Array.from({ length: pictures }, () => picture(9000, 6000))),
    );
    const targets = {
      'GET /photos': keyed(service, '/api/v1/photos?limit=50'),
      'a thumb': keyed(service, `/api/v1/photos/${own}/download?rendition=thumb`),
    };
    console.log(`${ATTACKERS} attackers, ${pictures} pictures of 54 megapixels, ${turns} turns of ${seconds} s`);
    const customers = {
      ordinary: (target) => pacedLoad(target, PER_SECOND, seconds),
      flooding: (target) => load(target, seconds),
    };
    for (const [kind, ask] of Object.entries(customers)) {
      for (const [name, target] of Object.entries(targets)) {
        const p99s = { quiet: [], attacked: [] };
        let renditions = 0;
        for (let turn = 0; turn < turns; turn += 1) {
          p99s.quiet.push((await ask(target)).p99);
          const stop = attack(attacker, large);
          await delay(1000);
          p99s.attacked.push((await ask(target)).p99);
          renditions += await stop();
        }
        const [quiet, attacked] = [median(p99s.quiet), median(p99s.attacked)];
        console.log(
          `${kind} ${name.padEnd(12)} p99 ${attacked.toFixed(1)} ms, ${(attacked / quiet).toFixed(2)} of the quiet ${quiet.toFixed(1)} ms; ${renditions} renditions made meanwhile`,
        );
      }
    }
  } finally {
    await service.stop();
  }
}

/** Noise that was made larger, so that no two files are alike and each takes its time to decode. */
async function picture(width, height) {
  const noise = { raw: { width: 90, height: 60, channels: 3 } };
  return sharp(randomBytes(90 * 60 * 3), noise)
    .resize(width, height)
    .jpeg({ quality: 60 })
    .toBuffer();
}

/** Renditions that were asked for so far: nobody asks for the same twice. */
let asked = 0;

/** Until it is stopped: each attacker asks for one rendition after another that is not made yet, and holds an upload open. Answers how many were made. */
function attack(service, ids) {
  const api = apiOf(service);
  const ended = new AbortController();
  let made = 0;
  const uploads = [];
  const renditions = async () => {
    while (!ended.signal.aborted) {
      const at = asked++;
      if (at === 8 * ids.length)
        throw new Error('There are too few pictures: from now on renditions would only be read.');
      const id = ids[at % ids.length];
      // Another rotation is another picture.
      await api('PATCH', `/photos/${id}`, { rotation: 90 * (Math.floor(at / ids.length) % 4) }).catch(() => undefined);
      const url = `${service.url}/api/v1/photos/${id}/download?rendition=large&format=${Math.floor(at / (4 * ids.length)) % 2 ? 'webp' : 'jpeg'}`;
      const answer = await fetch(url, { headers: { Authorization: `Bearer ${service.token}` } });
      await answer.arrayBuffer();
      if (answer.ok) made += 1;
    }
  };
  const holdUpload = async () => {
    const { id } = await api('POST', '/imports', {});
    const photos = [{ filename: 'held.jpg', sizeBytes: 100_000_000 }];
    const { data } = await api('POST', `/imports/${id}/photos`, { photos });
    const { pathname } = new URL(data[0].photo.upload.url);
    const socket = connect(service.port, '127.0.0.1').on('error', () => undefined);
    socket.write(`PUT ${pathname} HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n`);
    uploads.push({ id, socket });
  };
  const all = Array.from({ length: ATTACKERS }, () => Promise.all([renditions(), holdUpload()]));
  return async () => {
    ended.abort();
    await Promise.all(all);
    for (const { socket } of uploads) socket.destroy();
    // An account has a limited number of open imports.
    for (const { id } of uploads) await api('POST', `/imports/${id}/finalize`, { action: 'discard' });
    return made;
  };
}

await main();
