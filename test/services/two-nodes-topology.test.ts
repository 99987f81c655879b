/* @slow */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { openS3Client } from '../../src/adapters/s3-blobs/s3-client.js';
import { type Answer, type Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import type { Installation } from '../e2e/support/service.js';
import { expectSound, verification } from '../e2e/support/sound.js';
import { atOnce, present } from '../support/tenant.js';
import { Load } from './support/load.js';
import { startTopology, type Topology } from './support/topology.js';

const names = ['cyclamen.jpg', 'png-alpha.png', 'nokia83-gps-offset.jpg', 'iphone7-gps.heic'];
const read = (name: string) => ({
  name,
  bytes: new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos', name))),
});
const files = names.map(read);
/** Not in the library yet. */
const others = ['rating-xmp.jpg', 'multipage.tiff'].map(read);
const signed = read('gps-datetime-only.jpg');
const UNLIMITED = ['--read-limit', '1000000', '--write-limit', '1000000'];

let topology: Topology;
let key: Awaited<ReturnType<Topology['key']>>;
/** Far from its budgets, at the balancer. */
let client: Client;
/** The same key at each node. */
let nodes: readonly Client[];
beforeAll(async () => {
  topology = await startTopology();
  key = await topology.key(UNLIMITED);
  client = key.at(topology.url);
  nodes = topology.apis.map(({ url }) => key.at(url));
}, 300_000);
afterAll(() => topology?.stop());

const node = (number: number): Client => present(nodes[number % nodes.length]);
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const unique = (prefix: string) => `${prefix} ${Math.random().toString(36).slice(2)}`;

async function register(many = files) {
  const { id } = (await client.post('/imports')).body;
  const announced = many.map(({ name, bytes }) => ({ filename: name, sizeBytes: bytes.length, sha256: sha256(bytes) }));
  const { data } = (await client.post(`/imports/${id}/photos`, { photos: announced })).body;
  return { id: id as number, uploads: data.map(({ photo }: { photo: { upload: unknown } }) => photo.upload) };
}

async function ended(id: number) {
  return until('the import to end', async () => {
    const { body } = await client.get(`/imports/${id}?include=photos`);
    return body.status === 'processing' ? false : body;
  });
}

test('the main job works through the balancer: every photo byte for byte, each job done once', async () => {
  const { id, uploads } = await register();
  const sent = await atOnce(files.length, (n) => client.upload(uploads[n], present(files[n]).bytes));
  expect(statuses(sent)).toEqual(files.map(() => 204));
  await client.post(`/imports/${id}/finalize`);
  const imported = await ended(id);
  expect(imported).toMatchObject({ status: 'completed', counts: { imported: files.length } });
  for (const [n, { photoId }] of imported.photos.data.entries()) {
    for (const at of nodes) {
      expect(sha256(await at.bytes(`/photos/${photoId}/download`))).toBe(sha256(present(files[n]).bytes));
    }
  }
  await until('both workers to have told of their jobs', async () => {
    const jobs = await Promise.all(topology.workers.map((worker) => topology.jobsOf(worker)));
    return jobs.reduce((sum, each) => sum + (each['inspect done'] ?? 0), 0) >= files.length;
  });
  const jobs = await Promise.all(topology.workers.map((worker) => topology.jobsOf(worker)));
  const runs = jobs.flatMap((each) => Object.entries(each)).filter(([what]) => what.startsWith('inspect'));
  expect(runs.reduce((sum, [, count]) => sum + count, 0)).toBe(files.length);
});

test('cursors, upload targets and addresses of renditions that one node signs are valid at the other', async () => {
  await atOnce(5, (n) => node(n).post('/tags', { name: `walk ${n}` }));
  const seen: string[] = [];
  let cursor = '';
  for (let page = 0; page === 0 || cursor !== ''; page += 1) {
    const { data, pagination } = (await node(page).get(`/tags?q=walk&limit=2${cursor}`)).body;
    seen.push(...data.map(({ name }: { name: string }) => name));
    cursor = pagination.hasMore ? `&cursor=${pagination.nextCursor}` : '';
  }
  expect(seen).toEqual(['walk 0', 'walk 1', 'walk 2', 'walk 3', 'walk 4']);

  const { id, uploads } = await register([signed]);
  const elsewhere = (url: string, api: Installation) => url.replace(topology.url, api.url);
  const { url, headers } = uploads[0];
  for (const api of topology.apis) {
    const again = await client.upload({ url: elsewhere(url, api), headers }, signed.bytes);
    expect(again.status).toBe(204);
  }
  await client.post(`/imports/${id}/finalize`);
  await ended(id);

  const [photo] = (await client.get('/photos?include=urls')).body.data;
  for (const api of topology.apis) {
    const answer = await fetch(elsewhere(photo.urls.thumb, api));
    expect([answer.status, answer.headers.get('content-type')?.startsWith('image/')]).toEqual([200, true]);
  }
});

test('docs/reliability.md F16 and F17: two nodes finalize one import, and are sent one Idempotency-Key', async () => {
  const { id, uploads } = await register(others);
  await atOnce(2, (n) => client.upload(uploads[n], present(others[n]).bytes));
  const finals = await atOnce(10, (n) => node(n).post(`/imports/${id}/finalize`));
  expect(finals.filter(({ status }) => status >= 300 && status !== 409)).toEqual([]);
  const { counts } = await ended(id);
  expect(counts.imported + counts.duplicate).toBe(2);

  const name = unique('once');
  const keyed = await atOnce(20, (n) =>
    node(n).post('/tags', { name }, { 'Idempotency-Key': encodeURIComponent(name) }),
  );
  const made = keyed.filter(({ status }) => status === 201);
  expect(made.length).toBeGreaterThanOrEqual(1);
  expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
  const refused = keyed.filter(({ status }) => status !== 201);
  expect(refused.filter(({ body }) => body.error?.code !== 'idempotency_in_progress')).toEqual([]);
  expect((await client.get(`/tags?name=${encodeURIComponent(name)}`)).body.data).toHaveLength(1);
});

test('"Deletion takes effect immediately, with no grace period", on both nodes', async () => {
  const doomed = await topology.key(UNLIMITED);
  const ask = (n: number) => doomed.at(present(topology.apis[n % 2]).url).get('/tags');
  expect(new Set(statuses(await atOnce(8, ask)))).toEqual(new Set([200]));
  expect((await present(topology.apis[0]).operate('key', 'delete', String(doomed.id))).status).toBe(0);
  expect(new Set(statuses(await atOnce(20, ask)))).toEqual(new Set([401]));
});

/** A burst of 100 writes over both nodes, of a key with the default budget. */
async function expectExact(): Promise<void> {
  const key = await topology.key();
  const answers: Answer[] = [];
  let next = 0;
  // As many at a time as a few clients would send.
  await atOnce(10, async () => {
    while (next < 100) {
      next += 1;
      const at = key.at(present(topology.apis[next % 2]).url);
      answers.push(await at.post('/tags', { name: unique('burst') }));
    }
  });
  const away = topology.apis.map((api) => api.printed()).filter((printed) => printed.includes('cannot be counted'));
  expect(away).toEqual([]);
  const admitted = answers.filter(({ status }) => status === 201);
  expect([admitted.length, answers.length]).toEqual([30, 100]);
  const left = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  expect(left.sort((a, b) => a - b)).toEqual([...Array(30).keys()]);
  for (const { status, headers } of answers.filter((answer) => answer.status !== 201)) {
    expect([status, Number(headers.get('retry-after')) >= 1]).toEqual([429, true]);
  }
}

test('30 of 100 writes are admitted over both nodes, counted in Redis', () => expectExact());

async function readiness({ url }: Installation): Promise<[number, string]> {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, ((await answer.json()) as { status: string }).status];
}

