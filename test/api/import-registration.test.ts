import type { Limits } from '../../src/core/customers/limits.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture, postFiles, sha256 } from './support/photos.js';
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

const open = async (body: object = {}, client = actor): Promise<number> =>
  (await client.post('/imports', body)).body.id;
const register = (id: number, ...photos: object[]): Promise<Answer> => actor.post(`/imports/${id}/photos`, { photos });
const errors = (answer: Answer) =>
  answer.body.error.details.errors.map((error: { field: string; code: string }) => [error.field, error.code]);
const outcomes = (answer: Answer) =>
  answer.body.data.map((each: { outcome: string; error: { code: string } | null }) => each.error?.code ?? each.outcome);
const total = async (id: number) => (await actor.get(`/imports/${id}`)).body.counts.total;
const hash = (text: string) => sha256(Buffer.from(text));
const wide = (count: number) => '𝕏'.repeat(count);

async function withLimits(limits: Partial<Limits>, work: (client: Actor, small: RunningApp) => Promise<void>) {
  const small = await startApp({ limits });
  try {
    await work(await small.customer(), small);
  } finally {
    await small.close();
  }
}

describe('POST /imports', () => {
  test.each([
    ['name of 200', { name: wide(200) }, {}],
    ['name trimmed and NFC', { name: ' e\u0301 ' }, { name: 'é' }],
    ['source of 100', { source: wide(100) }, {}],
    ['clientRef of 255', { clientRef: wide(255) }, {}],
    ['clientRef as it came', { clientRef: ' e\u0301\\/ ' }, {}],
    ['a zone', { defaultTimeZone: 'Asia/Kolkata' }, {}],
    ['an offset for a zone', { defaultTimeZone: '-09:30' }, {}],
    ['nulls', { name: null, source: null, clientRef: null, defaultTimeZone: null }, {}],
    ['no tags', { tagIds: [], tagNames: [] }, { tagIds: undefined, tagNames: undefined, tags: [] }],
  ])('takes %s', async (_, body, kept) => {
    const answer = await actor.post('/imports', body);
    const { tagIds: __, tagNames: ___, ...expected } = { ...body, ...kept } as Record<string, unknown>;
    expect([answer.status, answer.body]).toMatchObject([201, expected]);
  });

  test.each([
    ['name', 'too_long', { name: wide(201) }],
    ['name', 'invalid_format', { name: 'a\u0000' }],
    ['name', 'invalid_type', { name: 7 }],
    ['source', 'too_long', { source: wide(101) }],
    ['clientRef', 'too_long', { clientRef: wide(256) }],
    ['clientRef', 'too_long', { clientRef: ' '.repeat(256) }],
    ['clientRef', 'invalid_format', { clientRef: '\ud800' }],
    ['duplicatePolicy', 'not_nullable', { duplicatePolicy: null }],
    ['duplicatePolicy', 'invalid_type', { duplicatePolicy: true }],
    ['restoreTrashed', 'not_nullable', { restoreTrashed: null }],
    ['defaultTimeZone', 'invalid_format', { defaultTimeZone: 'Z' }],
    ['defaultTimeZone', 'invalid_format', { defaultTimeZone: '' }],
    ['tagIds', 'not_nullable', { tagIds: null }],
    ['tagIds', 'too_many', { tagIds: Array.from({ length: 101 }, (_, at) => at + 1) }],
    ['tagNames', 'too_long', { tagNames: [wide(101)] }],
    ['tagNames', 'invalid_format', { tagNames: ['a\u0007'] }],
    ['tagNames', 'invalid_format', { tagNames: ['\udc00'] }],
    ['tagNames', 'too_many', { tagNames: Array.from({ length: 101 }, (_, at) => `tag ${at}`) }],
    ['status', 'unknown_field', { status: 'open' }],
  ])('refuses %s: %s', async (field, code, body) => {
    const answer = await actor.post('/imports', body);
    expect([answer.status, errors(answer)]).toEqual([400, [[field, code]]]);
    expect((await actor.get('/customer')).body.usage).toMatchObject({ openImports: 0, tags: 0 });
  });

  test.each(['[]', '"open"', '7', 'null', '{'])('refuses the body %s', async (body) => {
    expect((await actor.post('/imports', body)).status).toBe(400);
  });

  test('clientRef: "unique among the customer\'s open imports", to the letter', async () => {
    const first = await open({ clientRef: 'Réf' });
    for (const other of ['réf', 'Réf ', 'Re\u0301f']) expect(await open({ clientRef: other })).not.toBe(first);
    expect(await open({ clientRef: 'Réf' }, await app.customer())).not.toBe(first);
    expect(await open({ clientRef: 'Réf' })).toBe(first);
    expect(await open({ clientRef: null })).not.toBe(await open({ clientRef: null }));
    expect(await open({ clientRef: '' })).not.toBe(await open({ clientRef: '' }));
  });

  test.each([
    ['commit', 'processing'],
    ['discard', 'cancelled'],
  ])('after %s the clientRef opens another', async (action, status) => {
    const id = await open({ clientRef: 'nightly' });
    await postFiles(actor, id, [{ filename: 'a.jpg', content: picture(`ref ${action}`) }]);
    expect((await actor.post(`/imports/${id}/finalize`, { action })).body.status).toBe(status);
    const again = await actor.post('/imports', { clientRef: 'nightly' });
    expect([again.status, again.body.id === id]).toEqual([201, false]);
  });

  test('"Same clientRef as an open import → 200", also with no room for one more', () =>
    withLimits({ openImports: 1 }, async (client) => {
      const { id } = (await client.post('/imports', { clientRef: 'r' })).body;
      const again = await client.post('/imports', { clientRef: 'r' });
      expect([again.status, again.body.id]).toEqual([200, id]);
      const refused = await client.post('/imports', {});
      expect([refused.status, refused.body.error.code]).toEqual([409, 'limit_reached']);
      await client.post(`/imports/${id}/finalize`);
      expect((await client.post('/imports', {})).status).toBe(201);
    }));

  test('"Unknown tagNames … are created at registration, need tags:write … and stay after a discard"', async () => {
    const narrow = await actor.withKey({ scopes: ['photos:write'] });
    const refused = await narrow.post('/imports', { tagNames: ['New'] });
    expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([
      403,
      'scope_required',
      { scope: 'tags:write' },
    ]);
    expect((await actor.get('/customer')).body.usage).toMatchObject({ openImports: 0, tags: 0 });
    const id = await open({ tagNames: ['New', ' NEW '] });
    expect((await actor.get(`/imports/${id}`)).body.tags).toMatchObject([{ name: 'New' }]);
    expect((await narrow.post('/imports', { tagNames: ['new'] })).status).toBe(201);
    await actor.post(`/imports/${id}/finalize`, { action: 'discard' });
    expect((await actor.get('/tags')).body.data).toMatchObject([{ name: 'New', photoCount: 0 }]);
  });

  test('tags "applied to every new photo", beside those of the item', async () => {
    const id = await open({ tagNames: ['Both', 'Import'] });
    const words = JSON.stringify([{ tagNames: ['Item', 'both'] }, {}]);
    const registered = await postFiles(actor, id, [
      { name: 'photos', content: words },
      { filename: '1.jpg', content: picture('tags 1') },
      { filename: '2.jpg', content: picture('tags 2') },
    ]);
    await app.work();
    await actor.post(`/imports/${id}/finalize`);
    await app.work();
    const tagsOf = async (at: number) =>
      (await actor.get(`/photos/${registered.body.data[at].photo.id}`)).body.tags.map(
        ({ name }: { name: string }) => name,
      );
    expect([await tagsOf(0), await tagsOf(1)]).toEqual([
      ['Both', 'Import', 'Item'],
      ['Both', 'Import'],
    ]);
  });
});

