import { type FileTags, metadataOf, type Tag } from '../../src/adapters/media/metadata.js';

const of = (tags: Partial<FileTags>) => metadataOf({ exif: {}, xmp: {}, iptc: {}, ...tags });
const text = (value: string): Tag => ({ value: [value], description: value });
const localized = (...items: [language: string, value: string][]): Tag => ({
  value: items.map(([lang, value]) => ({ value, attributes: { lang }, description: value })),
  description: items.map(([, value]) => value).join(', '),
});

/** As ExifReader returns a text of IPTC. */
const bytes = (text: string) => ({ value: [...Buffer.from(text)], description: text });

describe('location', () => {
  const dms = (...values: [number, number][]): Tag => ({ value: values });
  const paris = {
    GPSLatitude: dms([48, 1], [51, 1], [30, 1]),
    GPSLatitudeRef: text('N'),
    GPSLongitude: dms([2, 1], [21, 1], [0, 1]),
    GPSLongitudeRef: text('E'),
  };
  const at = (exif: FileTags['exif']) => of({ exif: { ...paris, ...exif } }).location;

  test.each<[string, FileTags['exif'], { latitude?: number; longitude?: number; altitude?: number | null }]>([
    ['north and east', {}, { latitude: 48.8583333, longitude: 2.35, altitude: null }],
    ['south', { GPSLatitudeRef: text('S') }, { latitude: -48.8583333 }],
    ['west, in lower case', { GPSLongitudeRef: text('w') }, { longitude: -2.35 }],
    ['decimal minutes', { GPSLongitude: dms([2, 1], [2100, 100], [0, 1]) }, { longitude: 2.35 }],
    [
      'the equator is a place',
      { GPSLatitude: dms([0, 1], [0, 1], [0, 1]), GPSLatitudeRef: text('S') },
      { latitude: 0 },
    ],
    ['the pole', { GPSLatitude: dms([90, 1], [0, 1], [0, 1]) }, { latitude: 90 }],
    ['above the sea', { GPSAltitude: { value: [14_839, 10] }, GPSAltitudeRef: { value: 0 } }, { altitude: 1483.9 }],
    ['below the sea', { GPSAltitude: { value: [4305, 10] }, GPSAltitudeRef: { value: 1 } }, { altitude: -430.5 }],
    ['at the sea, from below', { GPSAltitude: { value: [0, 1] }, GPSAltitudeRef: { value: 1 } }, { altitude: 0 }],
    ['an altitude of 0/0', { GPSAltitude: { value: [0, 0] } }, { altitude: null }],
    ['an altitude in space', { GPSAltitude: { value: [4_294_967_295, 1] } }, { altitude: null }],
  ])('%s', (_, exif, expected) => {
    expect(at(exif)).toMatchObject(expected);
  });

  test.each<[string, FileTags['exif']]>([
    ['0/0 in every place', { GPSLatitude: dms([0, 0], [0, 0], [0, 0]), GPSLongitude: dms([0, 0], [0, 0], [0, 0]) }],
    ['0° 0°', { GPSLatitude: dms([0, 1], [0, 1], [0, 1]), GPSLongitude: dms([0, 1], [0, 1], [0, 1]) }],
    ['beyond the pole', { GPSLatitude: dms([90, 1], [0, 1], [1, 1]) }],
    ['beyond the date line', { GPSLongitude: dms([180, 1], [1, 1], [0, 1]) }],
    ['seconds of n/0', { GPSLatitude: dms([48, 1], [51, 1], [30, 0]) }],
    ['negative degrees', { GPSLatitude: dms([-48, 1], [51, 1], [30, 1]) }],
    ['one number where three belong', { GPSLatitude: { value: [4_294_967_295, 1] } }],
    ['text where numbers belong', { GPSLatitude: text('48,51,30') }],
    ['no hemisphere', { GPSLatitudeRef: { value: [], description: 'Unknown' } }],
    ['the wrong hemisphere', { GPSLatitudeRef: text('E') }],
  ])('%s is not a location', (_, exif) => {
    expect(at(exif)).toBeNull();
  });

  test('is read from XMP when EXIF has none', () => {
    const xmp = {
      GPSLatitude: { value: '48,51.5N' },
      GPSLongitude: { value: '2,21,0W' },
      GPSAltitude: { value: '350/10' },
      GPSAltitudeRef: { value: '1' },
    };
    expect(of({ xmp }).location).toEqual({ latitude: 48.8583333, longitude: -2.35, altitude: -35 });
    expect(of({ xmp, exif: paris }).location?.longitude).toBe(2.35);
    expect(of({ xmp: { ...xmp, GPSLatitude: { value: '48,51.5E' } } }).location).toBeNull();
  });

  test('gives the time zone', () => {
    expect(of({ exif: paris }).positionZone).toBe('Europe/Paris');
    expect(of({}).positionZone).toBeNull();
  });
});

