import {
  type CaptureHints,
  captureTime,
  fromInstant,
  fromWallClock,
  isLocalTime,
  isTimeZone,
  parseInstant,
  type WrittenTimes,
} from '../../src/core/media/capture-time.js';
import { offsetAt, wasInUse } from '../../src/core/media/zones.js';
import { HOUR, MINUTE } from '../../src/core/shared/clock.js';

const blank: WrittenTimes = {
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
const tokyo: CaptureHints = { location: null, positionZone: null, defaultTimeZone: 'Asia/Tokyo' };

/** `takenAt takenAtLocal timeZone takenAtSource`, to be read on one line. */
function read(times: Partial<WrittenTimes>, hints: Partial<CaptureHints> = {}): string {
  const { takenAt, takenAtLocal, timeZone, takenAtSource } = captureTime(
    { ...blank, ...times },
    { ...tokyo, ...hints },
  );
  return [takenAt?.toISOString() ?? null, takenAtLocal, timeZone, takenAtSource].join(' ');
}

const nothing = '   none';
const noon = '2024:07:01 12:00:00';

describe('the wall clock of a photo', () => {
  test.each<[string, Partial<WrittenTimes>, string]>([
    [
      'DateTimeOriginal before all others',
      {
        original: noon,
        digitized: '2024:07:02 12:00:00',
        xmpCreated: '2024-07-03T12:00:00',
        iptcCreated: '2024-07-04T12:00:00',
      },
      '2024-07-01T12:00:00',
    ],
    [
      'then DateTimeDigitized',
      { digitized: '2024:07:02 12:00:00', xmpCreated: '2024-07-03T12:00:00' },
      '2024-07-02T12:00:00',
    ],
    [
      'then exif:DateTimeOriginal in XMP',
      { xmpOriginal: '2024-07-05T12:00:00', xmpCreated: '2024-07-03T12:00:00' },
      '2024-07-05T12:00:00',
    ],
    [
      'then photoshop:DateCreated',
      { xmpCreated: '2024-07-03T12:00', iptcCreated: '2024-07-04T12:00:00' },
      '2024-07-03T12:00:00',
    ],
    [
      'then xmp:CreateDate',
      { xmpDigitized: '2024-07-06T12:00:00', iptcCreated: '2024-07-04T12:00:00' },
      '2024-07-06T12:00:00',
    ],
    ['hours and months padded with blanks', { original: '2024: 7: 1  9: 5: 3' }, '2024-07-01T09:05:03'],
    ['then IPTC', { iptcCreated: '2024-07-04T12:00:00' }, '2024-07-04T12:00:00'],
    ['SubSec padded to milliseconds', { original: noon, originalSubSec: '5' }, '2024-07-01T12:00:00.500'],
    ['SubSec cut to milliseconds', { original: noon, originalSubSec: '023460' }, '2024-07-01T12:00:00.023'],
    ['a blank SubSec', { original: noon, originalSubSec: '   ' }, '2024-07-01T12:00:00'],
    ['the SubSec of another clock is not used', { original: noon, digitizedSubSec: '77' }, '2024-07-01T12:00:00'],
    ['zeros skipped', { original: '0000:00:00 00:00:00', digitized: noon }, '2024-07-01T12:00:00'],
    ['blanks skipped', { original: '    :  :     :  :  ', digitized: noon }, '2024-07-01T12:00:00'],
    ['a day that no calendar has skipped', { original: '2023:02:29 10:00:00', digitized: noon }, '2024-07-01T12:00:00'],
    ['hour 24 skipped', { original: '2024:07:01 24:00:00', digitized: noon }, '2024-07-01T12:00:00'],
    ['second 60 skipped', { original: '2024:07:01 23:59:60', digitized: noon }, '2024-07-01T12:00:00'],
    ['year 0 skipped', { original: '0000:07:01 12:00:00', digitized: noon }, '2024-07-01T12:00:00'],
    ['a date without a time skipped', { original: '2024:07:09', digitized: noon }, '2024-07-01T12:00:00'],
    ['29 February of a leap year', { original: '2024:02:29 10:00:00' }, '2024-02-29T10:00:00'],
    ['a far year kept as written', { original: '2099:09:29 10:10:10' }, '2099-09-29T10:10:10'],
    ['the year 1', { original: '0001:01:02 00:00:00' }, '0001-01-02T00:00:00'],
  ])('is read from %s', (_, times, local) => {
    expect(captureTime({ ...blank, ...times }, tokyo).takenAtLocal).toBe(local);
  });

  test.each<[string, Partial<WrittenTimes>]>([
    ['no clock at all', {}],
    ['the time of the last change, with its offset', { changed: noon, changedOffset: '+02:00' }],
    ['GPS alone', { gpsUtc: '2024-07-01T10:00:00' }],
    ['offsets alone', { originalOffset: '+02:00' }],
    [
      'nothing but garbage',
      { original: 'yesterday', digitized: '99999:99', iptcCreated: '2024-07-04', gpsUtc: '1999:99:99 99' },
    ],
    ['an instant before the year 1', { original: '0001:01:01 00:00:00', originalOffset: '+14:00' }],
    ['an instant after the year 9999', { original: '9999:12:31 23:59:59', originalOffset: '-12:00' }],
  ])('is not read from %s', (_, times) => {
    expect(read(times, { positionZone: 'Europe/Paris' })).toBe(nothing);
  });
});

describe('the time zone of a photo', () => {
  const clock = '2024-07-01T12:00:00';
  test.each<[string, Partial<WrittenTimes>, Partial<CaptureHints>, string]>([
    [
      'OffsetTimeOriginal before all others',
      { originalOffset: '+03:00', digitized: noon, digitizedOffset: '+04:00', gpsUtc: '2024-07-01T10:00:00' },
      { positionZone: 'Europe/Paris' },
      `2024-07-01T09:00:00.000Z ${clock} +03:00 exif_offset`,
    ],
    [
      'OffsetTimeDigitized beside the same clock',
      { digitized: noon, digitizedOffset: '+04:00' },
      {},
      `2024-07-01T08:00:00.000Z ${clock} +04:00 exif_offset`,
    ],
    [
      'OffsetTimeDigitized beside another clock says nothing',
      { digitized: '2024:07:05 09:00:00', digitizedOffset: '+04:00' },
      {},
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    [
      'OffsetTime beside the same clock',
      { changed: noon, changedOffset: '-05:00' },
      {},
      `2024-07-01T17:00:00.000Z ${clock} -05:00 exif_offset`,
    ],
    [
      'OffsetTime of an edit elsewhere says nothing',
      { changed: '2024:08:06 13:35:53', changedOffset: '+02:00' },
      {},
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    [
      'the offset inside the XMP date',
      { xmpCreated: '2024-07-01T12:00:00.31-07:00' },
      {},
      `2024-07-01T19:00:00.000Z ${clock} -07:00 exif_offset`,
    ],
    [
      'the offset inside another XMP date',
      { xmpOriginal: '2024-07-01T12:00:00+05:30' },
      {},
      `2024-07-01T06:30:00.000Z ${clock} +05:30 exif_offset`,
    ],
    [
      'the offset of an XMP date with another clock says nothing',
      { xmpCreated: '2024-07-01T13:00:00-07:00' },
      {},
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    [
      'an IPTC offset says nothing of an EXIF clock',
      { iptcCreated: '2024-07-01T12:00:00+00:00' },
      {},
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    [
      'GPS time, rounded to quarters',
      { gpsUtc: '2024-07-01T09:58:37' },
      { positionZone: 'Europe/Paris' },
      `2024-07-01T10:00:00.000Z ${clock} +02:00 gps_time`,
    ],
    [
      'GPS time west of UTC',
      { gpsUtc: '2024-07-01T17:00:02' },
      {},
      `2024-07-01T17:00:00.000Z ${clock} -05:00 gps_time`,
    ],
    ['GPS time in Nepal', { gpsUtc: '2024-07-01T06:14:00' }, {}, `2024-07-01T06:15:00.000Z ${clock} +05:45 gps_time`],
    ['GPS time at UTC', { gpsUtc: '2024-07-01T12:03:00' }, {}, `2024-07-01T12:00:00.000Z ${clock} +00:00 gps_time`],
    [
      'GPS time 14 hours away',
      { gpsUtc: '2024-06-30T22:00:00' },
      {},
      `2024-06-30T22:00:00.000Z ${clock} +14:00 gps_time`,
    ],
    [
      'GPS time that is so old that no place has such an offset',
      { gpsUtc: '2024-07-01T08:43:00' },
      {},
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    [
      'GPS time that is so old that its own position has no such offset',
      { gpsUtc: '2024-07-01T08:43:00' },
      { positionZone: 'Europe/Paris' },
      `2024-07-01T10:00:00.000Z ${clock} Europe/Paris gps_position`,
    ],
    [
      'GPS time an hour too old at its position',
      { gpsUtc: '2024-07-01T09:00:00' },
      { positionZone: 'Europe/Paris' },
      `2024-07-01T10:00:00.000Z ${clock} Europe/Paris gps_position`,
    ],
    [
      'GPS time of a camera that was left in winter time',
      { gpsUtc: '2024-07-01T11:01:00' },
      { positionZone: 'Europe/Paris' },
      `2024-07-01T11:00:00.000Z ${clock} +01:00 gps_time`,
    ],
    [
      'GPS time of another day says nothing',
      { gpsUtc: '2024-06-30T21:30:00' },
      {},
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    [
      'the zone of the position',
      {},
      { positionZone: 'America/Denver' },
      `2024-07-01T18:00:00.000Z ${clock} America/Denver gps_position`,
    ],
    [
      'a position zone that is unknown here',
      {},
      { positionZone: 'Mars/Olympus' },
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    ['a missing offset is not UTC', {}, {}, `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`],
    [
      'blank offsets are none',
      { originalOffset: '   :  ', digitized: noon, digitizedOffset: '' },
      {},
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    [
      'offsets over 14 hours are none',
      { originalOffset: '+15:00' },
      {},
      `2024-07-01T03:00:00.000Z ${clock} Asia/Tokyo customer_default`,
    ],
    [
      'offsets without a colon',
      { originalOffset: '+0530' },
      {},
      `2024-07-01T06:30:00.000Z ${clock} +05:30 exif_offset`,
    ],
    ['Z as an offset', { originalOffset: 'Z' }, {}, `2024-07-01T12:00:00.000Z ${clock} +00:00 exif_offset`],
    ['-00:00 is +00:00', { originalOffset: '-00:00' }, {}, `2024-07-01T12:00:00.000Z ${clock} +00:00 exif_offset`],
  ])('is read from %s', (_, times, hints, expected) => {
    expect(read({ original: noon, ...times }, hints)).toBe(expected);
  });

  test('comes from the IPTC offset for a clock without an EXIF offset', () => {
    const iptcCreated = '2022-01-10T15:15:44-04:00';
    expect(read({ iptcCreated })).toBe('2022-01-10T19:15:44.000Z 2022-01-10T15:15:44 -04:00 exif_offset');
    expect(read({ iptcCreated, xmpCreated: '2022-01-10T15:15:44.31' })).toBe(
      '2022-01-10T19:15:44.310Z 2022-01-10T15:15:44.310 -04:00 exif_offset',
    );
  });

  test('is unknown, and so is the instant, if the default is not a valid zone', () => {
    expect(read({ original: noon }, { defaultTimeZone: 'Nowhere' })).toBe(nothing);
  });
});

describe('the clock of a camera that was set wrong', () => {
  test.each([
    ['Europe/Berlin', '2024-03-31T01:59:59', '2024-03-31T00:59:59.000Z', 'before the gap'],
    ['Europe/Berlin', '2024-03-31T02:30:00', '2024-03-31T00:30:00.000Z', 'in the gap: the offset after it'],
    ['Europe/Berlin', '2024-03-31T03:00:00', '2024-03-31T01:00:00.000Z', 'after the gap'],
    ['Europe/Berlin', '2024-10-27T01:59:59', '2024-10-26T23:59:59.000Z', 'before the overlap'],
    ['Europe/Berlin', '2024-10-27T02:30:00', '2024-10-27T00:30:00.000Z', 'in the overlap: the earlier'],
    ['Europe/Berlin', '2024-10-27T03:00:00', '2024-10-27T02:00:00.000Z', 'after the overlap'],
    ['America/New_York', '2024-03-10T02:15:00', '2024-03-10T06:15:00.000Z', 'a gap west of UTC'],
    ['America/New_York', '2024-11-03T01:15:00', '2024-11-03T05:15:00.000Z', 'an overlap west of UTC'],
    ['Australia/Lord_Howe', '2024-04-07T01:45:00', '2024-04-06T14:45:00.000Z', 'an overlap of half an hour'],
    ['Pacific/Apia', '2011-12-31T05:00:00', '2011-12-30T15:00:00.000Z', 'after a day that was left out'],
    ['Asia/Kolkata', '2024-01-01T00:00:00', '2023-12-31T18:30:00.000Z', 'a zone that never moves'],
    ['America/New_York', '1883-11-01T12:00:00', '1883-11-01T16:56:02.000Z', 'local mean time, with seconds'],
    ['UTC', '0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z', 'the first instant'],
  ])('is read as %s %s', (timeZone, local, instant) => {
    expect(fromWallClock(local, timeZone)?.takenAt?.toISOString()).toBe(instant);
  });
});

describe('a time that a client sends', () => {
  test.each([
    ['2024-05-07T09:33:04+08:00', '2024-05-07T01:33:04.000Z', '2024-05-07T09:33:04', '+08:00'],
    ['2024-05-07T09:33:04.5Z', '2024-05-07T09:33:04.500Z', '2024-05-07T09:33:04.500', '+00:00'],
    ['1969-12-31T23:59:59.123999-03:30', '1970-01-01T03:29:59.123Z', '1969-12-31T23:59:59.123', '-03:30'],
    ['2024-05-07T09:33:04-00:00', '2024-05-07T09:33:04.000Z', '2024-05-07T09:33:04', '+00:00'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00', '+00:00'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999', '+00:00'],
  ])('is accepted as the instant %s', (text, instant, takenAtLocal, timeZone) => {
    expect(parseInstant(text)).toEqual(new Date(instant));
    expect(fromInstant(text)).toEqual({ takenAt: new Date(instant), takenAtLocal, timeZone, takenAtSource: 'client' });
  });

  test.each([
    '',
    '2024-05-07',
    '2024-05-07T09:33:04',
    '2024-05-07 09:33:04Z',
    '2024-05-07t09:33:04z',
    '2024-05-07T09:33Z',
    '2024-05-07T09:33:04+0800',
    '2024-05-07T09:33:04+8:00',
    '2024-05-07T09:33:04+14:01',
    '2024-05-07T09:33:04+01:60',
    '2024-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-05-07T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+02024-05-07T09:33:04Z',
    '2024:05:07T09:33:04Z',
    '2024-05-07T09:33:04.Z',
    '2024-05-07T09:33:04,5Z',
    ' 2024-05-07T09:33:04Z',
    '2024-05-07T09:33:04Z\n',
    '2024-05-07T09:33:04 Z',
    '1715074384',
    '٢٠٢٤-05-07T09:33:04Z',
  ])('is refused as an instant when it is %j', (text) => {
    expect([parseInstant(text), fromInstant(text)]).toEqual([null, null]);
  });

  test.each([
    ['2024-05-07T09:33:04', true],
    ['2024-05-07T09:33:04.5', true],
    ['2024-05-07T09:33:04.123456789', true],
    ['2024-02-29T00:00:00', true],
    ['2023-02-29T00:00:00', false],
    ['2024-05-07T09:33', false],
    ['2024-05-07 09:33:04', false],
    ['2024:05:07T09:33:04', false],
    ['2024-05-07T09:33:04Z', false],
    ['2024-05-07T09:33:04+01:00', false],
    ['2024-05-07T25:00:00', false],
    ['0000-05-07T09:33:04', false],
    ['2024-05-07T09:33:04\n', false],
    ['', false],
  ])('isLocalTime(%j) is %s', (text, is) => {
    expect(isLocalTime(text)).toBe(is);
  });

  test.each([
    ['+00:00', true],
    ['-00:00', true],
    ['+14:00', true],
    ['-14:00', true],
    ['+05:45', true],
    ['UTC', true],
    ['Europe/Paris', true],
    ['europe/paris', true],
    ['America/Argentina/Buenos_Aires', true],
    ['Etc/GMT+5', true],
    ['+14:01', false],
    ['+15:00', false],
    ['+1:00', false],
    ['+0100', false],
    ['+01', false],
    ['01:00', false],
    ['Z', false],
    ['Europe/Atlantis', false],
    ['', false],
    [' UTC', false],
    ['UTC\n', false],
    ['+01:00\n', false],
    ['constructor', false],
    ['x'.repeat(65), false],
  ])('isTimeZone(%j) is %s', (text, is) => {
    expect(isTimeZone(text)).toBe(is);
  });

  test('keeps both the wall clock and the zone, whose name gets the letter case of IANA', () => {
    expect(fromWallClock('2024-07-01T12:00:00.25', 'europe/paris')).toEqual({
      takenAt: new Date('2024-07-01T10:00:00.250Z'),
      takenAtLocal: '2024-07-01T12:00:00.250',
      timeZone: 'Europe/Paris',
      takenAtSource: 'client',
    });
    expect(fromWallClock('2024-07-01T12:00:00', 'US/Eastern')?.timeZone).toBe('US/Eastern');
    expect(fromWallClock('2024-07-01T12:00:00', 'utc')?.timeZone).toBe('UTC');
    expect(fromWallClock('2024-07-01T12:00:00', '-03:30')?.takenAt).toEqual(new Date('2024-07-01T15:30:00Z'));
  });

  test.each([
    ['2024-07-01', 'Europe/Paris'],
    ['2024-07-01T12:00:00', 'Paris'],
    ['2024:07:01 12:00:00', 'UTC'],
    ['0001-01-01T00:00:00', '+01:00'],
  ])('is refused when it is %s in %s', (local, timeZone) => {
    expect(fromWallClock(local, timeZone)).toBeNull();
  });
});

test('an offset from GPS time counts only for years in which the time zone database knows a place with it', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const offsetsIn = (year: number) => {
    const months = Array.from({ length: 12 }, (_, month) => Date.UTC(year, month, 15));
    return new Set(zones.flatMap((zone) => months.map((instant) => offsetAt(zone, instant))));
  };
  const quarters = Array.from({ length: 112 }, (_, n) => (n - 55) * 15 * MINUTE);
  for (const year of [1999, 2007, 2010, 2016, 2017, 2024]) {
    const known = offsetsIn(year);
    const taken = quarters.filter((offset) => wasInUse(offset, Date.UTC(year, 5, 15)) && offset % HOUR !== 0);
    expect([year, taken]).toEqual([year, quarters.filter((offset) => known.has(offset) && offset % HOUR !== 0)]);
  }
});

describe('a file name that may say when a photo was taken', () => {
  test.each([
    ['IMG_20240615_101112.jpg', '2024-06-15T10:11:12'],
    ['PXL_20240615_101112345.MP.jpg', '2024-06-15T10:11:12.345'],
    ['20240615101112.heic', '2024-06-15T10:11:12'],
    ['2024-06-15 10.11.12.jpg', '2024-06-15T10:11:12'],
    ['Screenshot_2024-06-15-10-11-12-345_com.app.png', '2024-06-15T10:11:12.345'],
    ['Screenshot 2024-06-15 at 10.11.12.png', '2024-06-15T10:11:12'],
    ['IMG-20240615-WA0001.jpg', '2024-06-15T00:00:00'],
    ['1999.12.31 party.jpg', '1999-12-31T00:00:00'],
    ['20241345_20240615.jpg', '2024-06-15T00:00:00'],
    ['20240615_250001.jpg', '2024-06-15T00:00:00'],
    ['2024-06-15-996123.jpg', '2024-06-15T00:00:00'],
  ])('gives its time: %s', (filename, local) => {
    const takenAt = new Date(`${local}+09:00`).toISOString();
    expect(read({}, { filename })).toBe([takenAt, local, 'Asia/Tokyo', 'filename'].join(' '));
  });

  test.each([
    'DSC_0001.jpg',
    'IMG_20240230.jpg',
    '120240615.jpg',
    '20240615250001.jpg',
    '18991231.jpg',
    '2024-0615.jpg',
    'a'.repeat(1000),
  ])('gives none: %s', (filename) => {
    expect(read({}, { filename })).toBe(nothing);
  });

  test('counts only where the file says nothing, in the zone of its position', () => {
    const filename = 'IMG_20240615_101112.jpg';
    expect(read({ original: noon }, { filename })).toContain('2024-07-01T12:00:00');
    expect(read({}, { filename, positionZone: 'Europe/Paris' })).toBe(
      '2024-06-15T08:11:12.000Z 2024-06-15T10:11:12 Europe/Paris filename',
    );
    expect(read({})).toBe(nothing);
  });
});
