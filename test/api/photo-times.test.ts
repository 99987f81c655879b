import type { Answer } from './support/http-client.js';
import { importPhotos, picture, postFiles } from './support/photos.js';
import { type Actor, type RunningApp, startApp } from './support/start-app.js';

let app: RunningApp;
let actor: Actor;
beforeAll(async () => {
  app = await startApp();
  actor = await app.customer();
});
afterAll(() => app.close());

const none = {
  original: null,
  originalSubSec: null,
  originalOffset: null,
  digitized: null,
  digitizedSubSec: null,
  digitizedOffset: null,
  changed: null,
  changedOffset: null,
  xmpCreated: null,
  xmpOriginal: null,
  xmpDigitized: null,
  iptcCreated: null,
  gpsUtc: null,
};
const clock = { ...none, original: '2024:12:21 23:39:24', originalSubSec: '670' };

let pictures = 0;
/** The path of a new photo with these facts. */
async function photo(facts: Parameters<typeof picture>[1], words: object = {}): Promise<string> {
  pictures += 1;
  const [{ id }] = await importPhotos(app, actor, [
    { name: 'photos', content: JSON.stringify([words]) },
    { filename: 'a.jpg', content: picture(`time ${pictures}`, facts) },
  ]);
  return `/photos/${id}`;
}
const timed = () => photo({ times: { ...clock, originalOffset: '+01:00' } });

const timeOf = ({ body }: Answer) => [body.takenAt, body.takenAtLocal, body.timeZone, body.takenAtSource];
const errors = (answer: Answer) =>
  answer.body.error.details.errors.map((error: { field: string; code: string }) => [error.field, error.code]);
const unknown = [null, null, null, 'none'];

describe('takenAtSource says where the time is from', () => {
  const local = '2024-12-21T23:39:24.670';
  const sources: [string, Parameters<typeof picture>[1], object, unknown[]][] = [
    [
      'exif_offset',
      { times: { ...clock, originalOffset: '+01:00' } },
      {},
      ['2024-12-21T22:39:24.670Z', local, '+01:00', 'exif_offset'],
    ],
    [
      'gps_time',
      { times: { ...clock, gpsUtc: '2024-12-21T20:39:20' } },
      {},
      ['2024-12-21T20:39:24.670Z', local, '+03:00', 'gps_time'],
    ],
    [
      'gps_position',
      { times: clock, positionZone: 'Asia/Tokyo' },
      {},
      ['2024-12-21T14:39:24.670Z', local, 'Asia/Tokyo', 'gps_position'],
    ],
    ['customer_default', { times: clock }, {}, ['2024-12-21T23:39:24.670Z', local, 'UTC', 'customer_default']],
    [
      'client, by an instant',
      { times: clock },
      { takenAt: '2020-07-01T12:00:00+02:00' },
      ['2020-07-01T10:00:00.000Z', '2020-07-01T12:00:00', '+02:00', 'client'],
    ],
    [
      'client, by a zone for the clock of the file',
      { times: clock },
      { timeZone: 'Europe/Paris' },
      ['2024-12-21T22:39:24.670Z', local, 'Europe/Paris', 'client'],
    ],
    ['none', {}, {}, unknown],
    // "never file modification time".
    ['none, when only the file’s change is dated', { times: { ...none, changed: '2024:12:21 23:39:24' } }, {}, unknown],
  ];
  test.each(sources)('%s', async (_, facts, words, expected) => {
    expect(timeOf(await actor.get(await photo(facts, words)))).toEqual(expected);
  });

  test("the import's defaultTimeZone comes before the customer's", async () => {
    const { id } = (await actor.post('/imports', { defaultTimeZone: 'America/New_York' })).body;
    const [{ photo: item }] = (
      await postFiles(actor, id, [{ filename: 'a.jpg', content: picture('zoned', { times: clock }) }])
    ).body.data;
    await app.work();
    await actor.post(`/imports/${id}/finalize`);
    await app.work();
    expect(timeOf(await actor.get(`/photos/${item.id}`))).toEqual([
      '2024-12-22T04:39:24.670Z',
      '2024-12-21T23:39:24.670',
      'America/New_York',
      'customer_default',
    ]);
  });
});

