// Asks for one address as fast as it is answered, by wrk (Debian: apt-get install wrk).
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processorSeconds } from './service.mjs';

const run = promisify(execFile);

/** Open at once. */
export const CONNECTIONS = Number(process.env.CONNECTIONS ?? 8);

/**
 * What came of so many seconds: requests, their rate a second, p50 and p99 in milliseconds. Throws when one was not answered 2xx.
 * @param script A Lua script of wrk's that makes the requests, where they are not all alike.
 */
export async function load({ url, headers = {}, script }, forSeconds) {
  const header = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const by = script === undefined ? [] : ['-s', script];
  const args = ['-t', '1', '-c', String(CONNECTIONS), '-d', `${forSeconds}s`, '--latency', ...by, ...header, url];
  const { stdout } = await run('wrk', args);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url.split('?')[0]}: ${stdout}`);
  const requests = Number(/(\d+) requests in/.exec(stdout)[1]);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]);
  const latency = (percent) => {
    const [, value, unit] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout);
    return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit];
  };
  return { requests, rate, p50: latency(50), p99: latency(99) };
}

/**
 * The same, with the milliseconds of a processor that each request took, of all processes of the target.
 * @param beside Others that work for it.
 */
export async function measured(target, seconds, beside = []) {
  const before = spent([target, ...beside]);
  const turn = await load(target, seconds);
  return { ...turn, milliseconds: ((spent([target, ...beside]) - before) * 1000) / turn.requests };
}

const spent = (targets) =>
  targets.flatMap((each) => Object.values(processorSeconds(each))).reduce((sum, each) => sum + each);

/** p50 and p99 in milliseconds of requests that come so many a second, whatever becomes of those before. Throws when one is not answered 200. */
export async function pacedLoad({ url, headers = {} }, perSecond, seconds) {
  const client = fileURLToPath(new URL('clients/paced.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, [client, JSON.stringify({ url, headers, perSecond, seconds })]);
  return JSON.parse(stdout);
}

/** What asks a service for one of its addresses by its key. */
export const keyed = (service, path) => ({
  ...service,
  url: service.url + path,
  headers: { Authorization: `Bearer ${service.token}` },
});

export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
