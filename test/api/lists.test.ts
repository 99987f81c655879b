import { DAY, HOUR } from '../../src/core/shared/clock.js';
import { searchedTexts } from '../support/searched-texts.js';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
  for (const name of ['Ada', 'bob', 'Cid', 'dan', 'Eve']) await actor.post('/tags', { name });
});
afterAll(() => app.close());

const names = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map((tag) => tag.name);

describe('limit', () => {
  test.each([
    ['0', 'out_of_range'],
    ['-1', 'out_of_range'],
    ['101', 'out_of_range'],
    ['abc', 'invalid_type'],
    ['1.5', 'invalid_type'],
    ['%2B5', 'invalid_type'],
    ['+5', 'invalid_type'],
    ['1e1', 'invalid_type'],
    ['٥', 'invalid_type'],
    ['', 'invalid_type'],
    ['99999999999999999999', 'invalid_type'],
    ['1&limit=100', 'invalid_type'],
  ])('limit=%s is 400 %s, with the bounds', async (limit, code) => {
    for (const path of ['/photos', '/tags']) {
      const answer = await actor.get(`${path}?limit=${encodeURI(limit).replaceAll('%25', '%')}`);
      expect(answer.status).toBe(400);
      expect(answer.body.error.details.errors).toEqual([
        { field: 'limit', code, message: expect.stringContaining('limit'), min: 1, max: 100 },
      ]);
    }
  });

  test.each(['limit[]=1', 'cursor[a]=b', 'Limit=1', 'limit%00=1', '__proto__=1', 'constructor=1'])(
    '%s is an unknown parameter',
    async (query) => {
      const answer = await actor.get(`/tags?${query}`);
      expect([answer.status, answer.body.error.details.errors[0].code]).toEqual([400, 'unknown_parameter']);
    },
  );

  test('an empty list is a complete page', async () => {
    const nobody = await app.customer();
    expect((await nobody.get('/photos')).body).toEqual({ data: [], pagination: { nextCursor: null, hasMore: false } });
  });
});

describe('cursors', () => {
  test('a walk shows everything once and ends with null', async () => {
    const first = await actor.get('/tags?limit=2');
    expect(names(first)).toEqual(['Ada', 'bob']);
    expect(first.body.pagination).toEqual({ hasMore: true, nextCursor: expect.any(String) });
    const second = await actor.get(`/tags?limit=3&cursor=${first.body.pagination.nextCursor}`);
    expect(names(second)).toEqual(['Cid', 'dan', 'Eve']);
    expect(second.body.pagination).toEqual({ hasMore: false, nextCursor: null });
  });

  test('the sort and the filters must be repeated; another customer, list or spelling is refused', async () => {
    const { nextCursor } = (await actor.get('/tags?limit=2')).body.pagination;
    const stranger = await app.customer();
    const refused = [
      await actor.get(`/tags?cursor=${nextCursor}&sort=-name`),
      await actor.get(`/tags?cursor=${nextCursor}&q=a`),
      await actor.get(`/photos?cursor=${nextCursor}`),
      await stranger.get(`/tags?cursor=${nextCursor}`),
      await actor.get(`/tags?cursor=${nextCursor}A`),
      await actor.get(`/tags?cursor=${nextCursor.slice(0, -2)}`),
      await actor.get('/tags?cursor='),
      await actor.get(`/tags?cursor=${'A'.repeat(5000)}`),
    ];
    for (const answer of refused) expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_cursor']);
  });

  test('a cursor remains valid after its key is deleted', async () => {
    const { nextCursor } = (await actor.get('/tags?limit=4')).body.pagination;
    const rotated = await actor.withKey({ scopes: ['tags:read'] });
    expect(names(await rotated.get(`/tags?cursor=${nextCursor}`))).toEqual(['Eve']);
  });

  test('a cursor works for a day whatever happens, and after that while the list has not shifted', async () => {
    const owner = await app.customer();
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await owner.post('/tags', { name })).body.id);
    const { nextCursor } = (await owner.get('/tags?limit=1')).body.pagination;
    await owner.patch(`/tags/${ids[0]}`, { name: 'z' });
    app.clock.pass(23 * HOUR);
    expect(names(await owner.get(`/tags?cursor=${nextCursor}`))).toEqual(['b', 'c', 'z']);
    app.clock.pass(DAY);
    expect((await owner.get(`/tags?cursor=${nextCursor}`)).body.error.code).toBe('invalid_cursor');
    await owner.patch(`/tags/${ids[0]}`, { name: 'a' });
    expect(names(await owner.get(`/tags?cursor=${nextCursor}`))).toEqual(['b', 'c']);
  });
});

