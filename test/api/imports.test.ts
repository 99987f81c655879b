import { forgetImports } from '../../src/core/imports/expire.js';
import { DAY } from '../../src/core/shared/clock.js';
import { picture, postFiles, sha256 } from './support/photos.js';
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

const now = () => app.clock.now().toISOString();
const nothing = {
  total: 0,
  awaitingUpload: 0,
  fetching: 0,
  processing: 0,
  ready: 0,
  imported: 0,
  duplicate: 0,
  failed: 0,
  cancelled: 0,
};
const open = async (body: object = {}) => (await actor.post('/imports', body)).body;
const errors = (answer: { body: { error: { details: { errors: { field: string; code: string }[] } } } }) =>
  answer.body.error.details.errors.map((error) => [error.field, error.code]);

/** What registering this picture takes. */
function item(bytes: Uint8Array, filename = 'a.jpg') {
  return { filename, sizeBytes: bytes.length, sha256: sha256(bytes), clientRef: filename };
}

/** Sends bytes where the item's upload says. */
function put(upload: { url: string; headers: Record<string, string> }, bytes: Uint8Array) {
  return app.send({ method: 'PUT', path: new URL(upload.url).pathname, body: bytes, headers: upload.headers });
}

describe('POST /imports', () => {
  test('opens an import, with or without a body', async () => {
    const answer = await actor.send({ method: 'POST', path: '/api/v1/imports' });
    expect([answer.status, answer.headers.location]).toEqual([201, `/api/v1/imports/${answer.body.id}`]);
    expect(answer.body).toEqual({
      id: expect.any(Number),
      status: 'open',
      name: null,
      source: null,
      clientRef: null,
      duplicatePolicy: 'skip',
      restoreTrashed: true,
      defaultTimeZone: null,
      dateFromFilename: false,
      tagDuplicates: false,
      keywordsAsTags: false,
      tags: [],
      counts: nothing,
      totalBytes: 0,
      progress: 0,
      apiKeyId: actor.keyId,
      createdAt: now(),
      updatedAt: now(),
      expiresAt: new Date(app.clock.now().getTime() + 7 * DAY).toISOString(),
      finalizedAt: null,
      completedAt: null,
      version: 1,
    });
    const form = await actor.send({
      method: 'POST',
      path: '/api/v1/imports',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' },
    });
    expect(form.status).toBe(201);
  });

  test('stores the given settings', async () => {
    const tag = (await actor.post('/tags', { name: 'Paris' })).body;
    const body = {
      name: 'Paris shoot',
      source: 'phs-cli/1.2',
      clientRef: 'laptop:/paris',
      duplicatePolicy: 'allow',
      restoreTrashed: false,
      defaultTimeZone: 'Europe/Paris',
      dateFromFilename: true,
      tagDuplicates: true,
      keywordsAsTags: true,
    };
    const answer = await actor.post('/imports', { ...body, tagIds: [tag.id], tagNames: ['New'] });
    expect(answer.body).toMatchObject({ ...body, tags: [{ name: 'New' }, { id: tag.id, name: 'Paris' }] });
    expect((await actor.get(`/imports/${answer.body.id}`)).body).toEqual(answer.body);
  });

  test('returns the existing import for the same clientRef while it is open', async () => {
    const first = await actor.post('/imports', { clientRef: 'r' });
    const second = await actor.post('/imports', { clientRef: 'r', name: 'other' });
    expect([first.status, second.status, second.body]).toEqual([201, 200, first.body]);
    expect(second.headers.location).toBeUndefined();
    await actor.post(`/imports/${first.body.id}/finalize`, { action: 'discard' });
    expect((await actor.post('/imports', { clientRef: 'r' })).status).toBe(201);
  });

  test.each([
    [{ name: 'x'.repeat(201) }, ['name', 'too_long']],
    [{ defaultTimeZone: 'Mars/Olympus' }, ['defaultTimeZone', 'invalid_format']],
    [{ duplicatePolicy: 'maybe' }, ['duplicatePolicy', 'invalid_format']],
    [{ restoreTrashed: 'no' }, ['restoreTrashed', 'invalid_type']],
    [{ tagIds: [999999] }, ['tagIds', 'unknown_tag']],
    [{ photos: [] }, ['photos', 'unknown_field']],
  ])('refuses %j', async (body, expected) => {
    const answer = await actor.post('/imports', body);
    expect([answer.status, errors(answer)]).toEqual([400, [expected]]);
  });

  test('the limit of open imports is 409', async () => {
    const small = await startApp({ limits: { openImports: 1 } });
    try {
      const one = await small.customer();
      await one.post('/imports');
      const answer = await one.post('/imports');
      expect([answer.status, answer.body.error]).toMatchObject([
        409,
        { code: 'limit_reached', details: { limit: 1, name: 'openImports' } },
      ]);
    } finally {
      await small.close();
    }
  });
});

