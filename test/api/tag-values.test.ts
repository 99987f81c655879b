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

const make = async (name: string, words: object = {}) => (await actor.post('/tags', { name, ...words })).body;
const errors = (answer: Answer) =>
  answer.body.error.details.errors.map((error: { field: string; code: string }) => [error.field, error.code]);
const names = (answer: Answer) => answer.body.data.map((tag: { name: string }) => tag.name);
const wide = (count: number) => '𝕏'.repeat(count);

/** The ways to give a tag its values: what became of them, and under which code they were refused. */
const doors: Record<string, (words: object) => Promise<Answer>> = {
  'endpoint 17, POST /tags': (words) => actor.post('/tags', { name: 'a tag', ...words }),
  'endpoint 18, PATCH /tags/{id}': async (words) => actor.patch(`/tags/${(await make('old')).id}`, words),
};

describe.each(Object.entries(doors))('the fields of a tag, at %s', (_, say) => {
  test.each<[string, object, object?]>([
    ['a name of 1', { name: 'a' }],
    ['a name of 100 code points', { name: wide(100) }],
    ['"NFC"', { name: 'e\u0301' }, { name: 'é' }],
    ['"trimmed, inner whitespace collapsed"', { name: ' \u00a0 a \u2003  b ' }, { name: 'a b' }],
    ['counted after that', { name: ` ${wide(50)}    ${wide(49)} ` }, { name: `${wide(50)} ${wide(49)}` }],
    ['"case kept"', { name: 'McDonald' }],
    ['signs', { name: `C++ & C# 100% "quoted" ,;/\\'` }],
    ['"#rrggbb", in small letters', { color: '#ABCdef' }, { color: '#abcdef' }],
    ['no color', { color: null }],
    ['a description of 1,000 code points', { description: wide(1000) }],
    ['a description, NFC and trimmed', { description: '\n e\u0301\n\nb ' }, { description: 'é\n\nb' }],
    ['no description', { description: null }],
  ])('takes %s', async (_each, words, kept = words) => {
    const answer = await say(words);
    expect([200, 201]).toContain(answer.status);
    expect(answer.body).toMatchObject(kept);
  });

  test.each<[string, object, string, string]>([
    ['no name', { name: '' }, 'name', 'too_short'],
    ['a name of blanks', { name: ' \u3000' }, 'name', 'too_short'],
    ['a name of 101', { name: wide(101) }, 'name', 'too_long'],
    ['NUL', { name: 'a\u0000b' }, 'name', 'invalid_format'],
    ['a tab', { name: 'a\tb' }, 'name', 'invalid_format'],
    ['a line break at the end', { name: 'a\n' }, 'name', 'invalid_format'],
    ['a C1 control', { name: 'a\u0090' }, 'name', 'invalid_format'],
    ['a line separator', { name: 'a\u2028b' }, 'name', 'invalid_format'],
    ['half a surrogate pair', { name: 'a\ud800' }, 'name', 'invalid_format'],
    ['null for a name', { name: null }, 'name', 'not_nullable'],
    ['a short color', { color: '#fff' }, 'color', 'invalid_format'],
    ['a color with alpha', { color: '#11223344' }, 'color', 'invalid_format'],
    ['a color without #', { color: '112233' }, 'color', 'invalid_format'],
    ['a color and more', { color: '#112233\n' }, 'color', 'invalid_format'],
    ['an empty color', { color: '' }, 'color', 'invalid_format'],
    ['a number for a color', { color: 0x112233 }, 'color', 'invalid_type'],
    ['a description of 1,001', { description: wide(1001) }, 'description', 'too_long'],
    ['NUL in a description', { description: '\u0000' }, 'description', 'invalid_format'],
    ['id', { id: 7 }, 'id', 'read_only'],
    ['photoCount', { photoCount: 7 }, 'photoCount', 'read_only'],
    ['createdAt', { createdAt: '2024-01-01T00:00:00Z' }, 'createdAt', 'read_only'],
    ['updatedAt', { updatedAt: null }, 'updatedAt', 'read_only'],
    ['version', { version: 1 }, 'version', 'read_only'],
    ['another field', { colour: '#112233' }, 'colour', 'unknown_field'],
  ])('refuses %s', async (_each, words, field, code) => {
    const answer = await say(words);
    expect([answer.status, errors(answer)]).toEqual([400, [[field, code]]]);
  });
});

