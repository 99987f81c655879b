// Time from spawn to the first 200 on /api/v1/me: on an empty DATA_DIR, then on the existing one; against a bare node:http server.
// Then what memory the idle service takes, its database included.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median } from './load.mjs';
import { freePort, memoryBytes, root, until200 } from './service.mjs';

const port = await freePort();
const dataDir = mkdtempSync(join(tmpdir(), 'phs-bench-start-'));
const ROUNDS = 5;
/** A minute after the last picture the process that read it is ended, too. */
const IDLE_MS = 90_000;

async function timed(args, env, path, headers = {}, stay = () => delay(200)) {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until200(`http://127.0.0.1:${port}${path}`, headers);
  const milliseconds = performance.now() - began;
  const ended = new Promise((resolve) => child.on('close', resolve));
  const stayed = await stay(child);
  child.kill('SIGINT');
  await ended;
  return { milliseconds, stayed };
}

const env = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error' };
const serve = [join(root, 'bin', 'phs.js'), 'serve'];
try {
  const first = await timed(serve, env, '/healthz');
  const token = readFileSync(join(dataDir, 'first-key'), 'utf8').trim();
  const bare = `require('node:http').createServer((q,r)=>r.end('{}')).listen(${port},'127.0.0.1')`;
  const reference = await timed(['-e', bare], {}, '/');
  const headers = { Authorization: `Bearer ${token}` };
  const starts = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    starts.push((await timed(serve, env, '/api/v1/me', headers)).milliseconds);
  }
  const times = (value) =>
    `${(value / reference.milliseconds).toFixed(1)} × a bare node:http server (${Math.round(value)} ms)`;
  console.log(`first start, empty DATA_DIR, to /healthz: ${times(first.milliseconds)}`);
  console.log(`start on an existing DATA_DIR, to /api/v1/me, median of ${ROUNDS}: ${times(median(starts))}`);
  const idle = await timed(serve, env, '/api/v1/me', headers, async (child) => {
    await delay(IDLE_MS);
    return memoryBytes(child);
  });
  console.log(`idle for ${IDLE_MS / 1000} s: ${Math.round(idle.stayed / 1e6)} MB of memory, database included`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