describe('registering by JSON', () => {
  test('gives each file its place, and a target for its bytes', async () => {
    const { id } = await open();
    const bytes = picture('one');
    const answer = await actor.post(`/imports/${id}/photos`, {
      photos: [{ ...item(bytes), title: 'T', rating: 3, metadata: { a: 'b' }, contentType: 'image/x' }],
    });
    expect(answer.status).toBe(201);
    expect(answer.body.import).toMatchObject({
      id,
      counts: { ...nothing, total: 1, awaitingUpload: 1 },
      totalBytes: bytes.length,
    });
    expect(answer.body.data).toEqual([
      {
        index: 0,
        outcome: 'created',
        error: null,
        photo: {
          id: expect.any(Number),
          importId: id,
          clientRef: 'a.jpg',
          status: 'awaiting_upload',
          photoId: null,
          restored: false,
          filename: 'a.jpg',
          sizeBytes: bytes.length,
          sha256: sha256(bytes),
          contentType: null,
          width: null,
          height: null,
          title: 'T',
          description: null,
          takenAt: null,
          takenAtLocal: null,
          timeZone: null,
          location: null,
          rating: 3,
          favorite: null,
          creator: null,
          copyright: null,
          externalId: null,
          metadata: { a: 'b' },
          tags: [],
          error: null,
          upload: {
            method: 'PUT',
            protocols: ['put', 'tus'],
            url: expect.stringMatching(/^http:\/\/photos\.test\/uploads\/[\w-]+$/),
            headers: { 'content-length': String(bytes.length) },
            expiresAt: new Date(app.clock.now().getTime() + DAY / 4).toISOString(),
          },
          createdAt: now(),
          updatedAt: now(),
        },
      },
    ]);
  });

  test('an invalid file does not stop the others, a repeated one is existing, and a batch of known ones is 200', async () => {
    const { id } = await open();
    const good = item(picture('one'));
    const bad = { filename: 'big.jpg', sizeBytes: 10 ** 12 };
    const answer = await actor.post(`/imports/${id}/photos`, { photos: [good, bad, { ...good, clientRef: 'twin' }] });
    expect(answer.status).toBe(201);
    expect(answer.body.data.map((result: { outcome: string }) => result.outcome)).toEqual([
      'created',
      'rejected',
      'duplicate',
    ]);
    expect(answer.body.data[1]).toMatchObject({ index: 1, photo: null, error: { code: 'file_too_large' } });
    const again = await actor.post(`/imports/${id}/photos`, { photos: [good] });
    expect([again.status, again.body.data[0].outcome]).toEqual([200, 'existing']);
  });

  test('a batch without an accepted file is 422, and nothing is stored', async () => {
    const { id } = await open();
    const answer = await actor.post(`/imports/${id}/photos`, {
      photos: [
        { filename: '../x', sizeBytes: 1 },
        { filename: 'y', sizeBytes: 0 },
      ],
    });
    expect([answer.status, answer.body.error.code]).toEqual([422, 'no_photos_accepted']);
    expect(answer.body.error.details.results).toMatchObject([
      { index: 0, outcome: 'rejected', photo: null, error: { code: 'invalid_request' } },
      { index: 1, outcome: 'rejected', photo: null, error: { code: 'file_empty' } },
    ]);
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(0);
  });

  test.each([
    [{}, [['photos', 'required']]],
    [{ photos: null }, [['photos', 'not_nullable']]],
    [{ photos: {} }, [['photos', 'invalid_type']]],
    [{ photos: [] }, [['photos', 'too_short']]],
    [{ photos: Array(501).fill({ filename: 'a', sizeBytes: 1 }) }, [['photos', 'too_many']]],
    [{ photos: [{ filename: 'a', sizeBytes: 1 }], dryRun: true }, [['dryRun', 'unknown_field']]],
    [
      { photos: [{ filename: 'a', sizeBytes: 1, size: 1 }, null] },
      [
        ['photos[0].size', 'unknown_field'],
        ['photos[1]', 'invalid_type'],
      ],
    ],
    [
      { photos: [{ sizeBytes: '1' }] },
      [
        ['photos[0].filename', 'required'],
        ['photos[0].sizeBytes', 'invalid_type'],
      ],
    ],
    [
      { photos: [{ filename: 'a', sizeBytes: 1, location: { latitude: 1 } }] },
      [['photos[0].location.longitude', 'required']],
    ],
    [{ photos: [{ filename: 'a', sizeBytes: 1, metadata: { a: null } }] }, [['photos[0].metadata', 'invalid_type']]],
  ])('a wrong shape stores nothing, row %#', async (body, expected) => {
    const { id } = await open();
    const answer = await actor.post(`/imports/${id}/photos`, body);
    expect([answer.status, errors(answer).sort()]).toEqual([400, expected]);
    expect((await actor.get(`/imports/${id}`)).body.counts.total).toBe(0);
  });

  test('a body may have 5 MB, while other endpoints allow 1 MB', async () => {
    const { id } = await open();
    const photos = [{ filename: 'a.jpg', sizeBytes: 1, description: 'x'.repeat(2_000_000) }];
    expect((await actor.post(`/imports/${id}/photos`, { photos })).status).toBe(422);
    const over = await actor.post(`/imports/${id}/photos`, {
      photos: [{ filename: 'a.jpg', sizeBytes: 1, description: 'x'.repeat(6_000_000) }],
    });
    expect([over.status, over.body.error.details]).toEqual([413, { maxBytes: 5 * 1024 * 1024 }]);
  });

  test('an import that is missing, another customer’s or ended is refused', async () => {
    const body = { photos: [item(picture('x'))] };
    expect((await actor.post('/imports/999999/photos', body)).body.error.details).toEqual({ resource: 'import' });
    const { id } = await open();
    expect((await (await app.customer()).post(`/imports/${id}/photos`, body)).status).toBe(404);
    await actor.post(`/imports/${id}/finalize`);
    const over = await actor.post(`/imports/${id}/photos`, body);
    expect([over.status, over.body.error]).toMatchObject([
      409,
      { code: 'import_not_open', details: { status: 'completed' } },
    ]);
  });
});

