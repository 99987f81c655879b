import sharp, { type Exif } from 'sharp';
import { box, longs } from './boxes.js';

/**
 * Small raw files in the shapes that the cameras' formats have, around a preview that is a real JPEG. ExifTool recognizes them and extracts
 * the same preview (test/services/raw-pictures.test.ts).
 */

const [BYTE, ASCII, SHORT, LONG, RATIONAL, UNDEFINED, IFD] = [1, 2, 3, 4, 5, 7, 13] as const;
const sizes: Readonly<Record<number, number>> = { [SHORT]: 2, [LONG]: 4, [RATIONAL]: 8, [IFD]: 4 };

type Value =
  | readonly number[]
  | string
  | Buffer
  /** Bytes elsewhere in the file: the value is their offset. */
  | { readonly elsewhere: Buffer }
  | { readonly directories: readonly Directory[] };
type Tag = readonly [tag: number, type: number, value: Value];

interface Directory {
  readonly tags: readonly Tag[];
  readonly next?: Directory | undefined;
}

class TiffWriter {
  constructor(private readonly little: boolean) {}

  /** The directory with everything that it refers to, for this place in the file. */
  at(start: number, { tags, next }: Directory): Buffer {
    const behind: Buffer[] = [];
    let end = start + 2 + 12 * tags.length + 4;
    const append = (bytesAt: (at: number) => Buffer): Buffer => {
      const [at, bytes] = [end, bytesAt(end)];
      behind.push(bytes, Buffer.alloc(bytes.length % 2));
      end += bytes.length + (bytes.length % 2);
      return this.long(at);
    };
    const entries = [...tags]
      .sort(([a], [b]) => a - b)
      .map(([tag, type, value]) => {
        const { bytes, count } = this.#value(type, value, append);
        return Buffer.concat([this.short(tag), this.short(type), this.long(count), bytes]);
      });
    const nextAt = next ? append((at) => this.at(at, next)) : this.long(0);
    return Buffer.concat([this.short(tags.length), ...entries, nextAt, ...behind]);
  }

  /** The four bytes in the directory; the rest is appended. */
  #value(type: number, value: Value, append: (bytesAt: (at: number) => Buffer) => Buffer) {
    if (typeof value === 'object' && 'elsewhere' in value) return { count: 1, bytes: append(() => value.elsewhere) };
    if (typeof value === 'object' && 'directories' in value) {
      const { directories } = value;
      const [only] = directories;
      const bytes = append((at) =>
        only && directories.length === 1 ? this.at(at, only) : this.#list(at, directories),
      );
      return { count: directories.length, bytes };
    }
    const bytes = this.#bytes(type, value);
    const field = bytes.length > 4 ? append(() => bytes) : Buffer.concat([bytes, Buffer.alloc(4 - bytes.length)]);
    return { count: bytes.length / (sizes[type] ?? 1), bytes: field };
  }

  /** The places of directories, followed by these. */
  #list(at: number, directories: readonly Directory[]): Buffer {
    const places: Buffer[] = [];
    const written: Buffer[] = [];
    let end = at + 4 * directories.length;
    for (const directory of directories) {
      const bytes = this.at(end, directory);
      places.push(this.long(end));
      written.push(bytes);
      end += bytes.length;
    }
    return Buffer.concat([...places, ...written]);
  }

  #bytes(type: number, value: readonly number[] | string | Buffer): Buffer {
    if (typeof value === 'string') return Buffer.from(`${value}\0`, 'latin1');
    if (Buffer.isBuffer(value)) return value;
    if (type === SHORT) return Buffer.concat(value.map((number) => this.short(number)));
    return type === LONG || type === RATIONAL
      ? Buffer.concat(value.map((number) => this.long(number)))
      : Buffer.from(value);
  }

  short(value: number): Buffer {
    const bytes = Buffer.alloc(2);
    if (this.little) bytes.writeUInt16LE(value);
    else bytes.writeUInt16BE(value);
    return bytes;
  }

  long(value: number): Buffer {
    const bytes = Buffer.alloc(4);
    if (this.little) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  }
}

export type RawKind = 'dng' | 'cr2' | 'cr3' | 'nef' | 'nrw' | 'arw' | 'sr2' | 'raf' | 'orf' | 'rw2';
export const rawKinds: readonly RawKind[] = ['dng', 'cr2', 'cr3', 'nef', 'nrw', 'arw', 'sr2', 'raf', 'orf', 'rw2'];

