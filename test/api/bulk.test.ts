import { samplePhoto } from '../support/samples.js';
import type { Answer } from './support/http-client.js';
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

const photos = async (count: number): Promise<number[]> => {
  const files = Array.from({ length: count }, (_, number) => ({ filename: 'a.jpg', content: picture(`${number}`) }));
  return (await importPhotos(app, actor, files)).map(({ id }) => id);
};
const tag = async (name: string) => (await actor.post('/tags', { name })).body;
const errors = (answer: Answer) =>
  answer.body.error.details.errors.map((error: { field: string; code: string }) => [error.field, error.code]);
const outcomes = (answer: Answer) => answer.body.data.map((result: { outcome: string }) => result.outcome);
const many = (count: number) => Array.from({ length: count }, (_, number) => number + 1);

describe('PATCH /photos/{id}, with a list of ids', () => {
  test.each([
    ['commas', ','],
    ['%2C', '%2C'],
    ['%2c', '%2c'],
  ])('answers for each, with %s between the ids', async (_, comma) => {
    const [first, second] = await photos(2);
    await actor.patch(`/photos/${second}`, { title: 'Sea' });
    app.clock.pass(1000);
    const answer = await actor.patch(`/photos/${[second, 999999, first].join(comma)}`, { title: 'Sea' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: [
        { id: second, outcome: 'unchanged', photo: (await actor.get(`/photos/${second}`)).body, error: null },
        { id: 999999, outcome: 'not_found', photo: null, error: null },
        { id: first, outcome: 'updated', photo: (await actor.get(`/photos/${first}`)).body, error: null },
      ],
    });
    expect(answer.headers.etag).toBeUndefined();
    expect((await actor.get(`/photos/${first}`)).body).toMatchObject({ title: 'Sea', version: 2 });
  });

  test('an id that is named twice is changed and answered once', async () => {
    const [id] = await photos(1);
    const answer = await actor.patch(`/photos/${id},${id}`, { title: 'Sea' });
    expect(outcomes(answer)).toEqual(['updated']);
  });

  test.each([',', '%2C'])('an id with %s behind it is a list of one', async (comma) => {
    const [id] = await photos(1);
    const answer = await actor.patch(`/photos/${id}${comma}`, { title: 'Sea' });
    expect([answer.status, outcomes(answer), answer.body.data[0].photo.title]).toEqual([200, ['updated'], 'Sea']);
    expect(outcomes(await actor.patch(`/photos/999999${comma}`, { title: 'Sea' }))).toEqual(['not_found']);
    const withMatch = await actor.patch(`/photos/${id}${comma}`, { title: 'Sky' }, { 'if-match': '*' });
    expect([withMatch.status, errors(withMatch)]).toEqual([400, [['If-Match', 'conflict']]]);
    expect(outcomes(await actor.delete(`/photos/${id}${comma}`))).toEqual(['deleted']);
  });

  test.each([',', ',,', ',7', '7,,', '7,8,', 'x,', '0,', '07,'])('%s is not a list of ids', async (list) => {
    for (const answer of [await actor.patch(`/photos/${list}`, {}), await actor.delete(`/photos/${list}`)]) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
    }
  });

  test('a value that does not fit one photo is an error of that photo', async () => {
    const ids = await photos(2);
    await actor.patch(`/photos/${ids[0]}`, { takenAt: '2024-12-21T23:39:24+01:00' });
    const answer = await actor.patch(`/photos/${ids.join()}`, { timeZone: '+02:00' });
    expect(outcomes(answer)).toEqual(['updated', 'error']);
    expect(answer.body.data[1]).toEqual({
      id: ids[1],
      outcome: 'error',
      photo: null,
      error: { code: 'invalid_request', message: expect.stringContaining('takenAtLocal') },
    });
  });

  test('a value that fits no photo is 400, and nothing changes', async () => {
    const ids = await photos(2);
    const wrong = await actor.patch(`/photos/${ids.join()}`, { title: 'Sea', rating: 9 });
    expect([wrong.status, errors(wrong)]).toEqual([400, [['rating', 'out_of_range']]]);
    expect((await actor.patch(`/photos/${ids.join()}`, { colour: 'red' })).status).toBe(400);
    expect((await actor.get(`/photos/${ids[0]}`)).body.version).toBe(1);
  });

  test('photos of other customers are reported as missing', async () => {
    const ids = await photos(2);
    const stranger = await app.customer();
    const answer = await stranger.patch(`/photos/${ids.join()}`, { title: 'mine' });
    expect([answer.status, outcomes(answer)]).toEqual([200, ['not_found', 'not_found']]);
    expect((await actor.get(`/photos/${ids[0]}`)).body.title).toBe('0');
  });

  test('only PATCH and DELETE take a list', async () => {
    const ids = (await photos(2)).join();
    for (const path of [`/photos/${ids}`, `/photos/${ids}/tags`, `/photos/${ids}/download`]) {
      expect((await actor.get(path)).status).toBe(404);
    }
    expect((await actor.put(`/photos/${ids}/tags`, { tagIds: [] })).status).toBe(404);
    expect((await actor.patch(`/tags/${(await tag('a')).id},${(await tag('b')).id}`, {})).status).toBe(404);
  });
});

