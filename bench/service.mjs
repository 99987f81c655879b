// A service of its own for a benchmark: an empty data folder, a free port, a key whose budgets are far away.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const phs = join(root, 'bin', 'phs.js');
const FAR_AWAY = '1000000';

export async function until200(url, headers = {}) {
  for (let waited = 0; waited < 30_000; waited += 5) {
    const answer = await fetch(url, { headers }).catch(() => null);
    if (answer?.status === 200) return;
    await delay(5);
  }
  throw new Error(`${url} did not answer 200 within 30 s`);
}

/** Starts the built program on a new data folder. `stop` ends it and removes the folder. */
export async function startService(settings = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'phs-bench-'));
  const port = await freePort();
  const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error', ...settings };
  const child = spawn(process.execPath, [phs, 'serve'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  // Several processes answer before the first customer is there.
  const ready = new Promise((resolve) =>
    child.stdout.on('data', (text) => String(text).includes('is ready at') && resolve()),
  );
  const ended = new Promise((resolve) => child.on('close', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const url = `http://127.0.0.1:${port}`;
    await until200(`${url}/healthz`);
    await ready;
    return { url, port, pid: child.pid, dataDir, env, token: unlimitedKey(env), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs commands of an installation, and answers what they print as JSON. */
export function commandsOf(env, program = phs, node = process.execPath) {
  return (...args) => {
    const { status, stdout, stderr } = spawnSync(node, [program, ...args, '--json'], { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`phs ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  };
}

export function unlimitedKey(env, options = [], customer = 1) {
  const limits = ['--read-limit', FAR_AWAY, '--write-limit', FAR_AWAY];
  const owner = ['--customer', String(customer), '--name', 'bench'];
  return commandsOf(env)('key', 'create', ...owner, '--scopes', 'all', ...limits, ...options).token;
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** JSON over the API; throws what is not 2xx. */
export function apiOf({ url, token }) {
  return async (method, path, body) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  };
}

/** Runs `work` on every item, so many at a time; the seconds that all took. */
export async function timedEach(items, together, work) {
  const began = performance.now();
  const queue = items[Symbol.iterator]();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: together }, lane));
  return (performance.now() - began) / 1000;
}

/** In which the kernel counts processor time. */
export const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout);

/** Seconds of processor time, so far, of the service and all that it started: by what they are. Linux. */
export function processorSeconds({ pid }) {
  const seconds = { service: 0, media: 0, database: 0 };
  for (const each of family(pid)) {
    // utime, stime, and those of children that have ended and been waited for (proc_pid_stat(5), fields 14 to 17).
    const spent = each.stat.slice(11, 15).reduce((sum, field) => sum + Number(field), 0) / ticksPerSecond;
    seconds[kindOf(each)] += spent;
  }
  return seconds;
}

function kindOf({ command }) {
  if (command.includes('media-child')) return 'media';
  return command.includes('postgres') ? 'database' : 'service';
}

function statOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program may hold spaces and brackets.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** The process and all that it started, as they are now: one that ends while they are looked at is left out. */
function family(pid) {
  const all = new Map();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = statOf(name);
      all.set(Number(name), {
        pid: Number(name),
        parent: Number(stat[1]),
        stat,
        command: readFileSync(`/proc/${name}/cmdline`, 'utf8'),
      });
    } catch {
      // It has ended meanwhile.
    }
  }
  const members = [];
  const add = (one) => {
    if (all.has(one)) members.push(all.get(one));
    for (const { pid: child, parent } of all.values()) if (parent === one) add(child);
  };
  add(pid);
  return members;
}

/** Bytes of memory that each process which reads pictures has had at most. Linux. */
export function mediaPeakBytes({ pid }) {
  // Not those that started them, whose arguments name the same program.
  const decoders = family(pid).filter((each) => kindOf(each) === 'media' && each.command.startsWith(process.execPath));
  const peak = (one) => Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${one}/status`, 'utf8'))[1]) * 1024;
  return decoders.map((each) => peak(each.pid));
}

/** Bytes of memory of the service and all that it started, what they share counted once. Linux. */
export function memoryBytes({ pid }) {
  return memoryOf({ pid }, '');
}

/** The same of those processes in whose command line this text is. */
export function memoryOf({ pid }, text) {
  const named = family(pid).filter(({ command }) => command.includes(text));
  return named.reduce((sum, each) => sum + shareOf(each.pid), 0);
}

function shareOf(pid) {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch (error) {
    // It has ended meanwhile.
    if (['ENOENT', 'ESRCH'].includes(error.code)) return 0;
    throw error;
  }
}

/** Bytes of memory that the process itself has, what it shares included. Linux. */
export function residentBytes({ pid }) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;
}