describe('words', () => {
  test('are trimmed, without NUL, and cut at whole code points', () => {
    expect(of({ exif: { Make: text(' Canon\u0000\u0000 ') } }).camera?.make).toBe('Canon');
    expect(of({ exif: { Make: text('\ud800broken') } }).camera?.make).toBe('\ufffdbroken');
    expect(of({ iptc: { 'Object Name': { value: [1], description: '😀'.repeat(300) } } }).title).toBe('😀'.repeat(255));
    expect(of({ iptc: { 'Caption/Abstract': { description: 'x'.repeat(20_000) } } }).description).toHaveLength(10_000);
    expect(of({ exif: { Make: text(' \u0000 '), Model: { value: 7 } } }).camera).toBeNull();
  });

  test('are taken in the default language, from XMP before IPTC before EXIF', () => {
    const xmp = {
      title: localized(['de', 'Titel'], ['x-default', 'Title']),
      description: localized(['fr', 'Légende']),
    };
    const iptc = { 'Object Name': { description: 'Cut title' }, 'Caption/Abstract': { description: 'Cut caption' } };
    const exif = { ImageDescription: text('Described') };
    expect(of({ xmp, iptc, exif })).toMatchObject({ title: 'Title', description: 'Légende' });
    expect(of({ iptc, exif })).toMatchObject({ title: 'Cut title', description: 'Cut caption' });
    expect(of({ exif })).toMatchObject({ title: null, description: 'Described' });
  });

  test.each([
    'OLYMPUS DIGITAL CAMERA',
    'KODAK Digital Still Camera',
    'SONY DSC',
    'DCIM\\100MEDIA\\DJI_0001.JPG',
    'default',
    'Exif_JPEG_PICTURE',
  ])('that the camera wrote are ignored: %s', (placeholder) => {
    expect(of({ exif: { ImageDescription: text(placeholder) } }).description).toBeNull();
    expect(of({ xmp: { description: localized(['x-default', placeholder]) } }).description).toBeNull();
  });

  test.each(['Beach', 'A digital camera on a table', 'defaulted'])('that people wrote are kept: %s', (words) => {
    expect(of({ exif: { ImageDescription: text(words) } }).description).toBe(words);
  });
});

describe('numbers', () => {
  test.each<[unknown, number | null]>([
    ['3', 3],
    ['0', 0],
    ['5', 5],
    ['-1', null],
    ['6', null],
    ['99', null],
    ['4.0', 4],
    ['', null],
    ['many', null],
    ['NaN', null],
  ])('a rating of %j is %s', (value, rating) => {
    expect(of({ xmp: { Rating: { value } } }).rating).toBe(rating);
  });

  test.each<[[number, number], string | null]>([
    [[1, 250], '1/250'],
    [[10, 2500], '1/250'],
    [[1, 3], '0.333'],
    [[5, 2], '2.5'],
    [[30, 1], '30'],
    [[1, 1_000_000], '1/1000000'],
    [[0, 1], null],
    [[1, 0], null],
    [[-1, 250], null],
    [[4_294_967_295, 1], null],
  ])('an exposure of %j seconds is %s', (value, exposureTime) => {
    expect(of({ exif: { ExposureTime: { value }, Flash: { value: 1 } } }).exposure).toMatchObject({
      exposureTime,
      flash: true,
    });
  });

  test('of the exposure are read where they make sense', () => {
    const exif = {
      ISOSpeedRatings: { value: [400, 400] },
      FNumber: { value: [28, 10] },
      FocalLength: { value: [553, 100] },
      FocalLengthIn35mmFilm: { value: 0 },
      Flash: { value: 16 },
    };
    expect(of({ exif }).exposure).toEqual({
      iso: 400,
      fNumber: 2.8,
      exposureTime: null,
      focalLength: 5.53,
      focalLength35mm: null,
      flash: false,
    });
    expect(of({ exif: { FNumber: { value: [0, 0] }, ISOSpeedRatings: { value: 0 } } }).exposure).toBeNull();
  });
});

