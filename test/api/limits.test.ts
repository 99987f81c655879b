import { expireImports } from '../../src/core/imports/expire.js';
import { DAY, HOUR, MINUTE } from '../../src/core/shared/clock.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture, postFiles } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

/** Each limit at its edge and one over. Those that are too large for a test are lowered. */

const MIB = 1024 * 1024;

let app: RunningApp;
let actor: Actor;
beforeEach(async () => {
  app = await startApp();
  actor = await app.customer();
});
afterEach(() => app.close());

const lowered = async (limits: NonNullable<Parameters<typeof startApp>[0]>['limits']) => {
  await app.close();
  app = await startApp({ limits: limits ?? {} });
  actor = await app.customer();
};
const open = async () => (await actor.post('/imports')).body.id as number;
const code = (answer: Answer) => [answer.status, answer.body.error?.code];
const fault = (answer: Answer) => [answer.status, answer.body.error?.details?.errors];
const files = (count: number, sizeBytes = 1) =>
  Array.from({ length: count }, (_, at) => ({ filename: 'a.jpg', sizeBytes, clientRef: `${at}` }));
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe('files', () => {
  test('may have 200 MiB; one byte more is file_too_large', async () => {
    const photos = [200 * MIB, 200 * MIB + 1].map((sizeBytes) => ({ filename: 'a.jpg', sizeBytes }));
    const { data } = (await actor.post(`/imports/${await open()}/photos`, { photos })).body;
    expect(data).toMatchObject([
      { outcome: 'created', error: null },
      { outcome: 'rejected', error: { code: 'file_too_large' } },
    ]);
  });

  test('that come in the request are accepted up to the last byte that fits', async () => {
    const content = picture('as large as it may be');
    await lowered({ maxFileBytes: content.length });
    const answer = await postFiles(actor, await open(), [
      { filename: 'fits.jpg', content },
      { filename: 'over.jpg', content: picture('as large as it may be.') },
    ]);
    expect(answer.body.data).toMatchObject([
      { outcome: 'created' },
      { outcome: 'rejected', error: { code: 'file_too_large' } },
    ]);
  });

  test('may have 210,000,000 pixels and sides of 65,500; more is too_many_pixels', async () => {
    const id = await open();
    const sizes = [
      [14_000, 15_000],
      [65_500, 10],
      [10, 65_500],
      [14_000, 15_001],
      [65_501, 10],
      [10, 65_501],
    ];
    await postFiles(
      actor,
      id,
      sizes.map(([width = 0, height = 0]) => ({
        filename: 'a.jpg',
        content: picture(`${width} × ${height}`, { width, height }),
      })),
    );
    await app.work();
    const { data } = (await actor.get(`/imports/${id}?include=photos`)).body.photos;
    expect(data.map((item: { error: { code: string } | null }) => item.error?.code ?? null)).toEqual([
      null,
      null,
      null,
      'too_many_pixels',
      'too_many_pixels',
      'too_many_pixels',
    ]);
  });
});

describe('registrations', () => {
  test('may have 500 photos in one call; 501 are 400 too_many and none is stored', async () => {
    const id = await open();
    expect(fault(await actor.post(`/imports/${id}/photos`, { photos: files(501) }))).toMatchObject([
      400,
      [{ field: 'photos', code: 'too_many', max: 500 }],
    ]);
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(0);
    expect((await actor.post(`/imports/${id}/photos`, { photos: files(500) })).status).toBe(201);
  });

  test('may have a body of exactly 5 MB; one byte more is 413', async () => {
    const id = await open();
    const body = JSON.stringify({ photos: files(1) });
    const padded = (length: number) => body.padEnd(length, ' ');
    const over = await actor.post(`/imports/${id}/photos`, padded(5 * MIB + 1));
    expect([...code(over), over.body.error.details]).toEqual([413, 'payload_too_large', { maxBytes: 5 * MIB }]);
    expect((await actor.post(`/imports/${id}/photos`, padded(5 * MIB))).status).toBe(201);
  });

  test('may have 20 files in a request; 21 are 400', async () => {
    const pictures = numbers(21).map((at) => ({ filename: `${at}.jpg`, content: picture(`${at}`) }));
    const id = await open();
    expect(fault(await postFiles(actor, id, pictures))).toMatchObject([
      400,
      [{ field: 'file', code: 'too_many', max: 20 }],
    ]);
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(0);
    expect((await postFiles(actor, id, pictures.slice(1))).status).toBe(201);
  });

  test('may add 10,000 items to one import (here 3); more is 409 limit_reached, and the call adds none', async () => {
    await lowered({ importMaxPhotos: 3 });
    const id = await open();
    await actor.post(`/imports/${id}/photos`, { photos: files(2) });
    const over = await actor.post(`/imports/${id}/photos`, { photos: files(4).slice(2) });
    expect([...code(over), over.body.error.details]).toEqual([
      409,
      'limit_reached',
      { limit: 3, name: 'importMaxPhotos' },
    ]);
    expect((await actor.post(`/imports/${id}/photos`, { photos: files(3) })).status).toBe(201);
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(3);
  });

  test('may be in 100 open imports; the next is 409 until one has ended', async () => {
    const ids: number[] = [];
    for (let at = 0; at < 100; at += 1) ids.push(await open());
    const over = await actor.post('/imports');
    expect([...code(over), over.body.error.details]).toEqual([
      409,
      'limit_reached',
      { limit: 100, name: 'openImports' },
    ]);
    await actor.post(`/imports/${ids[0]}/finalize`, { action: 'discard' });
    expect((await actor.post('/imports')).status).toBe(201);
  });

  test('expire with an import without activity for 7 days, which says when that will be', async () => {
    const id = await open();
    const { createdAt, expiresAt } = (await actor.get(`/imports/${id}`)).body;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(7 * DAY);
    app.clock.pass(7 * DAY - 1);
    await expireImports(app.ports);
    expect((await actor.get(`/imports/${id}`)).body.status).toBe('open');
    app.clock.pass(1);
    await expireImports(app.ports);
    expect((await actor.get(`/imports/${id}`)).body.status).toBe('expired');
    expect(code(await actor.post(`/imports/${id}/photos`, { photos: files(1) }))).toEqual([409, 'import_not_open']);
  });

  test('an upload target lives 6 hours; a read gives a fresh one', async () => {
    const id = await open();
    const photos = [{ filename: 'a.jpg', sizeBytes: 3 }];
    const { upload } = (await actor.post(`/imports/${id}/photos`, { photos })).body.data[0].photo;
    expect(Date.parse(upload.expiresAt) - app.clock.now().getTime()).toBe(6 * HOUR);
    const put = (url: string) => app.send({ method: 'PUT', path: new URL(url).pathname, body: 'abc' });
    app.clock.pass(6 * HOUR + MINUTE);
    expect(code(await put(upload.url))).toEqual([403, 'upload_forbidden']);
    const fresh = (await actor.get(`/imports/${id}?include=photos`)).body.photos.data[0].upload;
    expect((await put(fresh.url)).status).toBe(204);
  });
});

