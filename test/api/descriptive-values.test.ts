import type { Answer } from './support/http-client.js';
import { importPhotos, picture } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
let photoId: number;
let importId: number;
let itemId: number;
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
  const [photo] = await importPhotos(app, actor, [{ filename: 'a.jpg', content: picture('a') }]);
  photoId = photo.id;
  importId = (await actor.post('/imports')).body.id;
  itemId = (await register({})).body.data[0].photo.id;
});
afterAll(() => app.close());

const register = (words: object): Promise<Answer> =>
  actor.post(`/imports/${importId}/photos`, { photos: [{ filename: 'b.jpg', sizeBytes: 1, ...words }] });

/** A place where a client describes a photo: what was kept of its words, or the code under which they were refused. */
interface Door {
  readonly kept: (answer: Answer) => unknown;
  readonly refused: (answer: Answer) => unknown;
  readonly say: (words: object) => Promise<Answer>;
}

const byField = (answer: Answer) => [
  answer.status,
  ...answer.body.error.details.errors.map((error: { field: string; code: string }) => [error.field, error.code]),
];
const doors: Record<string, Door> = {
  'endpoint 7, PATCH /photos/{id}': {
    say: (words) => actor.patch(`/photos/${photoId}`, words),
    kept: (answer) => answer.body,
    refused: byField,
  },
  'endpoint 12, PATCH /imports/{id}/photos/{photoId}': {
    say: (words) => actor.patch(`/imports/${importId}/photos/${itemId}`, words),
    kept: (answer) => answer.body,
    refused: byField,
  },
  'endpoint 11, POST /imports/{id}/photos': {
    say: register,
    kept: (answer) => answer.body.data[0].photo,
    refused: (answer) => [answer.status, answer.body.error.details.results[0].error.code],
  },
};

/** `𝕏` is one code point and two UTF-16 units. */
const wide = (count: number) => '𝕏'.repeat(count);
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));

const taken: [string, object, object?][] = [
  ['filename: [spec] a string', { filename: 'DSC_3701.jpg' }],
  ['filename: one code point', { filename: 'a' }],
  ['filename: 255 code points', { filename: wide(255) }],
  ['filename: NFC', { filename: 'e\u0301.jpg' }, { filename: 'é.jpg' }],
  ['filename: counted after NFC', { filename: 'e\u0301'.repeat(255) }, { filename: 'é'.repeat(255) }],
  ['filename: trimmed', { filename: ' \t a  b.jpg \u00a0\n' }, { filename: 'a  b.jpg' }],
  ['filename: counted after trimming', { filename: `${' '.repeat(50)}${wide(255)} ` }, { filename: wide(255) }],
  ['filename: three dots', { filename: '...' }],
  ['filename: what means something elsewhere', { filename: `a:*?"<>|%00';--.jpg` }],
  ['title: 255 code points', { title: wide(255) }],
  ['title: null clears', { title: null }],
  ['title: NFC and trimmed', { title: '  e\u0301  ' }, { title: 'é' }],
  ['title: lines stay', { title: 'one\ntwo' }],
  ['description: 10,000 code points', { description: wide(10_000) }],
  ['description: null clears', { description: null }],
  ['description: NFC and trimmed', { description: '\n\u212b \n' }, { description: '\u00c5' }],
  ['externalId: 255 code points', { externalId: wide(255) }],
  ['externalId: null clears', { externalId: null }],
  ['rating: 0', { rating: 0 }],
  ['rating: 5', { rating: 5 }],
  ['rating: null clears', { rating: null }],
  ['location: the corners', { location: { latitude: -90, longitude: 180, altitude: -430.5 } }],
  [
    'location: no altitude is null',
    { location: { latitude: 90, longitude: -180 } },
    { location: { latitude: 90, longitude: -180, altitude: null } },
  ],
  // Only cameras write 0/0 when they mean nothing.
  ['location: 0/0 of a client', { location: { latitude: 0, longitude: 0, altitude: null } }],
  ['location: null clears', { location: null }],
  ['metadata: a key of 40 characters', { metadata: { [`${'k'.repeat(36)}_.-Z`]: 'v' } }],
  ['metadata: a value of 500 code points', { metadata: { long: wide(500) } }],
  ['metadata: an empty value', { metadata: { empty: '' } }],
  ['metadata: the value as it came', { metadata: { raw: ' e\u0301 ' } }],
  ['takenAtLocal', { takenAtLocal: '2024-12-21T23:39:24' }],
  [
    'takenAtLocal: milliseconds',
    { takenAtLocal: '2024-12-21T23:39:24.5' },
    { takenAtLocal: '2024-12-21T23:39:24.500' },
  ],
  [
    'takenAtLocal: nanoseconds',
    { takenAtLocal: '2024-12-21T23:39:24.123456789' },
    { takenAtLocal: '2024-12-21T23:39:24.123' },
  ],
  ['timeZone: an offset', { takenAtLocal: '2024-12-21T23:39:24', timeZone: '+14:00' }],
  ['timeZone: an IANA name', { takenAtLocal: '2024-12-21T23:39:24', timeZone: 'America/Argentina/Buenos_Aires' }],
  // "Timestamps: RFC 3339 UTC with milliseconds".
  ['takenAt: in UTC', { takenAt: '2024-12-21T23:39:24+01:00' }, { takenAt: '2024-12-21T22:39:24.000Z' }],
  ['takenAt: cut to milliseconds', { takenAt: '2024-12-21T23:39:24.12399Z' }, { takenAt: '2024-12-21T23:39:24.123Z' }],
];