describe('PATCH /photos/{id}, the capture time', () => {
  const changes: [string, object, unknown[]][] = [
    [
      '"takenAt with an offset sets all three"',
      { takenAt: '2020-07-01T12:00:00.5+02:00' },
      ['2020-07-01T10:00:00.500Z', '2020-07-01T12:00:00.500', '+02:00', 'client'],
    ],
    [
      '"Z is stored as +00:00"',
      { takenAt: '2020-07-01T12:00:00Z' },
      ['2020-07-01T12:00:00.000Z', '2020-07-01T12:00:00', '+00:00', 'client'],
    ],
    [
      'so is -00:00',
      { takenAt: '2020-07-01T12:00:00-00:00' },
      ['2020-07-01T12:00:00.000Z', '2020-07-01T12:00:00', '+00:00', 'client'],
    ],
    [
      '"Setting timeZone alone keeps the wall clock and moves the instant": an offset',
      { timeZone: '-09:30' },
      ['2024-12-22T09:09:24.670Z', '2024-12-21T23:39:24.670', '-09:30', 'client'],
    ],
    [
      'and so an IANA name',
      { timeZone: 'Asia/Tokyo' },
      ['2024-12-21T14:39:24.670Z', '2024-12-21T23:39:24.670', 'Asia/Tokyo', 'client'],
    ],
    [
      '"setting takenAtLocal alone keeps the zone"',
      { takenAtLocal: '2020-07-01T12:00:00' },
      ['2020-07-01T11:00:00.000Z', '2020-07-01T12:00:00', '+01:00', 'client'],
    ],
    [
      'takenAtLocal + timeZone set all',
      { takenAtLocal: '2020-07-01T12:00:00', timeZone: 'America/New_York' },
      ['2020-07-01T16:00:00.000Z', '2020-07-01T12:00:00', 'America/New_York', 'client'],
    ],
    ['"takenAt: null clears all three and the source becomes none"', { takenAt: null }, unknown],
    ['and so does takenAtLocal: null', { takenAtLocal: null }, unknown],
    [
      `"timeZone: null falls back to the customer's zone"`,
      { timeZone: null },
      ['2024-12-21T23:39:24.670Z', '2024-12-21T23:39:24.670', 'UTC', 'client'],
    ],
    [
      'a wall clock that the zone never showed',
      { takenAtLocal: '2024-03-31T02:30:00', timeZone: 'Europe/Paris' },
      ['2024-03-31T00:30:00.000Z', '2024-03-31T02:30:00', 'Europe/Paris', 'client'],
    ],
    [
      'a wall clock that it showed twice: the first time',
      { takenAtLocal: '2024-10-27T02:30:00', timeZone: 'Europe/Paris' },
      ['2024-10-27T00:30:00.000Z', '2024-10-27T02:30:00', 'Europe/Paris', 'client'],
    ],
  ];
  test.each(changes)('%s', async (_, patch, expected) => {
    const path = await timed();
    const answer = await actor.patch(path, patch);
    expect([answer.status, timeOf(answer), answer.body.version]).toEqual([200, expected, 2]);
    expect((await actor.get(path)).body).toEqual(answer.body);
  });

  test.each([
    { takenAtLocal: '2024-12-21T23:39:24.670' },
    { timeZone: '+01:00' },
    { takenAtLocal: '2024-12-21T23:39:24.67', timeZone: '+01:00' },
    { takenAt: '2024-12-21T23:39:24.670+01:00' },
  ])('"a patch equal to the current state" keeps the source and the version: %j', async (patch) => {
    const path = await timed();
    const before = (await actor.get(path)).body;
    expect((await actor.patch(path, patch)).body).toEqual(before);
  });

  test('the name of a zone is stored as IANA writes it, whatever its case', async () => {
    const zoned = { takenAtLocal: '2020-07-01T12:00:00', timeZone: 'america/new_york' };
    const path = await timed();
    expect((await actor.patch(path, zoned)).body.timeZone).toBe('America/New_York');
    const { version } = (await actor.get(path)).body;
    expect((await actor.patch(path, { timeZone: 'AMERICA/NEW_YORK' })).body.version).toBe(version);
    expect((await actor.patch(path, { timeZone: '-00:00' })).body.timeZone).toBe('+00:00');
    const subject = (await actor.post('/imports', { defaultTimeZone: 'asia/tokyo' })).body;
    expect(subject.defaultTimeZone).toBe('Asia/Tokyo');
    const photos = [{ filename: 'a.jpg', sizeBytes: 1, ...zoned }];
    const registered = await actor.post(`/imports/${subject.id}/photos`, { photos });
    expect(registered.body.data[0].photo.timeZone).toBe('America/New_York');
  });

  test('a photo without a time: a zone alone says nothing, a wall clock is in the customer’s zone', async () => {
    const path = await photo({});
    const before = (await actor.get(path)).body;
    const refused = await actor.patch(path, { timeZone: '+01:00' });
    expect([refused.status, errors(refused)]).toEqual([400, [['takenAtLocal', 'required']]]);
    for (const same of [{ timeZone: null }, { takenAt: null }, { takenAtLocal: null, timeZone: null }]) {
      const answer = await actor.patch(path, same);
      expect([answer.status, answer.body]).toEqual([200, before]);
    }
    expect(timeOf(await actor.patch(path, { takenAtLocal: '2020-07-01T12:00:00' }))).toEqual([
      '2020-07-01T12:00:00.000Z',
      '2020-07-01T12:00:00',
      'UTC',
      'client',
    ]);
  });

  test('a wall clock whose instant the kept zone moves out of the years is refused, and nothing changes', async () => {
    const path = await timed();
    const before = (await actor.get(path)).body;
    const answer = await actor.patch(path, { takenAtLocal: '0001-01-01T00:30:00', title: 'no' });
    expect([answer.status, errors(answer)]).toEqual([400, [['takenAtLocal', 'out_of_range']]]);
    expect((await actor.get(path)).body).toEqual(before);
  });
});