describe.each([
  ['PATCH', { title: 'Sea' }],
  ['DELETE', undefined],
] as const)('the list of ids in %s /photos/{id}', (method, body) => {
  const ask = (list: string, headers = {}) => actor.send({ method, path: `/api/v1/photos/${list}`, body, headers });

  test('with anything else in it is 404, and nothing happens', async () => {
    const [id] = await photos(1);
    for (const other of [',', 'x', '0', '01', '-1', '+1', '1.5', '9007199254740992', '*', ';1']) {
      for (const list of [`${id},${other}`, `${other},${id}`]) {
        const answer = await ask(list);
        expect([list, answer.status, answer.body.error.code]).toEqual([list, 404, 'not_found']);
      }
    }
    for (const list of [',', `,${id}`]) expect((await ask(list)).status).toBe(404);
    expect((await actor.get(`/photos/${id}`)).body.version).toBe(1);
  });

  test('takes a hundred and no more', async () => {
    expect((await ask(many(100).join())).body.data).toHaveLength(100);
    const answer = await ask(many(101).join('%2C'));
    expect([answer.status, errors(answer), answer.body.error.details.errors[0].max]).toEqual([
      400,
      [['id', 'too_many']],
      100,
    ]);
  });

  test('does not accept If-Match', async () => {
    const ids = await photos(2);
    const answer = await ask(ids.join(), { 'if-match': '*' });
    expect([answer.status, errors(answer)]).toEqual([400, [['If-Match', 'conflict']]]);
    expect((await actor.get(`/photos/${ids[0]}`)).body.version).toBe(1);
  });

  test('requires the scope of the endpoint', async () => {
    const reader = await actor.withKey({ scopes: ['photos:read', 'tags:write'] });
    const answer = await reader.send({ method, path: '/api/v1/photos/1,2', body });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'scope_required']);
  });
});

describe('DELETE /photos/{id}, with a list of ids', () => {
  test('a tag with many photos is gone with the answer, and the new versions of its photos follow', async () => {
    const [first, second] = await photos(2);
    await actor.delete(`/photos/${second}`);
    const answer = await actor.delete(`/photos/${second},${first},${first},999999`);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        data: [
          { id: second, outcome: 'not_found' },
          { id: first, outcome: 'deleted' },
          { id: 999999, outcome: 'not_found' },
        ],
      },
    ]);
    expect((await actor.get(`/photos/${first}?trashed=any`)).body.trashedAt).not.toBeNull();
    expect(outcomes(await actor.patch(`/photos/${first},${second}`, { trashed: false }))).toEqual([
      'updated',
      'updated',
    ]);
  });

  test('permanent=true deletes photos permanently, from the trash as well', async () => {
    const [first, second] = await photos(2);
    await actor.delete(`/photos/${second}`);
    const answer = await actor.delete(`/photos/${first},${second}?permanent=true`);
    expect(outcomes(answer)).toEqual(['deleted', 'deleted']);
    expect((await actor.get('/photos?trashed=any')).body.data).toEqual([]);
    expect(outcomes(await actor.delete(`/photos/${first},${second}?permanent=true`))).toEqual([
      'not_found',
      'not_found',
    ]);
  });

  test('a single id is still answered with 204, and with 404 the second time', async () => {
    const [id] = await photos(1);
    const answer = await actor.delete(`/photos/${id}`);
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    expect((await actor.delete(`/photos/${id}`)).status).toBe(404);
  });
});