describe('a whole import', () => {
  test('publishes each photo under the id of its item', async () => {
    const { id } = await open({ tagNames: ['Trip'] });
    const bytes = picture('one');
    const [{ photo }] = (await actor.post(`/imports/${id}/photos`, { photos: [item(bytes)] })).body.data;
    expect((await put(photo.upload, bytes)).status).toBe(204);
    const finalized = await actor.post(`/imports/${id}/finalize`);
    expect([finalized.status, finalized.headers.location, finalized.headers['retry-after']]).toEqual([
      202,
      `/api/v1/imports/${id}`,
      '2',
    ]);
    expect(finalized.body).toMatchObject({ status: 'processing', expiresAt: null, finalizedAt: now() });
    const looking = await actor.get(`/imports/${id}`);
    expect([looking.status, looking.headers['retry-after']]).toEqual([200, '2']);
    await app.work();
    const ended = await actor.get(`/imports/${id}?include=photos`);
    expect(ended.headers['retry-after']).toBeUndefined();
    expect(ended.body).toMatchObject({
      status: 'completed',
      progress: 1,
      completedAt: now(),
      counts: { ...nothing, total: 1, imported: 1 },
    });
    expect(ended.body.photos.data).toMatchObject([
      { id: photo.id, status: 'imported', photoId: photo.id, upload: null },
    ]);
    expect((await actor.get(`/photos/${photo.id}`)).body).toMatchObject({
      title: 'one',
      importId: id,
      tags: [{ name: 'Trip' }],
    });
    expect((await actor.get(`/photos/${photo.id}/download`)).bytes.equals(bytes)).toBe(true);
    const again = await actor.post(`/imports/${id}/finalize`);
    expect([again.status, again.body.status]).toEqual([200, 'completed']);
  });

  test('uploads nothing when it is run again', async () => {
    const bytes = picture('one');
    const first = await open();
    const [{ photo }] = (await actor.post(`/imports/${first.id}/photos`, { photos: [item(bytes)] })).body.data;
    await put(photo.upload, bytes);
    await actor.post(`/imports/${first.id}/finalize`);
    await app.work();
    const second = await open();
    const [result] = (await actor.post(`/imports/${second.id}/photos`, { photos: [item(bytes)] })).body.data;
    expect(result).toMatchObject({
      outcome: 'duplicate',
      photo: { status: 'duplicate', photoId: photo.id, restored: false, upload: null },
    });
  });
});

