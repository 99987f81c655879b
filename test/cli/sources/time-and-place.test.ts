import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type ArchiveFile, openFolder } from '../../../cli/src/sources/archive.js';
import { captureMoment, fileFacts } from '../../../cli/src/sources/time-and-place.js';

const at = (text: string) => Date.parse(text) / 1000;

const times = (clock: string | null = null, offset: string | null = null) => ({ clock, offset });

it.each([
  [
    'a file that says it all keeps the last word',
    '2024-12-21T22:39:24Z',
    times('2024-12-21T23:39:24', '+01:00'),
    null,
    null,
  ],
  ['a clock that was taken for UTC', '2024-12-21T23:39:24Z', times('2024-12-21T23:39:24', '+01:00'), null, null],
  [
    'a clock that was taken for UTC, without an offset',
    '2024-12-21T23:39:24Z',
    times('2024-12-21T23:39:24'),
    null,
    null,
  ],
  ['no instant', null, times('2024-12-21T23:39:24'), 'Europe/Paris', null],
  [
    'a time that was corrected keeps the offset of the file',
    '2023-05-01T10:00:00Z',
    times('2000-01-01T00:00:00', '+02:00'),
    null,
    { takenAt: '2023-05-01T12:00:00+02:00', isZoneKnown: true },
  ],
  [
    'the offset follows from clock and instant',
    '2024-12-21T17:54:24Z',
    times('2024-12-21T23:39:24'),
    null,
    { local: '2024-12-21T23:39:24', timeZone: '+05:45' },
  ],
  [
    'a corrected time without an offset is in the zone of the place',
    '2023-05-01T10:00:07Z',
    times('2000-01-01T00:00:00'),
    'Europe/Paris',
    { local: '2023-05-01T12:00:07', timeZone: 'Europe/Paris' },
  ],
  [
    'a file that says nothing is in the zone of the place',
    '2024-07-01T22:30:00Z',
    times(),
    'America/New_York',
    { local: '2024-07-01T18:30:00', timeZone: 'America/New_York' },
  ],
  [
    'nothing is known but the instant',
    '2024-07-01T22:30:00Z',
    times(),
    null,
    { takenAt: '2024-07-01T22:30:00+00:00', isZoneKnown: false },
  ],
  [
    'before 1970',
    '1969-07-20T20:17:40Z',
    times(),
    'America/Chicago',
    { local: '1969-07-20T15:17:40', timeZone: 'America/Chicago' },
  ],
])('%s', (_, instant, facts, zone, moment) => {
  expect(captureMoment(instant === null ? null : at(instant), facts, zone)).toEqual(moment);
});

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'phs-times-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const image = (format: 'jpeg' | 'png' | 'webp', exif: Parameters<ReturnType<typeof sharp>['withExif']>[0]) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: '#123456' } })
    .withExif(exif)
    .toFormat(format)
    .toBuffer();

async function file(name: string, bytes: Uint8Array): Promise<ArchiveFile> {
  writeFileSync(join(folder, name), bytes);
  const { files } = await openFolder(folder);
  return files[0] as ArchiveFile;
}

const written = {
  IFD2: { DateTimeOriginal: '2024:12:21 23:39:24', OffsetTimeOriginal: '+01:00' },
  IFD3: {
    GPSLatitudeRef: 'S',
    GPSLatitude: '33/1 51/1 2442/100',
    GPSLongitudeRef: 'E',
    GPSLongitude: '151/1 12/1 5506/100',
  },
};

it.each(['jpeg', 'png', 'webp'] as const)('reads clock, offset and position of %s', async (format) => {
  const facts = await fileFacts(await file(`a.${format}`, await image(format, written)));
  expect(facts).toMatchObject({ clock: '2024-12-21T23:39:24', offset: '+01:00' });
  expect(facts.position?.latitude).toBeCloseTo(-33.85678, 4);
  expect(facts.position?.longitude).toBeCloseTo(151.21529, 4);
});

it('an offset applies to the clock that it belongs to', async () => {
  const exif = {
    IFD2: {
      DateTimeOriginal: '2024:12:21 23:39:24',
      DateTimeDigitized: '2025:01:01 00:00:00',
      OffsetTimeDigitized: '+09:00',
    },
  };
  const facts = await fileFacts(await file('a.jpg', await image('jpeg', exif)));
  expect(facts).toEqual({ clock: '2024-12-21T23:39:24', offset: null, position: null });
});

it.each([
  ['no image', Buffer.from('no image')],
  ['nothing', Buffer.alloc(0)],
])('%s gives no time', async (_, bytes) => {
  expect(await fileFacts(await file('a.jpg', bytes))).toEqual({ clock: null, offset: null, position: null });
});