describe('a name is "unique per customer on Unicode case-folded NFKC key"', () => {
  test.each([
    ['Paris', 'pARIS'],
    ['Straße', 'STRASSE'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ﬁne', 'FINE'],
    ['①', '1'],
    ['Ｆｕｌｌ', 'full'],
    ['a  b', ' A B '],
    ['é', 'E\u0301'],
  ])('%s and %s are the same name', async (first, second) => {
    const { id } = await make(first);
    const answer = await actor.post('/tags', { name: second });
    expect([answer.status, answer.body.error]).toMatchObject([409, { code: 'tag_name_taken', details: { tagId: id } }]);
    expect((await actor.get(`/tags?name=${encodeURIComponent(second)}`)).body.data).toMatchObject([{ id }]);
  });

  test.each([
    ['resume', 'résumé'],
    ['a b', 'a-b'],
    ['I', 'ı'],
  ])('%s and %s are different names', async (first, second) => {
    await make(first);
    expect((await actor.post('/tags', { name: second })).status).toBe(201);
  });
});

describe('GET /tags', () => {
  const filled = async () => {
    const ids: Record<string, number> = {};
    for (const name of ['beta', 'Alpha', 'gamma']) ids[name] = (await make(name)).id;
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('tagged') }]);
    await actor.put(`/photos/${photo.id}/tags`, { tagIds: [ids['beta']] });
    return { ids, photoId: photo.id as number };
  };

  test('unused=true|false goes by photos outside the trash', async () => {
    const { photoId } = await filled();
    expect(names(await actor.get('/tags?unused=false'))).toEqual(['beta']);
    expect(names(await actor.get('/tags?unused=true'))).toEqual(['Alpha', 'gamma']);
    await actor.delete(`/photos/${photoId}`);
    expect(names(await actor.get('/tags?unused=false'))).toEqual([]);
  });

  test('sort: name (default), -name, id "(= creation order)", -id; each walks', async () => {
    await filled();
    const orders = {
      '': ['Alpha', 'beta', 'gamma'],
      '&sort=name': ['Alpha', 'beta', 'gamma'],
      '&sort=-name': ['gamma', 'beta', 'Alpha'],
      '&sort=id': ['beta', 'Alpha', 'gamma'],
      '&sort=-id': ['gamma', 'Alpha', 'beta'],
    };
    for (const [sort, expected] of Object.entries(orders)) {
      const first = await actor.get(`/tags?limit=2${sort}`);
      const second = await actor.get(`/tags?limit=2${sort}&cursor=${first.body.pagination.nextCursor}`);
      expect([sort, ...names(first), ...names(second)]).toEqual([sort, ...expected]);
    }
  });

  test('name: "exact, case-insensitive; 0 or 1 result"', async () => {
    await filled();
    expect(names(await actor.get('/tags?name=ALPHA'))).toEqual(['Alpha']);
    expect(names(await actor.get('/tags?name=%20alpha%20'))).toEqual(['Alpha']);
    expect(names(await actor.get('/tags?name=alph'))).toEqual([]);
  });

  test('ids ≤ 100; unknown ones and those of others are absent; filters are ANDed', async () => {
    const { ids } = await filled();
    const stranger = (await (await app.customer()).post('/tags', { name: 'theirs' })).body.id;
    expect(names(await actor.get(`/tags?ids=${ids['gamma']},999999,${stranger},${ids['beta']}`))).toEqual([
      'beta',
      'gamma',
    ]);
    expect(names(await actor.get(`/tags?ids=${ids['gamma']},${ids['beta']}&q=mm`))).toEqual(['gamma']);
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
    expect((await actor.get(`/tags?ids=${hundred.join()}`)).status).toBe(200);
    expect(errors(await actor.get(`/tags?ids=${[...hundred, 101].join()}`))).toEqual([['ids', 'too_many']]);
  });

  test('limit: 50 by default, 100 at most', async () => {
    await actor.post('/tags', { tags: Array.from({ length: 100 }, (_, at) => ({ name: `tag ${at}` })) });
    await make('one more');
    expect((await actor.get('/tags')).body.data).toHaveLength(50);
    const full = (await actor.get('/tags?limit=100')).body;
    expect([full.data.length, full.pagination.hasMore]).toEqual([100, true]);
  });
});