export interface RawOptions {
  /** A whole JPEG. */
  readonly preview: Buffer;
  /** Default false. */
  readonly isAdobeRgb?: boolean;
  /** Left out of the file when 0. */
  readonly orientation?: number;
  /** Tags that the main directory has besides. */
  readonly tags?: readonly Tag[];
}

const makes: Readonly<Record<RawKind, readonly [make: string, model: string]>> = {
  dng: ['Leica', 'LEICA Q3'],
  cr2: ['Canon', 'Canon EOS 5D Mark III'],
  cr3: ['Canon', 'Canon EOS R6'],
  nef: ['NIKON CORPORATION', 'NIKON Z 6'],
  nrw: ['NIKON', 'COOLPIX P7000'],
  arw: ['SONY', 'ILCE-7M3'],
  sr2: ['SONY', 'DSC-R1'],
  raf: ['FUJIFILM', 'X-T4'],
  orf: ['OLYMPUS CORPORATION', 'E-M1MarkII'],
  rw2: ['Panasonic', 'DC-GH5'],
};

export const makeOf = (kind: RawKind): string => makes[kind][0];
export const modelOf = (kind: RawKind): string => makes[kind][1];

/** A JPEG whose left upper quarter is blue, the rest red. */
export function preview(width = 800, height = 600, exif?: Exif, orientation = 1): Promise<Buffer> {
  const quarter = { width: width / 2, height: height / 2, channels: 3 as const, background: '#0000ff' };
  const picture = sharp({ create: { width, height, channels: 3, background: '#ff0000' } })
    .composite([{ input: { create: quarter }, left: 0, top: 0 }])
    .jpeg();
  return (exif ? picture.withExif(exif).withMetadata({ orientation }) : picture).toBuffer();
}

/** What every kind says of its picture. */
const exifTags = (extra: readonly Tag[] = []): Directory => ({
  tags: [
    [33_434, RATIONAL, [1, 250]],
    [33_437, RATIONAL, [28, 10]],
    [34_855, SHORT, [400]],
    [36_867, ASCII, '2024:05:06 07:08:09'],
    [36_881, ASCII, '+02:00'],
    [37_386, RATIONAL, [35, 1]],
    [42_036, ASCII, 'A 35mm lens'],
    ...extra,
  ],
});

/** As a camera says it that is set to Adobe RGB. */
const adobeRgb: readonly Tag[] = [
  [40_961, SHORT, [0xffff]],
  [40_965, LONG, { directories: [{ tags: [[1, ASCII, 'R03']] }] }],
];

const gps: Directory = {
  tags: [
    [0, BYTE, [2, 3, 0, 0]],
    [1, ASCII, 'N'],
    [2, RATIONAL, [48, 1, 51, 1, 30, 1]],
    [3, ASCII, 'E'],
    [4, RATIONAL, [2, 1, 21, 1, 0, 1]],
  ],
};

/** What the JPEG of a RAF says, which has all metadata. */
export const rafExif: Exif = {
  IFD0: { Make: makeOf('raf'), Model: modelOf('raf') },
  IFD2: {
    ExposureTime: '1/250',
    FNumber: '28/10',
    ISOSpeedRatings: '400',
    DateTimeOriginal: '2024:05:06 07:08:09',
    OffsetTimeOriginal: '+02:00',
    FocalLength: '35/1',
    LensModel: 'A 35mm lens',
  },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '48/1 51/1 30/1',
    GPSLongitudeRef: 'E',
    GPSLongitude: '2/1 21/1 0/1',
  },
};

const SENSOR = Buffer.alloc(4096, 0x5a);
/** The beginning of a lossless JPEG of 4000 × 3000 (ITU-T T.81, process 14), as sensor data are compressed. */
const LOSSLESS = Buffer.concat([
  Buffer.from('ffd8ffc3000e0e0bb80fa002001100011100', 'hex'),
  Buffer.alloc(4000, 0x33),
  Buffer.from([0xff, 0xd9]),
]);

export function rawFile(kind: RawKind, options: RawOptions): Buffer {
  if (kind === 'raf') return raf(options.preview);
  return kind === 'cr3' ? cr3(options) : tiffRaw(kind, options);
}

function tiffRaw(kind: Exclude<RawKind, 'raf' | 'cr3'>, options: RawOptions): Buffer {
  const little = kind !== 'nef';
  const writer = new TiffWriter(little);
  const header = headers[kind](writer);
  return Buffer.concat([header, writer.at(header.length, mains[kind](options, writer))]);
}