describe('PATCH /photos/{id}, shiftTakenAt', () => {
  const shift = (seconds: number) => ({ shiftTakenAt: { seconds } });
  const local = (takenAtLocal: string, timeZone: string) => ({ takenAtLocal, timeZone });

  test.each<[string, object | null, number, unknown[]]>([
    [
      'an hour earlier, with its fraction and its offset',
      null,
      -3600,
      ['2024-12-21T21:39:24.670Z', '2024-12-21T22:39:24.670', '+01:00', 'client'],
    ],
    [
      'into the next year, without a fraction',
      local('2024-12-31T23:59:30', 'Asia/Tokyo'),
      31,
      ['2024-12-31T15:00:01.000Z', '2025-01-01T00:00:01', 'Asia/Tokyo', 'client'],
    ],
    [
      'across the beginning of summer time: the wall clock moves by a day, the instant by 23 hours',
      local('2024-03-30T12:00:00', 'Europe/Paris'),
      86_400,
      ['2024-03-31T10:00:00.000Z', '2024-03-31T12:00:00', 'Europe/Paris', 'client'],
    ],
    [
      'across the end of summer time, backwards',
      local('2024-10-27T12:00:00', 'Europe/Paris'),
      -86_400,
      ['2024-10-26T10:00:00.000Z', '2024-10-26T12:00:00', 'Europe/Paris', 'client'],
    ],
    [
      'onto a wall clock that the zone never showed',
      local('2024-03-31T01:30:00', 'Europe/Paris'),
      3600,
      ['2024-03-31T00:30:00.000Z', '2024-03-31T02:30:00', 'Europe/Paris', 'client'],
    ],
    [
      'by a hundred years',
      local('2024-02-29T12:00:00', '+00:00'),
      -3_155_760_000,
      ['1924-02-29T12:00:00.000Z', '1924-02-29T12:00:00', '+00:00', 'client'],
    ],
  ])('%s', async (_, before, seconds, expected) => {
    const path = await timed();
    const { version } = before === null ? { version: 1 } : (await actor.patch(path, before)).body;
    const answer = await actor.patch(path, shift(seconds));
    expect([answer.status, timeOf(answer), answer.body.version]).toEqual([200, expected, version + 1]);
    expect((await actor.get(path)).body).toEqual(answer.body);
  });

  test('moves each photo of a list from its own time; one without a capture time is unchanged', async () => {
    const paths = [await timed(), await photo({}), await timed()];
    await actor.patch(paths[2] as string, local('2020-07-01T12:00:00', 'Asia/Tokyo'));
    const ids = paths.map((path) => path.split('/').at(-1));
    const { body } = await actor.patch(`/photos/${ids.join()}`, { ...shift(5400), rating: 4 });
    const outcome = ({ outcome, photo }: Answer['body']) => [outcome, photo.takenAtLocal, photo.timeZone, photo.rating];
    expect(body.data.map(outcome)).toEqual([
      ['updated', '2024-12-22T01:09:24.670', '+01:00', 4],
      ['updated', null, null, 4],
      ['updated', '2020-07-01T13:30:00', 'Asia/Tokyo', 4],
    ]);
    const again = (await actor.patch(`/photos/${ids[1]},`, shift(5400))).body.data[0];
    expect([again.outcome, again.photo.takenAtSource]).toEqual(['unchanged', 'none']);
    const later = await actor.get(`/photos?ids=${ids.join()}&takenAfter=2020-07-01T04:30:00Z&sort=takenAt`);
    expect(later.body.data.map(({ id }: { id: number }) => id)).toEqual([Number(ids[2]), Number(ids[0])]);
  });

  test.each<[object, [string, string]]>([
    [shift(0), ['shiftTakenAt.seconds', 'out_of_range']],
    [shift(0.5), ['shiftTakenAt.seconds', 'out_of_range']],
    [shift(3_155_760_001), ['shiftTakenAt.seconds', 'out_of_range']],
    [shift(-3_155_760_001), ['shiftTakenAt.seconds', 'out_of_range']],
    [{ shiftTakenAt: { seconds: '-3600' } }, ['shiftTakenAt.seconds', 'invalid_type']],
    [{ shiftTakenAt: { seconds: null } }, ['shiftTakenAt.seconds', 'not_nullable']],
    [{ shiftTakenAt: {} }, ['shiftTakenAt.seconds', 'required']],
    [{ shiftTakenAt: { seconds: 1, hours: 1 } }, ['shiftTakenAt.hours', 'unknown_field']],
    [{ shiftTakenAt: -3600 }, ['shiftTakenAt', 'invalid_type']],
    [{ shiftTakenAt: [] }, ['shiftTakenAt', 'invalid_type']],
    [{ shiftTakenAt: null }, ['shiftTakenAt', 'not_nullable']],
    [{ ...shift(1), takenAt: null }, ['shiftTakenAt', 'conflict']],
    [{ ...shift(1), takenAtLocal: '2024-12-21T23:39:24' }, ['shiftTakenAt', 'conflict']],
    [{ ...shift(1), timeZone: 'Europe/Paris' }, ['shiftTakenAt', 'conflict']],
  ])('%j is refused, and nothing changes', async (patch, error) => {
    const path = await timed();
    const before = (await actor.get(path)).body;
    for (const list of ['', ',']) {
      const answer = await actor.patch(`${path}${list}`, patch);
      expect([answer.status, errors(answer)]).toEqual([400, [error]]);
    }
    expect((await actor.get(path)).body).toEqual(before);
  });

  test('out of the years is an error of that photo alone, in a list', async () => {
    const [early, late] = [await timed(), await timed()];
    await actor.patch(early, local('0050-01-01T00:00:00', '+00:00'));
    const before = (await actor.get(early)).body;
    const refused = await actor.patch(early, { ...shift(-3_155_760_000), title: 'no' });
    expect([refused.status, errors(refused)]).toEqual([400, [['shiftTakenAt.seconds', 'out_of_range']]]);
    const ids = [early, late].map((path) => path.split('/').at(-1)).join();
    const { data } = (await actor.patch(`/photos/${ids}`, { ...shift(-3_155_760_000), title: 'no' })).body;
    expect(data).toMatchObject([
      { outcome: 'error', photo: null, error: { code: 'invalid_request', message: expect.stringContaining('years') } },
      { outcome: 'updated', photo: { takenAtLocal: '1924-12-21T23:39:24.670', title: 'no' }, error: null },
    ]);
    expect((await actor.get(early)).body).toEqual(before);
  });

  test('two clients at once both move it; of two with the same If-Match, one', async () => {
    const path = await timed();
    const both = await Promise.all([actor.patch(path, shift(60)), actor.patch(path, shift(-3600))]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const moved = await actor.get(path);
    expect([moved.body.takenAtLocal, moved.body.version]).toEqual(['2024-12-21T22:40:24.670', 3]);
    const same = { 'if-match': moved.headers.etag as string };
    const raced = await Promise.all([actor.patch(path, shift(60), same), actor.patch(path, shift(60), same)]);
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await actor.get(path)).body.takenAtLocal).toBe('2024-12-21T22:41:24.670');
  });

  test('is refused for a file that is being imported', async () => {
    const { id } = (await actor.post('/imports')).body;
    const registered = await actor.post(`/imports/${id}/photos`, { photos: [{ filename: 'a.jpg', sizeBytes: 1 }] });
    const item = registered.body.data[0].photo.id;
    const answer = await actor.patch(`/imports/${id}/photos/${item}`, shift(60));
    expect([answer.status, errors(answer)]).toEqual([400, [['shiftTakenAt', 'unknown_field']]]);
  });
});