describe('pages', () => {
  test('`limit` is "Items per page; maximum 100", default 50', async () => {
    const owner = await app.customer();
    await owner.post('/tags', { tags: Array.from({ length: 100 }, (_, at) => ({ name: `tag ${at}` })) });
    await owner.post('/tags', { name: 'one more' });
    const sizes = async (query: string) => {
      const { data, pagination } = (await owner.get(`/tags${query}`)).body;
      return [data.length, pagination.hasMore, typeof pagination.nextCursor];
    };
    expect(await sizes('')).toEqual([50, true, 'string']);
    expect(await sizes('?limit=1')).toEqual([1, true, 'string']);
    expect(await sizes('?limit=100')).toEqual([100, true, 'string']);
    await owner.delete(`/tags/${(await owner.get('/tags?name=one%20more')).body.data[0].id}`);
    expect(await sizes('?limit=100')).toEqual([100, false, 'object']);
  });

  test('"When `hasMore` is false, `nextCursor` is null", also when the last page is full', async () => {
    for (const limit of [1, 2, 3, 4, 5, 6]) {
      const seen: string[] = [];
      for (let cursor = ''; ; ) {
        const answer = await actor.get(`/tags?limit=${limit}${cursor}`);
        const { hasMore, nextCursor } = answer.body.pagination;
        expect(Object.keys(answer.body)).toEqual(['data', 'pagination']);
        expect(Object.keys(answer.body.pagination).sort()).toEqual(['hasMore', 'nextCursor']);
        seen.push(...names(answer));
        expect(hasMore).toBe(nextCursor !== null);
        if (!hasMore) break;
        expect(names(answer)).toHaveLength(limit);
        cursor = `&cursor=${nextCursor}`;
      }
      expect(seen).toEqual(['Ada', 'bob', 'Cid', 'dan', 'Eve']);
    }
  });

  test('the items of an import and the tags of a photo come in the same envelope', async () => {
    const { id } = (await actor.post('/imports')).body;
    const empty = (await actor.get(`/imports/${id}?include=photos`)).body.photos;
    expect(empty).toEqual({ data: [], pagination: { nextCursor: null, hasMore: false } });
    for (const limit of ['0', '101', 'abc']) {
      const answer = await actor.get(`/imports/${id}?include=photos&limit=${limit}`);
      expect(answer.body.error.details.errors).toMatchObject([{ field: 'limit', min: 1, max: 100 }]);
    }
  });
});

describe('changes during a walk', () => {
  test('"Items deleted during pagination do not appear on later pages"; nothing is left out or shown twice', async () => {
    const owner = await app.customer();
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push((await owner.post('/tags', { name })).body.id);
    const { nextCursor } = (await owner.get('/tags?limit=2')).body.pagination;
    // The row that the cursor was taken from, one before it, and one after it.
    for (const at of [0, 1, 3]) await owner.delete(`/tags/${ids[at]}`);
    expect(names(await owner.get(`/tags?cursor=${nextCursor}`))).toEqual(['c', 'e', 'f']);
  });

  test('rows added before the position of the cursor do not appear, and rows added behind it do', async () => {
    const owner = await app.customer();
    for (const name of ['b', 'd']) await owner.post('/tags', { name });
    const { nextCursor } = (await owner.get('/tags?limit=1')).body.pagination;
    for (const name of ['a', 'c', 'e']) await owner.post('/tags', { name });
    expect(names(await owner.get(`/tags?cursor=${nextCursor}`))).toEqual(['c', 'd', 'e']);
  });

  test('in the default order of photos, newest first, added ones do not appear', async () => {
    const owner = await app.customer();
    const two = ['1', '2'].map((title) => ({ filename: `${title}.jpg`, content: picture(title) }));
    const before = (await importPhotos(app, owner, two)).map(({ id }) => id);
    const first = await owner.get('/photos?limit=1');
    app.clock.pass(1);
    await importPhotos(app, owner, [{ filename: 'new.jpg', content: picture('new') }]);
    const rest = await owner.get(`/photos?cursor=${first.body.pagination.nextCursor}`);
    const seen = [...first.body.data, ...rest.body.data].map(({ id }: { id: number }) => id);
    expect(seen.sort()).toEqual(before.sort());
  });
});

