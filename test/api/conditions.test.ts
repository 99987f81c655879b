import type { Answer } from './support/http-client.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
let photoPath: string;
let tagPath: string;
let importPath: string;
beforeEach(async () => {
  app = await startApp();
  actor = await app.customer();
  const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
  photoPath = `/photos/${photo.id}`;
  tagPath = `/tags/${(await actor.post('/tags', { name: 'Paris' })).body.id}`;
  importPath = `/imports/${(await actor.post('/imports')).body.id}`;
});
afterEach(() => app.close());

const code = (answer: Answer) => [answer.status, answer.body.error?.code];
const etagOf = async (path: string) => String((await actor.get(path)).headers.etag);

describe('ETag, on photo, tag, customer and import', () => {
  test('is strong, and the same for as long as the resource is', async () => {
    for (const path of [photoPath, tagPath, importPath, '/customer']) {
      const etag = await etagOf(path);
      expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
      expect(await etagOf(path)).toBe(etag);
    }
  });

  test('is absent from a response that is not a single resource', async () => {
    for (const path of ['/me', '/photos', '/tags', `${photoPath}/tags`]) {
      expect((await actor.get(path)).headers.etag).toBeUndefined();
    }
    expect((await actor.get('/photos/999999')).headers.etag).toBeUndefined();
  });

  test('is that of the plain GET, whatever a parameter or a write includes', async () => {
    expect((await actor.get(`${photoPath}?include=exif,urls`)).headers.etag).toBe(await etagOf(photoPath));
    expect((await actor.get(`${importPath}?include=photos`)).headers.etag).toBe(await etagOf(importPath));
    const patched = await actor.patch(photoPath, { title: 'new' });
    expect(patched.headers.etag).toBe(await etagOf(photoPath));
    const used = await actor.patch(tagPath, { addPhotoIds: [Number(photoPath.split('/').at(-1))] });
    expect(used.body.changes).toBeDefined();
    expect(used.headers.etag).toBe(await etagOf(tagPath));
    const made = await actor.post('/tags', { name: 'London' });
    expect(made.headers.etag).toBe(await etagOf(`/tags/${made.body.id}`));
  });
});