describe('GET /imports/{id}', () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ filename: `${at}.jpg`, sizeBytes: 1, clientRef: `${at}` }));

  test('with include=photos: 50 items by default, "by id ascending", to the end', async () => {
    const id = await open();
    await register(id, ...files(120));
    const walked: number[] = [];
    const pages: number[] = [];
    for (let cursor = ''; ; ) {
      const { photos } = (await actor.get(`/imports/${id}?include=photos${cursor && `&cursor=${cursor}`}`)).body;
      pages.push(photos.data.length);
      walked.push(...photos.data.map((item: { id: number }) => item.id));
      if (!photos.pagination.hasMore) break;
      cursor = photos.pagination.nextCursor;
    }
    expect(pages).toEqual([50, 50, 20]);
    expect(walked).toEqual([...new Set(walked)].sort((a, b) => a - b));
  });

  test('"with a fresh upload → a crashed client resumes with reads only"', async () => {
    const id = await open();
    const bytes = picture('resumed');
    await register(id, { filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes) });
    app.clock.pass(7 * 60 * 60 * 1000);
    const [{ upload }] = (await actor.get(`/imports/${id}?include=photos&photoStatus=awaiting_upload`)).body.photos
      .data;
    const put = { method: 'PUT', path: new URL(upload.url).pathname, headers: upload.headers, body: bytes };
    expect((await app.send(put)).status).toBe(204);
  });

  test.each(['awaiting_upload', 'fetching', 'processing', 'ready', 'imported', 'duplicate', 'failed', 'cancelled'])(
    'lists the items of one status with photoStatus=%s',
    async (status) => {
      const id = await open();
      await register(id, ...files(1));
      const { data } = (await actor.get(`/imports/${id}?include=photos&photoStatus=${status}`)).body.photos;
      expect(data).toHaveLength(status === 'awaiting_upload' ? 1 : 0);
    },
  );

  test.each([
    ['limit=5', [['limit', 'unknown_parameter']]],
    ['cursor=x', [['cursor', 'unknown_parameter']]],
    ['photoStatus=failed', [['photoStatus', 'unknown_parameter']]],
    [
      'photoStatus=failed&limit=1',
      [
        ['photoStatus', 'unknown_parameter'],
        ['limit', 'unknown_parameter'],
      ],
    ],
    ['include=photos&limit=101', [['limit', 'out_of_range']]],
    ['include=photos&photoStatus=', [['photoStatus', 'invalid_format']]],
    ['include=photos&photoStatus=failed&photoStatus=ready', [['photoStatus', 'invalid_type']]],
    ['include=', [['include', 'invalid_format']]],
    ['include=items', [['include', 'invalid_format']]],
    ['status=open', [['status', 'unknown_parameter']]],
  ])('"(without it they are 400)": refuses %s', async (query, expected) => {
    const answer = await actor.get(`/imports/${await open()}?${query}`);
    expect([answer.status, errors(answer)]).toEqual([400, expected]);
  });

  test('a cursor is of one import and one photoStatus', async () => {
    const [one, two] = [await open(), await open()];
    for (const id of [one, two]) await register(id, ...files(3));
    const { nextCursor } = (await actor.get(`/imports/${one}?include=photos&limit=1`)).body.photos.pagination;
    const ask = (id: number, more = '') => actor.get(`/imports/${id}?include=photos&cursor=${nextCursor}${more}`);
    expect((await ask(one, '&limit=2')).body.photos.data).toHaveLength(2);
    for (const refused of [await ask(two), await ask(one, '&photoStatus=awaiting_upload')]) {
      expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_cursor']);
    }
  });

  test('[spec] needs photos:write; a stranger’s import is as missing as none', async () => {
    const id = await open();
    const reader = await actor.withKey({ scopes: ['photos:read', 'customer:read', 'tags:read'] });
    const refused = await reader.get(`/imports/${id}`);
    expect([refused.status, refused.body.error.details]).toEqual([403, { scope: 'photos:write' }]);
    const stranger = await app.customer();
    for (const query of ['', '?include=photos']) {
      expect((await stranger.get(`/imports/${id}${query}`)).status).toBe(404);
      expect((await actor.get(`/imports/999999${query}`)).status).toBe(404);
    }
  });

  test('"While processing: Retry-After: 2", with photos too, and at no other time', async () => {
    const id = await open();
    const hint = async (query = '') => (await actor.get(`/imports/${id}${query}`)).headers['retry-after'];
    await postFiles(actor, id, [{ filename: 'a.jpg', content: picture('hint') }]);
    expect(await hint()).toBeUndefined();
    await actor.post(`/imports/${id}/finalize`);
    expect([await hint(), await hint('?include=photos')]).toEqual(['2', '2']);
    await app.work();
    expect([await hint(), await hint('?include=photos')]).toEqual([undefined, undefined]);
  });
});

