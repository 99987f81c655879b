import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
/** The first is what others are compared with. */
let ids: readonly number[];
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
  const hashes = ['00000000000000ff', '00000000000000f0', '00000000000000ff', '0000000000ffffff', null];
  const files = hashes.map((phash, at) => ({ filename: `${at}.jpg`, content: picture(`${at}`, { phash }) }));
  ids = (await importPhotos(app, actor, files)).map(({ id }) => id);
});
afterAll(() => app.close());

const similar = async (query: string) => {
  const { status, body } = await actor.get(`/photos?similarTo=${ids[0]}&${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: number }) => ids.indexOf(id));
};

test('GET /photos?similarTo: near photos, nearest first, or in the order of the sort', async () => {
  expect((await actor.get(`/photos/${ids[1]}`)).body.phash).toBe('00000000000000f0');
  expect(await similar('')).toEqual([2, 1]);
  expect(await similar('include=urls')).toEqual([2, 1]);
  expect(await similar('maxDistance=0')).toEqual([2]);
  expect(await similar('maxDistance=16')).toEqual([2, 1, 3]);
  expect(await similar('sort=id')).toEqual([1, 2]);
  expect(await similar('filename=1.jpg')).toEqual([1]);
  expect((await actor.get(`/photos?similarTo=${ids[4]}`)).body).toEqual({
    data: [],
    pagination: { hasMore: false, nextCursor: null },
  });
});

test('a cursor of GET /photos?similarTo continues its own list and no other', async () => {
  const first = (await actor.get(`/photos?similarTo=${ids[0]}&limit=1`)).body;
  const cursor = `limit=1&cursor=${first.pagination.nextCursor}`;
  expect([ids.indexOf(first.data[0].id), await similar(cursor)]).toEqual([2, [1]]);
  for (const query of [`similarTo=${ids[1]}&${cursor}`, `similarTo=${ids[0]}&maxDistance=7&${cursor}`, cursor]) {
    const { status, body } = await actor.get(`/photos?${query}`);
    expect([status, body.error.code]).toEqual([400, 'invalid_cursor']);
  }
});

test('a photo that is not there, of another customer, or in the trash is 404', async () => {
  const other = await app.customer('Other');
  const [theirs] = await importPhotos(app, other, [{ filename: 'a.jpg', content: picture('theirs') }]);
  const [gone] = await importPhotos(app, actor, [{ filename: 'b.jpg', content: picture('gone') }]);
  await actor.delete(`/photos/${gone.id}`);
  for (const id of [999_999_999, theirs.id, gone.id]) {
    const { status, body } = await actor.get(`/photos?similarTo=${id}`);
    expect([status, body.error.code, body.error.details]).toEqual([404, 'not_found', { resource: 'photo' }]);
  }
  expect((await actor.get(`/photos?similarTo=${gone.id}&trashed=any`)).status).toBe(200);
});