describe('POST /tags', () => {
  test('ifExists: fail is the default; "return → 200 existing instead of 409", as it is', async () => {
    const first = await actor.post('/tags?ifExists=fail', { name: 'Sea', color: '#112233' });
    expect([first.status, first.headers.location]).toEqual([201, `/api/v1/tags/${first.body.id}`]);
    expect((await actor.post('/tags?ifExists=fail', { name: 'sea' })).status).toBe(409);
    const returned = await actor.post('/tags?ifExists=return', { name: 'SEA', color: '#000000', description: 'x' });
    expect([returned.status, returned.body, returned.headers.location]).toEqual([200, first.body, undefined]);
    const fresh = await actor.post('/tags?ifExists=return', { name: 'Lake' });
    expect([fresh.status, fresh.headers.location]).toEqual([201, `/api/v1/tags/${fresh.body.id}`]);
    expect(errors(await actor.post('/tags?ifExists=', { name: 'x' }))).toEqual([['ifExists', 'invalid_format']]);
  });

  test('limit_reached is 409; a tag that exists takes no room', async () => {
    const small = await startApp({ limits: { tags: 1 } });
    try {
      const client = await small.customer();
      expect((await client.post('/tags', { name: 'one' })).status).toBe(201);
      const over = await client.post('/tags', { name: 'two' });
      expect([over.status, over.body.error]).toMatchObject([
        409,
        { code: 'limit_reached', details: { limit: 1, name: 'tags' } },
      ]);
      expect((await client.post('/tags?ifExists=return', { name: 'ONE' })).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});

describe('PATCH /tags/{id}', () => {
  test('"Rename to own name in other case is allowed; name of another tag → 409 (message suggests mergeTagIds)"', async () => {
    const [one, two] = [await make('one'), await make('two')];
    const renamed = await actor.patch(`/tags/${one.id}`, { name: 'ONE' });
    expect([renamed.status, renamed.body]).toMatchObject([200, { name: 'ONE', version: 2 }]);
    const taken = await actor.patch(`/tags/${one.id}`, { name: 'TWO' });
    expect([taken.status, taken.body.error]).toMatchObject([
      409,
      { code: 'tag_name_taken', message: expect.stringContaining('mergeTagIds'), details: { tagId: two.id } },
    ]);
  });

  test('"One transaction": when the name is taken, no tool was used either', async () => {
    const [one, two, three] = [await make('one'), await make('two'), await make('three')];
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('atomic') }]);
    const refused = await actor.patch(`/tags/${one.id}`, {
      name: 'two',
      addPhotoIds: [photo.id],
      mergeTagIds: [three.id],
    });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'tag_name_taken']);
    expect((await actor.get(`/photos/${photo.id}`)).body).toEqual(photo);
    expect((await actor.get(`/tags/${three.id}`)).body).toEqual(three);
    const unknown = await actor.patch(`/tags/${one.id}`, { addPhotoIds: [photo.id], mergeTagIds: [three.id, 999999] });
    expect([unknown.status, errors(unknown)]).toEqual([400, [['mergeTagIds', 'unknown_tag']]]);
    expect((await actor.get(`/photos/${photo.id}`)).body).toEqual(photo);
    // The name of a tag that goes in the same request is free.
    const merged = await actor.patch(`/tags/${one.id}`, { name: 'TWO', mergeTagIds: [two.id] });
    expect([merged.status, merged.body.name, merged.body.changes.mergedTagIds]).toEqual([200, 'TWO', [two.id]]);
  });

  test('"renaming a tag touches no photo, deleting or merging one does"', async () => {
    const [one, two] = [await make('one'), await make('two')];
    const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('versions') }]);
    await actor.put(`/photos/${photo.id}/tags`, { tagIds: [one.id] });
    const version = async () => (await actor.get(`/photos/${photo.id}`)).body.version;
    expect(await version()).toBe(2);
    await actor.patch(`/tags/${one.id}`, { name: 'renamed', color: '#000000' });
    expect([await version(), (await actor.get(`/photos/${photo.id}`)).body.tags[0].name]).toEqual([2, 'renamed']);
    await actor.patch(`/tags/${two.id}`, { mergeTagIds: [one.id] });
    expect(await version()).toBe(3);
    await actor.delete(`/tags/${two.id}`);
    expect(await version()).toBe(4);
  });

  test('without a tool there are no changes in the answer', async () => {
    const { id } = await make('plain');
    expect((await actor.patch(`/tags/${id}`, { color: '#000000' })).body.changes).toBeUndefined();
    expect((await actor.patch(`/tags/${id}`, { addPhotoIds: [] })).body.changes).toEqual({
      added: 0,
      removed: 0,
      unchanged: 0,
      notFound: [],
      full: [],
      mergedTagIds: [],
    });
  });
});
