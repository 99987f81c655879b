import { importPhotos, picture } from './support/photos.js';
import { type PostgresPorts, postgresPorts } from './support/postgres-ports.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let rows: PostgresPorts;
let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  rows = await postgresPorts();
  app = await startApp({ ports: () => rows.ports });
  actor = await (await app.customer()).withKey({ readLimit: 1_000_000, writeLimit: 1_000_000 });
});
afterAll(async () => {
  await app.close();
  await rows.close();
});

describe('tags under two clients at once, on Postgres', () => {
  test('naming a tag for a photo while it is deleted is either before or after', async () => {
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
    for (let round = 0; round < 40; round += 1) {
      const { body: tag } = await actor.post('/tags?ifExists=return', { name: 'Holiday' });
      const [put, deleted] = await Promise.all([
        actor.put(`/photos/${photo.id}/tags`, { tagNames: ['Holiday'] }),
        actor.delete(`/tags/${tag.id}`),
      ]);
      expect([put.status, deleted.status]).toEqual([200, 204]);
      const left = (await actor.get(`/photos/${photo.id}/tags`)).body.data;
      const known = (await actor.get('/tags')).body.data;
      // Where naming came last, it made the tag anew; the one that was deleted is gone in either case.
      expect(left).toEqual(known);
      expect(left.map(({ id }: { id: number }) => id)).not.toContain(tag.id);
    }
  });

  test('batches that name the same tags in other orders all go through', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `tag ${at}`);
    for (const name of names) await actor.post('/tags', { name });
    const imports = await Promise.all(names.slice(0, 6).map(() => actor.post('/imports')));
    const answers = await Promise.all(
      imports.map(({ body: { id } }, turn) => {
        const order = names.map((_, at) => names[(at * (turn % 2 ? 5 : 7) + turn) % names.length]);
        const photos = order.map((name) => ({ filename: `${name}.jpg`, sizeBytes: 10, tagNames: [name] }));
        return actor.post(`/imports/${id}/photos`, { photos });
      }),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(201));
  });
});
