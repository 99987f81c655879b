import { randomUUID } from 'node:crypto';
import type { Answer } from './support/http-client.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
let ids: { photo: number; tag: number; import: number; item: number };
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
  const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
  const { id: subject } = (await actor.post('/imports')).body;
  const photos = [{ filename: 'b.jpg', sizeBytes: 7 }];
  const [{ photo: item }] = (await actor.post(`/imports/${subject}/photos`, { photos })).body.data;
  ids = { photo: photo.id, tag: (await actor.post('/tags', { name: 'a' })).body.id, import: subject, item: item.id };
});
afterAll(() => app.close());

const LONG = 'x'.repeat(300);
const hundredAndOne = Array.from({ length: 101 }, (_, at) => at + 1).join();
const errors = ({ body }: Answer) =>
  body.error.details?.errors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`);
const pathOf = (path: string) => path.replace(/\{(\w+)\}/g, (_, name: keyof typeof ids) => String(ids[name]));

type Case = readonly [method: string, path: string, body: unknown, expected: readonly string[]];

/** What the shapes refuse, what core refuses, and what only fits together, in one body each. */
const cases: readonly Case[] = [
  [
    'PATCH',
    '/photos/{photo}',
    { nonsense: 1, rating: 9, title: 5 },
    ['nonsense unknown_field', 'rating out_of_range', 'title invalid_type'],
  ],
  [
    'PATCH',
    '/photos/{photo},',
    { filename: 'a/b', id: 7, takenAt: '2026-11-21T03:04:05Z', timeZone: '+01:00', rotation: 45, trashed: true },
    ['filename invalid_format', 'id read_only', 'takenAt conflict', 'rotation out_of_range', 'trashed read_only'],
  ],
  [
    'PATCH',
    '/photos/{photo}',
    {
      location: { latitude: 'north', longitude: 999, depth: 1 },
      metadata: { 'a b': 'x' },
      title: null,
      rotation: null,
    },
    [
      'location.latitude invalid_type',
      'location.longitude out_of_range',
      'location.depth unknown_field',
      'metadata.a b invalid_format',
      'rotation not_nullable',
    ],
  ],
  ['PUT', '/photos/{photo}/tags', { nonsense: 1 }, ['nonsense unknown_field', 'tagIds required']],
  ['PUT', '/photos/{photo}/tags', { tagNames: 5 }, ['tagNames invalid_type']],
  ['PUT', '/photos/{photo}/tags', { tagNames: 'Holiday' }, ['tagNames invalid_type']],
  ['POST', '/imports', { tagNames: 'Holiday' }, ['tagNames invalid_type']],
  [
    'PUT',
    '/photos/{photo}/tags',
    { tagIds: ['x'], tagNames: ['', LONG, 'good', ''] },
    ['tagIds invalid_type', 'tagNames too_short', 'tagNames too_long'],
  ],
  [
    'POST',
    '/imports?nonsense=1',
    { name: LONG, source: 5, clientRef: '\u0000', defaultTimeZone: 'Mars/Olympus', tagNames: ['\u0001'], x: 1 },
    [
      'nonsense unknown_parameter',
      'name too_long',
      'source invalid_type',
      'clientRef invalid_format',
      'defaultTimeZone invalid_format',
      'tagNames invalid_format',
      'x unknown_field',
    ],
  ],
  [
    'PATCH',
    '/imports/{import}/photos/{item}',
    { status: 'done', sizeBytes: 0, sha256: 'x', rating: 7, tagNames: [''], upload: null },
    [
      'status invalid_format',
      'sizeBytes out_of_range',
      'sha256 invalid_format',
      'rating out_of_range',
      'tagNames too_short',
      'upload read_only',
    ],
  ],
  [
    'POST',
    '/imports/{import}/finalize?a=1',
    { action: 'go', b: 1 },
    ['a unknown_parameter', 'action invalid_format', 'b unknown_field'],
  ],
  [
    'POST',
    '/tags?ifExists=perhaps',
    { color: 'red', name: '', description: 5 },
    ['ifExists invalid_format', 'color invalid_format', 'name too_short', 'description invalid_type'],
  ],
  ['POST', '/tags', { color: 'red', nonsense: 1 }, ['color invalid_format', 'nonsense unknown_field', 'name required']],
  [
    'POST',
    '/tags?ifExists=fail',
    { tags: [{ name: 'a' }, { nonsense: 1, name: 5 }] },
    ['ifExists conflict', 'tags[1].nonsense unknown_field', 'tags[1].name invalid_type'],
  ],
  [
    'PATCH',
    '/tags/{tag}',
    { name: LONG, color: 'red', addPhotoIds: [1], removePhotoIds: [1], mergeTagIds: ['{tag}'], version: 3 },
    ['name too_long', 'color invalid_format', 'removePhotoIds conflict', 'mergeTagIds conflict', 'version read_only'],
  ],
  ['PATCH', '/photos/{photo}?x=1', '{', ['x unknown_parameter', 'body invalid_json']],
  [
    'PATCH',
    `/photos/${hundredAndOne}?x=1`,
    { rating: 9 },
    ['id too_many', 'x unknown_parameter', 'rating out_of_range'],
  ],
  ['DELETE', `/photos/${hundredAndOne}?permanent=1`, undefined, ['id too_many', 'permanent invalid_format']],
];

const prepared = (body: unknown) =>
  typeof body === 'string' || body === undefined
    ? body
    : JSON.parse(JSON.stringify(body).replaceAll('"{tag}"', String(ids.tag)));

describe('step 8: every error of a request is reported in one answer', () => {
  test.each(cases)('%s %s %j', async (method, path, body, expected) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await actor.send({ method, path: `/api/v1${pathOf(path)}`, body: prepared(body), headers });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
    expect(errors(answer)).toEqual(expected);
  });

  /** Nothing is wrong with their shapes. */
  const values: readonly Case[] = [
    ['PATCH', '/photos/{photo}', { rating: 9 }, ['rating out_of_range']],
    ['PATCH', '/photos/{photo},', { title: LONG, rotation: 1 }, ['title too_long', 'rotation out_of_range']],
    ['PUT', '/photos/{photo}/tags', {}, ['tagIds required']],
    ['PUT', '/photos/{photo}/tags', { tagNames: [''] }, ['tagNames too_short']],
    [
      'POST',
      '/imports',
      { defaultTimeZone: 'x', tagNames: [''] },
      ['defaultTimeZone invalid_format', 'tagNames too_short'],
    ],
    ['PATCH', '/imports/{import}/photos/{item}', { sizeBytes: 0 }, ['sizeBytes out_of_range']],
    ['POST', '/tags', { name: '', color: 'red' }, ['name too_short', 'color invalid_format']],
    ['POST', '/tags?ifExists=fail', { tags: [{ name: 'a' }] }, ['ifExists conflict']],
    ['PATCH', '/tags/{tag}', { mergeTagIds: ['{tag}'] }, ['mergeTagIds conflict']],
    ['DELETE', `/photos/${hundredAndOne}`, undefined, ['id too_many']],
  ];

  test.each(values)('before the Idempotency-Key is looked at: %s %s %j', async (method, path, body, expected) => {
    const same = { 'idempotency-key': randomUUID() };
    expect((await actor.post('/imports', {}, same)).status).toBe(201);
    const answer = await actor.send({ method, path: `/api/v1${pathOf(path)}`, body: prepared(body), headers: same });
    expect(errors(answer)).toEqual(expected);
  });

  test('with If-Match and a list of ids, too', async () => {
    const answer = await actor.patch(`/photos/${ids.photo},9`, { rating: 9, title: 5 }, { 'if-match': '*' });
    expect(errors(answer)).toEqual(['If-Match conflict', 'rating out_of_range', 'title invalid_type']);
  });

  test.each([
    [
      '/imports/{import}?limit=5&nonsense=1&photoStatus=failed',
      ['limit unknown_parameter', 'nonsense unknown_parameter', 'photoStatus unknown_parameter'],
    ],
    ['/imports/{import}?include=exif&limit=5', ['include invalid_format']],
    ['/photos?maxDistance=3&nonsense=1', ['maxDistance conflict', 'nonsense unknown_parameter']],
    ['/photos?similarTo=x&maxDistance=17', ['similarTo invalid_type', 'maxDistance out_of_range']],
    ['/photos?=5&limit=0', ['limit out_of_range', 'query unknown_parameter']],
    ['/photos/{photo}/download?format=jpeg&nonsense=1', ['format conflict', 'nonsense unknown_parameter']],
    ['/photos/{photo}/download?rendition=huge&format=jpeg', ['rendition invalid_format']],
    [
      '/photos?limit=0&sort=size&minRating=x&limit=1',
      ['limit invalid_type', 'sort invalid_format', 'minRating invalid_type'],
    ],
  ])('GET %s', async (path, expected) => {
    expect(errors(await actor.get(pathOf(path)))).toEqual(expected);
  });

  test('errors that depend on stored data come after all others', async () => {
    const wrong = await actor.put(`/photos/999999/tags`, { tagIds: [999999], tagNames: [''] });
    expect(errors(wrong)).toEqual(['tagNames too_short']);
    expect((await actor.put(`/photos/999999/tags`, { tagIds: [999999] })).status).toBe(404);
  });
});
