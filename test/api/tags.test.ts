import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  actor = await app.customer();
});
afterAll(() => app.close());

const make = async (name: string) => (await actor.post('/tags', { name })).body;
const names = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map((tag) => tag.name);
const at = (instant: Date) => instant.toISOString();

describe('POST /tags', () => {
  test('creates a tag and returns its Location', async () => {
    const answer = await actor.post('/tags', { name: '  Paris   at night ', color: '#3366FF', description: null });
    expect(answer.status).toBe(201);
    const { id } = answer.body;
    expect(answer.headers.location).toBe(`/api/v1/tags/${id}`);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      name: 'Paris at night',
      color: '#3366ff',
      description: null,
      photoCount: 0,
      createdAt: at(app.clock.now()),
      updatedAt: at(app.clock.now()),
      version: 1,
    });
    expect((await actor.get(`/tags/${id}`)).body).toEqual(answer.body);
  });

  test('a name is taken whatever its case, and ifExists=return gives the tag that has it', async () => {
    const paris = await make('Straße');
    const taken = await actor.post('/tags', { name: 'STRASSE' });
    expect([taken.status, taken.body.error.code, taken.body.error.details]).toEqual([
      409,
      'tag_name_taken',
      { tagId: paris.id },
    ]);
    const returned = await actor.post('/tags?ifExists=return', { name: 'STRASSE' });
    expect([returned.status, returned.body]).toEqual([200, paris]);
    expect((await actor.post('/tags?ifExists=maybe', { name: 'x' })).status).toBe(400);
  });

  test('creates one tag for twenty simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => actor.post('/tags', { name: 'rush' })));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...Array(19).fill(409)]);
  });

  test.each([
    [{}, [['name', 'required']]],
    [{ name: null }, [['name', 'not_nullable']]],
    [{ name: 7 }, [['name', 'invalid_type']]],
    [{ name: '   ' }, [['name', 'too_short']]],
    [{ name: 'x'.repeat(101) }, [['name', 'too_long']]],
    [{ name: 'a\tb' }, [['name', 'invalid_format']]],
    [{ name: 'a', color: 'red' }, [['color', 'invalid_format']]],
    [{ name: 'a', description: 'x'.repeat(1001) }, [['description', 'too_long']]],
    [
      { name: 'a', photoCount: 7, colour: '#123456' },
      [
        ['photoCount', 'read_only'],
        ['colour', 'unknown_field'],
      ],
    ],
    [['a'], [['body', 'invalid_type']]],
    ['"a"', [['body', 'invalid_type']]],
    ['null', [['body', 'invalid_type']]],
  ])('refuses %j', async (body, expected) => {
    const answer = await actor.post('/tags', body);
    expect(answer.status).toBe(400);
    expect(
      answer.body.error.details.errors.map((error: { field: string; code: string }) => [error.field, error.code]),
    ).toEqual(expected);
    expect((await actor.get('/tags')).body.data).toEqual([]);
  });
});

describe('GET /tags', () => {
  test('filters and sorts tags', async () => {
    const ids: number[] = [];
    for (const name of ['Zürich', 'Ana', 'École', 'zoo']) ids.push((await make(name)).id);
    expect(names(await actor.get('/tags'))).toEqual(['Ana', 'zoo', 'Zürich', 'École']);
    expect(names(await actor.get('/tags?sort=-name'))).toEqual(['École', 'Zürich', 'zoo', 'Ana']);
    expect(names(await actor.get('/tags?sort=-id'))).toEqual(['zoo', 'École', 'Ana', 'Zürich']);
    expect(names(await actor.get('/tags?q=ZUR'))).toEqual(['Zürich']);
    expect(names(await actor.get('/tags?q=%25'))).toEqual([]);
    expect(names(await actor.get(`/tags?name=${encodeURIComponent('éCOLE')}`))).toEqual(['École']);
    expect(names(await actor.get('/tags?name=Zur'))).toEqual([]);
    expect(names(await actor.get(`/tags?ids=${ids[0]},${ids[3]},999999`))).toEqual(['zoo', 'Zürich']);
    expect(names(await actor.get('/tags?unused=false'))).toEqual([]);
    expect(names(await actor.get('/tags?unused=true&limit=1'))).toEqual(['Ana']);
  });

  describe('q, "substring, case/accent-insensitive"', () => {
    const all = ['100%', '1000', 'C', 'C++', 'Café-Bar', 'Xmas 🎄', 'a_b', 'café bar'];
    test.each([
      ['é-b', ['Café-Bar']],
      ['E-B', ['Café-Bar']],
      ['afe', ['Café-Bar', 'café bar']],
      ['fe b', ['Café-Bar', 'café bar']],
      ['100%', ['100%']],
      ['100', ['100%', '1000']],
      ['c++', ['C++']],
      ['+', ['C++']],
      ['_', ['a_b']],
      ['🎄', ['Xmas 🎄']],
      ['🎃', []],
    ])('%s', async (q, expected) => {
      await actor.post('/tags', { tags: all.map((name) => ({ name })) });
      expect(names(await actor.get(`/tags?q=${encodeURIComponent(q)}`)).sort()).toEqual(expected);
    });
  });

  test.each([
    'sort=photoCount',
    'ids=1,x',
    'ids=',
    `ids=${Array(101).fill(1).join()}`,
    'unused=yes',
    'q=',
    `q=${'x'.repeat(201)}`,
    'q=%00',
  ])('refuses %s', async (query) => {
    expect((await actor.get(`/tags?${query}`)).body.error.code).toBe('invalid_request');
  });
});