describe('a cursor', () => {
  const invalid = async (path: string, client = actor) => {
    const answer = await client.get(path);
    expect([path, answer.status, answer.body.error?.code]).toEqual([path, 400, 'invalid_cursor']);
    expect(answer.body.error.details).toBeUndefined();
  };

  test('is invalid with any byte changed, cut anywhere, extended or spelt differently', async () => {
    const { nextCursor } = (await actor.get('/tags?limit=2')).body.pagination;
    expect(nextCursor).toMatch(/^[A-Za-z0-9_-]+$/);
    for (let at = 0; at < nextCursor.length; at += 1) {
      const other = nextCursor[at] === 'A' ? 'B' : 'A';
      await invalid(`/tags?cursor=${nextCursor.slice(0, at)}${other}${nextCursor.slice(at + 1)}`);
    }
    for (let length = 0; length < nextCursor.length; length += 7)
      await invalid(`/tags?cursor=${nextCursor.slice(0, length)}`);
    for (const wrong of [
      `${nextCursor}%3D`,
      `${nextCursor}%3D%3D`,
      `${nextCursor}AAAA`,
      `%20${nextCursor}`,
      `${nextCursor}%00`,
    ]) {
      const answer = await actor.get(`/tags?cursor=${wrong}`);
      expect([wrong, answer.status]).toEqual([wrong, 400]);
    }
    for (const wrong of ['null', '0', '1', '-1', '{}', 'A'.repeat(24), '_'.repeat(5120), encodeURIComponent('é')]) {
      await invalid(`/tags?cursor=${wrong}`);
    }
  });

  test('is refused by another list, another customer and another import, in each direction', async () => {
    const owner = await app.customer();
    const files = ['1', '2', '3'].map((title) => ({ filename: `${title}.jpg`, content: picture(`of ${title}`) }));
    const [photo] = await importPhotos(app, owner, files);
    await owner.post('/tags', { tags: ['a', 'b'].map((name) => ({ name })) });
    const other = (await owner.post('/imports')).body.id;
    const next = (answer: Answer) => (answer.body.photos ?? answer.body).pagination.nextCursor as string;
    const ofPhotos = next(await owner.get('/photos?limit=1'));
    const ofTags = next(await owner.get('/tags?limit=1'));
    const ofItems = next(await owner.get(`/imports/${photo.importId}?include=photos&limit=1`));
    for (const cursor of [ofTags, ofItems]) await invalid(`/photos?cursor=${cursor}`, owner);
    for (const cursor of [ofPhotos, ofItems]) await invalid(`/tags?cursor=${cursor}`, owner);
    for (const cursor of [ofPhotos, ofTags])
      await invalid(`/imports/${photo.importId}?include=photos&cursor=${cursor}`, owner);
    await invalid(`/imports/${other}?include=photos&cursor=${ofItems}`, owner);
    await invalid(`/imports/${photo.importId}?include=photos&photoStatus=failed&cursor=${ofItems}`, owner);
    for (const query of ['sort=id', 'trashed=any', 'q=x', 'ids=1', 'minRating=1']) {
      await invalid(`/photos?cursor=${ofPhotos}&${query}`, owner);
    }
    await invalid(`/photos?cursor=${ofPhotos}`);
    expect((await owner.get(`/photos?cursor=${ofPhotos}`)).body.data).toHaveLength(2);
  });

  test('stays valid when limit, include, the key or the spelling of the default sort changes', async () => {
    const owner = await app.customer();
    const files = ['4', '5', '6'].map((title) => ({ filename: `${title}.jpg`, content: picture(`of ${title}`) }));
    await importPhotos(app, owner, files);
    const { nextCursor } = (await owner.get('/photos?limit=1')).body.pagination;
    for (const query of ['limit=2', 'limit=100&include=urls', 'sort=-createdAt', 'trashed=false']) {
      expect((await owner.get(`/photos?cursor=${nextCursor}&${query}`)).status).toBe(200);
    }
    const spelt = (await owner.get('/photos?limit=1&contentType=image/jpeg&minRating=0')).body;
    expect(spelt.pagination.nextCursor).toBeNull();
  });

  test('has at most 2,000 characters, even where the longest file name is the sort value', async () => {
    const owner = await app.customer();
    const files = ['a', 'b'].map((title) => ({ filename: `${title}.jpg`, content: picture(`long ${title}`) }));
    for (const { id } of await importPhotos(app, owner, files)) {
      expect((await owner.patch(`/photos/${id}`, { filename: `${'\u{1F600}'.repeat(250)}${id}` })).status).toBe(200);
    }
    const { nextCursor } = (await owner.get('/photos?sort=filename&limit=1')).body.pagination;
    expect(nextCursor.length).toBeLessThanOrEqual(2000);
    expect((await owner.get(`/photos?sort=filename&cursor=${nextCursor}`)).body.data).toHaveLength(1);
  });

  test('is valid on every node that has the secret, and after the secret was rotated', async () => {
    const { nextCursor } = (await actor.get('/tags?limit=2')).body.pagination;
    const [secret] = app.ports.secrets;
    const newer = 'a newer secret, which is long enough too';
    const at = async (...secrets: [string, ...string[]]) => {
      const node = await startApp({ ports: () => ({ ...app.ports, secrets }) });
      try {
        return await node.send({
          path: `/api/v1/tags?cursor=${nextCursor}`,
          headers: { authorization: `Bearer ${actor.token}` },
        });
      } finally {
        await node.close();
      }
    };
    expect(names(await at(secret))).toEqual(['Cid', 'dan', 'Eve']);
    expect(names(await at(newer, secret))).toEqual(['Cid', 'dan', 'Eve']);
    const dropped = await at(newer);
    expect([dropped.status, dropped.body.error.code]).toEqual([400, 'invalid_cursor']);
  });

  test('"Cursors are stable for at least 24 hours", to the millisecond, whatever became of the row', async () => {
    const owner = await app.customer();
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await owner.post('/tags', { name })).body.id);
    const { nextCursor } = (await owner.get('/tags?limit=2')).body.pagination;
    await owner.delete(`/tags/${ids[1]}`);
    app.clock.pass(DAY);
    expect(names(await owner.get(`/tags?cursor=${nextCursor}`))).toEqual(['c']);
    app.clock.pass(1);
    await invalid(`/tags?cursor=${nextCursor}`, owner);
    // A cursor that has not shifted goes on for as long as it likes.
    const kept = (await owner.get('/tags?limit=1')).body.pagination.nextCursor;
    app.clock.pass(30 * DAY);
    expect(names(await owner.get(`/tags?cursor=${kept}`))).toEqual(['c']);
    await owner.patch(`/tags/${ids[2]}`, { color: '#000000' });
    expect(names(await owner.get(`/tags?cursor=${kept}`))).toEqual(['c']);
  });

  test('is 400 when it is given twice, and unknown under a similar name', async () => {
    const { nextCursor } = (await actor.get('/tags?limit=2')).body.pagination;
    const twice = await actor.get(`/tags?cursor=${nextCursor}&cursor=${nextCursor}`);
    expect(twice.body.error.details.errors).toMatchObject([{ field: 'cursor', code: 'invalid_type' }]);
  });
});