describe('POST /imports/{id}/photos with JSON', () => {
  test('sha256: "hex or base64", kept as lower hex', async () => {
    const id = await open();
    const [hex, base64] = [hash('hex'), Buffer.from(hash('base64'), 'hex').toString('base64')];
    const answer = await register(
      id,
      { filename: 'a.jpg', sizeBytes: 1, sha256: hex.toUpperCase() },
      { filename: 'b.jpg', sizeBytes: 1, sha256: base64 },
      { filename: 'c.jpg', sizeBytes: 1, sha256: null },
    );
    expect(answer.body.data.map((each: { photo: { sha256: string } }) => each.photo.sha256)).toEqual([
      hex,
      hash('base64'),
      null,
    ]);
  });

  test('contentType is a "hint only"', async () => {
    const answer = await register(await open(), { filename: 'a.jpg', sizeBytes: 1, contentType: 'video/mp4' });
    expect(answer.body.data[0]).toMatchObject({ outcome: 'created', photo: { contentType: null } });
  });

  test('"a value that only this item gets wrong … → rejected, the others go on"; "Order = request order"', async () => {
    const id = await open();
    const good = (name: string) => ({ filename: name, sizeBytes: 1, sha256: hash(name) });
    const wrong: [object, string][] = [
      [{ filename: 'a/b.jpg' }, 'invalid_request'],
      [{ sizeBytes: 0 }, 'file_empty'],
      [{ sizeBytes: -1 }, 'invalid_request'],
      [{ sizeBytes: 1.5 }, 'invalid_request'],
      [{ sizeBytes: 2 ** 60 }, 'invalid_request'],
      [{ sizeBytes: 200 * 1024 * 1024 + 1 }, 'file_too_large'],
      [{ sha256: 'abc' }, 'invalid_request'],
      [{ sha256: '' }, 'invalid_request'],
      [{ sha256: `${'A'.repeat(42)}==` }, 'invalid_request'],
      [{ takenAt: 'yesterday' }, 'invalid_request'],
      [{ takenAt: '2024-01-01T00:00:00Z', timeZone: 'UTC' }, 'invalid_request'],
      [{ location: { latitude: 100, longitude: 0 } }, 'invalid_request'],
      [{ rating: 9 }, 'invalid_request'],
      [{ clientRef: 'x'.repeat(256) }, 'invalid_request'],
      [{ clientRef: '\u0000' }, 'invalid_request'],
      [{ metadata: { 'a b': 'c' } }, 'invalid_request'],
      [{ tagNames: ['fine', ''] }, 'invalid_request'],
      [{ tagNames: ['a\nb'] }, 'invalid_request'],
    ];
    const photos = wrong.flatMap(([words], at) => [{ ...good(`${at}.jpg`), ...words }, good(`good ${at}.jpg`)]);
    const answer = await register(id, ...photos);
    expect(answer.status).toBe(201);
    expect(outcomes(answer)).toEqual(wrong.flatMap(([, code]) => [code, 'created']));
    expect(answer.body.data.map((each: { index: number }) => each.index)).toEqual(photos.map((_, at) => at));
    for (const each of answer.body.data.filter((one: { outcome: string }) => one.outcome === 'rejected')) {
      expect(each).toEqual({
        index: each.index,
        outcome: 'rejected',
        photo: null,
        error: { code: expect.any(String), message: expect.stringMatching(/.{5}/) },
      });
    }
    expect(await total(id)).toBe(wrong.length);
    expect((await actor.get('/tags')).body.data).toEqual([]);
  });

  test('a size of the limit itself is taken', async () => {
    expect(outcomes(await register(await open(), { filename: 'a', sizeBytes: 200 * 1024 * 1024 }))).toEqual([
      'created',
    ]);
  });

  test('accepts 500 items in one request', async () => {
    const id = await open();
    const photos = Array.from({ length: 500 }, (_, at) => ({ filename: `${at}.jpg`, sizeBytes: at + 1 }));
    const answer = await register(id, ...photos);
    expect([answer.status, new Set(outcomes(answer))]).toEqual([201, new Set(['created'])]);
    expect(answer.body.import.counts).toMatchObject({ total: 500, awaitingUpload: 500 });
  });

  test('"Same clientRef again: other sha256 or sizeBytes than declared → rejected with client_ref_conflict"', async () => {
    const id = await open();
    const said = { filename: 'a.jpg', sizeBytes: 10, sha256: hash('a'), clientRef: 'r' };
    const [{ photo }] = (await register(id, { ...said, title: 'first' })).body.data;
    const again = await register(
      id,
      { ...said, sha256: hash('b') },
      { ...said, sizeBytes: 11 },
      { ...said, filename: 'other.jpg', title: 'second' },
      { ...said, sha256: null },
      { ...said, sha256: hash('c'), clientRef: 'R' },
    );
    expect(outcomes(again)).toEqual(['client_ref_conflict', 'client_ref_conflict', 'existing', 'existing', 'created']);
    // "otherwise existing, unchanged, with a fresh upload target".
    expect(again.body.data[2].photo).toEqual({ ...photo, upload: expect.objectContaining({ method: 'PUT' }) });
    const alone = await register(id, { ...said, sizeBytes: 11 });
    expect([alone.status, alone.body.error.code]).toEqual([422, 'no_photos_accepted']);
  });

  test('"Response … 200 (all existing)"; one that is new or duplicate makes it 201', async () => {
    const id = await open();
    const bytes = picture('in the library');
    await importPhotos(app, actor, [{ filename: 'a.jpg', content: bytes }]);
    const [one, two] = ['1', '2'].map((name) => ({ filename: name, sizeBytes: 1, clientRef: name }));
    const duplicate = { filename: 'a.jpg', sizeBytes: bytes.length, sha256: sha256(bytes), clientRef: 'd' };
    const statuses = [];
    for (const photos of [[one], [one], [one, { filename: '', sizeBytes: 1 }], [one, two], [duplicate], [duplicate]]) {
      const answer = await register(id, ...(photos as object[]));
      statuses.push([answer.status, ...outcomes(answer)]);
    }
    expect(statuses).toEqual([
      [201, 'created'],
      [200, 'existing'],
      [200, 'existing', 'invalid_request'],
      [201, 'existing', 'created'],
      [201, 'duplicate'],
      [200, 'existing'],
    ]);
  });

  test('without clientRef: "by sha256+filename of this import in a later request, while the same hash twice in one request is duplicate"', async () => {
    const id = await open();
    const said = { filename: 'a.jpg', sizeBytes: 1, sha256: hash('a') };
    const first = await register(id, said, said);
    expect(outcomes(first)).toEqual(['created', 'duplicate']);
    const later = await register(id, said);
    expect([later.status, outcomes(later), later.body.data[0].photo.id]).toEqual([
      200,
      ['existing'],
      first.body.data[0].photo.id,
    ]);
    expect(outcomes(await register(id, { ...said, filename: 'b.jpg' }))).toEqual(['duplicate']);
    expect(outcomes(await register(id, { filename: 'a.jpg', sizeBytes: 1 }))).toEqual(['created']);
  });

  test('an empty clientRef counts as absent', async () => {
    expect((await actor.post('/imports', { clientRef: '' })).body.clientRef).toBeNull();
    const id = await open();
    const files = ['a.jpg', 'b.jpg'].map((filename, at) => ({ filename, sizeBytes: at + 1, clientRef: '' }));
    const answer = await register(id, ...files);
    expect(outcomes(answer)).toEqual(['created', 'created']);
    expect(answer.body.data).toMatchObject(files.map(() => ({ photo: { clientRef: null } })));
    const inline = [
      { name: 'photos', content: JSON.stringify([{ clientRef: '' }]) },
      { filename: 'c.jpg', content: picture('c') },
    ];
    expect(outcomes(await postFiles(actor, id, inline))).toEqual(['created']);
  });

  test('a clientRef that occurs twice in one request makes one item', async () => {
    const id = await open();
    const said = { filename: 'a.jpg', sizeBytes: 1, clientRef: 'r' };
    const answer = await register(id, said, said);
    expect(outcomes(answer)).toEqual(['created', 'existing']);
    expect(answer.body.data[1].photo.id).toBe(answer.body.data[0].photo.id);
    expect(await total(id)).toBe(1);
  });

  test('"unknown tag id in a body" is 400 for the whole, and so are more than 100 tags', async () => {
    const id = await open({ tagNames: ['of the import'] });
    const ids = (
      await actor.post('/tags', { tags: Array.from({ length: 100 }, (_, at) => ({ name: `tag ${at}` })) })
    ).body.data.map((each: { tag: { id: number } }) => each.tag.id);
    const said = (tagIds: number[]) => ({ filename: 'a.jpg', sizeBytes: 1, tagIds });
    const unknown = await register(id, said([]), said([ids[0], 999999]));
    expect([unknown.status, errors(unknown)]).toEqual([400, [['photos[1].tagIds', 'unknown_tag']]]);
    const over = await register(id, said(ids));
    expect([over.status, errors(over)]).toEqual([400, [['photos[0].tagIds', 'too_many']]]);
    expect(await total(id)).toBe(0);
    expect((await register(id, said(ids.slice(1)))).status).toBe(201);
  });

  test('a new tag name needs tags:write, "and nothing changes"', async () => {
    const id = await open();
    const narrow = await actor.withKey({ scopes: ['photos:write'] });
    const photos = [
      { filename: 'a.jpg', sizeBytes: 1 },
      { filename: 'b.jpg', sizeBytes: 1, tagNames: ['New'] },
    ];
    const refused = await narrow.post(`/imports/${id}/photos`, { photos });
    expect([refused.status, refused.body.error.details]).toEqual([403, { scope: 'tags:write' }]);
    expect([await total(id), (await actor.get('/tags')).body.data]).toEqual([0, []]);
    expect((await register(id, ...photos)).body.data[1].photo.tags).toMatchObject([{ name: 'New' }]);
    expect((await narrow.post(`/imports/${id}/photos`, { photos: [{ ...photos[1], clientRef: 'n' }] })).status).toBe(
      201,
    );
  });

  test('"limit_reached (10,000 items)": 409, and nothing of the request is stored', () =>
    withLimits({ importMaxPhotos: 3 }, async (client) => {
      const id = await open({}, client);
      const file = (name: string) => ({ filename: name, sizeBytes: 1, clientRef: name });
      const ask = (...photos: object[]) => client.post(`/imports/${id}/photos`, { photos });
      expect((await ask(file('1'), file('2'))).status).toBe(201);
      const over = await ask(file('3'), file('4'));
      expect([over.status, over.body.error]).toMatchObject([
        409,
        { code: 'limit_reached', details: { limit: 3, name: 'importMaxPhotos' } },
      ]);
      expect((await client.get(`/imports/${id}`)).body.counts.total).toBe(2);
      expect((await ask(file('1'), file('2'), file('3'))).status).toBe(201);
    }));

  test.each([
    ['photos[0].filename', { filename: 7 }, 'invalid_type'],
    ['photos[0].filename', { filename: null }, 'not_nullable'],
    ['photos[0].sizeBytes', { sizeBytes: null }, 'not_nullable'],
    ['photos[0].sha256', { sha256: 7 }, 'invalid_type'],
    ['photos[0].title', { title: ['a'] }, 'invalid_type'],
    ['photos[0].rating', { rating: '5' }, 'invalid_type'],
    ['photos[0].location', { location: 'here' }, 'invalid_type'],
    ['photos[0].location.latitude', { location: { latitude: null, longitude: 1 } }, 'not_nullable'],
    ['photos[0].location.city', { location: { latitude: 1, longitude: 1, city: 'x' } }, 'unknown_field'],
    ['photos[0].metadata', { metadata: ['a'] }, 'invalid_type'],
    ['photos[0].metadata', { metadata: null }, 'not_nullable'],
    ['photos[0].tagIds', { tagIds: ['1'] }, 'invalid_type'],
    ['photos[0].tagNames', { tagNames: [7] }, 'invalid_type'],
    ['photos[0].status', { status: 'ready' }, 'unknown_field'],
    ['photos[0].rotation', { rotation: 90 }, 'unknown_field'],
    ['photos[0].focus', { focus: { x: 0.5, y: 0.5 } }, 'unknown_field'],
  ])('"a field of the wrong type → 400, nothing stored": %s %j', async (field, words, code) => {
    const id = await open();
    const answer = await register(
      id,
      { filename: 'a.jpg', sizeBytes: 1, ...words },
      { filename: 'b.jpg', sizeBytes: 1 },
    );
    expect([answer.status, errors(answer)]).toEqual([400, [[field, code]]]);
    expect(await total(id)).toBe(0);
  });

  test('415 names the two kinds of body', async () => {
    const id = await open();
    const answer = await actor.post(`/imports/${id}/photos`, 'photos=1', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([answer.status, answer.body.error.details]).toEqual([
      415,
      { accepted: ['application/json', 'multipart/form-data'] },
    ]);
    expect((await actor.send({ method: 'POST', path: `/api/v1/imports/${id}/photos` })).status).toBe(400);
  });
});

describe('POST /imports/{id}/photos with files', () => {
  const words = (...photos: object[]) => ({ name: 'photos', content: JSON.stringify(photos) });

  test.each([
    [{ sizeBytes: 1 }, 'size_mismatch'],
    [{ sha256: '0'.repeat(64) }, 'checksum_mismatch'],
    [{ sha256: 'abc' }, 'invalid_request'],
    [{ sha256: '' }, 'invalid_request'],
    [{ filename: 'a/b.jpg' }, 'invalid_request'],
    [{ clientRef: '\u0000' }, 'invalid_request'],
    [{ rating: 6 }, 'invalid_request'],
    [{ tagNames: [' '] }, 'invalid_request'],
  ])('%j is rejected, and the next file is accepted', async (said, code) => {
    const id = await open();
    const answer = await postFiles(actor, id, [
      words(said, {}),
      { filename: 'a.jpg', content: picture(`wrong ${code}`) },
      { filename: 'b.jpg', content: picture(`right ${code}`) },
    ]);
    expect([answer.status, outcomes(answer)]).toEqual([201, [code, 'created']]);
  });

  test('an image type that is not accepted is unsupported_format', async () => {
    const answer = await postFiles(actor, await open(), [
      { filename: 'a.jpg', content: picture('video', { contentType: 'video/mp4' }) },
    ]);
    expect([answer.status, answer.body.error.details.results[0].error.code]).toEqual([422, 'unsupported_format']);
  });

  test('a file whose damage only decoding reveals becomes an item that fails', async () => {
    const id = await open();
    await postFiles(actor, id, [
      { filename: 'broken.jpg', content: '{"picture":"broken"}' },
      { filename: 'huge.jpg', content: picture('huge', { width: 65_000, height: 65_000 }) },
    ]);
    await app.work();
    const { data } = (await actor.get(`/imports/${id}?include=photos&photoStatus=failed`)).body.photos;
    expect(data.map((item: { error: { code: string } }) => item.error.code)).toEqual([
      'decode_failed',
      'too_many_pixels',
    ]);
  });

  test('a clientRef that is known is existing, and keeps the bytes of the first request', async () => {
    const id = await open();
    const send = (content: Uint8Array) =>
      postFiles(actor, id, [words({ clientRef: 'r' }), { filename: 'a.jpg', content }]);
    const bytes = picture('by ref');
    expect(outcomes(await send(bytes))).toEqual(['created']);
    const again = await send(bytes);
    expect([again.status, outcomes(again)]).toEqual([200, ['existing']]);
    const other = await send(picture('other bytes'));
    expect([other.status, other.body.error.details.results[0].error.code]).toEqual([422, 'client_ref_conflict']);
  });

  test('the values of a file may be all fields that an item of the JSON may have', async () => {
    const id = await open();
    const said = {
      title: 'T',
      description: 'D',
      takenAtLocal: '2024-12-21T23:39:24',
      timeZone: 'Europe/Paris',
      location: { latitude: 1, longitude: 2, altitude: 3 },
      rating: 1,
      externalId: 'e',
      metadata: { a: 'b' },
      clientRef: 'r',
    };
    const content = picture('all words');
    const all = { ...said, filename: 'named.jpg', sizeBytes: content.length, contentType: 'x/y', tagNames: ['T'] };
    const answer = await postFiles(actor, id, [words(all), { filename: 'part.jpg', content }]);
    expect(answer.body.data[0].photo).toMatchObject({ ...said, filename: 'named.jpg', tags: [{ name: 'T' }] });
  });
});