describe('PATCH and DELETE /tags/{id}', () => {
  test('changes the given fields only, and makes no version without a change', async () => {
    const { id } = await make('Paris');
    app.clock.pass(1000);
    const changed = await actor.patch(
      `/tags/${id}`,
      { color: '#aabbcc' },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(changed.body).toMatchObject({ name: 'Paris', color: '#aabbcc', version: 2, updatedAt: at(app.clock.now()) });
    app.clock.pass(1000);
    for (const body of [{}, { color: '#AABBCC' }, { name: 'Paris' }]) {
      expect((await actor.patch(`/tags/${id}`, body)).body).toEqual(changed.body);
    }
    expect((await actor.patch(`/tags/${id}`, { color: null, name: 'PARIS' })).body).toMatchObject({
      name: 'PARIS',
      color: null,
      version: 3,
    });
  });

  test("another tag's name is 409", async () => {
    const [one, two] = [await make('one'), await make('two')];
    const answer = await actor.patch(`/tags/${one.id}`, { name: 'TWO' });
    expect([answer.status, answer.body.error.details.tagId]).toEqual([409, two.id]);
  });

  test('a deleted tag is gone, from its photos too', async () => {
    const { id } = await make('gone');
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
    await actor.put(`/photos/${photo.id}/tags`, { tagIds: [id] });
    expect((await actor.get(`/tags/${id}`)).body.photoCount).toBe(1);
    const answer = await actor.delete(`/tags/${id}`);
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    expect((await actor.delete(`/tags/${id}`)).status).toBe(404);
    expect((await actor.get(`/photos/${photo.id}`)).body).toMatchObject({ tags: [], version: 3 });
  });

  test('a photo of an import gets the tag into which its own was merged', async () => {
    const [from, into] = [await make('from'), await make('into')];
    const { id } = (await actor.post('/imports')).body;
    const bytes = picture('a');
    const photos = [{ filename: 'a.jpg', sizeBytes: bytes.length, tagIds: [from.id] }];
    const { photo } = (await actor.post(`/imports/${id}/photos`, { photos })).body.data[0];
    expect((await actor.patch(`/tags/${into.id}`, { mergeTagIds: [from.id] })).status).toBe(200);
    const tags = [{ id: into.id, name: 'into' }];
    expect((await actor.get(`/imports/${id}?include=photos`)).body.photos.data).toMatchObject([{ id: photo.id, tags }]);
    const { url, headers } = photo.upload;
    await app.send({ method: 'PUT', path: new URL(url).pathname, headers, body: bytes });
    await actor.post(`/imports/${id}/finalize`);
    await app.work();
    expect((await actor.get(`/photos/${photo.id}`)).body.tags).toEqual(tags);
    expect((await actor.get(`/tags/${into.id}`)).body.photoCount).toBe(1);
  });

  test("another customer's tag is answered like one that does not exist", async () => {
    const { id } = await make('mine');
    const stranger = await app.customer();
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const [foreign, never] = await Promise.all(
        [id, 999999].map((tagId) =>
          stranger.send({ method, path: `/api/v1/tags/${tagId}`, body: method === 'PATCH' ? {} : undefined }),
        ),
      );
      expect([foreign?.status, foreign?.body.error.details]).toEqual([404, { resource: 'tag' }]);
      expect({ ...foreign?.body.error, requestId: '' }).toEqual({ ...never?.body.error, requestId: '' });
    }
    expect((await actor.get(`/tags/${id}`)).status).toBe(200);
  });

  test('a body of DELETE is ignored', async () => {
    const { id } = await make('a');
    const answer = await actor.send({
      method: 'DELETE',
      path: `/api/v1/tags/${id}`,
      body: 'anything',
      headers: { 'content-type': 'x/y' },
    });
    expect(answer.status).toBe(204);
  });
});

describe('conditions', () => {
  test('If-None-Match saves the body, If-Match guards the change', async () => {
    const { id } = await make('Paris');
    const { etag = '' } = (await actor.get(`/tags/${id}`)).headers;
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      expect((await actor.get(`/tags/${id}`, { 'if-none-match': header })).status).toBe(304);
    }
    expect((await actor.get(`/tags/${id}`, { 'if-none-match': '"x"' })).status).toBe(200);
    const changed = await actor.patch(`/tags/${id}`, { color: '#000000' }, { 'if-match': etag });
    expect([changed.status, changed.headers.etag]).toEqual([200, (await actor.get(`/tags/${id}`)).headers.etag]);
    for (const [method, body] of [
      ['PATCH', { color: null }],
      ['DELETE', undefined],
    ] as const) {
      const stale = await actor.send({ method, path: `/api/v1/tags/${id}`, body, headers: { 'if-match': etag } });
      expect([stale.status, stale.body.error.code, stale.body.error.details]).toEqual([
        412,
        'precondition_failed',
        { currentEtag: changed.headers.etag },
      ]);
    }
    expect((await actor.delete(`/tags/${id}`, { 'if-match': '*' })).status).toBe(204);
  });

  test('a missing tag is 404, whatever the condition', async () => {
    expect((await actor.delete('/tags/999999', { 'if-match': '"x"' })).status).toBe(404);
  });
});