describe('every parameter of every list, given twice, is 400', () => {
  test.each(['/photos', '/tags'])('%s', async (path) => {
    const unknown = await actor.get(`${path}?x=1`);
    const known = /Known: (.*)\./.exec(unknown.body.error.message)?.[1]?.split(', ') ?? [];
    expect(known.length).toBeGreaterThanOrEqual(7);
    for (const name of known) {
      for (const query of [`${name}=1&${name}=1`, `${name}=1&${name}=100`, `${name}&${name}`]) {
        const answer = await actor.get(`${path}?${query}`);
        expect([query, answer.status]).toEqual([query, 400]);
        expect(answer.body.error.details.errors).toMatchObject([{ field: name, code: 'invalid_type' }]);
      }
      for (const odd of [`${name}[]=1`, `${name}[0]=1`, `${name}[a]=1`, `${name}.a=1`, `${name.toUpperCase()}=1`]) {
        const answer = await actor.get(`${path}?${odd}`);
        expect([odd, answer.status, answer.body.error?.details.errors[0].code]).toEqual([
          odd,
          400,
          'unknown_parameter',
        ]);
      }
    }
  });
});

describe('characters with a meaning in SQL or LIKE are text', () => {
  const hostile = [
    "'",
    "''",
    '%',
    '_',
    '\\',
    '%25',
    "' OR 1=1 --",
    '"; DROP TABLE tag; --',
    "'||pg_sleep(3)||'",
    '$1',
    '?',
    '*',
  ];

  test.each(hostile)('%s', async (text) => {
    const word = encodeURIComponent(text);
    for (const query of [
      `/tags?q=d${word}n`,
      `/tags?name=${word}`,
      `/photos?q=${word}x`,
      `/photos?filename=${word}`,
      `/photos?camera=d${word}n`,
      `/photos?externalId=${word}`,
    ]) {
      const answer = await actor.get(query);
      expect([query, answer.status, answer.body.data]).toEqual([query, 200, []]);
    }
    const sort = await actor.get(`/tags?sort=${word}`);
    expect(sort.body.error.details.errors).toMatchObject([{ field: 'sort', code: 'invalid_format' }]);
  });
});

