import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BrowserClient, PASSWORD } from '../api/support/browser-client.js';
import { photoNamed } from '../e2e/support/life.js';
import { until } from '../e2e/support/processes.js';
import { Installation } from '../e2e/support/service.js';
import { Receiver } from '../support/receiver.js';
import { TreeCopy } from '../support/tree-copy.js';

const root = join(__dirname, '../..');
/** Compilation, and suites in a process of their own, beside all others. */
jest.setTimeout(900_000);

/** This tree with the recipe of a resource. */
let copy: TreeCopy;

beforeAll(() => {
  copy = new TreeCopy();
  copy.apply(readFileSync(join(root, 'docs/recipes/resource/recipe.patch'), 'utf8'));
  copy.compile();
});
afterAll(() => copy.remove());

test('the suites of albums pass, and those that cover whatever tables, endpoints and routes there are', () => {
  const suites = 'test/((core|api|pages)/albums|api/tenants|adapters/typeorm-tenants|architecture/house)\\.test';
  expect(copy.jest(suites)).toMatch(/Test Suites: +6 passed, 6 total/);
  // The repository, in memory and in Postgres.
  const contracts = copy.jest('test/contracts/(memory|typeorm)\\.test', '-t', ' albums ');
  expect(contracts).toMatch(/Test Suites: +2 passed, 2 total/);
  expect(contracts).toMatch(/ 12 passed/);
});

test('an installation of the version before is migrated, and has albums from the API to the page', async () => {
  const receiver = await Receiver.start();
  const installation = await Installation.make({ WEBHOOK_ALLOW_PRIVATE: 'true' }, join(copy.path, 'bin/phs.js'));
  try {
    await installation.start();
    const client = await installation.client();
    const phs = (...args: string[]) => installation.command(...args, '--json');
    await phs('webhook', 'create', '--customer', '1', '--url', receiver.url, '--events', 'album.created');

    const { id } = (await client.post('/imports')).body;
    await client.inline(id, [{ name: 'a.jpg', bytes: photoNamed('a') }]);
    await client.post(`/imports/${id}/finalize`);
    const photos = async () => (await client.get('/photos')).body.data;
    await until('the photo to be in the library', async () => (await photos()).length === 1);
    const photoIds = (await photos()).map((photo: { id: number }) => photo.id);

    const created = await client.post('/albums', { name: 'Holidays', photoIds });
    expect(created.status).toBe(201);
    const path = `/albums/${created.body.id}`;
    expect((await client.get('/albums')).body.data).toEqual([created.body]);
    expect((await client.get(path)).body).toMatchObject({ name: 'Holidays', photoIds });
    expect((await client.patch(path, { name: 'Summer' })).body).toMatchObject({ name: 'Summer', version: 2 });
    await client.post('/albums', { name: 'Other' });
    expect((await client.delete(path)).status).toBe(204);
    await until('both events to arrive', () => receiver.received.length === 2);
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['album.created', 'album.created']);

    const browser = new BrowserClient(installation.url);
    const { url } = JSON.parse(
      (await phs('user', 'invite', '--customer', '1', '--email', 'a@example.com', '--role', 'editor')).stdout,
    );
    await browser.submit(new URL(url).pathname, { password: PASSWORD });
    const { text } = await browser.get('/settings/albums');
    expect(text).toContain('aria-current="page">Albums</a>');
    expect(text).toContain('Other');

    expect((await phs('verify')).status).toBe(0);
    const erased = JSON.parse((await phs('customer', 'erase', '1', '--yes')).stdout);
    expect(erased).toMatchObject({ rowsBefore: { albums: 1, album_photos: 0 }, complete: true });
  } finally {
    await installation.remove();
    await receiver.close();
  }
});