describe('POST /tags with a list', () => {
  test('creates the tags that are missing; an invalid value rejects only its own entry', async () => {
    const paris = await tag('Paris');
    const tags = [
      { name: ' new  one ', color: '#AABBCC', description: 'words' },
      { name: 'PARIS', color: '#000000' },
      { name: 'bad', color: 'red' },
      { name: 'New One' },
      { name: '' },
    ];
    const answer = await actor.post('/tags', { tags });
    expect(answer.status).toBe(200);
    const [first] = answer.body.data;
    expect(first.tag).toMatchObject({ name: 'new one', color: '#aabbcc', description: 'words', version: 1 });
    const message = expect.any(String);
    expect(answer.body).toEqual({
      data: [
        { index: 0, outcome: 'created', tag: (await actor.get(`/tags/${first.tag.id}`)).body, error: null },
        { index: 1, outcome: 'existing', tag: paris, error: null },
        { index: 2, outcome: 'rejected', tag: null, error: { code: 'invalid_request', message } },
        { index: 3, outcome: 'existing', tag: first.tag, error: null },
        { index: 4, outcome: 'rejected', tag: null, error: { code: 'invalid_request', message } },
      ],
    });
    expect([answer.headers.etag, answer.headers.location]).toEqual([undefined, undefined]);
    expect((await actor.get('/tags')).body.data).toHaveLength(2);
    expect(outcomes(await actor.post('/tags?ifExists=return', { tags: [{ name: 'Paris' }] }))).toEqual(['existing']);
  });

  test('accepts a hundred tags', async () => {
    const tags = many(100).map((number) => ({ name: `tag ${number}` }));
    expect(new Set(outcomes(await actor.post('/tags', { tags })))).toEqual(new Set(['created']));
    expect(new Set(outcomes(await actor.post('/tags', { tags })))).toEqual(new Set(['existing']));
  });

  test.each([
    ['no tags', { tags: [] }, [['tags', 'too_short']]],
    ['null', { tags: null }, [['tags', 'not_nullable']]],
    ['no list', { tags: { name: 'a' } }, [['tags', 'invalid_type']]],
    ['101 tags', { tags: many(101).map((number) => ({ name: `tag ${number}` })) }, [['tags', 'too_many']]],
    ['a name that is no string', { tags: [{ name: 'a' }, { name: 7 }] }, [['tags[1].name', 'invalid_type']]],
    [
      'an entry without a name, and one that is no object',
      { tags: [{}, 'a'] },
      [
        ['tags[0].name', 'required'],
        ['tags[1]', 'invalid_type'],
      ],
    ],
    ['an unknown field of a tag', { tags: [{ name: 'a', colour: '#000000' }] }, [['tags[0].colour', 'unknown_field']]],
    ['tags beside a name', { tags: [{ name: 'a' }], name: 'b' }, [['name', 'unknown_field']]],
  ])('refuses the shape of %s', async (_, body, expected) => {
    const answer = await actor.post('/tags', body);
    expect([answer.status, errors(answer)]).toEqual([400, expected]);
    expect((await actor.get('/tags')).body.data).toEqual([]);
  });

  test('ifExists=fail goes with one tag only', async () => {
    const answer = await actor.post('/tags?ifExists=fail', { tags: [{ name: 'a' }] });
    expect([answer.status, errors(answer)]).toEqual([400, [['ifExists', 'conflict']]]);
  });

  test('rejects each tag that exceeds the limit of the customer', async () => {
    const small = await startApp({ limits: { tags: 2 } });
    try {
      const client = await small.customer();
      const answer = await client.post('/tags', { tags: ['a', 'b', 'c', 'A'].map((name) => ({ name })) });
      expect(outcomes(answer)).toEqual(['created', 'created', 'rejected', 'existing']);
      expect(answer.body.data[2].error.code).toBe('limit_reached');
    } finally {
      await small.close();
    }
  });
});