describe('times', () => {
  test('are read as they are written', () => {
    const exif = {
      DateTimeOriginal: text('2024:05:07 09:33:04\u0000'),
      SubSecTimeOriginal: text('046'),
      OffsetTimeOriginal: text('+08:00'),
      DateTimeDigitized: text('    :  :     :  :  '),
      DateTime: text('2024:06:01 00:00:00'),
      OffsetTime: text('+02:00'),
      GPSDateStamp: text('2024:05:07'),
      GPSTimeStamp: {
        value: [
          [1, 1],
          [33, 1],
          [4500, 1000],
        ],
      },
    };
    const xmp = {
      DateCreated: { value: '2024-05-07T09:33:04.046' },
      DateTimeOriginal: { value: '2024-05-07T09:33:04+08:00' },
      CreateDate: { value: '2024-05-08T10:00:00' },
    };
    const iptc = { 'Date Created': bytes('20240507'), 'Time Created': bytes('093304+0800') };
    expect(of({ exif, xmp, iptc }).times).toEqual({
      original: '2024:05:07 09:33:04',
      originalSubSec: '046',
      originalOffset: '+08:00',
      digitized: ':  :     :  :',
      digitizedSubSec: null,
      digitizedOffset: null,
      changed: '2024:06:01 00:00:00',
      changedOffset: '+02:00',
      xmpCreated: '2024-05-07T09:33:04.046',
      xmpOriginal: '2024-05-07T09:33:04+08:00',
      xmpDigitized: '2024-05-08T10:00:00',
      iptcCreated: '2024-05-07T09:33:04+08:00',
      gpsUtc: '2024-05-07T01:33:04',
    });
  });

  test.each([
    ['2024:05:07', '09:33:04', '2024-05-07T09:33:04'],
    ['2024-05-07', '09:33:04-03:30', '2024-05-07T09:33:04-03:30'],
    ['20240507', '0933', '2024-05-07T09:33:00'],
    ['20240507', 'noon', null],
    ['2024', '093304', null],
  ])('of IPTC as programs write them: %s %s', (date, time, read) => {
    const iptc = { 'Date Created': bytes(date), 'Time Created': bytes(time) };
    expect(of({ iptc }).times.iptcCreated).toBe(read);
  });

  test('of IPTC and of GPS need their dates', () => {
    const times = of({
      iptc: { 'Time Created': bytes('143000+0000') },
      exif: {
        GPSTimeStamp: {
          value: [
            [1, 1],
            [2, 1],
            [3, 1],
          ],
        },
      },
    }).times;
    expect([times.iptcCreated, times.gpsUtc]).toEqual([null, null]);
  });
});

