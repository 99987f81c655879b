import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, sha256 } from '../e2e/support/client.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { expectSound } from '../e2e/support/sound.js';
import { atOnce } from '../support/tenant.js';
import { PgBouncer } from './support/pgbouncer.js';
import { PostgresServer } from './support/postgres-server.js';

const names = ['cyclamen.jpg', 'png-alpha.png', 'nokia83-gps-offset.jpg'];
const files = names.map((name) => ({
  name,
  bytes: new Uint8Array(readFileSync(join(__dirname, '../fixtures/photos', name))),
}));

let postgres: PostgresServer;
let bouncer: PgBouncer;
let installation: Installation;
let client: Client;
beforeAll(async () => {
  postgres = await PostgresServer.start();
  await postgres.query('postgres', 'CREATE DATABASE photos');
  bouncer = await PgBouncer.before(postgres, 'photos');
  installation = await Installation.make({
    DATABASE_URL: bouncer.url,
    DATABASE_DIRECT_URL: postgres.urlOf('photos'),
    DATABASE_PREPARE: String(bouncer.preparesStatements),
  });
  await installation.start();
  client = await installation.client();
});
afterAll(async () => {
  await installation?.remove();
  await bouncer?.stop();
  await postgres?.stop();
});

test('the main job works through PgBouncer: import, list, download, tags and deletion', async () => {
  const { id } = (await client.post('/imports', { tagNames: ['sea'] })).body;
  await client.inline(id, files);
  await client.post(`/imports/${id}/finalize`);
  const ended = await until('the import to end', async () => {
    const { body } = await client.get(`/imports/${id}?include=photos`);
    return body.status === 'processing' ? false : body;
  });
  expect(ended).toMatchObject({ status: 'completed', counts: { imported: files.length } });
  const page = (await client.get('/photos?limit=50')).body.data;
  expect(page).toHaveLength(files.length);
  for (const { id: photo, filename } of page) {
    const bytes = await client.bytes(`/photos/${photo}/download`);
    expect(sha256(bytes)).toBe(sha256(files.find(({ name }) => name === filename)?.bytes ?? new Uint8Array()));
  }
  const [first] = page;
  expect((await client.put(`/photos/${first.id}/tags`, { tagNames: ['sea', 'sky'] })).status).toBe(200);
  expect((await client.get('/tags')).body.data.map(({ name }: { name: string }) => name)).toEqual(['sea', 'sky']);
  expect((await client.delete(`/photos/${first.id}`)).status).toBeLessThan(300);
  expect((await client.get('/photos')).body.data).toHaveLength(files.length - 1);
});

test('many requests at once share the few connections of PgBouncer, and each transaction has its customer', async () => {
  const made = await atOnce(40, (n) => client.post('/tags', { name: `tag ${n}` }));
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  const read = await atOnce(40, () => client.get('/photos?limit=50'));
  expect(read.map(({ status }) => status)).toEqual(read.map(() => 200));
  const [{ connections }] = await postgres.query(
    'photos',
    `SELECT count(*)::integer AS connections FROM pg_stat_activity
      WHERE datname = 'photos' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  // Its three, one that shows that the process lives, and one that listens for work.
  expect(connections).toBeLessThanOrEqual(5);
});

test('calls that need a session have one behind PgBouncer: a new process ends the leases of a dead one, and verify finds everything sound', async () => {
  await installation.kill();
  await installation.start();
  client = await installation.client();
  expect((await client.post('/tags', { name: 'after' })).status).toBe(201);
  await expectSound(installation);
});
