/* @rest */
import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { emptyDatabase, type TestDatabase, urlOf } from '../support/postgres.js';
import { until } from './support/processes.js';
import { Installation } from './support/service.js';
import { ImageSigner } from './support/signed-image.js';

/** Two processes on one database and one folder of photos. */
let database: TestDatabase;
let first: Installation;
let second: Installation;
let signer: ImageSigner;
let rows: pg.Client;
let photoId: number;

beforeAll(async () => {
  database = await emptyDatabase();
  first = await Installation.make({ DATABASE_URL: urlOf(database) });
  await first.start();
  second = await first.rival();
  await second.start();
  signer = await ImageSigner.of(first);
  rows = new pg.Client({ connectionString: urlOf(database) });
  await rows.connect();
  const client = await first.client();
  const { id } = (await client.post('/imports')).body;
  // It takes long enough to decode that a process can be killed meanwhile.
  const bytes = readFileSync(join(__dirname, '../fixtures/photos/iphone7-gps.heic'));
  await client.inline(id, [{ name: 'a.heic', bytes: new Uint8Array(bytes) }]);
  await client.post(`/imports/${id}/finalize`);
  await until('the import to end', async () => {
    const { body } = await client.get(`/imports/${id}?include=photos`);
    photoId = body.photos.data[0].photoId;
    return body.status === 'completed';
  });
});
afterAll(async () => {
  await rows?.end();
  await second?.stop();
  await first?.remove();
  await database?.close();
});

const folder = () => join(first.dataDir, 'blobs', 'renditions', '1', String(photoId), 'v1-r0');
const delivered = () => readdirSync(folder()).filter((name) => /^[0-9a-f]{32}\./.test(name));

test('a hundred first requests to two processes make the picture once', async () => {
  const written: string[] = [];
  const watcher: FSWatcher = watch(folder(), (_, name) => void written.push(String(name)));
  const path = signer.path(photoId, 'w=300,f=jpeg,q=90');
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => fetch(`${at % 2 ? first.url : second.url}${path}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 200));
  const bodies = await Promise.all(
    answers.map(async (answer) => Buffer.from(await answer.arrayBuffer()).toString('hex')),
  );
  expect(new Set(bodies).size).toBe(1);
  const [name = ''] = delivered();
  await until('the folder to say what was written', () => written.includes(name));
  watcher.close();
  expect(written.filter((each) => each === name)).toHaveLength(1);
  expect((await rows.query('SELECT FROM rendition_leases')).rowCount).toBe(0);
});

test('when the process that makes a picture is killed, another makes it', async () => {
  const before = delivered().length;
  const path = signer.path(photoId, 'w=301,f=jpeg,q=90');
  const lost = fetch(`${second.url}${path}`).then(
    () => 'answered',
    () => 'cut off',
  );
  await until('it to be in the making', async () => (await rows.query('SELECT FROM rendition_leases')).rowCount === 1);
  await second.kill();
  expect(await lost).toBe('cut off');
  expect(delivered()).toHaveLength(before);
  expect((await rows.query('SELECT FROM rendition_leases')).rowCount).toBe(1);
  const answer = await fetch(`${first.url}${path}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(delivered()).toHaveLength(before + 1);
});