describe('the flat map of all tags', () => {
  test('has values as they stand in the file, by group, and nothing binary', () => {
    const bytes = Array.from({ length: 200 }, (_, index) => index % 7);
    const { exif } = of({
      exif: {
        ISOSpeedRatings: { value: 200, description: 200 },
        Flash: { value: 16, description: 'Flash did not fire' },
        FNumber: { value: [11, 1], description: 'f/11.0' },
        MakerNote: { value: bytes, description: '[Raw maker note data]' },
        Padding: { value: bytes, description: bytes.join(', ') },
        Odd: { value: bytes, description: bytes.join(', ') },
        'Exif IFD Pointer': { value: 654, description: 654 },
        OffsetTimeOriginal: text('+02:00'),
        XPTitle: { value: bytes, description: 'Mongol Els' },
        Empty: text(''),
      },
      xmp: { Rating: { value: '3', description: '3' }, _raw: { value: 'x', description: 'x' } },
      iptc: { City: { value: bytes, description: 'Utah' } },
    });
    expect(exif).toEqual({
      ISOSpeedRatings: 200,
      Flash: 16,
      FNumber: 11,
      OffsetTimeOriginal: '+02:00',
      XPTitle: 'Mongol Els',
      'XMP:Rating': '3',
      'IPTC:City': 'Utah',
    });
  });

  const rational = (numerator: number, denominator = 1) => [numerator, denominator];

  test.each<[string, unknown, string | undefined, string | number | undefined]>([
    ['ExposureTime', rational(1, 250), '1/250', 0.004],
    ['FocalLength', rational(399, 100), '3.99 mm', 3.99],
    ['ExposureBiasValue', rational(-1, 3), '-0.3333333333333333', -0.333333333],
    ['DigitalZoomRatio', rational(1, 0), 'Infinity', undefined],
    ['Orientation', 6, 'right-top', 6],
    ['MeteringMode', 5, 'Pattern', 5],
    ['ISOSpeedRatings', [200, 400], '200,400', '200, 400'],
    ['YCbCrSubSampling', [2, 1], 'YCbCr4:2:2', '2, 1'],
    ['BitsPerSample', [8, 8, 8], '8, 8, 8', '8, 8, 8'],
    ['LensSpecification', [rational(24), rational(120), rational(4), rational(4)], '24-120 mm f/4', '24, 120, 4, 4'],
    ['LensSpecification', [rational(24), rational(120), rational(0, 0), rational(0, 0)], '24-120 mm f/?', undefined],
    ['ExifVersion', [48, 50, 50, 49], '0221', '0221'],
    ['UserComment', [65, 83, 67, 73, 73, 0, 0, 0, 104, 105], 'hi', 'hi'],
    ['GPSTimeStamp', [rational(11), rational(12), rational(32)], '11:12:32', '11:12:32'],
    ['Model', ['Nokia 8.3 5G'], 'Nokia 8.3 5G', 'Nokia 8.3 5G'],
    ['Copyright', ['photographer', 'editor'], 'photographer editor', 'photographer, editor'],
    ['GPSLatitudeRef', ['S'], 'South latitude', 'S'],
  ])('has %s of %j not as "%s" but as %s', (name, value, description, expected) => {
    expect(of({ exif: { [name]: { value, description } } }).exif[name]).toBe(expected);
  });

  test('has coordinates with their sign, and none where they make no sense', () => {
    const degrees = [rational(33), rational(51), rational(2442, 100)];
    const exif = {
      GPSLatitude: { value: degrees, description: 33.8567833333 },
      GPSLatitudeRef: { value: ['S'], description: 'South latitude' },
      GPSLongitude: { value: degrees, description: 33.8567833333 },
      GPSLongitudeRef: { value: ['W'], description: 'West longitude' },
      GPSAltitude: { value: rational(5, 2), description: '2.5 m' },
      GPSAltitudeRef: { value: 1, description: 'Below sea level' },
      GPSDestLatitude: { value: degrees, description: 33.8567833333 },
      GPSDestLatitudeRef: { value: ['N'], description: 'North latitude' },
      GPSDestLongitude: { value: degrees, description: 33.8567833333 },
    };
    const beyond = { value: [rational(91), rational(0), rational(0)], description: 91 };
    expect(of({ exif: { ...exif, GPSLatitude: beyond } }).exif).not.toHaveProperty('GPSLatitude');
    const flat = of({ exif }).exif;
    expect(flat['GPSLatitude']).toBeCloseTo(-33.85678, 5);
    expect(flat['GPSLongitude']).toBeCloseTo(-33.85678, 5);
    expect(flat['GPSDestLatitude']).toBeCloseTo(33.85678, 5);
    expect(flat).toMatchObject({ GPSAltitude: -2.5, GPSAltitudeRef: 1, GPSLatitudeRef: 'S' });
    expect(flat).not.toHaveProperty('GPSDestLongitude');
  });

  test('stays under 64 KiB and keeps to plain names', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`Tag${index}`, text('ä'.repeat(2000))]));
    const { exif } = of({ exif: many });
    expect(Buffer.byteLength(JSON.stringify(exif))).toBeLessThanOrEqual(64 * 1024);
    expect(Object.keys(exif).length).toBeGreaterThan(25);
    const names = of({ xmp: JSON.parse('{"<script>":{"description":"x"},"__proto__":{"description":"x"}}') }).exif;
    expect(Object.keys(names)).toEqual(['XMP:__proto__']);
  });
});

