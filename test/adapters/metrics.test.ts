import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ObservedBlobStore } from '../../src/adapters/decorators/observed-blob-store.js';
import { ProcessMetrics } from '../../src/adapters/metrics/process-metrics.js';
import { type MetricSources, PrometheusMetrics } from '../../src/adapters/metrics/prometheus-metrics.js';
import type { BlobKey } from '../../src/core/blobs/blob-key.js';
import { DomainError } from '../../src/core/shared/errors.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';

const backlog: Awaited<ReturnType<MetricSources['backlog']>> = {
  jobs: [{ kind: 'inspect', waiting: 7, running: 2, dead: 1, oldestSeconds: 12.5 }],
  deliveries: { waiting: 3, oldestSeconds: 4 },
  itemsUnderWay: { processing: 9 },
  itemsEstimated: { imported: 1200 },
};

function open(sources: Partial<MetricSources> = {}) {
  const metrics = new PrometheusMetrics({
    backlog: async () => backlog,
    pool: () => ({ open: 10, idle: 4, waiting: 1 }),
    rateLimitsAreShared: () => true,
    ...sources,
  });
  const lines = async () => (await metrics.exposition()).text.split('\n').filter((line) => !line.startsWith('#'));
  return { metrics, lines, values: async (name: string) => (await lines()).filter((line) => line.startsWith(name)) };
}

test('latency is recorded by route template, method and status', async () => {
  const { metrics, lines } = open();
  const route = '/api/v1/photos/:id';
  metrics.answered({ method: 'GET', route, status: 200, budget: 'read', ms: 30 });
  metrics.answered({ method: 'GET', route, status: 200, budget: 'read', ms: 70 });
  metrics.answered({ method: 'BREW', route: null, status: 404, budget: null, ms: 1 });
  const all = await lines();
  const labels = '{method="GET",route="/api/v1/photos/:id",status="200"}';
  expect(all).toContain(`photo_service_http_request_duration_seconds_sum${labels} 0.1`);
  expect(all).toContain(`photo_service_http_request_duration_seconds_count${labels} 2`);
  expect(all).toContain(
    'photo_service_http_request_duration_seconds_count{method="other",route="none",status="404"} 1',
  );
});

test('refusals are counted by the budget that was used up', async () => {
  const { metrics, values } = open();
  metrics.answered({ method: 'POST', route: '/api/v1/tags', status: 429, budget: 'write', ms: 1 });
  metrics.answered({ method: 'POST', route: '/api/v1/tags', status: 201, budget: 'write', ms: 1 });
  expect(await values('photo_service_rate_limited_total')).toEqual([
    'photo_service_rate_limited_total{budget="read"} 0',
    'photo_service_rate_limited_total{budget="write"} 1',
    'photo_service_rate_limited_total{budget="anonymous"} 0',
  ]);
});

test('originals that were verified are counted by the result, from the start', async () => {
  const { metrics, values } = open();
  metrics.originalScrubbed('intact');
  metrics.originalScrubbed('damaged');
  expect(await values('photo_service_originals_verified_total')).toEqual([
    'photo_service_originals_verified_total{result="intact"} 1',
    'photo_service_originals_verified_total{result="missing"} 0',
    'photo_service_originals_verified_total{result="damaged"} 1',
    'photo_service_originals_verified_total{result="unreadable"} 0',
  ]);
});

test('the level at which pictures are isolated is 1, the others are 0', async () => {
  const { metrics, values } = open();
  metrics.mediaIsolated('user');
  expect(await values('photo_service_media_isolation')).toEqual([
    'photo_service_media_isolation{level="sandbox"} 0',
    'photo_service_media_isolation{level="user"} 1',
    'photo_service_media_isolation{level="process"} 0',
  ]);
});

