import { importPhotos, picture, postFiles } from './support/photos.js';
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

  test('naming a tag for a file while it is merged into another is either refused, or ends with the other', async () => {
    const { body: into } = await actor.post('/tags', { name: 'into' });
    const [open, another] = [(await actor.post('/imports')).body, (await actor.post('/imports')).body];
    for (let round = 0; round < 40; round += 1) {
      const { body: from } = await actor.post('/tags', { name: 'from' });
      const photos = [{ filename: `${round}.jpg`, sizeBytes: 10, clientRef: `${round}`, tagIds: [from.id] }];
      const register = () => actor.post(`/imports/${open.id}/photos`, { photos });
      const [early, edit, merged, late] = await Promise.all([
        register(),
        actor.post('/imports', { clientRef: `${round}`, tagIds: [from.id] }),
        actor.patch(`/tags/${into.id}`, { mergeTagIds: [from.id] }),
        actor.post(`/imports/${another.id}/photos`, { photos }),
      ]);
      expect(merged.status).toBe(200);
      for (const answer of [early, edit, late]) expect([201, 400]).toContain(answer.status);
      const refused = [early, edit, late].filter(({ status }) => status === 400);
      for (const { body } of refused) expect(body.error.details.errors).toMatchObject([{ code: 'unknown_tag' }]);
      if (edit.status === 201) {
        const { body } = await actor.get(`/imports/${edit.body.id}`);
        expect(body.tags).toEqual([{ id: into.id, name: 'into' }]);
        await actor.post(`/imports/${body.id}/finalize`, { action: 'discard' });
      }
    }
    for (const { id } of [open, another]) {
      const { data } = (await actor.get(`/imports/${id}?include=photos&limit=100`)).body.photos;
      for (const { tags } of data) expect(tags).toEqual([{ id: into.id, name: 'into' }]);
    }
  });

  test('a photo that is published while its tag is merged comes with the one that stays', async () => {
    const { body: into } = await actor.post('/tags', { name: 'stays' });
    let brought = 0;
    for (let round = 0; round < 10; round += 1) {
      const { body: from } = await actor.post('/tags', { name: 'goes' });
      const { id } = (await actor.post('/imports', { tagIds: [from.id] })).body;
      const files = Array.from({ length: 8 }, (_, at) => {
        return { filename: `${at}.jpg`, content: picture(`${round} and ${at}`) };
      });
      await postFiles(actor, id, files);
      await app.work();
      await actor.post(`/imports/${id}/finalize`);
      const [merged] = await Promise.all([actor.patch(`/tags/${into.id}`, { mergeTagIds: [from.id] }), app.work()]);
      await app.work();
      brought += files.length;
      expect(merged.status).toBe(200);
      const { data } = (await actor.get(`/photos?importId=${id}&limit=100`)).body;
      expect(data.map(({ tags }: { tags: unknown }) => tags)).toEqual(
        Array(files.length).fill([{ id: into.id, name: 'stays' }]),
      );
      expect((await actor.get(`/tags/${into.id}`)).body.photoCount).toBe(brought);
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
