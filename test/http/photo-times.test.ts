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