const wrong: [string, object, string, string][] = [
  ['an empty filename', { filename: '' }, 'filename', 'too_short'],
  ['a filename of blanks', { filename: ' \u3000 ' }, 'filename', 'too_short'],
  ['a filename of 256 code points', { filename: wide(256) }, 'filename', 'too_long'],
  ['a slash', { filename: 'a/b.jpg' }, 'filename', 'invalid_format'],
  ['a backslash', { filename: 'a\\b.jpg' }, 'filename', 'invalid_format'],
  ['NUL in a filename', { filename: 'a\u0000b' }, 'filename', 'invalid_format'],
  ['a line break', { filename: 'a\r\nb' }, 'filename', 'invalid_format'],
  ['DEL', { filename: 'a\u007fb' }, 'filename', 'invalid_format'],
  ['a C1 control', { filename: 'a\u0085b' }, 'filename', 'invalid_format'],
  ['the filename .', { filename: '.' }, 'filename', 'invalid_format'],
  ['the filename .. between blanks', { filename: ' .. ' }, 'filename', 'invalid_format'],
  ['half a character in a filename', { filename: 'a\ud835' }, 'filename', 'invalid_format'],
  ['a title of 256', { title: wide(256) }, 'title', 'too_long'],
  ['NUL in a title', { title: 'a\u0000b' }, 'title', 'invalid_format'],
  ['half a character in a title', { title: '\udd4f' }, 'title', 'invalid_format'],
  ['a description of 10,001', { description: wide(10_001) }, 'description', 'too_long'],
  ['an externalId of 256', { externalId: wide(256) }, 'externalId', 'too_long'],
  ['a rating of -1', { rating: -1 }, 'rating', 'out_of_range'],
  ['a rating of 6', { rating: 6 }, 'rating', 'out_of_range'],
  ['a rating of 2.5', { rating: 2.5 }, 'rating', 'out_of_range'],
  ['a latitude over 90', { location: { latitude: 90.000001, longitude: 0 } }, 'location.latitude', 'out_of_range'],
  ['a longitude under -180', { location: { latitude: 0, longitude: -181 } }, 'location.longitude', 'out_of_range'],
  [
    'an altitude in space',
    { location: { latitude: 0, longitude: 0, altitude: 1e9 } },
    'location.altitude',
    'out_of_range',
  ],
  ['a metadata key with a blank', { metadata: { 'a b': 'v' } }, 'metadata.a b', 'invalid_format'],
  ['an empty metadata key', { metadata: { '': 'v' } }, 'metadata.', 'invalid_format'],
  ['a metadata key of 41', { metadata: { ['k'.repeat(41)]: 'v' } }, `metadata.${'k'.repeat(41)}`, 'invalid_format'],
  ['a metadata value of 501', { metadata: { k: wide(501) } }, 'metadata.k', 'too_long'],
  ['a metadata value of 501 blanks', { metadata: { k: ' '.repeat(501) } }, 'metadata.k', 'too_long'],
  ['NUL in metadata', { metadata: { k: '\u0000' } }, 'metadata.k', 'invalid_format'],
  ['51 metadata keys', { metadata: keys(51) }, 'metadata', 'too_many'],
  ['a takenAt without offset', { takenAt: '2024-12-21T23:39:24' }, 'takenAt', 'invalid_format'],
  ['a takenAt without time', { takenAt: '2024-12-21' }, 'takenAt', 'invalid_format'],
  ['30 February', { takenAt: '2024-02-30T00:00:00Z' }, 'takenAt', 'invalid_format'],
  ['an offset over 14 hours', { takenAt: '2024-12-21T23:39:24+14:01' }, 'takenAt', 'invalid_format'],
  ['a takenAtLocal with a zone', { takenAtLocal: '2024-12-21T23:39:24Z' }, 'takenAtLocal', 'invalid_format'],
  ['a takenAtLocal with a blank', { takenAtLocal: '2024-12-21 23:39:24' }, 'takenAtLocal', 'invalid_format'],
  ['25 o’clock', { takenAtLocal: '2024-12-21T25:00:00' }, 'takenAtLocal', 'invalid_format'],
  ['the zone Z', { takenAtLocal: '2024-12-21T23:39:24', timeZone: 'Z' }, 'timeZone', 'invalid_format'],
  ['a zone that does not exist', { timeZone: 'Mars/Olympus' }, 'timeZone', 'invalid_format'],
  [
    'takenAt beside takenAtLocal',
    { takenAt: '2024-12-21T23:39:24Z', takenAtLocal: '2024-12-21T23:39:24' },
    'takenAt',
    'conflict',
  ],
  ['takenAt beside timeZone', { takenAt: '2024-12-21T23:39:24Z', timeZone: '+01:00' }, 'takenAt', 'conflict'],
  ['takenAt: null beside timeZone', { takenAt: null, timeZone: '+01:00' }, 'takenAt', 'conflict'],
  [
    'an instant before the year 1',
    { takenAtLocal: '0001-01-01T00:00:00', timeZone: '+01:00' },
    'takenAtLocal',
    'out_of_range',
  ],
  [
    'an instant after the year 9999',
    { takenAtLocal: '9999-12-31T23:59:59', timeZone: '-01:00' },
    'takenAtLocal',
    'out_of_range',
  ],
];

