import { photoSorts } from '../../src/core/photos/photo-query.js';
import { DAY } from '../../src/core/shared/clock.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeEach(async () => {
  app = await startApp();
  actor = await app.customer();
  const files = ['d', 'b', 'c', 'a', 'e'].map((name, at) => ({
    filename: `${name}.jpg`,
    content: picture(`${'x'.repeat(at)} ${name}`),
  }));
  const photos = await importPhotos(app, actor, files);
  // Two have no capture time, and two the same one.
  for (const photo of photos.slice(0, 2)) await actor.patch(`/photos/${photo.id}`, { takenAt: '2020-01-01T00:00:00Z' });
  await actor.patch(`/photos/${photos[2].id}`, { takenAt: '2021-01-01T00:00:00Z' });
});
afterEach(() => app.close());

async function walk(sort: string, limit: number): Promise<number[]> {
  const ids: number[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await actor.get(`/photos?sort=${sort}&limit=${limit}${cursor}`);
    ids.push(...body.data.map((photo: { id: number }) => photo.id));
    if (!body.pagination.hasMore) return ids;
    cursor = `&cursor=${body.pagination.nextCursor}`;
  }
}

describe('a walk by pages is the list, in every sort, with NULLs last', () => {
  test.each([...photoSorts])('%s', async (sort) => {
    const whole = await walk(sort, 100);
    expect(new Set(whole).size).toBe(5);
    for (const limit of [1, 2, 3]) expect(await walk(sort, limit)).toEqual(whole);
    if (!sort.endsWith('takenAt')) return;
    const { data } = (await actor.get(`/photos?sort=${sort}`)).body;
    expect(data.slice(3).map((photo: { takenAt: string | null }) => photo.takenAt)).toEqual([null, null]);
  });
});

describe('a cursor whose row was deleted', () => {
  test.each([...photoSorts])('%s: works while it is younger than 24 hours', async (sort) => {
    const whole = await walk(sort, 100);
    const { nextCursor } = (await actor.get(`/photos?sort=${sort}&limit=2`)).body.pagination;
    await actor.delete(`/photos/${whole[1]}`);
    app.clock.pass(DAY);
    const { body } = await actor.get(`/photos?sort=${sort}&cursor=${nextCursor}`);
    expect(body.data.map((photo: { id: number }) => photo.id)).toEqual(whole.slice(2));
  });

  test.each(['-createdAt', 'createdAt', 'id', '-id', 'sizeBytes', '-sizeBytes'])(
    '%s never shifts, so it works afterwards too',
    async (sort) => {
      const whole = await walk(sort, 100);
      const { nextCursor } = (await actor.get(`/photos?sort=${sort}&limit=2`)).body.pagination;
      await actor.delete(`/photos/${whole[1]}`);
      app.clock.pass(2 * DAY);
      const { body } = await actor.get(`/photos?sort=${sort}&cursor=${nextCursor}`);
      expect(body.data.map((photo: { id: number }) => photo.id)).toEqual(whole.slice(2));
    },
  );

  test.each(['takenAt', '-takenAt', 'filename', '-filename', 'updatedAt'])(
    '%s has shifted, so it is invalid_cursor afterwards',
    async (sort) => {
      const whole = await walk(sort, 100);
      const { nextCursor } = (await actor.get(`/photos?sort=${sort}&limit=2`)).body.pagination;
      await actor.delete(`/photos/${whole[1]}`);
      app.clock.pass(DAY + 1);
      const answer = await actor.get(`/photos?sort=${sort}&cursor=${nextCursor}`);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_cursor']);
    },
  );
});
