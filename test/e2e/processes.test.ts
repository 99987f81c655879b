/* @rest */
import { Client } from './support/client.js';
import { Connections } from './support/connections.js';
import { photoNamed } from './support/life.js';
import { processesOn, until } from './support/processes.js';
import { freePort, Installation } from './support/service.js';

interface LogLine {
  readonly msg: string;
  readonly process: number;
  readonly pid?: number;
  readonly number?: number;
  readonly requestId?: string;
  readonly route?: string;
}

let installation: Installation;
let metricsUrl: string;

const lines = (msg: string): LogLine[] =>
  installation
    .printed()
    .split('\n')
    // Most are of requests, and are not worth being parsed again and again.
    .filter((line) => line.includes(`"msg":"${msg}"`))
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? (JSON.parse(line) as LogLine) : []))
    .filter((line) => line.msg === msg);

/** Processes that answer requests, by their numbers. */
const running = () => {
  const names = processesOn(installation.dataDir).filter(({ command }) => command.includes('request-process'));
  return lines('a process answers requests').filter(({ pid }) => names.some((each) => each.pid === pid));
};

async function newKey(readLimit: number): Promise<{ id: number; token: string }> {
  const args = [
    'key',
    'create',
    '--customer',
    '1',
    '--name',
    'test',
    '--scopes',
    'all',
    '--read-limit',
    String(readLimit),
  ];
  return JSON.parse((await installation.operate(...args, '--json')).stdout);
}

/** As many requests at once, each over a connection of its own; their statuses. */
async function atOnce(count: number, token: string): Promise<(number | null)[]> {
  const connections = new Connections(count, `${installation.url}/api/v1/tags`, token);
  await connections.end();
  return connections.asked.flatMap((asked) => asked.map(({ status }) => status));
}

async function countedRequests(): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const counts = text.matchAll(
    /^photo_service_http_request_duration_seconds_count\{.*route="\/api\/v1\/tags".*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function start(): Promise<void> {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  installation = await Installation.make({ PROCESSES: '3', METRICS_PORT: String(port), LOG_LEVEL: 'info' });
  await installation.start();
}

describe('three processes behind one address', () => {
  beforeAll(start);
  afterAll(() => installation.remove());

  it('admit exactly the limit of a key, and their metrics are those of all', async () => {
    const before = await countedRequests();
    const statuses = await atOnce(300, (await newKey(100)).token);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200);
    const answered = lines('request').filter(({ route }) => route === '/api/v1/tags');
    expect(new Set(answered.map(({ process }) => process)).size).toBe(3);
    expect(await countedRequests()).toBe(before + 300);
  });

  it('refuse a deleted key from the moment at which it is deleted', async () => {
    const { id, token } = await newKey(1000);
    expect(new Set(await atOnce(30, token))).toEqual(new Set([200]));
    expect((await installation.operate('key', 'delete', String(id))).status).toBe(0);
    expect(new Set(await atOnce(30, token))).toEqual(new Set([401]));
  });

  it('make a rendition in the processes that read pictures, whichever process gets the request', async () => {
    const client = new Client(installation.url, (await newKey(1000)).token);
    const { body: opened } = await client.post('/imports');
    await client.inline(opened.id, [{ name: 'a.jpg', bytes: photoNamed('processes') }]);
    await client.post(`/imports/${opened.id}/finalize`, undefined, { Prefer: 'wait=30' });
    const { body: photos } = await client.get('/photos');
    const path = `/photos/${photos.data[0].id}/download?rendition=medium`;
    const pictures = await Promise.all(Array.from({ length: 6 }, () => client.bytes(path)));
    expect(pictures.every((picture) => picture.length > 1000)).toBe(true);
    expect(new Set(pictures.map((picture) => Buffer.from(picture).toString('base64'))).size).toBe(1);
  });

  it('lose only the requests of one that is killed, which is replaced and whose counts remain', async () => {
    const counted = await countedRequests();
    const load = new Connections(9, `${installation.url}/api/v1/tags`, (await newKey(1_000_000)).token, 25);
    await until('the load', () => load.answers > 50);
    const [killed] = running();
    if (killed?.pid === undefined) throw new Error('no process answers requests');
    process.kill(killed.pid, 'SIGKILL');
    await until('its successor', () => running().length === 3 && !running().some(({ pid }) => pid === killed.pid));
    const after = load.answers;
    await until('answers of all', () => load.answers > after + 50);
    await load.end();
    const processOf = new Map(lines('request').map(({ requestId, process }) => [requestId, process]));
    // Of a connection's requests, the last one before it was cut may have been answered and not logged.
    const failed = load.asked.flatMap((asked) => {
      const at = asked.findIndex(({ status }) => status !== 200);
      return at < 0 ? [] : [asked.slice(0, at).findLast(({ requestId }) => processOf.has(requestId ?? ''))];
    });
    const those = failed.map((last) => processOf.get(last?.requestId ?? ''));
    expect(those).toEqual(those.map(() => killed.number));
    expect(await countedRequests()).toBeGreaterThan(counted);
    expect(lines('a process ended, and is replaced')).toMatchObject([{ number: killed.number }]);
  });

  it('are replaced one after another by phs reload, without a failed request', async () => {
    const before = running().map(({ number }) => number);
    const load = new Connections(9, `${installation.url}/api/v1/tags`, (await newKey(1_000_000)).token, 25);
    await until('the load', () => load.answers > 50);
    expect(installation.phs('reload')).toMatchObject({ status: 0 });
    await until('the last successor', () => lines('all processes were replaced').length === 1, 120);
    const after = load.answers;
    await until('answers of the new ones', () => load.answers > after + 50);
    await load.end();
    expect(load.asked.flat().filter(({ status }) => status !== 200)).toEqual([]);
    expect(running()).toHaveLength(3);
    expect(running().filter(({ number }) => before.includes(number))).toEqual([]);
  });

  it('stop in order: not ready at once, with every request answered and nothing left behind', async () => {
    const load = new Connections(6, `${installation.url}/api/v1/tags`, (await newKey(1_000_000)).token, 25);
    await until('the load', () => load.answers > 50);
    const status = installation.stop('SIGTERM');
    await until('it to say so', async () => (await fetch(`${installation.url}/readyz`)).status === 503);
    const ready = await Promise.all(Array.from({ length: 9 }, () => fetch(`${installation.url}/readyz`)));
    expect(ready.map((answer) => answer.status)).toEqual(Array(9).fill(503));
    await load.end();
    expect(load.asked.flat().filter((asked) => asked.status !== 200)).toEqual([]);
    expect(await status).toBe(0);
    expect(processesOn(installation.dataDir)).toEqual([]);
  });

  it('end with the primary process when that is killed, and so does the database', async () => {
    await installation.start();
    expect(running()).toHaveLength(3);
    await installation.kill();
    await until('everything to end', () => processesOn(installation.dataDir).length === 0);
  });
});