describe('PATCH /tags/{id} with bulk tools', () => {
  const none = { added: 0, removed: 0, unchanged: 0, notFound: [], full: [], mergedTagIds: [] };

  test('adds and removes photos, and changes the tag in the same request', async () => {
    const { id } = await tag('sea');
    const [first, second] = await photos(2);
    await actor.patch(`/tags/${id}`, { addPhotoIds: [second] });
    app.clock.pass(1000);
    const answer = await actor.patch(`/tags/${id}`, {
      name: 'Sea',
      color: '#0000FF',
      addPhotoIds: [first, 999999],
      removePhotoIds: [second],
    });
    const plain = await actor.get(`/tags/${id}`);
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...plain.body, changes: { ...none, added: 1, removed: 1, notFound: [999999] } },
    ]);
    expect(plain.body).toMatchObject({ name: 'Sea', color: '#0000ff', photoCount: 1, version: 2 });
    expect(answer.headers.etag).toBe(plain.headers.etag);
    const updatedAt = app.clock.now().toISOString();
    expect((await actor.get(`/photos/${first}`)).body).toMatchObject({
      tags: [{ id, name: 'Sea' }],
      version: 2,
      updatedAt,
    });
    expect((await actor.get(`/photos/${second}`)).body).toMatchObject({ tags: [], version: 3, updatedAt });
  });

  test('merges other tags into the tag', async () => {
    const [into, from] = [await tag('Paris'), await tag('paris, france')];
    const [first, second] = await photos(2);
    await actor.patch(`/tags/${from.id}`, { addPhotoIds: [first, second] });
    await actor.patch(`/tags/${into.id}`, { addPhotoIds: [second] });
    const answer = await actor.patch(`/tags/${into.id}`, { mergeTagIds: [from.id] });
    expect(answer.body).toMatchObject({
      photoCount: 2,
      changes: { ...none, added: 1, unchanged: 1, mergedTagIds: [from.id] },
    });
    expect((await actor.get(`/tags/${from.id}`)).status).toBe(404);
    expect((await actor.get(`/photos?tagIds=${into.id}`)).body.data).toHaveLength(2);
    const again = await actor.patch(`/tags/${into.id}`, { mergeTagIds: [from.id] });
    expect([again.status, errors(again)]).toEqual([400, [['mergeTagIds', 'unknown_tag']]]);
  });

  test('reports a photo with a hundred tags as full', async () => {
    const [id] = await photos(1);
    const tagNames = many(100).map((number) => `tag ${number}`);
    await actor.put(`/photos/${id}/tags`, { tagNames });
    const { id: tagId } = await tag('one more');
    const answer = await actor.patch(`/tags/${tagId}`, { addPhotoIds: [id] });
    expect(answer.body).toMatchObject({ photoCount: 0, changes: { ...none, full: [id] } });
    expect((await actor.get(`/photos/${id}`)).body.tags).toHaveLength(100);
  });

  test("another customer's photos are not found, and another customer's tag is unknown", async () => {
    const ids = await photos(1);
    const theirs = await tag('theirs');
    const stranger = await app.customer();
    const { id } = (await stranger.post('/tags', { name: 'mine' })).body;
    const answer = await stranger.patch(`/tags/${id}`, { addPhotoIds: ids });
    expect(answer.body).toMatchObject({ photoCount: 0, changes: { ...none, notFound: ids } });
    expect(errors(await stranger.patch(`/tags/${id}`, { mergeTagIds: [theirs.id] }))).toEqual([
      ['mergeTagIds', 'unknown_tag'],
    ]);
    expect((await actor.get(`/photos/${ids[0]}`)).body.version).toBe(1);
  });

  test.each([
    ['1001 photos to add', { addPhotoIds: many(1001) }, [['addPhotoIds', 'too_many']]],
    ['1001 photos to remove', { removePhotoIds: many(1001) }, [['removePhotoIds', 'too_many']]],
    ['21 tags to merge', { mergeTagIds: many(21) }, [['mergeTagIds', 'too_many']]],
    ['an id that cannot be', { addPhotoIds: [0] }, [['addPhotoIds', 'invalid_type']]],
    ['a string of ids', { addPhotoIds: '1,2' }, [['addPhotoIds', 'invalid_type']]],
    ['null', { addPhotoIds: null }, [['addPhotoIds', 'not_nullable']]],
    ['a photo to add and to remove', { addPhotoIds: [7], removePhotoIds: [7] }, [['removePhotoIds', 'conflict']]],
    ['what only the service says', { changes: {} }, [['changes', 'read_only']]],
  ])('refuses %s', async (_, body, expected) => {
    const { id } = await tag('a');
    const answer = await actor.patch(`/tags/${id}`, body);
    expect([answer.status, errors(answer)]).toEqual([400, expected]);
  });

  test('a tag cannot be merged into itself', async () => {
    const { id } = await tag('a');
    expect(errors(await actor.patch(`/tags/${id}`, { mergeTagIds: [id] }))).toEqual([['mergeTagIds', 'conflict']]);
  });

  test('takes a thousand photos and twenty tags', async () => {
    const { id } = await tag('into');
    const names = many(20).map((number) => ({ name: `tag ${number}` }));
    const made = (await actor.post('/tags', { tags: names })).body.data;
    const mergeTagIds = made.map((result: { tag: { id: number } }) => result.tag.id);
    const removePhotoIds = many(1000).map((number) => 900_000 + number);
    const answer = await actor.patch(`/tags/${id}`, { mergeTagIds, removePhotoIds });
    expect(answer.body.changes).toEqual({ ...none, notFound: removePhotoIds, mergedTagIds: mergeTagIds });
    expect((await actor.get('/tags')).body.data).toHaveLength(1);
  });

  test('requires photos:write for the bulk tools', async () => {
    const { id } = await tag('a');
    const limited = await actor.withKey({ scopes: ['tags:write'] });
    for (const tools of [{ addPhotoIds: [] }, { removePhotoIds: [1] }, { mergeTagIds: [2] }]) {
      const answer = await limited.patch(`/tags/${id}`, tools);
      expect([answer.status, answer.body.error.code, answer.body.error.details]).toEqual([
        403,
        'scope_required',
        { scope: 'photos:write' },
      ]);
    }
    expect((await limited.patch(`/tags/${id}`, { color: '#000000' })).status).toBe(200);
  });

  test('applies no tool when If-Match does not match', async () => {
    const { id } = await tag('a');
    const { etag = '' } = (await actor.get(`/tags/${id}`)).headers;
    const addPhotoIds = await photos(1);
    const used = await actor.patch(`/tags/${id}`, { addPhotoIds }, { 'if-match': etag });
    expect(used.status).toBe(200);
    const stale = await actor.patch(`/tags/${id}`, { removePhotoIds: addPhotoIds }, { 'if-match': etag });
    expect([stale.status, stale.body.error.details]).toEqual([412, { currentEtag: used.headers.etag }]);
    expect((await actor.get(`/tags/${id}`)).body.photoCount).toBe(1);
  });
});