describe('JSON bodies elsewhere', () => {
  test('may have exactly 1 MB; one byte more is 413, whether its length is announced or not', async () => {
    const body = '{"name":"a"}';
    const accepted = [body.padEnd(MIB, ' '), [Buffer.from(body.padEnd(MIB, ' '))]];
    const refused = [body.padEnd(MIB + 1, ' '), [Buffer.from(body.padEnd(MIB + 1, ' '))]];
    const type = { 'content-type': 'application/json' };
    for (const sent of refused) {
      const answer = await actor.post('/tags?ifExists=return', sent, type);
      expect([...code(answer), answer.body.error.details]).toEqual([413, 'payload_too_large', { maxBytes: MIB }]);
    }
    for (const sent of accepted)
      expect((await actor.post('/tags?ifExists=return', sent, type)).status).toBeLessThan(300);
    for (const [method, path] of [
      ['PATCH', '/photos/1'],
      ['PUT', '/photos/1/tags'],
      ['POST', '/imports'],
      ['POST', '/imports/1/finalize'],
      ['PATCH', '/imports/1/photos/1'],
      ['PATCH', '/tags/1'],
    ]) {
      const answer = await actor.send({ method, path: `/api/v1${path}`, body: '{}'.padEnd(MIB + 1, ' ') } as never);
      expect([path, ...code(answer)]).toEqual([path, 413, 'payload_too_large']);
    }
  });

  test('may have 10 levels; the eleventh is 400, on every endpoint with a body', async () => {
    const nested = (levels: number) => `{"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    for (const [method, path] of [
      ['PATCH', '/photos/1'],
      ['PUT', '/photos/1/tags'],
      ['POST', '/imports'],
      ['POST', '/imports/1/finalize'],
      ['POST', '/imports/1/photos'],
      ['PATCH', '/imports/1/photos/1'],
      ['POST', '/tags'],
      ['PATCH', '/tags/1'],
    ]) {
      const at = async (levels: number) =>
        (await actor.send({ method, path: `/api/v1${path}`, body: nested(levels) } as never)).body.error.details
          .errors[0];
      expect([path, (await at(10)).code]).toEqual([path, 'unknown_field']);
      expect([path, (await at(11)).code]).toEqual([path, 'invalid_json']);
    }
  });
});

describe('tags', () => {
  test('are limited to 10,000 for a customer (here 3); the next is 409, however it would be created', async () => {
    await lowered({ tags: 3 });
    await actor.post('/tags', { tags: ['a', 'b'].map((name) => ({ name })) });
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
    expect((await actor.put(`/photos/${photo.id}/tags`, { tagNames: ['c'] })).status).toBe(200);
    const id = await open();
    const named = { photos: [{ filename: 'a.jpg', sizeBytes: 3, tagNames: ['d'] }] };
    for (const answer of [
      await actor.post('/tags', { name: 'd' }),
      await actor.put(`/photos/${photo.id}/tags`, { tagNames: ['a', 'd'] }),
      await actor.post('/imports', { tagNames: ['d'] }),
      await actor.post(`/imports/${id}/photos`, named),
    ]) {
      expect([...code(answer), answer.body.error.details]).toEqual([409, 'limit_reached', { limit: 3, name: 'tags' }]);
    }
    expect((await actor.post('/tags', { name: 'C' })).body.error.code).toBe('tag_name_taken');
    expect((await actor.get('/customer')).body.usage.tags).toBe(3);
  });

  test('are limited to 100 for a photo, ids and names together; 101 are 400 too_many', async () => {
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
    const named = numbers(100).map((at) => ({ name: `tag ${at}` }));
    const ids = (await actor.post('/tags', { tags: named })).body.data.map(
      ({ tag }: { tag: { id: number } }) => tag.id,
    );
    const put = (body: object) => actor.put(`/photos/${photo.id}/tags`, body);
    expect((await put({ tagIds: ids })).body.data).toHaveLength(100);
    expect((await put({ tagIds: ids, tagNames: ['TAG 1'] })).status).toBe(200);
    for (const over of [{ tagIds: ids, tagNames: ['one more'] }, { tagNames: numbers(101).map((at) => `n${at}`) }]) {
      const answer = await put(over);
      expect(fault(answer)).toMatchObject([400, [{ code: 'too_many', max: 100 }]]);
    }
    expect((await actor.get('/tags?name=one%20more')).body.data).toEqual([]);
  });

  test('can be changed for 1,000 photos and merged from 20 tags at once; one more is 400 too_many', async () => {
    const { id } = (await actor.post('/tags', { name: 'target' })).body;
    for (const [field, max] of [
      ['addPhotoIds', 1000],
      ['removePhotoIds', 1000],
      ['mergeTagIds', 20],
    ] as const) {
      const over = await actor.patch(`/tags/${id}`, { [field]: numbers(max + 1).map((one) => one + 10_000) });
      expect(fault(over)).toMatchObject([400, [{ field, code: 'too_many' }]]);
      const edge = await actor.patch(`/tags/${id}`, { [field]: numbers(max).map((one) => one + 10_000) });
      // The tags that would be merged do not exist, and that is all that is wrong with them.
      const unknown = edge.body.error?.details.errors.every((one: { code: string }) => one.code === 'unknown_tag');
      expect([field, edge.status === 200 || unknown]).toEqual([field, true]);
    }
  });

  test('can be created 100 at a time; 101 are 400', async () => {
    const named = (count: number) => ({ tags: numbers(count).map((at) => ({ name: `n${at}` })) });
    expect(fault(await actor.post('/tags', named(101)))).toMatchObject([400, [{ field: 'tags', code: 'too_many' }]]);
    expect((await actor.post('/tags', named(100))).status).toBe(200);
  });
});

describe('ids in one list', () => {
  test('are limited to 100 in a path; 101 are 400', async () => {
    const list = (count: number) => numbers(count).join();
    for (const [ask, edge] of [
      [(count: number) => actor.patch(`/photos/${list(count)}`, {}), 200],
      [(count: number) => actor.delete(`/photos/${list(count)}`), 200],
      [(count: number) => actor.get(`/photos?ids=${list(count)}`), 200],
      [(count: number) => actor.get(`/tags?ids=${list(count)}`), 200],
    ] as const) {
      expect((await ask(100)).status).toBe(edge);
      expect(fault(await ask(101))).toMatchObject([400, [{ code: 'too_many', max: 100 }]]);
    }
  });

  test('are limited to 100 hashes, and to 20 tags in each filter', async () => {
    const hashes = (count: number) =>
      numbers(count)
        .map((at) => at.toString(16).padStart(64, '0'))
        .join();
    expect((await actor.get(`/photos?sha256=${hashes(100)}`)).status).toBe(200);
    expect(fault(await actor.get(`/photos?sha256=${hashes(101)}`))).toMatchObject([400, [{ code: 'too_many' }]]);
    for (const field of ['tagIds', 'anyTagIds', 'excludeTagIds']) {
      const ids = (count: number) => actor.get(`/photos?${field}=${numbers(count).join()}`);
      expect(fault(await ids(21))).toMatchObject([400, [{ field, code: 'too_many', max: 20 }]]);
      expect((await ids(20)).body.error.details.errors[0]).toMatchObject({ field, code: 'unknown_tag' });
    }
  });
});

test('the limits are shown by GET /customer, as they are on this installation', async () => {
  expect((await actor.get('/customer')).body.limits).toEqual({
    storageBytes: null,
    photos: null,
    tags: 10_000,
    tagsPerPhoto: 100,
    maxFileBytes: 200 * MIB,
    maxPixels: 210_000_000,
    importBatchSize: 500,
    importMaxPhotos: 10_000,
    inlineMaxFiles: 20,
    inlineMaxBytes: 100 * MIB,
    openImports: 100,
  });
  await lowered({ openImports: 2, maxFileBytes: 7 });
  expect((await actor.get('/customer')).body.limits).toMatchObject({ openImports: 2, maxFileBytes: 7 });
});
