import { purgeTrash } from '../../src/core/photos/trash.js';
import { DAY, HOUR } from '../../src/core/shared/clock.js';
import { importPhotos, picture, sha256 } from './support/photos.js';
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

const bytes = picture('Sunset', {
  description: 'over the sea',
  camera: { make: 'NIKON', model: 'D750', lens: null },
  location: { latitude: 48.85837, longitude: 2.294481, altitude: null },
  rating: 4,
  exif: { Make: 'NIKON', FNumber: 4 },
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into photos field by field.
const one = async (content: Uint8Array = bytes, filename = 'DSC_3701.jpg'): Promise<any> =>
  (await importPhotos(app, actor, [{ filename, content }]))[0];
const ids = (answer: { body: { data: { id: number }[] } }) => answer.body.data.map((photo) => photo.id);
const errors = (answer: { body: { error: { details: { errors: { field: string; code: string }[] } } } }) =>
  answer.body.error.details.errors.map((error) => [error.field, error.code]);

describe('GET /photos/{id}', () => {
  test('shows every field of Appendix A', async () => {
    const photo = await one();
    expect(photo).toEqual({
      id: expect.any(Number),
      filename: 'DSC_3701.jpg',
      contentType: 'image/jpeg',
      sizeBytes: bytes.length,
      sha256: sha256(bytes),
      width: 400,
      height: 300,
      orientation: 1,
      rotation: 0,
      focus: null,
      title: 'Sunset',
      description: 'over the sea',
      takenAt: null,
      takenAtLocal: null,
      timeZone: null,
      takenAtSource: 'none',
      location: { latitude: 48.85837, longitude: 2.294481, altitude: null },
      place: { country: 'FR', region: 'Île-de-France', city: 'Paris' },
      camera: { make: 'NIKON', model: 'D750', lens: null },
      exposure: null,
      companion: null,
      rating: 4,
      tags: [],
      favorite: false,
      creator: null,
      copyright: null,
      keywords: [],
      externalId: null,
      metadata: {},
      importId: expect.any(Number),
      damaged: false,
      originalLostAt: null,
      thumbhash: null,
      dominantColor: null,
      phash: null,
      trashedAt: null,
      purgeAt: null,
      createdAt: app.clock.now().toISOString(),
      updatedAt: app.clock.now().toISOString(),
      version: 1,
    });
  });

  test('include brings exif and urls; the tag stays that of the plain photo, and there is no 304', async () => {
    const { id } = await one();
    const { etag = '' } = (await actor.get(`/photos/${id}`)).headers;
    expect((await actor.get(`/photos/${id}`, { 'if-none-match': etag })).status).toBe(304);
    const full = await actor.get(`/photos/${id}?include=exif,urls`, { 'if-none-match': etag });
    expect([full.status, full.headers.etag]).toEqual([200, etag]);
    expect(full.body.exif).toEqual({ Make: 'NIKON', FNumber: 4 });
    expect(Object.keys(full.body.urls)).toEqual(['thumb', 'small', 'medium', 'large', 'expiresAt']);
    expect(full.body.urls.thumb).toMatch(/^http:\/\/photos\.test\/renditions\/[\w-]+$/);
    const locked = await actor.withKey({ ipList: ['127.0.0.1'] });
    expect((await locked.get(`/photos/${id}?include=urls`)).body.urls).toBeNull();
    expect(errors(await actor.get(`/photos/${id}?include=tags`))).toEqual([['include', 'invalid_format']]);
  });

  test("another customer's photo is answered like one that does not exist, for every method", async () => {
    const { id } = await one();
    const stranger = await app.customer();
    const verbs = [
      ['GET', ''],
      ['GET', '/download'],
      ['GET', '/tags'],
      ['PATCH', ''],
      ['PUT', '/tags'],
      ['DELETE', ''],
    ] as const;
    for (const [method, rest] of verbs) {
      const body = { PATCH: { title: 'mine now' }, PUT: { tagIds: [] } }[method as 'PATCH'];
      const ask = (photoId: number) => stranger.send({ method, path: `/api/v1/photos/${photoId}${rest}`, body });
      const [foreign, never] = [await ask(id), await ask(999999)];
      expect([method, foreign.status, foreign.body.error.details]).toEqual([method, 404, { resource: 'photo' }]);
      expect({ ...foreign.body.error, requestId: '' }).toEqual({ ...never.body.error, requestId: '' });
    }
    expect((await actor.get(`/photos/${id}`)).body.title).toBe('Sunset');
  });
});

describe('the values from the file', () => {
  test('are shown in their units, and absent ones as null', async () => {
    const facts = {
      contentType: 'image/jpeg',
      damaged: true,
      orientation: 6,
      thumbhash: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
      dominantColor: '#7a5c3e',
      phash: '9f8b3a4c61d2e507',
      camera: { make: null, model: 'X100', lens: '23mm' },
      exposure: {
        iso: 3200,
        fNumber: 2.8,
        exposureTime: '1/250',
        focalLength: 23.5,
        focalLength35mm: null,
        flash: true,
      },
      companion: { type: 'video' as const, contentType: 'video/mp4' as const, offset: 12, sizeBytes: 34 },
      location: { latitude: -1.5, longitude: 2, altitude: -3.25 },
    };
    expect(await one(picture('facts', facts))).toMatchObject(facts);
  });
});

describe('GET /photos/{id}, its parameters', () => {
  test('"trashed=any to see a trashed one (otherwise 404)"', async () => {
    const { id } = await one();
    expect((await actor.get(`/photos/${id}?trashed=any`)).status).toBe(200);
    await actor.delete(`/photos/${id}`);
    for (const query of ['', '?trashed=false', '?include=exif,urls']) {
      const answer = await actor.get(`/photos/${id}${query}`);
      expect([answer.status, answer.body.error.details]).toEqual([404, { resource: 'photo' }]);
    }
    const { etag = '' } = (await actor.get(`/photos/${id}?trashed=any`)).headers;
    expect((await actor.get(`/photos/${id}?trashed=any`, { 'if-none-match': etag })).status).toBe(304);
  });

  test.each([
    ['trashed=true', 'trashed', 'invalid_format'],
    ['trashed=', 'trashed', 'invalid_format'],
    ['include=', 'include', 'invalid_format'],
    ['include=exif,exif,exif', 'include', 'too_many'],
    ['include=EXIF', 'include', 'invalid_format'],
    ['fields=id', 'fields', 'unknown_parameter'],
  ])('refuses %s', async (query, field, code) => {
    const { id } = await one();
    expect(errors(await actor.get(`/photos/${id}?${query}`))).toEqual([[field, code]]);
  });

  test('urls: "life 12 to 24 h, stable within the day"; "they carry the rotation"', async () => {
    const { id } = await one();
    const urls = async () => (await actor.get(`/photos/${id}?include=urls`)).body.urls;
    const first = await urls();
    app.clock.pass(60_000);
    expect(await urls()).toEqual(first);
    for (let hour = 0; hour < 24; hour += 1) {
      app.clock.pass(HOUR);
      const life = Date.parse((await urls()).expiresAt) - app.clock.now().getTime();
      expect(life).toBeGreaterThanOrEqual(12 * HOUR);
      expect(life).toBeLessThanOrEqual(24 * HOUR);
    }
    const before = (await urls()).thumb;
    await actor.patch(`/photos/${id}`, { rotation: 90 });
    expect((await urls()).thumb).not.toBe(before);
    const tagOf = async (url: string) => (await app.send({ path: new URL(url).pathname })).headers.etag;
    expect([await tagOf(before), await tagOf((await urls()).thumb)]).toEqual([
      expect.stringContaining('-r0"'),
      expect.stringContaining('-r90"'),
    ]);
  });
});

describe('GET /photos', () => {
  test('shows each photo as GET /photos/{id} does, with its fields in the same order', async () => {
    await one();
    const strange = await one(picture('strange'), 'a "b" \\ \u2028 📷.jpg');
    await actor.patch(`/photos/${strange.id}`, {
      title: 'line\nbreak \u007f',
      takenAt: '0001-01-02T03:04:05.060Z',
      location: { latitude: 1e-7, longitude: -0, altitude: -12.5 },
      focus: { x: 0.5, y: 1 },
      metadata: { 'a.b': '", "', __proto: '' },
    });
    await actor.put(`/photos/${strange.id}/tags`, { tagNames: ['b "', 'Ä', 'a\\'] });
    const list = await actor.get('/photos?sort=id');
    expect(list.headers['content-type']).toBe('application/json; charset=utf-8');
    const alone = await Promise.all(ids(list).map(async (id) => (await actor.get(`/photos/${id}`)).body));
    expect(list.body.data).toEqual(alone);
    expect(list.body.data.map(Object.keys)).toEqual(alone.map(Object.keys));
    const withUrls = (await actor.get('/photos?sort=id&include=urls')).body.data;
    expect(withUrls).toEqual(alone.map((photo) => ({ ...photo, urls: expect.anything() })));
  });

  test('lists the newest first, with tags and without exif', async () => {
    const first = await one(picture('1'));
    app.clock.pass(1000);
    const second = await one(picture('2'));
    const answer = await actor.get('/photos');
    expect(answer.body).toEqual({ data: [second, first], pagination: { nextCursor: null, hasMore: false } });
    expect((await actor.get('/photos?include=urls&limit=1')).body.data[0].urls.small).toContain('/renditions/');
  });

  test('each filter finds its photos', async () => {
    const sea = await one(bytes, 'Sea.JPG');
    const plain = await one(picture('Forest', { width: 300, height: 400, contentType: 'image/png' }), 'forest.png');
    const tag = (await actor.post('/tags', { name: 'Ferien' })).body;
    await actor.put(`/photos/${sea.id}/tags`, { tagIds: [tag.id] });
    await actor.patch(`/photos/${plain.id}`, { externalId: 'x/1', takenAt: '2024-12-21T23:39:24+01:00' });
    const finding: readonly (readonly [string, number])[] = [
      [`ids=${sea.id},999999`, sea.id],
      ['q=sun%20SEA', sea.id],
      ['q=feri', sea.id],
      ['q=forest', plain.id],
      ['filename=sea.jpg', sea.id],
      [`tagIds=${tag.id}`, sea.id],
      [`anyTagIds=${tag.id}`, sea.id],
      [`excludeTagIds=${tag.id}`, plain.id],
      ['untagged=true', plain.id],
      ['untagged=false', sea.id],
      [`importId=${sea.importId}`, sea.id],
      ['externalId=x/1', plain.id],
      [`sha256=${sea.sha256.toUpperCase()},${'0'.repeat(64)}`, sea.id],
      ['contentType=image/png', plain.id],
      ['takenAfter=2024-12-21T22:39:24Z&takenBefore=2024-12-21T22:39:25Z', plain.id],
      ['hasLocation=true', sea.id],
      ['hasLocation=false', plain.id],
      ['bbox=2,48,3,49', sea.id],
      ['bbox=170,48,3,49', sea.id],
      ['camera=nikon%20d7', sea.id],
      ['minRating=4', sea.id],
      ['aspect=portrait', plain.id],
      ['aspect=landscape', sea.id],
    ];
    for (const [query, id] of finding) {
      const answer = await actor.get(`/photos?${query}`);
      expect([query, answer.status, answer.status === 200 && ids(answer)]).toEqual([query, 200, [id]]);
    }
    expect(ids(await actor.get('/photos?contentType=image/*&sort=id'))).toEqual([sea.id, plain.id]);
    expect(ids(await actor.get('/photos?aspect=square'))).toEqual([]);
    expect(ids(await actor.get('/photos?createdBefore=2020-01-01T00:00:00Z'))).toEqual([]);
  });

  test('every sort orders and walks', async () => {
    const [b, a] = await importPhotos(app, actor, [
      { filename: 'B.jpg', content: picture('longer title') },
      { filename: 'a.jpg', content: picture('x') },
    ]);
    await actor.patch(`/photos/${a.id}`, { takenAt: '2024-01-01T00:00:00Z' });
    const orders: Record<string, number[]> = {
      '-createdAt': [a.id, b.id],
      createdAt: [b.id, a.id],
      id: [b.id, a.id],
      '-id': [a.id, b.id],
      filename: [a.id, b.id],
      '-filename': [b.id, a.id],
      sizeBytes: [a.id, b.id],
      '-sizeBytes': [b.id, a.id],
      takenAt: [a.id, b.id],
      '-takenAt': [a.id, b.id],
    };
    for (const [sort, expected] of Object.entries(orders)) {
      const first = await actor.get(`/photos?limit=1&sort=${sort}`);
      const second = await actor.get(`/photos?limit=1&sort=${sort}&cursor=${first.body.pagination.nextCursor}`);
      expect([sort, ...ids(first), ...ids(second), second.body.pagination.hasMore]).toEqual([sort, ...expected, false]);
    }
  });

  test.each([
    ['sort=-updatedAt', 'invalid_format'],
    ['tagIds=999999', 'unknown_tag'],
    [`tagIds=${Array(21).fill(1).join()}`, 'too_many'],
    ['ids=1,,2', 'invalid_type'],
    ['sha256=abc', 'invalid_format'],
    ['contentType=jpeg', 'invalid_format'],
    ['takenAfter=2024-12-21', 'invalid_format'],
    ['takenAfter=2024-12-21T00:00:00', 'invalid_format'],
    ['takenAfter=2024-12-21T00:00:00+01:00', 'invalid_format'],
    ['bbox=1,2,3', 'invalid_format'],
    ['bbox=1,2,3,91', 'out_of_range'],
    ['bbox=1,2,3,x', 'invalid_format'],
    ['minRating=6', 'out_of_range'],
    ['aspect=round', 'invalid_format'],
    ['trashed=maybe', 'invalid_format'],
    ['include=exif', 'invalid_format'],
    ['untagged=1', 'invalid_format'],
  ])('refuses %s', async (query, code) => {
    const answer = await actor.get(`/photos?${query}`);
    expect([answer.status, errors(answer)[0]?.[1]]).toEqual([400, code]);
  });

  test('delta sync: updatedAt ascending with the trash', async () => {
    const { id } = await one();
    app.clock.pass(1000);
    const since = app.clock.now().toISOString();
    await actor.delete(`/photos/${id}`);
    const answer = await actor.get(`/photos?sort=updatedAt&updatedAfter=${since}&trashed=any`);
    expect(answer.body.data).toMatchObject([{ id, trashedAt: since }]);
  });
});

describe('PATCH /photos/{id}', () => {
  test('sets and clears fields', async () => {
    const { id } = await one();
    const set = await actor.patch(`/photos/${id}`, {
      filename: ' new name.jpg ',
      title: null,
      description: 'text',
      takenAt: '2024-12-21T23:39:24.670+01:00',
      location: { latitude: -1.5, longitude: 2 },
      rating: 0,
      rotation: 90,
      focus: { x: 0.35, y: 0 },
      externalId: 'shoot-17/3701',
      metadata: { client: 'ACME', constructor: 'kept', gone: 'soon' },
    });
    expect([set.status, set.body]).toMatchObject([
      200,
      {
        filename: 'new name.jpg',
        title: null,
        description: 'text',
        takenAt: '2024-12-21T22:39:24.670Z',
        takenAtLocal: '2024-12-21T23:39:24.670',
        timeZone: '+01:00',
        takenAtSource: 'client',
        location: { latitude: -1.5, longitude: 2, altitude: null },
        rating: 0,
        rotation: 90,
        focus: { x: 0.35, y: 0 },
        width: 300,
        height: 400,
        externalId: 'shoot-17/3701',
        metadata: { client: 'ACME', constructor: 'kept', gone: 'soon' },
        version: 2,
      },
    ]);
    expect((await actor.get(`/photos/${id}`)).body).toEqual(set.body);
    expect(set.headers.etag).toBe((await actor.get(`/photos/${id}`)).headers.etag);
    const cleared = await actor.patch(`/photos/${id}`, {
      takenAt: null,
      location: null,
      rating: null,
      focus: null,
      metadata: { gone: null },
    });
    expect(cleared.body).toMatchObject({
      takenAt: null,
      takenAtLocal: null,
      timeZone: null,
      takenAtSource: 'none',
      location: null,
      rating: null,
      focus: null,
    });
    expect(cleared.body.metadata).toEqual({ client: 'ACME', constructor: 'kept' });
  });

  test.each([
    'id',
    'contentType',
    'sizeBytes',
    'sha256',
    'width',
    'height',
    'orientation',
    'takenAtSource',
    'camera',
    'exposure',
    'tags',
    'importId',
    'companion',
    'damaged',
    'thumbhash',
    'dominantColor',
    'phash',
    'trashedAt',
    'purgeAt',
    'createdAt',
    'updatedAt',
    'version',
    'urls',
    'exif',
  ])('%s is read_only, and the message says what changes it', async (field) => {
    const { id } = await one();
    const answer = await actor.patch(`/photos/${id}`, { [field]: null });
    expect([answer.status, errors(answer)]).toEqual([400, [[field, 'read_only']]]);
    expect(answer.body.error.message).toMatch(new RegExp(`^${field} is read-only: .{10}`));
  });

  test('rotation: 0, 90, 180 and 270 clockwise, a quarter turn exchanges the sides', async () => {
    const { id } = await one();
    const seen = [];
    for (const rotation of [90, 180, 270, 90, 0]) {
      const { width, height, orientation, sha256: hash } = (await actor.patch(`/photos/${id}`, { rotation })).body;
      seen.push([width, height, orientation, hash]);
    }
    const same = [1, sha256(bytes)];
    expect(seen).toEqual([
      [300, 400, ...same],
      [400, 300, ...same],
      [300, 400, ...same],
      [300, 400, ...same],
      [400, 300, ...same],
    ]);
    for (const rotation of [-90, 45, 360, 90.5]) {
      expect(errors(await actor.patch(`/photos/${id}`, { rotation }))).toEqual([['rotation', 'out_of_range']]);
    }
    expect(errors(await actor.patch(`/photos/${id}`, { rotation: null }))).toEqual([['rotation', 'not_nullable']]);
  });

  test('filename "need not be unique"', async () => {
    const [first, second] = [await one(picture('same 1'), 'a.jpg'), await one(picture('same 2'), 'b.jpg')];
    expect((await actor.patch(`/photos/${second.id}`, { filename: first.filename })).status).toBe(200);
    expect(ids(await actor.get('/photos?filename=A.JPG&sort=id'))).toEqual([first.id, second.id]);
  });

  test('an empty patch, or one equal to the state, changes nothing', async () => {
    const photo = await one();
    app.clock.pass(1000);
    for (const body of [{}, { title: 'Sunset', rating: 4, rotation: 0, trashed: false, location: photo.location }]) {
      expect((await actor.patch(`/photos/${photo.id}`, body)).body).toEqual(photo);
    }
  });

  test('trashed:false restores and applies the rest', async () => {
    const { id } = await one();
    await actor.delete(`/photos/${id}`);
    expect((await actor.patch(`/photos/${id}`, { title: 'no' })).status).toBe(404);
    const restored = await actor.patch(`/photos/${id}`, { trashed: false, title: 'back' });
    expect([restored.status, restored.body]).toMatchObject([200, { trashedAt: null, purgeAt: null, title: 'back' }]);
  });

  test.each([
    [
      { sha256: 'x', tags: [], foo: 1 },
      [
        ['sha256', 'read_only'],
        ['tags', 'read_only'],
        ['foo', 'unknown_field'],
      ],
    ],
    [{ filename: null }, [['filename', 'not_nullable']]],
    [{ filename: '../x' }, [['filename', 'invalid_format']]],
    [{ title: 'x'.repeat(256) }, [['title', 'too_long']]],
    [{ rating: 6 }, [['rating', 'out_of_range']]],
    [{ rating: '5' }, [['rating', 'invalid_type']]],
    [{ rotation: 45 }, [['rotation', 'out_of_range']]],
    [{ focus: { x: 1.5, y: 0 } }, [['focus.x', 'out_of_range']]],
    [{ focus: { x: 0.5 } }, [['focus.y', 'required']]],
    [{ focus: { x: '0.5', y: 0 } }, [['focus.x', 'invalid_type']]],
    [{ focus: { x: 0.5, y: 0, z: 1 } }, [['focus.z', 'unknown_field']]],
    [{ focus: 'center' }, [['focus', 'invalid_type']]],
    [{ takenAt: '2024-01-01T00:00:00' }, [['takenAt', 'invalid_format']]],
    [{ takenAt: '2024-01-01T00:00:00Z', timeZone: 'UTC' }, [['takenAt', 'conflict']]],
    [{ location: { latitude: 1 } }, [['location.longitude', 'required']]],
    [{ location: { latitude: 91, longitude: 0 } }, [['location.latitude', 'out_of_range']]],
    [{ location: [1, 2] }, [['location', 'invalid_type']]],
    [{ metadata: { 'bad key': 'x' } }, [['metadata.bad key', 'invalid_format']]],
    [{ metadata: { a: 1 } }, [['metadata', 'invalid_type']]],
    [{ metadata: null }, [['metadata', 'not_nullable']]],
    [{ trashed: true }, [['trashed', 'read_only']]],
  ])('refuses %j', async (body, expected) => {
    const photo = await one();
    const answer = await actor.patch(`/photos/${photo.id}`, body);
    expect([answer.status, errors(answer)]).toEqual([400, expected]);
    expect((await actor.get(`/photos/${photo.id}`)).body).toEqual(photo);
  });

  test('changes nothing when If-Match does not match', async () => {
    const { id } = await one();
    const { etag = '' } = (await actor.get(`/photos/${id}`)).headers;
    expect((await actor.patch(`/photos/${id}`, { title: 'a' }, { 'if-match': etag })).status).toBe(200);
    expect((await actor.patch(`/photos/${id}`, { title: 'b' }, { 'if-match': etag })).body.error.code).toBe(
      'precondition_failed',
    );
    expect((await actor.put(`/photos/${id}/tags`, { tagIds: [] }, { 'if-match': etag })).status).toBe(412);
    expect((await actor.delete(`/photos/${id}`, { 'if-match': etag })).status).toBe(412);
  });
});

describe('the tags of a photo', () => {
  test('PUT replaces the set, by id and by name, and answers as GET does', async () => {
    const { id } = await one();
    const paris = (await actor.post('/tags', { name: 'Paris' })).body;
    const set = await actor.put(`/photos/${id}/tags`, { tagIds: [paris.id], tagNames: ['paris', 'Holiday'] });
    expect(set.status).toBe(200);
    expect(set.body).toEqual({
      data: [expect.objectContaining({ name: 'Holiday', photoCount: 1 }), { ...paris, photoCount: 1 }],
      pagination: { nextCursor: null, hasMore: false },
    });
    expect((await actor.get(`/photos/${id}/tags`)).body).toEqual(set.body);
    expect((await actor.get(`/photos/${id}`)).body).toMatchObject({
      version: 2,
      tags: [{ name: 'Holiday' }, { id: paris.id, name: 'Paris' }],
    });
    expect((await actor.put(`/photos/${id}/tags`, { tagIds: [] })).body.data).toEqual([]);
  });

  test('a new name needs tags:write, and without it nothing changes', async () => {
    const { id } = await one();
    const narrow = await actor.withKey({ scopes: ['photos:read', 'photos:write'] });
    const refused = await narrow.put(`/photos/${id}/tags`, { tagNames: ['New'] });
    expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([
      403,
      'scope_required',
      { scope: 'tags:write' },
    ]);
    expect((await actor.get('/tags')).body.data).toEqual([]);
  });

  test('an unknown tag, or one of another customer, is 400 and links nothing', async () => {
    const { id } = await one();
    const foreign = (await (await app.customer()).post('/tags', { name: 'theirs' })).body;
    for (const tagId of [foreign.id, 999999]) {
      const answer = await actor.put(`/photos/${id}/tags`, { tagIds: [tagId] });
      expect([answer.status, errors(answer)]).toEqual([400, [['tagIds', 'unknown_tag']]]);
    }
  });

  test.each([
    [{}, 'required'],
    [{ tagIds: [1.5] }, 'invalid_type'],
    [{ tagIds: 'all' }, 'invalid_type'],
    [{ tagIds: Array.from({ length: 101 }, (_, at) => at + 1) }, 'too_many'],
    [{ tagNames: [''] }, 'too_short'],
    [{ tagNames: [null] }, 'invalid_type'],
    [{ tagIds: null }, 'not_nullable'],
  ])('refuses %j', async (body, code) => {
    const { id } = await one();
    const answer = await actor.put(`/photos/${id}/tags`, body);
    expect([answer.status, errors(answer)[0]?.[1]]).toEqual([400, code]);
  });
});

describe('the tags of a photo, sentence by sentence', () => {
  const tagsOf = async (id: number) =>
    (await actor.get(`/photos/${id}/tags`)).body.data.map((tag: { name: string }) => tag.name);

  test('6: "sorted by name", whole tags in one page, no parameters', async () => {
    const { id } = await one();
    await actor.put(`/photos/${id}/tags`, { tagNames: ['zoo', 'Zürich', 'ana', 'École', 'Bob'] });
    const answer = await actor.get(`/photos/${id}/tags`);
    expect(answer.body.pagination).toEqual({ nextCursor: null, hasMore: false });
    expect(await tagsOf(id)).toEqual(['ana', 'Bob', 'zoo', 'Zürich', 'École']);
    const [first] = answer.body.data;
    expect(first).toEqual((await actor.get(`/tags/${first.id}`)).body);
    expect(errors(await actor.get(`/photos/${id}/tags?limit=1`))).toEqual([['limit', 'unknown_parameter']]);
  });

  test('8: "at least one key present"; either alone will do', async () => {
    const { id } = await one();
    const { body } = await actor.put(`/photos/${id}/tags`, { tagNames: [' Holiday  trip '] });
    expect(body.data).toMatchObject([{ name: 'Holiday trip', photoCount: 1 }]);
    await actor.put(`/photos/${id}/tags`, { tagIds: [] });
    expect(await tagsOf(id)).toEqual([]);
    await actor.put(`/photos/${id}/tags`, { tagIds: [body.data[0].id] });
    expect(await tagsOf(id)).toEqual(['Holiday trip']);
    await actor.put(`/photos/${id}/tags`, { tagNames: [] });
    expect(await tagsOf(id)).toEqual([]);
    expect((await actor.send({ method: 'PUT', path: `/api/v1/photos/${id}/tags` })).status).toBe(400);
  });

  test('8: "union ≤ 100", each tag once', async () => {
    const { id } = await one();
    const tags = Array.from({ length: 100 }, (_, at) => ({ name: `tag ${at}` }));
    const made = (await actor.post('/tags', { tags })).body.data.map((each: { tag: { id: number } }) => each.tag.id);
    const full = { tagIds: made, tagNames: tags.map(({ name }) => name.toUpperCase()) };
    expect((await actor.put(`/photos/${id}/tags`, full)).body.data).toHaveLength(100);
    const over = await actor.put(`/photos/${id}/tags`, { tagIds: made, tagNames: ['one more'] });
    expect([over.status, errors(over)]).toEqual([400, [['tagIds', 'too_many']]]);
    expect(await tagsOf(id)).toHaveLength(100);
    expect((await actor.get('/tags?name=one%20more')).body.data).toEqual([]);
  });

  test('8: "needs tags:write, else 403 … and nothing changes"; names that exist do not', async () => {
    const { id } = await one();
    const { body } = await actor.put(`/photos/${id}/tags`, { tagNames: ['Kept'] });
    const narrow = await actor.withKey({ scopes: ['photos:write'] });
    const refused = await narrow.put(`/photos/${id}/tags`, { tagIds: [], tagNames: ['New'] });
    expect([refused.status, refused.body.error.details]).toEqual([403, { scope: 'tags:write' }]);
    expect(await tagsOf(id)).toEqual(['Kept']);
    const same = await narrow.put(`/photos/${id}/tags`, { tagNames: ['KEPT'] });
    expect([same.status, same.body]).toEqual([200, body]);
    expect((await actor.get(`/photos/${id}`)).body.version).toBe(2);
  });

  test('8: "Unknown id → 400 unknown_tag", and the set stays', async () => {
    const { id } = await one();
    const { body } = await actor.put(`/photos/${id}/tags`, { tagNames: ['Kept'] });
    const answer = await actor.put(`/photos/${id}/tags`, { tagIds: [body.data[0].id, 999999], tagNames: ['New'] });
    expect([answer.status, errors(answer)]).toEqual([400, [['tagIds', 'unknown_tag']]]);
    expect(await tagsOf(id)).toEqual(['Kept']);
    expect((await actor.get('/tags')).body.data).toHaveLength(1);
  });

  test('8: the limit of tags is 409 limit_reached', async () => {
    const small = await startApp({ limits: { tags: 1 } });
    try {
      const client = await small.customer();
      const [photo] = await importPhotos(small, client, [{ filename: 'a.jpg', content: picture('limited') }]);
      expect((await client.put(`/photos/${photo.id}/tags`, { tagNames: ['one'] })).status).toBe(200);
      const over = await client.put(`/photos/${photo.id}/tags`, { tagNames: ['one', 'two'] });
      expect([over.status, over.body.error]).toMatchObject([
        409,
        { code: 'limit_reached', details: { limit: 1, name: 'tags' } },
      ]);
    } finally {
      await small.close();
    }
  });

  test('the tags of a photo in the trash are 404', async () => {
    const { id } = await one();
    await actor.delete(`/photos/${id}`);
    expect((await actor.get(`/photos/${id}/tags`)).status).toBe(404);
    expect((await actor.put(`/photos/${id}/tags`, { tagNames: ['New'] })).status).toBe(404);
    expect((await actor.get('/tags')).body.data).toEqual([]);
  });
});

describe('active ⇄ trashed → purged', () => {
  test('purged is gone: "id never reused", and the same bytes come in as a new photo', async () => {
    const first = await one();
    expect((await actor.delete(`/photos/${first.id}?permanent=true`)).status).toBe(204);
    for (const path of ['', '/download', '/tags', '?trashed=any']) {
      expect((await actor.get(`/photos/${first.id}${path}`)).status).toBe(404);
    }
    expect(ids(await actor.get('/photos?trashed=any'))).toEqual([]);
    expect((await actor.get('/customer')).body.usage).toMatchObject({ photos: 0, storageBytes: 0, trashedBytes: 0 });
    const second = await one();
    expect(second.id).toBeGreaterThan(first.id);
    expect(second.sha256).toBe(first.sha256);
  });

  test('"after trashRetentionDays": purgeAt says when, and then it is gone', async () => {
    const { id } = await one();
    await actor.delete(`/photos/${id}`);
    const { purgeAt } = (await actor.get(`/photos/${id}?trashed=any`)).body;
    expect(purgeAt).toBe(new Date(app.clock.now().getTime() + 30 * DAY).toISOString());
    app.clock.pass(30 * DAY - 1);
    await purgeTrash(app.ports);
    expect((await actor.get(`/photos/${id}?trashed=any`)).status).toBe(200);
    app.clock.pass(1);
    await purgeTrash(app.ports);
    expect((await actor.get(`/photos/${id}?trashed=any`)).status).toBe(404);
  });

  test('tags come back with the photo, and count only while it is out of the trash', async () => {
    const { id } = await one();
    const [tag] = (await actor.put(`/photos/${id}/tags`, { tagNames: ['T'] })).body.data;
    const count = async () => (await actor.get(`/tags/${tag.id}`)).body.photoCount;
    await actor.delete(`/photos/${id}`);
    expect(await count()).toBe(0);
    expect((await actor.patch(`/photos/${id}`, { trashed: false })).body.tags).toEqual([{ id: tag.id, name: 'T' }]);
    expect(await count()).toBe(1);
  });
});

describe('DELETE /photos/{id}', () => {
  test('moves to the trash: gone for readers, seen with trashed=any', async () => {
    const { id } = await one();
    expect((await actor.delete(`/photos/${id}`)).status).toBe(204);
    for (const path of ['', '/download', '/tags']) expect((await actor.get(`/photos/${id}${path}`)).status).toBe(404);
    expect((await actor.delete(`/photos/${id}`)).status).toBe(404);
    expect(ids(await actor.get('/photos'))).toEqual([]);
    expect(ids(await actor.get('/photos?trashed=true'))).toEqual([id]);
    const purgeAt = new Date(app.clock.now().getTime() + 30 * DAY).toISOString();
    expect((await actor.get(`/photos/${id}?trashed=any`)).body).toMatchObject({
      trashedAt: app.clock.now().toISOString(),
      purgeAt,
    });
  });

  test('permanent=false is the default; any other word is 400', async () => {
    const { id } = await one();
    for (const query of ['permanent=', 'permanent=1', 'permanent=true&permanent=true', 'force=true']) {
      expect((await actor.delete(`/photos/${id}?${query}`)).status).toBe(400);
    }
    expect((await actor.delete(`/photos/${id}?permanent=false`)).status).toBe(204);
    expect(ids(await actor.get('/photos?trashed=true'))).toEqual([id]);
    expect((await actor.delete(`/photos/${id}?permanent=false`)).status).toBe(404);
  });

  test('[spec] needs photos:delete, permanently or not', async () => {
    const { id } = await one();
    const scopes = ['photos:read', 'photos:write', 'tags:write', 'customer:read'] as const;
    const narrow = await actor.withKey({ scopes: [...scopes] });
    for (const query of ['', '?permanent=true']) {
      const refused = await narrow.delete(`/photos/${id}${query}`);
      expect([refused.status, refused.body.error.details]).toEqual([403, { scope: 'photos:delete' }]);
    }
    expect((await actor.withKey({ scopes: ['photos:delete'] }).then((key) => key.delete(`/photos/${id}`))).status).toBe(
      204,
    );
  });

  test('permanent=true deletes a photo permanently, from the trash as well', async () => {
    const { id } = await one();
    await actor.delete(`/photos/${id}`);
    expect((await actor.delete(`/photos/${id}?permanent=true`)).status).toBe(204);
    expect((await actor.get(`/photos/${id}?trashed=any`)).status).toBe(404);
    expect((await actor.patch(`/photos/${id}`, { trashed: false })).status).toBe(404);
    expect((await actor.delete(`/photos/${id}?permanent=yes`)).status).toBe(400);
  });
});
