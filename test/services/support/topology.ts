import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Settings } from '../../../src/adapters/s3-blobs/s3-client.js';
import { Client } from '../../e2e/support/client.js';
import { until } from '../../e2e/support/processes.js';
import { freePort, Installation } from '../../e2e/support/service.js';
import { Daemon } from './daemon.js';
import { type Gateway, sharedGateway } from './gateway.js';
import { PostgresServer } from './postgres-server.js';
import { program } from './programs.js';
import { RedisServer } from './redis-server.js';

const CONFIG = join(__dirname, '../../../docker/haproxy.cfg');

/** What docker/compose.yml starts, out of Debian's packages, and one worker more. */
export interface Topology {
  /** Where clients go: the balancer. */
  readonly url: string;
  readonly apis: readonly [Installation, Installation];
  readonly workers: readonly [Installation, Installation];
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  /** A node like the others, not started yet, on a database and a bucket of its own that are empty. */
  empty(): Promise<{ node: Installation; database: string; store: S3Settings }>;
  /** Jobs that a worker has run, by what they were and how they ended. */
  jobsOf(worker: Installation): Promise<Readonly<Record<string, number>>>;
  /** A key of the first customer, and a client that shows it to the balancer, or to one node. */
  key(options?: readonly string[]): Promise<{ readonly id: number; at(url: string): Client }>;
  stop(): Promise<void>;
}

export async function startTopology(): Promise<Topology> {
  const folder = mkdtempSync(join(tmpdir(), 'topology-'));
  const ended: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const end of ended.splice(0).reverse()) await end();
  };
  try {
    const [postgres, redis, gateway] = await startShared(ended);
    const port = await freePort();
    const environment = await environmentOf(postgres, redis, gateway, port);
    const node = async (role: string, further: Readonly<Record<string, string>> = {}) => {
      const made = await Installation.make({ ...environment, ROLE: role, ...further });
      ended.push(() => made.remove());
      return made;
    };
    const apis = [await node('api'), await node('api')] as const;
    const metricsPorts = [await freePort(), await freePort()] as const;
    const workers = [
      await node('worker', { METRICS_PORT: String(metricsPorts[0]) }),
      await node('worker', { METRICS_PORT: String(metricsPorts[1]) }),
    ] as const;
    // Both APIs at once on an empty database: one of them makes the tables.
    await Promise.all(apis.map((each) => each.start()));
    for (const worker of workers) await worker.start();
    const url = await startBalancer(port, apis, folder, ended);
    return {
      url,
      apis,
      workers,
      postgres,
      redis,
      empty: async () => {
        const store = await gateway.bucket();
        await postgres.query('postgres', 'CREATE DATABASE empty');
        const elsewhere = { DATABASE_URL: postgres.urlOf('empty'), S3_BUCKET: store.bucket };
        return { node: await node('api', { ...elsewhere, PUBLIC_URL: '' }), database: 'empty', store };
      },
      jobsOf: (worker) => jobsOf(metricsPorts[workers.indexOf(worker)] ?? 0),
      key: (options = []) => issueKey(apis[0], options),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The balancer of docker/compose.yml in front of two nodes; what ends it is added to `ended`. @returns its URL, once it passes requests on */
export async function startBalancer(
  port: number,
  [one, two]: readonly [{ readonly port: number }, { readonly port: number }],
  folder: string,
  ended: (() => Promise<unknown>)[],
): Promise<string> {
  const balancer = Daemon.start([program('haproxy', 'haproxy'), '-W', '-f', CONFIG], join(folder, 'haproxy.out'), {
    BALANCER_BIND: `127.0.0.1:${port}`,
    API_1: `127.0.0.1:${one.port}`,
    API_2: `127.0.0.1:${two.port}`,
  });
  ended.push(() => balancer.stop());
  const url = `http://127.0.0.1:${port}`;
  await until('the balancer to pass requests on', async () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  return url;
}

/** The servers that nodes share; what ends them is added to `ended`. */
export async function startShared(ended: (() => Promise<unknown>)[]): Promise<[PostgresServer, RedisServer, Gateway]> {
  const own = async <T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> => {
    const server = await starting;
    ended.push(() => server.stop());
    return server;
  };
  const starting = [own(PostgresServer.start()), own(RedisServer.start()), sharedGateway()] as const;
  // All of them, also when one does not start: what has started is to be stopped.
  await Promise.allSettled(starting);
  return Promise.all(starting);
}

/** The settings of each node behind a balancer on this port. */
export async function environmentOf(postgres: PostgresServer, redis: RedisServer, gateway: Gateway, port: number) {
  const { endpoint, region, bucket, credentials } = await gateway.bucket();
  return {
    DATABASE_URL: postgres.url,
    BLOB_STORE: 's3',
    S3_ENDPOINT: endpoint ?? '',
    S3_REGION: region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    RATE_LIMIT_STORE: 'redis',
    REDIS_URL: redis.url,
    SECRET_KEY: 'what one node of the topology signs the other knows',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    TRUSTED_PROXIES: '127.0.0.1',
  };
}

async function jobsOf(port: number): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = text.matchAll(/^photo_service_job_duration_seconds_count\{kind="(\w+)",outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...counts].map(([, kind, outcome, count]) => [`${kind} ${outcome}`, Number(count)]));
}

async function issueKey(node: Installation, options: readonly string[]) {
  const about = ['--customer', '1', '--name', 'test', '--scopes', 'all', '--json'];
  const { status, stdout, stderr } = await node.operate('key', 'create', ...about, ...options);
  if (status !== 0) throw new Error(`no key could be made: ${stderr}`);
  const { id, token } = JSON.parse(stdout) as { id: number; token: string };
  return { id, at: (url: string) => new Client(url, token) };
}