test('waiting work is shown by kind and state, also where there is none', async () => {
  const { values } = open();
  expect((await values('photo_service_jobs{')).sort()).toEqual([
    'photo_service_jobs{kind="inspect",state="dead"} 1',
    'photo_service_jobs{kind="inspect",state="running"} 2',
    'photo_service_jobs{kind="inspect",state="waiting"} 7',
    'photo_service_jobs{kind="publish",state="dead"} 0',
    'photo_service_jobs{kind="publish",state="running"} 0',
    'photo_service_jobs{kind="publish",state="waiting"} 0',
  ]);
  expect(await values('photo_service_job_oldest_seconds{kind="inspect"}')).toEqual([
    'photo_service_job_oldest_seconds{kind="inspect"} 12.5',
  ]);
  expect(await values('photo_service_webhook_delivery')).toEqual(['photo_service_webhook_delivery_oldest_seconds 4']);
  expect(await values('photo_service_import_items_estimated')).toEqual([
    'photo_service_import_items_estimated{status="imported"} 1200',
  ]);
});

test('the database is asked once for metrics, however many requests there are', async () => {
  let asked = 0;
  const { lines } = open({
    backlog: async () => {
      asked += 1;
      return backlog;
    },
  });
  await Promise.all([lines(), lines(), lines()]);
  await lines();
  expect(asked).toBe(1);
});

test('all other metrics are shown while the database is unavailable', async () => {
  const { metrics, values } = open({
    backlog: () => Promise.reject(new Error('away')),
    rateLimitsAreShared: () => false,
  });
  metrics.jobEnded('inspect', 'postponed', 20);
  expect(await values('photo_service_jobs')).toEqual([]);
  expect(await values('photo_service_webhook_deliver')).toEqual([]);
  expect(await values('photo_service_job_duration_seconds_count')).toEqual([
    'photo_service_job_duration_seconds_count{kind="inspect",outcome="postponed"} 1',
  ]);
  expect(await values('photo_service_rate_limits_degraded')).toEqual(['photo_service_rate_limits_degraded 1']);
  expect(await values('photo_service_database_pool_waiting')).toEqual(['photo_service_database_pool_waiting 1']);
});

test('the metric of garbage is absent until a collection ran, then shows its result', async () => {
  const { metrics, values } = open();
  expect(await values('photo_service_garbage_collected_timestamp_seconds')).toEqual([]);
  metrics.garbageCollected({ staging: 2, originals: 1, renditions: 0, bytes: 512 });
  expect(await values('photo_service_garbage_found')).toEqual([
    'photo_service_garbage_found{kind="staging"} 2',
    'photo_service_garbage_found{kind="originals"} 1',
    'photo_service_garbage_found{kind="renditions"} 0',
    'photo_service_garbage_found_bytes 512',
  ]);
  expect(await values('photo_service_garbage_collected_timestamp_seconds')).toHaveLength(1);
});

test('the metrics show the event loop and the memory of the process', async () => {
  const names = await open().lines();
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'process_open_fds']) {
    expect(names.filter((line) => line.startsWith(name))).toHaveLength(1);
  }
});

test('an observed blob store counts outages, and nothing else', async () => {
  const key = 'staging/1/1/1/1' as BlobKey;
  const told: string[] = [];
  const store = new MemoryBlobStore();
  const observed = new ObservedBlobStore(store, (operation) => told.push(operation));
  const away = () => Promise.reject(new DomainError('service_unavailable', 'The store is away.'));
  await observed.put(
    key,
    (async function* () {
      yield new Uint8Array(3);
    })(),
  );
  expect(await observed.head('staging/1/1/1/2' as BlobKey)).toBeNull();
  await expect(observed.get(key, { start: 2, end: 9 })).rejects.toThrow(RangeError);
  expect(told).toEqual([]);
  store.head = away;
  store.get = async () => ({ sizeBytes: 3, etag: 'x', bytes: { [Symbol.asyncIterator]: () => ({ next: away }) } });
  await expect(observed.head(key)).rejects.toThrow('The store is away.');
  const opened = await observed.get(key);
  await expect(opened?.bytes[Symbol.asyncIterator]().next()).rejects.toThrow('The store is away.');
  expect(told).toEqual(['head', 'get']);
});