describe('GET /imports/{id}', () => {
  test('pages through the items by id, filtered by their state, with fresh targets', async () => {
    const { id } = await open();
    const pictures = ['a', 'b', 'c'].map((title) => item(picture(title), `${title}.jpg`));
    const registered = (await actor.post(`/imports/${id}/photos`, { photos: pictures })).body.data;
    const first = await actor.get(`/imports/${id}?include=photos&limit=2&photoStatus=awaiting_upload,failed`);
    expect(first.body.photos.data.map((photo: { filename: string }) => photo.filename)).toEqual(['a.jpg', 'b.jpg']);
    const { nextCursor } = first.body.photos.pagination;
    const second = await actor.get(
      `/imports/${id}?include=photos&limit=2&photoStatus=awaiting_upload,failed&cursor=${nextCursor}`,
    );
    expect(second.body.photos).toMatchObject({
      data: [{ filename: 'c.jpg' }],
      pagination: { nextCursor: null, hasMore: false },
    });
    app.clock.pass(1000);
    const fresh = (await actor.get(`/imports/${id}?include=photos`)).body.photos.data[0].upload;
    expect(fresh.expiresAt).not.toBe(registered[0].photo.upload.expiresAt);
    expect((await actor.get(`/imports/${id}?include=photos&photoStatus=imported`)).body.photos.data).toEqual([]);
  });

  test('is 304 for a client that has the current state, but not with photos', async () => {
    const { id } = await open();
    const { etag = '' } = (await actor.get(`/imports/${id}`)).headers;
    expect((await actor.get(`/imports/${id}`, { 'if-none-match': etag })).status).toBe(304);
    const full = await actor.get(`/imports/${id}?include=photos`, { 'if-none-match': etag });
    expect([full.status, full.headers.etag]).toEqual([200, etag]);
  });

  test.each([
    'limit=5',
    'cursor=abc',
    'photoStatus=failed',
    'include=photos&photoStatus=lost',
    'include=all',
    'include=photos&limit=0',
  ])('refuses %s', async (query) => {
    const { id } = await open();
    expect((await actor.get(`/imports/${id}?${query}`)).body.error.code).toBe('invalid_request');
  });
});