test('docs/reliability.md F10: Redis hangs, then dies, under load: each node counts by itself, and nothing fails', async () => {
  const load = new Load(client, unique('load'));
  await load.goesOn(20);
  topology.redis.hang();
  const limited = await topology.key(['--write-limit', '5']);
  try {
    await load.goesOn(40);
    // Never without limit: each node admits its five.
    const burst = await atOnce(24, (n) =>
      limited.at(present(topology.apis[n % 2]).url).post('/tags', { name: unique('alone') }),
    );
    expect(burst.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(burst.filter(({ status }) => status === 429)).toHaveLength(14);
    // What it says is good for a second.
    const told = await until('the node to tell that it counts by itself', async () => {
      const [status, found] = await readiness(present(topology.apis[0]));
      return found === 'degraded' && [status, found];
    });
    expect(told).toEqual([200, 'degraded']);
  } finally {
    topology.redis.goOn();
  }
  await topology.redis.kill();
  await load.goesOn(40);
  await topology.redis.startAgain();
  await until('both nodes to count in Redis again', async () => {
    const found = await Promise.all(topology.apis.map(readiness));
    return found.every(([, status]) => status === 'ready');
  });
  await load.stop();
  expect(load.wrong).toEqual([]);
});

test('docs/reliability.md F5: one node after the other is started anew under load, and no request fails', async () => {
  const load = new Load(client, unique('load'));
  await load.goesOn(20);
  for (const api of topology.apis) {
    const stopped = api.stop('SIGTERM');
    await until('readyz to turn', async () =>
      fetch(`${api.url}/readyz`).then(
        ({ status }) => status === 503,
        () => true,
      ),
    );
    expect(await stopped).toBe(0);
    await load.goesOn(20);
    // From now on they count in Postgres.
    await api.start({ RATE_LIMIT_STORE: 'postgres', LOG_LEVEL: 'info' });
    await until('the balancer to send requests to it again', () => api.printed().includes('"route":"/api/v1/photos"'));
  }
  await load.stop();
  expect(load.wrong).toEqual([]);
  expect(await load.lost()).toEqual([]);
});

test('30 of 100 writes are admitted over both nodes, counted in Postgres', () => expectExact());

test('docs/reliability.md F22: a backup made under load comes back in another database and another bucket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'topology-backup-'));
  try {
    const load = new Load(client, unique('backup'));
    await load.goesOn(20);
    const acknowledged = [...load.written];
    const { data: photos } = (await client.get('/photos?sort=id&limit=100')).body;
    const made = await present(topology.apis[0]).command('backup', folder);
    expect([made.status, made.stderr]).toEqual([0, expect.stringMatching(/^phs: acting on the installation in .*\n$/)]);
    await load.stop();
    expect(load.wrong).toEqual([]);

    const { node: restored, database, store } = await topology.empty();
    const result = await restored.command('restore', folder);
    const said = /^phs: acting on the installation in .*\nphs: Signed by phsb1_.*, the key of this installation\.\n$/;
    expect([result.status, result.stderr]).toEqual([0, expect.stringMatching(said)]);
    await expectSound(restored);
    await restored.start();
    const there = key.at(restored.url);
    expect((await there.get('/photos?sort=id&limit=100')).body.data).toEqual(photos);
    for (const { id, sha256: hash } of photos) {
      expect(sha256(await there.bytes(`/photos/${id}/download`))).toBe(hash);
    }
    for (const name of acknowledged) {
      expect((await there.get(`/tags?name=${encodeURIComponent(name)}`)).body.data).toHaveLength(1);
    }

    // Had the photos been copied before the rows, the newest would be missing: no restore of that kind goes unnoticed.
    const [lost] = await topology.postgres.query(database, 'SELECT id, blob_key FROM photos ORDER BY id DESC LIMIT 1');
    const s3 = openS3Client(store);
    await s3.send(new DeleteObjectCommand({ Bucket: store.bucket, Key: present(lost).blob_key }));
    s3.destroy();
    const { ok, problems } = await verification(restored);
    expect([ok, problems.map(({ invariant, photoId }) => ({ invariant, photoId }))]).toEqual([
      false,
      [{ invariant: 'I1', photoId: Number(present(lost).id) }],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('both nodes leave everything sound in the end', () => expectSound(topology.apis[0]));
