import { DAY, HOUR } from '../../src/core/shared/clock.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
  for (const name of ['Ada', 'bob', 'Cid', 'dan', 'Eve']) await actor.post('/tags', { name });
});
afterAll(() => app.close());

const names = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map((tag) => tag.name);

describe('API.md §4.5: limit', () => {
  test.each([
    ['0', 'out_of_range'],
    ['-1', 'out_of_range'],
    ['101', 'out_of_range'],
    ['abc', 'invalid_type'],
    ['1.5', 'invalid_type'],
    ['%2B5', 'invalid_type'],
    ['+5', 'invalid_type'],
    ['1e1', 'invalid_type'],
    ['٥', 'invalid_type'],
    ['', 'invalid_type'],
    ['99999999999999999999', 'invalid_type'],
    ['1&limit=100', 'invalid_type'],
  ])('limit=%s is 400 %s, with the bounds', async (limit, code) => {
    for (const path of ['/photos', '/tags']) {
      const answer = await actor.get(`${path}?limit=${encodeURI(limit).replaceAll('%25', '%')}`);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details.errors).toEqual([
        { field: 'limit', code, message: expect.stringContaining('limit'), min: 1, max: 100 },
      ]);
    }
  });

  test.each(['limit[]=1', 'cursor[a]=b', 'Limit=1', 'limit%00=1', '__proto__=1', 'constructor=1'])(
    '%s is an unknown parameter',
    async (query) => {
      const answer = await actor.get(`/tags?${query}`);
      expect([answer.status, answer.body.error.details.errors[0].code]).toEqual([400, 'unknown_parameter']);
    },
  );

  test('an empty list is a whole page', async () => {
    const nobody = await app.customer();
    expect((await nobody.get('/photos')).body).toEqual({ data: [], pagination: { nextCursor: null, hasMore: false } });
  });
});

describe('API.md §4.5: cursors', () => {
  test('a walk shows everything once and ends with null', async () => {
    const first = await actor.get('/tags?limit=2');
    expect(names(first)).toEqual(['Ada', 'bob']);
    expect(first.body.pagination).toEqual({ hasMore: true, nextCursor: expect.any(String) });
    const second = await actor.get(`/tags?limit=3&cursor=${first.body.pagination.nextCursor}`);
    expect(names(second)).toEqual(['Cid', 'dan', 'Eve']);
    expect(second.body.pagination).toEqual({ hasMore: false, nextCursor: null });
  });

  test('the sort and the filters must be repeated; another customer, list or spelling is refused', async () => {
    const { nextCursor } = (await actor.get('/tags?limit=2')).body.pagination;
    const stranger = await app.customer();
    const refused = [
      await actor.get(`/tags?cursor=${nextCursor}&sort=-name`),
      await actor.get(`/tags?cursor=${nextCursor}&q=a`),
      await actor.get(`/photos?cursor=${nextCursor}`),
      await stranger.get(`/tags?cursor=${nextCursor}`),
      await actor.get(`/tags?cursor=${nextCursor}A`),
      await actor.get(`/tags?cursor=${nextCursor.slice(0, -2)}`),
      await actor.get('/tags?cursor='),
      await actor.get(`/tags?cursor=${'A'.repeat(5000)}`),
    ];
    for (const answer of refused) expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_cursor']);
  });

  test('a cursor outlives its key', async () => {
    const { nextCursor } = (await actor.get('/tags?limit=4')).body.pagination;
    const rotated = await actor.withKey({ scopes: ['tags:read'] });
    expect(names(await rotated.get(`/tags?cursor=${nextCursor}`))).toEqual(['Eve']);
  });

  test('it works for a day whatever happens, and after that while the list has not shifted', async () => {
    const owner = await app.customer();
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await owner.post('/tags', { name })).body.id);
    const { nextCursor } = (await owner.get('/tags?limit=1')).body.pagination;
    await owner.patch(`/tags/${ids[0]}`, { name: 'z' });
    app.clock.pass(23 * HOUR);
    expect(names(await owner.get(`/tags?cursor=${nextCursor}`))).toEqual(['b', 'c', 'z']);
    app.clock.pass(DAY);
    expect((await owner.get(`/tags?cursor=${nextCursor}`)).body.error.code).toBe('invalid_cursor');
    await owner.patch(`/tags/${ids[0]}`, { name: 'a' });
    expect(names(await owner.get(`/tags?cursor=${nextCursor}`))).toEqual(['b', 'c']);
  });
});