describe('PATCH /imports/{id}/photos/{photoId}', () => {
  test('changes the values, and the status of the item', async () => {
    const { id } = await open();
    const bytes = picture('one');
    const [{ photo }] = (await actor.post(`/imports/${id}/photos`, { photos: [item(bytes)] })).body.data;
    const path = `/imports/${id}/photos/${photo.id}`;
    const told = await actor.patch(path, {
      title: 'told',
      location: { latitude: 1, longitude: 2 },
      metadata: { a: 'b' },
    });
    expect([told.status, told.body]).toMatchObject([
      200,
      { title: 'told', location: { latitude: 1, longitude: 2, altitude: null }, metadata: { a: 'b' } },
    ]);
    const early = await actor.patch(path, { status: 'uploaded' });
    expect([early.status, early.body.error]).toMatchObject([
      409,
      { code: 'uploads_incomplete', details: { missing: 1, sample: [photo.id] } },
    ]);
    await put(told.body.upload, bytes);
    expect((await actor.patch(path, { status: 'uploaded' })).body.status).toBe('processing');
    expect((await actor.patch(path, { status: 'awaiting_upload' })).body.error.code).toBe('import_photo_final');
    expect((await actor.patch(path, { status: 'cancelled' })).body.status).toBe('cancelled');
    expect((await actor.patch(path, { status: 'cancelled' })).status).toBe(200);
    const final = await actor.patch(path, { title: 'no' });
    expect([final.status, final.body.error]).toMatchObject([
      409,
      { code: 'import_photo_final', details: { status: 'cancelled' } },
    ]);
  });

  test('is 404 under another import, and for another customer', async () => {
    const [one, two] = [await open(), await open()];
    const [{ photo }] = (await actor.post(`/imports/${one.id}/photos`, { photos: [item(picture('a'))] })).body.data;
    expect((await actor.patch(`/imports/${two.id}/photos/${photo.id}`, {})).body.error.details).toEqual({
      resource: 'import_photo',
    });
    expect((await (await app.customer()).patch(`/imports/${one.id}/photos/${photo.id}`, {})).status).toBe(404);
    expect((await actor.patch(`/imports/${one.id}/photos/x`, {})).status).toBe(404);
  });

  test.each([
    [{ status: 'imported' }, ['status', 'invalid_format']],
    [{ id: 7 }, ['id', 'read_only']],
    [{ upload: null }, ['upload', 'read_only']],
    [{ filename: null }, ['filename', 'not_nullable']],
  ])('refuses %j', async (body, expected) => {
    const answer = await actor.patch('/imports/1/photos/1', body);
    expect([answer.status, errors(answer)]).toEqual([400, [expected]]);
  });
});

describe('POST /imports/{id}/finalize', () => {
  test('an empty import is completed at once', async () => {
    const { id } = await open();
    const answer = await actor.post(`/imports/${id}/finalize`);
    expect([answer.status, answer.body]).toMatchObject([200, { status: 'completed', progress: 1 }]);
  });

  test('missing bytes are refused, or failed when the client says so', async () => {
    const { id } = await open();
    const [{ photo }] = (await actor.post(`/imports/${id}/photos`, { photos: [item(picture('a'))] })).body.data;
    const refused = await actor.post(`/imports/${id}/finalize`, {});
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'uploads_incomplete', details: { missing: 1, sample: [photo.id] } },
    ]);
    expect((await actor.get(`/imports/${id}`)).body.status).toBe('open');
    const failed = await actor.post(`/imports/${id}/finalize`, { missingUploads: 'fail' });
    expect([failed.status, failed.body]).toMatchObject([
      200,
      { status: 'completed_with_errors', counts: { failed: 1 } },
    ]);
  });

  test('discard changes nothing in the library and cannot be taken back', async () => {
    const { id } = await open();
    await postFiles(actor, id, [{ filename: 'a.jpg', content: picture('a') }]);
    const discarded = await actor.post(`/imports/${id}/finalize`, { action: 'discard' });
    expect([discarded.status, discarded.body.status]).toEqual([200, 'cancelled']);
    expect((await actor.post(`/imports/${id}/finalize`, { action: 'discard' })).status).toBe(200);
    expect((await actor.post(`/imports/${id}/finalize`)).body.error.code).toBe('import_not_open');
    await app.work();
    expect((await actor.get('/photos')).body.data).toEqual([]);
  });

  test('Prefer: wait holds the answer until the import has ended', async () => {
    const { id } = await open();
    await postFiles(actor, id, [{ filename: 'a.jpg', content: picture('a') }]);
    const waiting = actor.post(`/imports/${id}/finalize`, undefined, { prefer: 'respond-async, wait=15' });
    while ((await actor.get(`/imports/${id}`)).body.status === 'open') await new Promise(setImmediate);
    await app.work();
    const answer = await waiting;
    expect([answer.status, answer.body.status]).toEqual([200, 'completed']);
  });

  test('a process that stops answers at once', async () => {
    const stopping = new AbortController();
    const ending = await startApp({ stopping: stopping.signal });
    try {
      const one = await ending.customer();
      const { id } = (await one.post('/imports')).body;
      await postFiles(one, id, [{ filename: 'a.jpg', content: picture('a') }]);
      const waiting = one.post(`/imports/${id}/finalize`, undefined, { prefer: 'wait=15' });
      while ((await one.get(`/imports/${id}`)).body.status === 'open') await new Promise(setImmediate);
      stopping.abort();
      expect((await waiting).status).toBe(202);
    } finally {
      await ending.close();
    }
  });

  test.each([
    [{ action: 'publish' }, ['action', 'invalid_format']],
    [{ missingUploads: null }, ['missingUploads', 'not_nullable']],
    [{ wait: 5 }, ['wait', 'unknown_field']],
  ])('refuses %j', async (body, expected) => {
    const answer = await actor.post('/imports/1/finalize', body);
    expect([answer.status, errors(answer)]).toEqual([400, [expected]]);
  });
});