describe('the creator, the copyright and the keywords', () => {
  const list = (...entries: string[]): Tag => ({
    value: entries.map((value) => ({ value, attributes: {}, description: value })),
    description: entries.join(', '),
  });
  /** As ExifReader returns a tag of IPTC that is there several times. */
  const repeated = (...entries: string[]) => entries.map(bytes) as unknown as Tag;

  test('are those of XMP before those of IPTC and EXIF', () => {
    const xmp = { creator: list('Ada', 'Bo'), rights: localized(['de', 'Rechte'], ['x-default', '© Ada']) };
    const iptc = { 'By-line': repeated('Eve', 'Fay'), 'Copyright Notice': bytes('(c) Eve') };
    const exif = { Artist: text('Art; Ist'), Copyright: text('(c) Art') };
    expect(of({ xmp, iptc, exif })).toMatchObject({ creator: 'Ada; Bo', copyright: '© Ada' });
    expect(of({ iptc, exif })).toMatchObject({ creator: 'Eve; Fay', copyright: '(c) Eve' });
    expect(of({ exif })).toMatchObject({ creator: 'Art; Ist', copyright: '(c) Art' });
    expect(of({ xmp: { creator: list(' ') }, exif })).toMatchObject({ creator: 'Art; Ist' });
    expect(of({})).toMatchObject({ creator: null, copyright: null, keywords: [] });
  });

  test('are each keyword once, with hierarchies as paths', () => {
    const xmp = {
      subject: list('Paris', 'Places'),
      hierarchicalSubject: list('Places|Paris', 'Places'),
      TagsList: list('Orte/Berlin'),
    };
    const iptc = { Keywords: repeated('Paris', 'k|2') };
    expect(of({ xmp, iptc }).keywords).toEqual(['Paris', 'Places', 'Places/Paris', 'Orte/Berlin', 'k|2']);
    expect(of({ iptc: { Keywords: bytes('alone') } }).keywords).toEqual(['alone']);
  });

  test('are cut at their limits, and the photo comes', () => {
    const names = Array.from({ length: 300 }, (_, at) => `😀 ${at} ${'x'.repeat(200)}`);
    const found = of({ xmp: { subject: list(...names), creator: list(...names), rights: list(...names) } });
    expect(found.keywords).toHaveLength(100);
    expect(new Set(found.keywords.map((keyword) => Array.from(keyword).length))).toEqual(new Set([100]));
    expect(Array.from(String(found.creator))).toHaveLength(255);
    expect(of({ exif: { Copyright: text('c'.repeat(5000)) } }).copyright).toBe('c'.repeat(1000));
  });

  test.each<[string, unknown]>([
    ['numbers', 7],
    ['bytes without a text', [1, 2]],
    ['objects without values', [{}, { value: {} }]],
    ['nothing', undefined],
  ])('that are %s are none', (_, value) => {
    const tag = { value } as Tag;
    expect(of({ xmp: { creator: tag, rights: tag, subject: tag } })).toMatchObject({
      creator: null,
      copyright: null,
      keywords: [],
    });
  });
});