const order = (writer: TiffWriter) => (writer.short(1)[0] === 1 ? 'II' : 'MM');
const plainHeader = (writer: TiffWriter) =>
  Buffer.concat([Buffer.from(order(writer)), writer.short(42), writer.long(8)]);

const headers: Readonly<Record<Exclude<RawKind, 'raf' | 'cr3'>, (writer: TiffWriter) => Buffer>> = {
  dng: plainHeader,
  nef: plainHeader,
  nrw: plainHeader,
  arw: plainHeader,
  sr2: plainHeader,
  cr2: (writer) =>
    Buffer.concat([Buffer.from('II'), writer.short(42), writer.long(16), Buffer.from('CR\x02\0'), writer.long(0)]),
  orf: (writer) => Buffer.concat([Buffer.from('IIRO'), writer.long(8)]),
  rw2: (writer) =>
    Buffer.concat([Buffer.from('IIU\0'), writer.long(24), Buffer.from('88e774d8f8251d4d947a6e77822b5d6a', 'hex')]),
};

function camera(
  kind: RawKind,
  { orientation = 1, tags = [], isAdobeRgb = false }: RawOptions,
  exif = exifTags(isAdobeRgb ? adobeRgb : []),
): Tag[] {
  return [
    [271, ASCII, makeOf(kind)],
    [272, ASCII, modelOf(kind)],
    ...(orientation === 0 ? [] : ([[274, SHORT, [orientation]]] satisfies Tag[])),
    [34_665, LONG, { directories: [exif] }],
    [34_853, LONG, { directories: [gps] }],
    ...tags,
  ];
}

const size = (width: number, height: number): Tag[] => [
  [256, LONG, [width]],
  [257, LONG, [height]],
];

const strips = (bytes: Buffer): Tag[] => [
  [273, LONG, { elsewhere: bytes }],
  [279, LONG, [bytes.length]],
];

const interchange = (jpeg: Buffer): Tag[] => [
  [513, LONG, { elsewhere: jpeg }],
  [514, LONG, [jpeg.length]],
];

/** Eight by six pixels. */
const thumbnail: Tag[] = [
  ...size(8, 6),
  [258, SHORT, [8, 8, 8]],
  [259, SHORT, [1]],
  [262, SHORT, [2]],
  [277, SHORT, [3]],
  [278, LONG, [6]],
  ...strips(Buffer.alloc(8 * 6 * 3, 0x80)),
];

const sensor = (compression: number, bytes = SENSOR): Directory => ({
  tags: [
    [254, LONG, [0]],
    ...size(4000, 3000),
    [258, SHORT, [16]],
    [259, SHORT, [compression]],
    [262, SHORT, [32_803]],
    [277, SHORT, [1]],
    ...strips(bytes),
  ],
});

const nikon = (kind: 'nef' | 'nrw', options: RawOptions): Directory => {
  const shown = { tags: [[254, LONG, [1]], [259, SHORT, [6]], ...interchange(options.preview)] satisfies Tag[] };
  // An NRW is told by its thumbnail, which is a JPEG.
  const [first, directories] =
    kind === 'nef'
      ? [thumbnail, [shown, sensor(34_713)]]
      : [[[259, SHORT, [6]], ...interchange(SENSOR)] satisfies Tag[], [sensor(34_713), shown]];
  return { tags: [[254, LONG, [1]], ...first, ...camera(kind, options), [330, LONG, { directories }]] };
};

const sony = (kind: RawKind, options: RawOptions, note: readonly Tag[] = []): Directory => ({
  tags: [
    [254, LONG, [1]],
    [259, SHORT, [6]],
    ...interchange(options.preview),
    ...camera(kind, options, exifTags([...note, ...(options.isAdobeRgb ? adobeRgb : [])])),
    [330, LONG, { directories: [sensor(32_767)] }],
  ],
});

/** Says that the file is an SR2, in the tag that Sony has for the format of files. */
function sr2Note(writer: TiffWriter): Buffer {
  const header = Buffer.from('SONY DSC \0\0\0', 'latin1');
  return Buffer.concat([header, writer.at(header.length, { tags: [[0xb000, BYTE, [1, 0, 0, 0]]] })]);
}

