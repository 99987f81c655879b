import type { DataSource } from 'typeorm';
import { TypeormKeyFinder } from '../../src/adapters/typeorm/access/api-key.repository.js';
import { TypeormRateWindowStore } from '../../src/adapters/typeorm/access/rate-window.repository.js';
import { TypeormCustomerStore } from '../../src/adapters/typeorm/customer-store.js';
import { TypeormCustomerDirectory } from '../../src/adapters/typeorm/customers/customer.repository.js';
import { openDataSource } from '../../src/adapters/typeorm/data-source.js';
import { type TestDatabase, testDatabase } from '../support/postgres.js';
import { sampleExif, samplePhoto } from '../support/samples.js';
import { atOnce, present } from '../support/tenant.js';
import type { Answer } from './support/http-client.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** Two processes, as far as they know, behind one address: each with its own connections to one Postgres. */

let database: TestDatabase;
let sources: readonly DataSource[];
let nodes: readonly RunningApp[];
let actor: Actor;

beforeAll(async () => {
  database = await testDatabase();
  sources = [await openDataSource(database), await openDataSource(database)];
  nodes = await Promise.all(sources.map(startNode));
  actor = await present(nodes[0]).customer();
});
afterAll(async () => {
  for (const node of nodes) await node.close();
  for (const source of sources) await source.destroy();
  await database.close();
});

function startNode(source: DataSource): Promise<RunningApp> {
  return startApp({
    trustedProxies: ['127.0.0.1'],
    ports: () => ({
      store: new TypeormCustomerStore(source),
      customers: new TypeormCustomerDirectory(source),
      keys: new TypeormKeyFinder(source),
      rateWindows: new TypeormRateWindowStore(source),
    }),
  });
}

/** As a load balancer would give it, each time to another node. */
function ask({ token }: Actor, number: number, path: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `203.0.113.${number % 250}` };
  return present(nodes[number % nodes.length]).send({ path: `/api/v1${path}`, headers });
}

test('two nodes together admit exactly the limit, whichever node gets the request and wherever it comes from', async () => {
  const client = await actor.withKey({ readLimit: 12 });
  const answers = await atOnce(20, (number) => ask(client, number, '/tags'));
  const admitted = answers.filter(({ status }) => status === 200);
  const left = admitted.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
  expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, at) => at));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(8);
  for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
});

test('"Deletion takes effect immediately, with no grace period", on every node', async () => {
  const doomed = await actor.withKey({});
  expect((await atOnce(4, (number) => ask(doomed, number, '/tags'))).map(({ status }) => status)).toEqual([
    200, 200, 200, 200,
  ]);
  await doomed.deleteKey();
  const after = await atOnce(50, (number) => ask(doomed, number, '/tags'));
  expect(after.filter(({ status }) => status !== 401)).toEqual([]);
});

test('a list is continued on another node by its cursor', async () => {
  await actor.post('/tags', { tags: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name })) });
  const seen: string[] = [];
  let cursor = '';
  for (let page = 0; cursor !== '' || page === 0; page += 1) {
    const { data, pagination } = (await ask(actor, page, `/tags?limit=2${cursor}`)).body;
    seen.push(...data.map(({ name }: { name: string }) => name));
    cursor = pagination.hasMore ? `&cursor=${pagination.nextCursor}` : '';
  }
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('pages and photos have the same bytes on every node however often they were requested, and those of a change at once', async () => {
  const client = await present(nodes[0]).customer();
  const { id: tagId } = (await client.post('/tags', { name: 'before' })).body;
  const ids = await new TypeormCustomerStore(present(sources[0])).transaction(
    client.customerId,
    async (transaction) => {
      const allocated = await transaction.importPhotos.allocateIds(3);
      const values = [{ title: 'é 📷 "\\' }, { metadata: { a: '1' } }, {}];
      const added = allocated.map((id, at) => samplePhoto(client.customerId, id, values[at]));
      for (const photo of added) await transaction.photos.insert(photo, [tagId], sampleExif);
      return allocated;
    },
  );
  const id = present(ids[0]);
  const paths = [
    '/photos',
    '/photos?include=urls',
    `/photos/${id}`,
    `/photos/${id}?include=urls,exif`,
    '/photos?sort=id&limit=2',
  ];
  const answers = async () => {
    const texts: string[] = [];
    for (const path of paths) {
      // Three times on each node: as it is read first, when it is cached, and when it was cached.
      const all: Answer[] = [];
      for (let number = 0; number < 6; number += 1) all.push(await ask(client, number, path));
      const stable = all.map(({ text, headers }) => [
        text.replace(/"nextCursor":"[^"]+"/, ''),
        headers.etag,
        headers['content-type'],
      ]);
      for (const each of stable) expect(each).toEqual(stable[0]);
      const { text } = present(all[0]);
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
      texts.push(text);
    }
    return texts;
  };
  const before = await answers();
  await client.patch(`/tags/${tagId}`, { name: 'after' });
  const after = await answers();
  expect(after.map((text) => text.replaceAll('after', 'before').length)).toEqual(before.map((text) => text.length));
  for (const text of after) expect(text).not.toContain('before');
  await client.patch(`/photos/${id}`, { title: 'changed' });
  for (const text of await answers()) expect(text).toContain('"title":"changed"');
});

test('twenty requests at once make one tag on two nodes', async () => {
  const post = (number: number) =>
    present(nodes[number % 2]).send({
      method: 'POST',
      path: '/api/v1/tags',
      headers: { authorization: `Bearer ${actor.token}` },
      body: { name: 'ONE' },
    });
  const answers = await atOnce(20, post);
  const [made] = answers.filter(({ status }) => status === 201);
  const others = answers.filter(({ status }) => status === 409);
  expect(others).toHaveLength(19);
  for (const { body } of others) {
    expect(body.error).toMatchObject({ code: 'tag_name_taken', details: { tagId: present(made).body.id } });
  }
});

test('SQL in a text is stored as text by Postgres, too', async () => {
  for (const text of ["'", '%', '_', '\\', "' OR 1=1 --", "'||pg_sleep(30)||'", '$1', '\\x00', ':*', '!', '(', '&|']) {
    const word = encodeURIComponent(text);
    for (const query of [
      `/tags?q=d${word}n`,
      `/tags?name=${word}`,
      `/photos?q=x${word}y`,
      `/photos?filename=${word}`,
    ]) {
      const answer = await ask(actor, 0, query);
      expect([query, answer.status, answer.body.data]).toEqual([query, 200, []]);
    }
  }
});