describe.each(Object.entries(doors))('the fields that clients write, at %s', (name, door) => {
  beforeEach(async () => {
    await actor.patch(`/photos/${photoId}`, { metadata: { raw: null, empty: null, long: null } });
  });

  test.each(taken)('takes %s', async (_, words, kept = words) => {
    const answer = await door.say(words);
    expect([answer.status, door.kept(answer)]).toMatchObject([name.includes('POST') ? 201 : 200, kept]);
  });

  test.each(wrong)('refuses %s', async (_, words, field, code) => {
    const answer = await door.say(words);
    // Values of one file of a batch reject that file; the whole body is another matter.
    const expected = name.includes('POST') ? [422, 'invalid_request'] : [400, [field, code]];
    expect(door.refused(answer)).toEqual(expected);
  });
});

describe('metadata, "≤ 50 keys … PATCH merges, null removes a key"', () => {
  const patches: Record<string, (words: object) => Promise<Answer>> = {
    'of a photo': (words) => actor.patch(`/photos/${photoId}`, words),
    'of an item of an import': (words) => actor.patch(`/imports/${importId}/photos/${itemId}`, words),
  };

  test.each(Object.entries(patches))('%s is counted after the merge', async (_, patch) => {
    const before = (await patch({})).body.metadata;
    await patch({ metadata: Object.fromEntries(Object.keys(before).map((key) => [key, null])) });
    expect((await patch({ metadata: keys(50) })).body.metadata).toEqual(keys(50));
    const over = await patch({ metadata: { one: 'more' } });
    expect(byField(over)).toEqual([400, ['metadata', 'too_many']]);
    // Sixty entries, fifty keys afterwards.
    const others = Object.fromEntries(Array.from({ length: 30 }, (_each, at) => [`other${at}`, 'v']));
    const gone = Object.fromEntries(Array.from({ length: 30 }, (_each, at) => [`k${at}`, null]));
    const swapped = await patch({ metadata: { ...gone, ...others } });
    expect([swapped.status, Object.keys(swapped.body.metadata).length]).toEqual([200, 50]);
    expect(swapped.body.metadata).toMatchObject({ k30: 'v', other0: 'v' });
    expect((await patch({ metadata: { absent: null } })).body).toEqual(swapped.body);
  });

  test('keys that mean something to programs are words', async () => {
    const answer = await actor.patch(
      `/photos/${photoId}`,
      '{"metadata":{"k30":null,"k31":null,"__proto__":"a","constructor":"b"}}',
    );
    expect(answer.status).toBe(200);
    const raw = (await actor.get(`/photos/${photoId}`)).text;
    expect(raw).toContain('"__proto__":"a"');
    expect(raw).toContain('"constructor":"b"');
  });
});