describe('If-None-Match', () => {
  const lists = (etag: string) => [etag, `W/${etag}`, `"x", ${etag}`, `${etag},"x"`, `"x",W/${etag} , "y"`, '*'];

  test('returns 304 without a body for a matching tag, by weak comparison, in a list, or by *', async () => {
    for (const path of [photoPath, tagPath, importPath, '/customer']) {
      const etag = await etagOf(path);
      for (const header of lists(etag)) {
        const answer = await actor.get(path, { 'if-none-match': header });
        expect([path, header, answer.status, answer.bytes.length]).toEqual([path, header, 304, 0]);
        expect(answer.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache' });
      }
      const lines = await actor.get(path, { 'if-none-match': ['"x"', etag] });
      expect(lines.status).toBe(304);
    }
  });

  test('returns 200 for any other tag', async () => {
    for (const path of [photoPath, tagPath, importPath, '/customer']) {
      const etag = await etagOf(path);
      for (const header of [
        '"x"',
        '',
        'x',
        etag.slice(1, -1),
        etag.toUpperCase().replace(/[A-F]/, 'x'),
        '"',
        'W/"x"',
      ]) {
        expect([header, (await actor.get(path, { 'if-none-match': header })).status]).toEqual([header, 200]);
      }
    }
  });

  test('returns 200 again after a change', async () => {
    const before = await etagOf(photoPath);
    await actor.patch(photoPath, { rating: 3 });
    expect((await actor.get(photoPath, { 'if-none-match': before })).status).toBe(200);
    await actor.patch(photoPath, { rating: null });
    expect((await actor.get(photoPath, { 'if-none-match': before })).status).toBe(200);
  });

  test('a 304 counts like any read', async () => {
    const etag = await etagOf(photoPath);
    const left = async () => Number((await actor.get('/tags')).headers['x-ratelimit-remaining']);
    const before = await left();
    await actor.get(photoPath, { 'if-none-match': etag });
    expect(await left()).toBe(before - 2);
  });
});

describe('If-Match', () => {
  const writes: readonly (readonly [string, string, () => string, unknown])[] = [
    ['PATCH of a photo', 'PATCH', () => photoPath, { title: 'x' }],
    ['PUT of its tags', 'PUT', () => `${photoPath}/tags`, { tagNames: ['x'] }],
    ['DELETE of a photo', 'DELETE', () => photoPath, undefined],
    ['DELETE of a photo for ever', 'DELETE', () => `${photoPath}?permanent=true`, undefined],
    ['PATCH of a tag', 'PATCH', () => tagPath, { color: '#000000' }],
    ['DELETE of a tag', 'DELETE', () => tagPath, undefined],
  ];

  test.each(writes)('%s: 412 with the current tag, and nothing is changed', async (_, method, path, body) => {
    const of = path().startsWith('/tags') ? tagPath : photoPath;
    const before = await actor.get(of);
    const { etag = '' } = before.headers;
    for (const header of ['"x"', 'W/"x"', '"x", "y"', '', 'x', etag.slice(1, -1)]) {
      const request = { method, path: `/api/v1${path()}`, body, headers: { 'if-match': header } };
      const answer = await actor.send(request);
      expect([header, ...code(answer)]).toEqual([header, 412, 'precondition_failed']);
      expect(answer.body.error.details).toEqual({ currentEtag: etag });
    }
    expect((await actor.get(of)).body).toEqual(before.body);
  });

  test.each(writes)(
    '%s: goes on with the tag, as a compressing proxy returns it, in a list',
    async (_, method, path, body) => {
      const of = path().startsWith('/tags') ? tagPath : photoPath;
      const header = `"x", W/${await etagOf(of)}`;
      const answer = await actor.send({ method, path: `/api/v1${path()}`, body, headers: { 'if-match': header } });
      expect(answer.status).toBeLessThan(300);
    },
  );

  test('accepts any existing resource for *', async () => {
    expect((await actor.patch(photoPath, { title: 'x' }, { 'if-match': '*' })).status).toBe(200);
    expect((await actor.delete(tagPath, { 'if-match': '*' })).status).toBe(204);
    expect(code(await actor.delete(tagPath, { 'if-match': '*' }))).toEqual([404, 'not_found']);
  });

  test('an id list with If-Match is 400', async () => {
    const ids = `${photoPath.split('/').at(-1)},999`;
    for (const answer of [
      await actor.patch(`/photos/${ids}`, { title: 'x' }, { 'if-match': '*' }),
      await actor.delete(`/photos/${ids}`, { 'if-match': '"x"' }),
    ]) {
      expect(answer.body.error.details.errors).toMatchObject([{ field: 'If-Match', code: 'conflict' }]);
    }
    expect((await actor.get(photoPath)).body.title).not.toBe('x');
  });

  test('fails for the second of two writers who read the same state', async () => {
    const etag = await etagOf(photoPath);
    const answers = await Promise.all(
      ['one', 'two'].map((title) => actor.patch(photoPath, { title }, { 'if-match': etag })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

describe('version', () => {
  const version = async (path: string) => (await actor.get(path)).body.version;

  test("counts direct changes, the photo's tag set included", async () => {
    const id = Number(tagPath.split('/').at(-1));
    expect(await version(photoPath)).toBe(1);
    await actor.patch(photoPath, { title: 'x' });
    await actor.put(`${photoPath}/tags`, { tagIds: [id] });
    await actor.put(`${photoPath}/tags`, { tagIds: [id] });
    expect(await version(photoPath)).toBe(3);
    await actor.patch(tagPath, { name: 'Rome' });
    expect([await version(photoPath), await version(tagPath)]).toEqual([3, 2]);
    const other = (await actor.post('/tags', { name: 'Roma' })).body.id;
    await actor.patch(`/tags/${other}`, { mergeTagIds: [id] });
    expect(await version(photoPath)).toBe(4);
    await actor.delete(`/tags/${other}`);
    expect(await version(photoPath)).toBe(5);
  });

  test('stays when a tag is renamed, although the photo shows the new name and has a new ETag', async () => {
    await actor.put(`${photoPath}/tags`, { tagIds: [Number(tagPath.split('/').at(-1))] });
    const before = await actor.get(photoPath);
    app.clock.pass(1000);
    await actor.patch(tagPath, { name: 'Rome' });
    const after = await actor.get(photoPath);
    expect(after.body).toEqual({ ...before.body, tags: [{ ...before.body.tags[0], name: 'Rome' }] });
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });
});

describe('PATCH, PUT, DELETE', () => {
  test.each(['application/json', 'application/merge-patch+json', 'Application/JSON; charset=utf-8'])(
    'PATCH takes %s',
    async (type) => {
      expect((await actor.patch(photoPath, '{"title":"x"}', { 'content-type': type })).body.title).toBe('x');
      expect((await actor.patch(tagPath, '{"name":"x"}', { 'content-type': type })).body.name).toBe('x');
    },
  );

  test('POST and PUT take no merge patch', async () => {
    const type = { 'content-type': 'application/merge-patch+json' };
    expect(code(await actor.post('/tags', '{"name":"x"}', type))).toEqual([415, 'unsupported_media_type']);
    expect(code(await actor.put(`${photoPath}/tags`, '{"tagIds":[]}', type))).toEqual([415, 'unsupported_media_type']);
  });

  test('an absent field is unchanged, null clears a field, and {} or an equal patch is 200 and changes nothing', async () => {
    await actor.patch(photoPath, { title: 't', description: 'd', rating: 3, metadata: { a: '1', b: '2' } });
    await actor.patch(tagPath, { color: '#ABCDEF', description: 'd' });
    app.clock.pass(1000);
    for (const [path, equal] of [
      [photoPath, { title: 't', rating: 3, metadata: { a: '1' }, trashed: false, rotation: 0 }],
      [tagPath, { name: 'Paris', color: '#abcdef' }],
    ] as const) {
      const before = await actor.get(path);
      for (const patch of [{}, equal]) {
        const answer = await actor.patch(path, patch);
        expect([answer.status, answer.body]).toEqual([200, before.body]);
        expect(answer.headers.etag).toBe(before.headers.etag);
      }
    }
    const cleared = await actor.patch(photoPath, { title: null, metadata: { a: null } });
    expect(cleared.body).toMatchObject({ title: null, description: 'd', rating: 3, metadata: { b: '2' }, version: 3 });
    expect((await actor.patch(tagPath, { color: null })).body).toMatchObject({ color: null, description: 'd' });
  });

  test('an equal patch changes no item of an import either', async () => {
    const photos = [{ filename: 'b.jpg', sizeBytes: 3, title: 't' }];
    const { id } = (await actor.post(`${importPath}/photos`, { photos })).body.data[0].photo;
    const before = await actor.get(`${importPath}?include=photos`);
    app.clock.pass(1000);
    const answer = await actor.patch(`${importPath}/photos/${id}`, {});
    expect(answer.status).toBe(200);
    expect(answer.body.updatedAt).toBe(before.body.photos.data[0].updatedAt);
    expect((await actor.get(importPath)).body.version).toBe(before.body.version);
  });

  test.each([
    ['photo', () => photoPath, ['filename', 'favorite', 'rotation', 'metadata', 'trashed']],
    ['tag', () => tagPath, ['name', 'addPhotoIds', 'removePhotoIds', 'mergeTagIds']],
  ] as const)('null on a field of a %s that cannot be empty is 400 not_nullable', async (_, path, fields) => {
    for (const field of fields) {
      const answer = await actor.patch(path(), { [field]: null });
      expect(answer.body.error.details.errors).toMatchObject([{ field, code: 'not_nullable' }]);
    }
  });

  test('a field that is only shown is 400 read_only, an internal one is unknown, and nothing is stored', async () => {
    const photos = [{ filename: 'b.jpg', sizeBytes: 3 }];
    const { id } = (await actor.post(`${importPath}/photos`, { photos })).body.data[0].photo;
    const itemPath = `${importPath}/photos/${id}`;
    const item = async () => (await actor.get(`${importPath}?include=photos`)).body.photos.data[0];
    const subjects = [
      { path: photoPath, read: async () => (await actor.get(photoPath)).body, writable: photoFields },
      { path: tagPath, read: async () => (await actor.get(tagPath)).body, writable: ['name', 'color', 'description'] },
      { path: itemPath, read: item, writable: [...photoFields, 'sha256', 'sizeBytes', 'status'] },
    ];
    for (const { path, read, writable } of subjects) {
      const before = await read();
      for (const field of Object.keys(before).filter((name) => !writable.includes(name))) {
        const answer = await actor.patch(path, { [field]: before[field] });
        expect(answer.body.error?.details.errors).toMatchObject([{ field, code: 'read_only' }]);
        // Where it names another way, it names one.
        expect(answer.body.error.message).toMatch(new RegExp(`^${field} is read-only: .+\\.$`));
      }
      for (const field of [
        'customerId',
        'blobKey',
        'blobName',
        'storageKey',
        'nameKey',
        'uploadId',
        'facts',
        'deletedAt',
      ]) {
        const answer = await actor.patch(path, { [field]: 1 });
        expect(answer.body.error.details.errors).toMatchObject([{ field, code: 'unknown_field' }]);
      }
      expect(await read()).toEqual(before);
    }
    const bodies = [
      ...(await Promise.all(
        [photoPath, tagPath, importPath, '/customer', '/me', '/photos'].map((at) => actor.get(at)),
      )),
      await actor.get(`${photoPath}?include=exif`),
    ].map(({ text }) => text);
    for (const word of [
      'customerId',
      'tokenHash',
      'nameKey',
      'blobName',
      'blobKey',
      'ipList',
      'uploadId',
      'staging/',
    ]) {
      for (const text of bodies) expect(text).not.toContain(`${word}`);
    }
  });

  const photoFields = [
    ...['filename', 'title', 'description', 'takenAt', 'takenAtLocal', 'timeZone', 'location', 'rating', 'rotation'],
    ...['focus', 'favorite', 'creator', 'copyright', 'externalId', 'metadata'],
  ];

  test('PUT of tags replaces the set, and repeating it changes nothing', async () => {
    const set = { tagNames: ['a', 'b'] };
    const first = await actor.put(`${photoPath}/tags`, set);
    expect(first.body.data.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    const { version } = (await actor.get(photoPath)).body;
    expect((await actor.put(`${photoPath}/tags`, set)).body).toEqual(first.body);
    expect((await actor.get(photoPath)).body.version).toBe(version);
    expect((await actor.put(`${photoPath}/tags`, { tagIds: [] })).body.data).toEqual([]);
  });

  test('DELETE is 204 without a body, 404 the second time, and 204 again with the same Idempotency-Key', async () => {
    for (const path of [tagPath, photoPath]) {
      const same = { 'idempotency-key': `delete ${path}`.replace(' ', '-') };
      const answers = [await actor.delete(path, same), await actor.delete(path), await actor.delete(path, same)];
      expect(answers.map(({ status }) => status)).toEqual([204, 404, 204]);
      for (const { status, bytes, headers } of answers) {
        if (status !== 204) continue;
        expect([bytes.length, headers['content-type'], headers['content-length']]).toEqual([0, undefined, undefined]);
      }
    }
  });

  test.each([
    ['JSON', '{"a":1}', 'application/json'],
    ['what is none', '{', 'application/json'],
    ['any type', 'x', 'text/plain'],
    ['2 MB', 'x'.repeat(2_000_000), 'application/octet-stream'],
  ])('a DELETE with a body, %s: it is ignored', async (_, body, type) => {
    const answer = await actor.send({
      method: 'DELETE',
      path: `/api/v1${tagPath}`,
      body,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(204);
  });
});