const mains: Readonly<Record<Exclude<RawKind, 'raf' | 'cr3'>, (options: RawOptions, writer: TiffWriter) => Directory>> =
  {
    dng: (options) => ({
      tags: [
        [254, LONG, [1]],
        ...thumbnail,
        ...camera('dng', options),
        [
          330,
          LONG,
          {
            directories: [
              { tags: [[254, LONG, [1]], [259, SHORT, [7]], [262, SHORT, [6]], ...strips(options.preview)] },
              sensor(7, LOSSLESS),
            ],
          },
        ],
        [50_706, BYTE, [1, 4, 0, 0]],
        [50_708, ASCII, 'Leica Q3'],
      ],
    }),
    cr2: (options) => ({
      tags: [...size(800, 600), [259, SHORT, [6]], ...strips(options.preview), ...camera('cr2', options)],
      next: {
        tags: interchange(SENSOR),
        next: { tags: thumbnail, next: { tags: [[259, SHORT, [6]], ...strips(LOSSLESS)] } },
      },
    }),
    nef: (options) => nikon('nef', options),
    nrw: (options) => nikon('nrw', options),
    arw: (options) => sony('arw', options),
    sr2: (options, writer) => sony('sr2', options, [[37_500, UNDEFINED, sr2Note(writer)]]),
    orf: (options, writer) => ({
      tags: [
        ...size(4000, 3000),
        [259, SHORT, [1]],
        ...strips(SENSOR),
        ...camera('orf', options, exifTags([[37_500, UNDEFINED, olympusNote(options.preview, writer)]])),
      ],
    }),
    rw2: (options) => ({
      tags: [
        [1, UNDEFINED, Buffer.from('0300')],
        [2, SHORT, [4000]],
        [3, SHORT, [3000]],
        [46, UNDEFINED, options.preview],
        ...strips(SENSOR),
        ...camera('rw2', options),
      ],
    }),
  };

function olympusNote(jpeg: Buffer, writer: TiffWriter): Buffer {
  const header = Buffer.from('OLYMPUS\0II\x03\0', 'latin1');
  const settings: Directory = {
    tags: [
      [0, UNDEFINED, Buffer.from('0100')],
      [0x100, LONG, [1]],
      [0x101, LONG, { elsewhere: jpeg }],
      [0x102, LONG, [jpeg.length]],
    ],
  };
  return Buffer.concat([header, writer.at(header.length, { tags: [[0x2020, IFD, { directories: [settings] }]] })]);
}

function raf(jpeg: Buffer): Buffer {
  const head = Buffer.alloc(108);
  head.write('FUJIFILMCCD-RAW 0201FF389501X-T4', 'latin1');
  head.write('0100', 60, 'latin1');
  const headerAt = 148 + jpeg.length;
  const parts = [148, jpeg.length, headerAt, 8, headerAt + 8, SENSOR.length];
  parts.forEach((value, index) => void head.writeUInt32BE(value, 84 + 4 * index));
  return Buffer.concat([head, Buffer.alloc(40), jpeg, Buffer.alloc(8), SENSOR]);
}

function cr3({ preview: jpeg, orientation = 1, tags = [], isAdobeRgb = false }: RawOptions): Buffer {
  const writer = new TiffWriter(true);
  const part = (directory: Directory) => Buffer.concat([plainHeader(writer), writer.at(8, directory)]);
  const main: Tag[] = [[271, ASCII, makeOf('cr3')], [272, ASCII, modelOf('cr3')], ...tags];
  if (orientation !== 0) main.push([274, SHORT, [orientation]]);
  const metadata = box(
    'uuid',
    Buffer.from('85c0b687820f11e08111f4ce462b6a48', 'hex'),
    box('CNCV', Buffer.from('CanonCR3_001/00.09.00/00.00.00')),
    box('CMT1', part({ tags: main })),
    box('CMT2', part(exifTags(isAdobeRgb ? adobeRgb : []))),
    box('CMT4', part(gps)),
  );
  const track = (length: number, at: number) =>
    box(
      'trak',
      box('mdia', box('minf', box('stbl', box('stsz', longs(0, length, 1)), box('co64', longs(0, 1, 0, at))))),
    );
  const ftyp = box('ftyp', Buffer.from('crx \0\0\0\x01crx isom', 'latin1'));
  const moov = (at: number) => box('moov', metadata, track(jpeg.length, at), track(SENSOR.length, at + jpeg.length));
  const small = box(
    'uuid',
    Buffer.from('eaf42b5e1c984b88b9fbb7dc406e4d16', 'hex'),
    longs(0, 1),
    box('PRVW', longs(0), Buffer.from([0, 1, 0, 16, 0, 16, 0, 1]), longs(jpeg.length), jpeg),
  );
  const dataAt = ftyp.length + moov(0).length + small.length + 8;
  return Buffer.concat([ftyp, moov(dataAt), small, box('mdat', jpeg, SENSOR)]);
}
