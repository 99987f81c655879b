import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Client } from '../e2e/support/client.js';
import { liveThrough, photoNamed } from '../e2e/support/life.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { expectSound } from '../e2e/support/sound.js';
import { atOnce, present } from '../support/tenant.js';
import { Load } from './support/load.js';
import { PostgresServer } from './support/postgres-server.js';

const POOL = 4;

/** The service, on a database in a tablespace of its own: a small disk, in memory. Mounting one takes root. */
let postgres: PostgresServer;
let disk: string;
let installation: Installation;
let client: Client;
beforeAll(async () => {
  postgres = await PostgresServer.start();
  disk = mkdtempSync(join(tmpdir(), 'tablespace-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=0755', 'phs-small-disk', disk]);
  mkdirSync(join(disk, 'tables'));
  execFileSync('chown', ['--reference', join(postgres.folder, 'data'), join(disk, 'tables')]);
  chmodSync(join(disk, 'tables'), 0o700);
  await postgres.query('postgres', `CREATE TABLESPACE small LOCATION '${join(disk, 'tables')}'`);
  await postgres.query('postgres', 'CREATE DATABASE photos TABLESPACE small');
  installation = await Installation.make({
    DATABASE_URL: postgres.urlOf('photos'),
    DATABASE_POOL: String(POOL),
    // Counted in memory, so that what is refused is refused by the work and not on its way there.
    RATE_LIMIT_STORE: 'memory',
  });
  await installation.start();
  client = await installation.client();
});
afterAll(async () => {
  await installation?.remove();
  await postgres?.stop();
  execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true });
});
afterEach(() => expectSound(installation));

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

/** In the words of the API, with the time to come again. */
function expectAway({ status, body, headers }: Answer): void {
  expect([status, body.error?.code]).toEqual([503, 'service_unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

async function health(): Promise<[number, number]> {
  const [alive, ready] = await Promise.all(['healthz', 'readyz'].map((path) => fetch(`${installation.url}/${path}`)));
  return [present(alive).status, present(ready).status];
}

describe('docs/reliability.md F6: under load, with imports under way, the database', () => {
  test.each([
    ['is restarted', () => postgres.restart('fast')],
    ['dies and recovers', () => postgres.restart('immediate')],
    [
      'ends every connection, again and again',
      async (load: Load) => {
        for (let round = 0; round < 5; round += 1) {
          await postgres.killConnections();
          await load.goesOn(10);
        }
      },
    ],
  ] as const)('%s: 503 or done, nothing acknowledged is lost, and it goes on by itself', async (name, harm) => {
    const load = new Load(client, name, { mayBeAway: true });
    const lives = Promise.all(
      ['one', 'two'].map((each) => liveThrough(client, `${name} ${each}`, { keysStayClaimed: true })),
    );
    await load.goesOn(20);
    await harm(load);
    await load.goesOn(40);
    await lives;
    await load.stop();
    expect(load.wrong).toEqual([]);
    expect(await load.lost()).toEqual([]);
    expect(await health()).toEqual([200, 200]);
  });
});

describe('docs/reliability.md F7: the pool is empty, because the database answers nothing', () => {
  test('requests without a connection get 503 meanwhile, those that need none continue, and afterwards all do', async () => {
    const lock = await postgres.connectTo('photos');
    await lock.query('BEGIN; LOCK TABLE photos, tags IN ACCESS EXCLUSIVE MODE');
    try {
      // All of them are answered while the tables are still locked: those that wait for a row, and those that wait for a connection.
      const blocked = await atOnce(3 * POOL, (n) => client.get(n % 2 === 0 ? '/photos' : '/tags'));
      for (const answer of blocked) expectAway(answer);
      const waiting = atOnce(2 * POOL, () => client.get('/photos'));
      await until('readyz to turn', async () => (await fetch(`${installation.url}/readyz`)).status === 503);
      expect((await fetch(`${installation.url}/healthz`)).status).toBe(200);
      for (const answer of await waiting) expectAway(answer);
    } finally {
      await lock.end();
    }
    await until('the service to go on', async () => (await client.get('/photos')).status === 200);
    expect(new Set(statuses(await atOnce(5 * POOL, () => client.get('/photos'))))).toEqual(new Set([200]));
    expect(await health()).toEqual([200, 200]);
  });
});

describe('docs/reliability.md F8: the database can be read and not written', () => {
  test('because it is read-only: writes answer 503, reads go on', async () => {
    await postgres.query('postgres', 'ALTER DATABASE photos SET default_transaction_read_only = on');
    await postgres.killConnections();
    await until('the service to see it', async () => (await client.post('/tags', { name: 'no' })).status === 503);
    expectAway(await client.post('/tags', { name: 'no' }));
    expectAway(await client.post('/imports'));
    const [photo] = (await client.get('/photos?limit=1')).body.data;
    expect((await client.get(`/photos/${photo.id}`)).status).toBe(200);
    expect((await client.bytes(`/photos/${photo.id}/download`)).length).toBe(photo.sizeBytes);
    await postgres.query('postgres', 'ALTER DATABASE photos RESET default_transaction_read_only');
    await postgres.killConnections();
    await until('writes to go on', async () => (await client.post('/imports')).status === 201);
  });

  test('because its disk is full: writes answer 503, reads go on', async () => {
    fillDisk();
    const written: Answer[] = [];
    await until('the room that was left to be used up', async () => {
      written.push(await client.post('/tags', { name: `full ${written.length}` }));
      return written.at(-1)?.status === 503;
    });
    expectAway(present(written.at(-1)));
    expect(new Set(statuses(written.slice(0, -1)))).toEqual(new Set(written.length > 1 ? [201] : []));
    expect((await client.get('/photos')).status).toBe(200);
    rmSync(join(disk, 'filler'));
    expect((await client.post('/tags', { name: 'there is room' })).status).toBe(201);
    const found = (await client.get('/tags?q=full&limit=100')).body.data;
    expect(found.length).toBeGreaterThanOrEqual(Math.min(100, written.length - 1));
    await liveThrough(client, 'after the full disk');
  });
});

function fillDisk(): void {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
  } catch (error) {
    // Postgres may have taken some of the room since it was measured: then the file has all of the rest.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

test('docs/reliability.md F9: requests that lock the same rows in opposite order succeed without an error', async () => {
  const importId = (await client.post('/imports')).body.id;
  const files = ['left', 'right'].map((name) => ({ name: `${name}.jpg`, bytes: photoNamed(`deadlock ${name}`) }));
  await client.inline(importId, files);
  await client.post(`/imports/${importId}/finalize`, {}, { Prefer: 'wait=15' });
  const { data } = (await client.get(`/photos?importId=${importId}`)).body;
  const [left, right] = data.map(({ id }: { id: number }) => id);
  const tags = ['a', 'b', 'c'].map((name) => `deadlock ${name}`);
  const answers = await atOnce(40, (n) => {
    const tagNames = n % 2 === 0 ? tags : tags.toReversed();
    return client.put(`/photos/${n % 4 < 2 ? left : right}/tags`, { tagNames });
  });
  expect(new Set(statuses(answers))).toEqual(new Set([200]));
});