describe('"import records kept 1 year (items 90 days after end), then 404"', () => {
  test('the answer stays the same to the byte without the items, then it is 404; photos keep their importId', async () => {
    const { id } = await open();
    const bytes = picture('old');
    await postFiles(actor, id, [{ filename: 'a.jpg', content: bytes }]);
    await actor.post(`/imports/${id}/photos`, { photos: [item(picture('lost'), 'lost.jpg')] });
    await app.work();
    await actor.post(`/imports/${id}/finalize`, { missingUploads: 'fail' });
    await app.work();
    const path = `/imports/${id}`;
    const before = await actor.get(path);
    const etag = String(before.headers.etag);
    expect(before.body).toMatchObject({ counts: { total: 2, imported: 1, failed: 1 }, progress: 1 });
    const [failed] = (await actor.get(`${path}?include=photos&photoStatus=failed`)).body.photos.data;
    app.clock.pass(90 * DAY);
    await forgetImports(app.ports);
    const after = await actor.get(path);
    expect([after.text, after.headers.etag]).toEqual([before.text, etag]);
    expect((await actor.get(path, { 'if-none-match': etag })).status).toBe(304);
    const listed = await actor.get(`${path}?include=photos`);
    expect(listed.body).toEqual({
      ...before.body,
      photos: { data: [], pagination: { nextCursor: null, hasMore: false } },
    });
    expect((await actor.patch(`${path}/photos/${failed.id}`, { title: 'x' })).status).toBe(404);
    app.clock.pass(275 * DAY - 1);
    await forgetImports(app.ports);
    expect((await actor.get(path)).status).toBe(200);
    app.clock.pass(1);
    await forgetImports(app.ports);
    for (const gone of [
      await actor.get(path),
      await actor.get(`${path}?include=photos`),
      await actor.get(path, { 'if-none-match': etag }),
      await actor.post(`${path}/finalize`),
      await actor.post(`${path}/photos`, { photos: [item(bytes)] }),
      await actor.patch(`${path}/photos/${failed.id}`, { title: 'x' }),
    ]) {
      expect([gone.status, gone.body.error.code]).toEqual([404, 'not_found']);
    }
    const found = await actor.get(`/photos?importId=${id}`);
    expect([found.status, found.body.data.map((photo: { importId: number }) => photo.importId)]).toEqual([200, [id]]);
  });
});