test('the example dashboard and alerts use existing metrics', async () => {
  const { metrics } = open();
  const { text } = await metrics.exposition();
  const there = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  for (const file of ['grafana-dashboard.json', 'alerts.yml']) {
    const example = readFileSync(join(__dirname, '../../docker', file), 'utf8');
    const asked = [...example.matchAll(/\b(?:photo_service|nodejs|process)_[a-z0-9_]+/g)].map(([name]) => name);
    const missing = asked.filter((name) => !there.has(name.replace(/_(bucket|count|sum)$/, '')) && !there.has(name));
    expect(asked.length).toBeGreaterThan(8);
    expect(missing).toEqual([]);
  }
});

test('each alert has a runbook of its own', () => {
  const read = (file: string) => readFileSync(join(__dirname, '../..', file), 'utf8');
  const alerts = [...read('docker/alerts.yml').matchAll(/- alert: (\w+)[\s\S]*?runbook_url: (\S+)#(\S+)/g)];
  expect(alerts.length).toBe(read('docker/alerts.yml').split('- alert:').length - 1);
  for (const [, alert = '', file = '', anchor] of alerts) {
    expect(anchor).toBe(alert.toLowerCase());
    expect(read(file)).toContain(`\n### ${alert}\n`);
  }
});

describe('the metrics of several processes', () => {
  const request = {
    method: 'GET',
    route: '/api/v1/tags',
    status: 200,
    budget: 'read',
    ms: 30,
  } as const;
  const COUNT = 'photo_service_http_request_duration_seconds_count';

  /** A primary process and two others, and what it shows of them. */
  function openThree() {
    const own = open().metrics;
    const others = [{}, { rateLimitsAreShared: () => false }].map(
      (sources) =>
        new PrometheusMetrics({
          pool: () => ({ open: 3, idle: 2, waiting: 0 }),
          rateLimitsAreShared: () => true,
          ...sources,
        }),
    );
    const all = new ProcessMetrics(own);
    for (const [at, metrics] of others.entries()) all.add(at + 1, () => metrics.report());
    const values = async (name: string) =>
      (await all.exposition()).text.split('\n').filter((line) => line.startsWith(name));
    return { own, others, all, values };
  }

  test('are sums, and a value that one process reports for all appears once', async () => {
    const { others, values } = openThree();
    for (const metrics of others) metrics.answered(request);
    expect(await values(COUNT)).toEqual([`${COUNT}{method="GET",route="/api/v1/tags",status="200"} 2`]);
    expect(await values('photo_service_database_pool_connections ')).toEqual([
      'photo_service_database_pool_connections 16',
    ]);
    expect(await values('photo_service_rate_limits_degraded ')).toEqual(['photo_service_rate_limits_degraded 1']);
    expect(await values('photo_service_jobs{kind="inspect",state="waiting"}')).toEqual([
      'photo_service_jobs{kind="inspect",state="waiting"} 7',
    ]);
  });

  test('keep the counts of processes that have ended, and not their connections', async () => {
    const { others, all, values } = openThree();
    for (const metrics of others) metrics.answered(request);
    await all.update(1);
    await all.remove(1);
    const successor = new PrometheusMetrics({
      pool: () => ({ open: 1, idle: 1, waiting: 0 }),
      rateLimitsAreShared: () => true,
    });
    successor.answered(request);
    all.add(3, () => successor.report());
    expect(await values(COUNT)).toEqual([`${COUNT}{method="GET",route="/api/v1/tags",status="200"} 3`]);
    expect(await values('photo_service_database_pool_connections ')).toEqual([
      'photo_service_database_pool_connections 14',
    ]);
  });

  test('are those of the last report of a process that does not answer', async () => {
    const own = open().metrics;
    const other = new PrometheusMetrics({
      pool: () => ({ open: 3, idle: 2, waiting: 0 }),
      rateLimitsAreShared: () => true,
    });
    const all = new ProcessMetrics(own);
    let isAway = false;
    all.add(1, async () => {
      if (isAway) throw new Error('It has ended.');
      return other.report();
    });
    other.answered(request);
    const before = (await all.exposition()).text;
    isAway = true;
    const count = (text: string) => text.split('\n').filter((line) => line.startsWith(COUNT));
    expect(count((await all.exposition()).text)).toEqual(count(before));
    expect(count(before)).toHaveLength(1);
  });
});