describe('DELETE /tags/{id} of a tag with thousands of photos', () => {
  test('removes the tag before it answers, and the new versions of its photos follow', async () => {
    const { id } = await tag('popular');
    const photoIds = await app.ports.store.transaction(actor.customerId, async (transaction) => {
      const ids = await transaction.importPhotos.allocateIds(2500);
      for (const photoId of ids) await transaction.photos.insert(samplePhoto(actor.customerId, photoId), [id], {});
      return ids;
    });
    const [first, last] = [`/photos/${photoIds[0]}`, `/photos/${photoIds[2499]}`];
    const { etag = '' } = (await actor.get(`/tags/${id}`)).headers;
    const { etag: ofPhoto = '' } = (await actor.get(first)).headers;
    const stale = await actor.delete(`/tags/${id}`, { 'if-match': '"other"' });
    expect([stale.status, stale.body.error.details]).toEqual([412, { currentEtag: etag }]);
    expect((await actor.get(`/tags/${id}`)).headers.etag).toBe(etag);
    expect((await actor.delete(`/tags/${id}`, { 'if-match': etag })).status).toBe(204);
    expect((await actor.delete(`/tags/${id}`, { 'if-match': etag })).status).toBe(404);
    expect((await actor.get(`/photos?tagIds=${id}`)).status).toBe(400);
    expect((await actor.get('/photos?q=popular')).body.data).toEqual([]);
    expect((await actor.get('/photos?untagged=true&limit=1')).body.data).toHaveLength(1);
    expect((await actor.get(first)).body.tags).toEqual([]);
    expect((await actor.patch(first, { title: 'x' }, { 'if-match': ofPhoto })).status).toBe(412);
    app.clock.pass(1000);
    await app.work();
    const renewed = { tags: [], version: 2, updatedAt: app.clock.now().toISOString() };
    for (const photo of [first, last]) expect((await actor.get(photo)).body).toMatchObject(renewed);
  });
});