describe('`q` in every script', () => {
  const photos = new Map<string, number>();

  beforeAll(async () => {
    for (const { what, text } of searchedTexts) {
      const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture(what) }]);
      const { status } = await actor.patch(`/photos/${photo.id}`, { title: text });
      expect(status).toBe(200);
      photos.set(what, photo.id);
    }
  });

  test.each(searchedTexts)('finds $what', async ({ what, found, missed }) => {
    const isFound = async (q: string) => {
      const { status, body } = await actor.get(`/photos?limit=100&q=${encodeURIComponent(q)}`);
      expect(status).toBe(200);
      return body.data.some(({ id }: { id: number }) => id === photos.get(what));
    };
    for (const q of found) expect([q, await isFound(q)]).toEqual([q, true]);
    for (const q of missed) expect([q, await isFound(q)]).toEqual([q, false]);
  });

  test('is a word: a letter, a digit or an emoji', async () => {
    for (const q of ['', ' ', '!?', '・', '\u200d', '©', '🏽']) {
      const { status, body } = await actor.get(`/photos?q=${encodeURIComponent(q)}`);
      expect([q, status, body.error.details.errors]).toMatchObject([q, 400, [{ field: 'q', code: 'too_short' }]]);
    }
    expect((await actor.get(`/photos?q=${encodeURIComponent('東'.repeat(200))}`)).body.data).toEqual([]);
    expect((await actor.get(`/photos?q=${encodeURIComponent('東1'.repeat(100))}`)).body.data).toEqual([]);
  });

  test('leads from page to page', async () => {
    const tag = (await actor.post('/tags', { name: '夏休み🏖️' })).body.id;
    const addPhotoIds = [...photos.values()].slice(0, 3);
    await actor.patch(`/tags/${tag}`, { addPhotoIds });
    const q = encodeURIComponent('休み 🏖');
    const walked: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await actor.get(`/photos?sort=id&limit=1&q=${q}${cursor && `&cursor=${cursor}`}`);
      walked.push(...body.data.map(({ id }: { id: number }) => id));
      cursor = body.pagination.nextCursor;
    }
    expect(walked).toEqual(addPhotoIds);
  });
});

describe('our addition: `q` has at most ten telling words', () => {
  test('ten are searched for, eleven are 400 too_many; what says no more is not counted', async () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `word${'abcdefghijkl'[at]}`).join('+');
    expect((await actor.get(`/photos?q=${words(10)}`)).status).toBe(200);
    const answer = await actor.get(`/photos?q=${words(11)}`);
    expect([answer.status, answer.body.error.details.errors]).toMatchObject([400, [{ field: 'q', code: 'too_many' }]]);
    expect((await actor.get(`/photos?q=${words(10)}+worda+WORDB`)).status).toBe(200);
  });

  test('q has at most 200 characters', async () => {
    expect((await actor.get(`/photos?q=${'x'.repeat(200)}`)).status).toBe(200);
    const answer = await actor.get(`/photos?q=${'x'.repeat(201)}`);
    expect(answer.body.error.details.errors).toMatchObject([{ field: 'q', code: 'too_long', max: 200 }]);
  });
});
