import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/**
 * Pictures whose colours are known, with all that says what they are: the samples are calculated here, by published matrices and curves, and
 * the files are written byte by byte. An encoder is only given samples, as they are.
 */

export type Rgb = readonly [number, number, number];
type Rows = readonly [Rgb, Rgb, Rgb];

/** In sRGB. */
export const LEFT: Rgb = [200, 60, 40];
export const RIGHT: Rgb = [40, 160, 60];
export const SIZE = { width: 64, height: 64 } as const;
/** Where the right patch begins: the left one has the dominant colour. */
const BORDER = 40;

interface Space {
  /** To XYZ under D50 (B. Lindbloom, and the profiles of their makers). */
  readonly toXyz: Rows;
  readonly encode: (light: number) => number;
  /** The curve as a tag of a profile. */
  readonly curve: Buffer;
  /** ITU-T H.273. */
  readonly primaries?: number;
  readonly transfer?: number;
}

const encodeSrgb = (v: number) => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
const decodeSrgb = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const encodeTv = (v: number) => (v < 0.018054 ? 4.5 * v : 1.099297 * v ** 0.45 - 0.099297);
const decodeTv = (v: number) => (v < 0.081243 ? v / 4.5 : ((v + 0.099297) / 1.099297) ** (1 / 0.45));

const word = (value: number) =>
  Buffer.from([(value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const half = (value: number) => Buffer.from([(value >> 8) & 255, value & 255]);
const fixed = (value: number) => word(Math.round(value * 0x10000));
const exponent = (value: number) =>
  Buffer.concat([Buffer.from('curv\0\0\0\0'), word(1), half(Math.round(value * 256))]);
const table = (decode: (v: number) => number) =>
  Buffer.concat([
    Buffer.from('curv\0\0\0\0'),
    word(1024),
    ...Array.from({ length: 1024 }, (_, index) => half(Math.round(decode(index / 1023) * 0xffff))),
  ]);
const parametric = Buffer.concat([
  Buffer.from('para\0\0\0\0'),
  half(3),
  half(0),
  ...[2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].map(fixed),
]);

const SRGB_TO_XYZ: Rows = [
  [0.4360747, 0.3850649, 0.1430804],
  [0.2225045, 0.7168786, 0.0606169],
  [0.0139322, 0.0971045, 0.7141733],
];

export const spaces = {
  sRGB: { toXyz: SRGB_TO_XYZ, encode: encodeSrgb, curve: parametric, primaries: 1, transfer: 13 },
  'linear sRGB': { toXyz: SRGB_TO_XYZ, encode: (v: number) => v, curve: exponent(1), primaries: 1, transfer: 8 },
  AdobeRGB: {
    toXyz: [
      [0.6097559, 0.20524, 0.149224],
      [0.3111242, 0.625656, 0.0632197],
      [0.0194811, 0.0608902, 0.7448387],
    ],
    encode: (v: number) => v ** (1 / 2.19921875),
    curve: exponent(2.19921875),
  },
  ProPhoto: {
    toXyz: [
      [0.7976749, 0.1351917, 0.0313534],
      [0.2880402, 0.7118741, 0.0000857],
      [0, 0, 0.82521],
    ],
    encode: (v: number) => v ** (256 / 461),
    curve: exponent(461 / 256),
  },
  'Display P3': {
    toXyz: [
      [0.51512, 0.29198, 0.1571],
      [0.2412, 0.69225, 0.06657],
      [-0.00105, 0.04189, 0.78407],
    ],
    encode: encodeSrgb,
    curve: parametric,
    primaries: 12,
    transfer: 13,
  },
  'BT.2020': {
    toXyz: [
      [0.673459, 0.165661, 0.1251],
      [0.279033, 0.675338, 0.045629],
      [-0.001931, 0.029984, 0.79686],
    ],
    encode: encodeTv,
    curve: table(decodeTv),
    primaries: 9,
    transfer: 14,
  },
} as const satisfies Record<string, Space>;
export type SpaceName = keyof typeof spaces;

const times = (rows: Rows, [x, y, z]: Rgb) => rows.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Rgb;

function solved([[a, b, c], [d, e, f], [g, h, i]]: Rows, [x, y, z]: Rgb): Rgb {
  const determinant = (m: readonly number[]) => {
    const [p = 0, q = 0, r = 0, s = 0, t = 0, u = 0, v = 0, w = 0, k = 0] = m;
    return p * (t * k - u * w) - q * (s * k - u * v) + r * (s * w - t * v);
  };
  const all = determinant([a, b, c, d, e, f, g, h, i]);
  return [
    determinant([x, b, c, y, e, f, z, h, i]) / all,
    determinant([a, x, c, d, y, f, g, z, i]) / all,
    determinant([a, b, x, d, e, y, g, h, z]) / all,
  ];
}

/** The samples of a space, 0 to 1, for a colour of sRGB. */
export function samplesOf(space: SpaceName, color: Rgb): Rgb {
  const light = color.map((level) => decodeSrgb(level / 255)) as unknown as Rgb;
  const { toXyz, encode } = spaces[space];
  const own = solved(toXyz, times(SRGB_TO_XYZ, light));
  return own.map((value) => encode(Math.min(1, Math.max(0, value)))) as unknown as Rgb;
}

/** A profile (ICC.1, version 4) of RGB by a matrix and one curve, or of grey. */
export function profileOf(space: SpaceName, kind: 'RGB ' | 'GRAY' = 'RGB '): Buffer {
  const { toXyz, curve } = spaces[space];
  const column = (index: 0 | 1 | 2) =>
    Buffer.concat([Buffer.from('XYZ \0\0\0\0'), ...toXyz.map((row) => fixed(row[index]))]);
  const text = (value: string) => {
    const utf16 = Buffer.from(value, 'utf16le').swap16();
    return Buffer.concat([
      Buffer.from('mluc\0\0\0\0'),
      word(1),
      word(12),
      Buffer.from('enUS'),
      word(utf16.length),
      word(28),
      utf16,
    ]);
  };
  const white = Buffer.concat([Buffer.from('XYZ \0\0\0\0'), ...[0.9642, 1, 0.8249].map(fixed)]);
  const colours: [string, Buffer][] =
    kind === 'GRAY'
      ? [['kTRC', curve]]
      : [
          ['rXYZ', column(0)],
          ['gXYZ', column(1)],
          ['bXYZ', column(2)],
          ['rTRC', curve],
          ['gTRC', curve],
          ['bTRC', curve],
        ];
  return iccProfile('mntr', kind, 'XYZ ', [['desc', text(space)], ['cprt', text('CC0')], ['wtpt', white], ...colours]);
}

/** A table of values at the corners of a space of colours, between which programs interpolate (`lut16Type`), with a curve before it. */
function lut16(channels: number, curve: (v: number) => number, corner: (...values: number[]) => Rgb): Buffer {
  const entries = 256;
  const line = (of: (v: number) => number) =>
    Array.from({ length: entries }, (_, index) => half(Math.round(of(index / (entries - 1)) * 0xffff)));
  const corners = Array.from({ length: 2 ** channels }, (_, index) =>
    corner(...Array.from({ length: channels }, (__, channel) => (index >> (channels - 1 - channel)) & 1)),
  );
  const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1].map(fixed);
  return Buffer.concat([
    Buffer.from('mft2\0\0\0\0'),
    Buffer.from([channels, 3, 2, 0]),
    ...identity,
    half(entries),
    half(entries),
    ...Array.from({ length: channels }, () => line(curve)).flat(),
    ...corners.flat().map((value) => half(Math.round(value))),
    ...Array.from({ length: 3 }, () => line((v) => v)).flat(),
  ]);
}

/** sRGB by a table instead of a matrix. */
export function tableProfile(): Buffer {
  const table = lut16(
    3,
    decodeSrgb,
    (r = 0, g = 0, b = 0) => times(SRGB_TO_XYZ, [r, g, b]).map((value) => value * 0x8000) as unknown as Rgb,
  );
  return iccProfile('mntr', 'RGB ', 'XYZ ', [['A2B0', table]]);
}

/** Inks of a newspaper: neither are they pure, nor is black dark. */
export function inkProfile(): Buffer {
  const inks: readonly Rgb[] = [
    [0.45, 0.75, 0.9],
    [0.85, 0.4, 0.6],
    [0.95, 0.9, 0.4],
    [0.25, 0.25, 0.25],
  ];
  const table = lut16(
    4,
    (v) => v ** 0.8,
    (...amounts) => {
      const seen = amounts.reduce<Rgb>(
        (light, amount, ink) =>
          light.map((value, at) => value * (amount ? (inks[ink]?.[at] ?? 1) : 1)) as unknown as Rgb,
        [0.9, 0.9, 0.88],
      );
      const [x, y, z] = times(SRGB_TO_XYZ, seen.map(decodeSrgb) as unknown as Rgb);
      const f = (v: number) => (v > 0.008856 ? Math.cbrt(v) : 7.787 * v + 16 / 116);
      const [fx, fy, fz] = [f(x / 0.9642), f(y), f(z / 0.8249)];
      return [(116 * fy - 16) * 652.8, (500 * (fx - fy) + 128) * 256, (200 * (fy - fz) + 128) * 256];
    },
  );
  return iccProfile('prtr', 'CMYK', 'Lab ', [['A2B0', table]]);
}

function iccProfile(kind: string, colours: string, pcs: string, tags: readonly [string, Buffer][]): Buffer {
  const padded = tags.map(([name, bytes]) => [name, bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)] as const);
  const head = Buffer.alloc(128);
  word(0x04200000).copy(head, 8);
  head.write(kind + colours + pcs, 12, 'latin1');
  for (const [index, value] of [2024, 1, 1, 0, 0, 0].entries()) half(value).copy(head, 24 + 2 * index);
  head.write('acsp', 36, 'latin1');
  for (const [index, value] of [0.9642, 1, 0.8249].entries()) fixed(value).copy(head, 68 + 4 * index);
  let at = 128 + 4 + 12 * tags.length;
  const directory = padded.map(([name, bytes, padding]) => {
    const entry = Buffer.concat([Buffer.from(name, 'latin1'), word(at), word(bytes.length)]);
    at += bytes.length + padding.length;
    return entry;
  });
  const bytes = Buffer.concat([
    head,
    word(tags.length),
    ...directory,
    ...padded.flatMap(([, content, padding]) => [content, padding]),
  ]);
  word(bytes.length).copy(bytes, 0);
  return bytes;
}

/** Samples of a picture, as they are stored: whole numbers of 8, 16 or 32 bits, or floating point. */
export interface Samples {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly bits: 8 | 16 | 32 | 'half' | 'float' | 'double';
  /** Of a pixel, 0 to 1. */
  readonly at: (x: number, y: number) => readonly number[];
}

/** The two patches in a space, with more channels behind the colours. */
export function patches(space: SpaceName, bits: Samples['bits'], ...more: number[]): Samples {
  return patchesOf([...samplesOf(space, LEFT), ...more], [...samplesOf(space, RIGHT), ...more], bits);
}

/**
 * Two patches of any samples. Those of 8 bits are dithered, so that their mean is exact: a step of red in a saturated green of Adobe RGB is
 * four steps of sRGB.
 */
export function patchesOf(left: readonly number[], right: readonly number[], bits: Samples['bits']): Samples {
  const dither = (x: number, y: number) => (bits === 8 ? ((x + 2 * (y % 2) + (y >> 1)) % 4) / 4 - 0.375 : 0);
  const bound = (value: number) => Math.min(1, Math.max(0, value));
  return {
    ...SIZE,
    channels: left.length,
    bits,
    at: (x, y) => (x < BORDER ? left : right).map((sample) => bound(sample + dither(x, y) / 255)),
  };
}

/** Eight columns, each of its samples. */
export function columns(values: readonly number[], bits: Samples['bits']): Samples {
  return { ...SIZE, channels: 3, bits, at: (x) => Array(3).fill(values[Math.floor((8 * x) / SIZE.width)] ?? 0) };
}

function rowBytes({ width, channels, bits, at }: Samples, y: number, little: boolean): Buffer {
  const size = { 8: 1, 16: 2, 32: 4, half: 2, float: 4, double: 8 }[bits];
  const bytes = Buffer.alloc(width * channels * size);
  for (let x = 0, place = 0; x < width; x += 1) {
    for (const sample of at(x, y)) {
      if (bits === 'float') bytes[little ? 'writeFloatLE' : 'writeFloatBE'](sample, place);
      else if (bits === 'double') bytes[little ? 'writeDoubleLE' : 'writeDoubleBE'](sample, place);
      else {
        const value = bits === 'half' ? halfFloat(sample) : Math.round(sample * (2 ** bits - 1));
        bytes[little ? 'writeUIntLE' : 'writeUIntBE'](value, place, size);
      }
      place += size;
    }
  }
  return bytes;
}

/** A number between 2⁻¹⁴ and 1, or 0, as IEEE 754 binary16. */
function halfFloat(value: number): number {
  if (value === 0) return 0;
  const power = Math.floor(Math.log2(value));
  return ((power + 15) << 10) + Math.round((value / 2 ** power - 1) * 1024);
}

const PNG_TYPES: Readonly<Record<number, number>> = { 1: 0, 2: 4, 3: 2, 4: 6 };

/** @param chunks Type and content of each, before the pixels. */
export function png(samples: Samples, ...chunks: [string, Buffer][]): Buffer {
  const chunk = ([type, content]: [string, Buffer]) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
    return Buffer.concat([word(content.length), body, word(crc32(body) | 0)]);
  };
  const { width, height, channels, bits } = samples;
  const header = Buffer.concat([
    word(width),
    word(height),
    Buffer.from([Number(bits), PNG_TYPES[channels] ?? 2, 0, 0, 0]),
  ]);
  const rows = Array.from({ length: height }, (_, y) => Buffer.concat([Buffer.alloc(1), rowBytes(samples, y, false)]));
  const parts: [string, Buffer][] = [
    ['IHDR', header],
    ...chunks,
    ['IDAT', deflateSync(Buffer.concat(rows))],
    ['IEND', Buffer.alloc(0)],
  ];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts.map(chunk)]);
}

export const iccp = (profile: Buffer): [string, Buffer] => [
  'iCCP',
  Buffer.concat([Buffer.from('profile\0\0'), deflateSync(profile)]),
];
export const cicp = (primaries: number, transfer: number, isFull = 1): [string, Buffer] => [
  'cICP',
  Buffer.from([primaries, transfer, 0, isFull]),
];

/** The exponent by which samples were encoded: 1 / 2.2 of most. */
export const gama = (exponent: number): [string, Buffer] => ['gAMA', word(Math.round(exponent * 100_000))];
export const SRGB_POINTS = [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06] as const;
export const ADOBE_POINTS = [0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06] as const;
/** @param points x and y of white, red, green and blue. */
export const chrm = (points: readonly number[]): [string, Buffer] => [
  'cHRM',
  Buffer.concat(points.map((value) => word(Math.round(value * 100_000)))),
];

/** EXIF that says Adobe RGB as cameras do: `ColorSpace` uncalibrated, `InteroperabilityIndex` R03. */
export function adobeRgbExif(colorSpace = 0xffff): Buffer {
  const directory = (...entries: [tag: number, type: number, count: number, value: Buffer][]) =>
    Buffer.concat([
      half(entries.length),
      ...entries.map(([tag, type, count, value]) => Buffer.concat([half(tag), half(type), word(count), value])),
      word(0),
    ]);
  const first = 8;
  const exif = first + 18;
  const interoperability = exif + 30;
  return Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    directory([34_665, 4, 1, word(exif)]),
    directory([40_961, 3, 1, Buffer.concat([half(colorSpace), half(0)])], [40_965, 4, 1, word(interoperability)]),
    directory([1, 2, 4, Buffer.from('R03\0', 'latin1')]),
  ]);
}

const FORMATS = { 8: 1, 16: 1, 32: 1, half: 3, float: 3, double: 3 } as const;
const SAMPLE_BITS = { 8: 8, 16: 16, 32: 32, half: 16, float: 32, double: 64 } as const;

export interface TiffOptions {
  readonly photometric?: number;
  readonly profile?: Buffer;
  /** Of each channel behind the colours. */
  readonly extraSamples?: readonly number[];
  readonly sampleFormat?: number;
  readonly compression?: number;
  readonly subfileType?: number;
  readonly isAdobeRgb?: boolean;
  /** Default: all are one strip. */
  readonly rowsPerStrip?: number;
}

type TiffPages = readonly (readonly [Samples, TiffOptions?])[];

/** A TIFF of a page for each of these, little-endian. */
export function tiff(...pages: TiffPages): Buffer {
  return tiffOf(pages, {
    head: Buffer.from('II*\0\x08\0\0\0', 'latin1'),
    countBytes: 2,
    offsetBytes: 4,
    offsetType: 4,
  });
}

/** The same as BigTIFF: offsets, and all that is counted, have eight bytes. */
export function bigTiff(...pages: TiffPages): Buffer {
  return tiffOf(pages, {
    head: Buffer.from('II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0', 'latin1'),
    countBytes: 8,
    offsetBytes: 8,
    offsetType: 16,
  });
}

interface TiffForm {
  readonly head: Buffer;
  readonly countBytes: number;
  readonly offsetBytes: 4 | 8;
  /** LONG or LONG8. */
  readonly offsetType: number;
}

function tiffOf(pages: TiffPages, { head, countBytes, offsetBytes, offsetType }: TiffForm): Buffer {
  const parts: Buffer[] = [head];
  let end = head.length;
  const entryBytes = 4 + 2 * offsetBytes;
  const add = (bytes: Buffer) => {
    const at = end;
    const even = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
    parts.push(even);
    end += even.length;
    return at;
  };
  for (const [index, [samples, options = {}]] of pages.entries()) {
    const { height, channels } = samples;
    const tags = new Map(tiffTags(samples, options));
    const count = tags.size + 3 + (options.isAdobeRgb ? 1 : 0);
    const length = countBytes + entryBytes * count + offsetBytes;
    const directoryAt = end;
    // What does not fit into an entry stands behind the directory.
    const after: Buffer[] = [];
    let place = directoryAt + length;
    const behind = (bytes: Buffer) => {
      const at = place;
      const even = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
      after.push(even);
      place += even.length;
      return at;
    };
    const rows = Array.from({ length: height }, (_, y) => rowBytes(samples, y, true));
    const perStrip = options.rowsPerStrip ?? height;
    const strips = Array.from({ length: Math.ceil(height / perStrip) }, (_, strip) =>
      Buffer.concat(rows.slice(strip * perStrip, (strip + 1) * perStrip)),
    );
    tags.set(273, [offsetType, strips.map(behind)]);
    tags.set(279, [offsetType, strips.map(({ length }) => length)]);
    tags.set(277, [3, [channels]]);
    if (options.isAdobeRgb) tags.set(34_665, [4, [behind(exifDirectories(place))]]);
    const entries = [...tags]
      .toSorted(([a], [b]) => a - b)
      .map(([tag, [type, list]]) => {
        const bytes = valueBytes(type, list);
        const entry = Buffer.alloc(entryBytes);
        entry.writeUInt16LE(tag, 0);
        entry.writeUInt16LE(type, 2);
        entry.writeUInt32LE(list.length, 4);
        // What stands behind is below 2³² here.
        if (bytes.length <= offsetBytes) bytes.copy(entry, 4 + offsetBytes);
        else entry.writeUInt32LE(behind(bytes), 4 + offsetBytes);
        return entry;
      });
    const tail = Buffer.alloc(offsetBytes);
    if (index + 1 < pages.length) tail.writeUInt32LE(place, 0);
    const total = Buffer.alloc(countBytes);
    total.writeUInt16LE(entries.length);
    add(Buffer.concat([total, ...entries, tail, ...after]));
  }
  return Buffer.concat(parts);
}

type TagValue = readonly [type: number, values: ArrayLike<number>];

function tiffTags(samples: Samples, options: TiffOptions): [number, TagValue][] {
  const { width, height, channels, bits } = samples;
  const { extraSamples = [], photometric = 2, compression = 1 } = options;
  const optional: [number, TagValue][] = [
    ...(options.subfileType === undefined ? [] : ([[254, [4, [options.subfileType]]]] as [number, TagValue][])),
    ...(extraSamples.length === 0 ? [] : ([[338, [3, extraSamples]]] as [number, TagValue][])),
    ...(options.profile ? ([[34_675, [7, options.profile]]] as [number, TagValue][]) : []),
  ];
  return [
    [256, [4, [width]]],
    [257, [4, [height]]],
    [258, [3, Array(channels).fill(SAMPLE_BITS[bits])]],
    [259, [3, [compression]]],
    [262, [3, [photometric]]],
    [278, [4, [options.rowsPerStrip ?? height]]],
    [339, [3, Array(channels).fill(options.sampleFormat ?? FORMATS[bits])]],
    ...optional,
  ];
}

/** EXIF with the interoperability index, little-endian, at a place of a file. */
function exifDirectories(at: number): Buffer {
  const bytes = Buffer.alloc(30 + 18);
  bytes.writeUInt16LE(2, 0);
  const entry = (place: number, tag: number, type: number, count: number, value: number) => {
    bytes.writeUInt16LE(tag, place);
    bytes.writeUInt16LE(type, place + 2);
    bytes.writeUInt32LE(count, place + 4);
    bytes.writeUInt32LE(value, place + 8);
  };
  entry(2, 40_961, 3, 1, 0xffff);
  entry(14, 40_965, 4, 1, at + 30);
  bytes.writeUInt16LE(1, 30);
  entry(32, 1, 2, 4, Buffer.from('R03\0', 'latin1').readUInt32LE());
  return bytes;
}

function valueBytes(type: number, values: ArrayLike<number>): Buffer {
  const list = Array.from(values);
  if (type === 7) return Buffer.from(list);
  const size = type === 3 ? 2 : type === 16 ? 8 : 4;
  const bytes = Buffer.alloc(size * list.length);
  for (const [index, value] of list.entries()) bytes.writeUIntLE(value, index * size, Math.min(size, 4));
  return bytes;
}

const rawOf = (samples: Samples) => {
  const { width, height, channels } = samples;
  const data = Buffer.concat(Array.from({ length: height }, (_, y) => rowBytes(samples, y, true)));
  return sharp(data, { raw: { width, height, channels: channels as 1 | 2 | 3 | 4 } });
};

/** By libjpeg in sharp, 4:4:4, quality 100; segments are put behind the first marker. */
export async function jpeg(samples: Samples, ...segments: [marker: number, content: Buffer][]): Promise<Buffer> {
  const bytes = await rawOf(samples).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
  const own = segments.map(([marker, content]) =>
    Buffer.concat([Buffer.from([0xff, marker]), half(content.length + 2), content]),
  );
  return Buffer.concat([bytes.subarray(0, 2), ...own, bytes.subarray(2)]);
}

export const app2 = (profile: Buffer): [number, Buffer] => [
  0xe2,
  Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), profile]),
];
export const app1 = (exif: Buffer): [number, Buffer] => [
  0xe1,
  Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif]),
];

/** By libwebp in sharp, without loss, in the extended form. */
export async function webp(samples: Samples, { profile, exif }: { profile?: Buffer; exif?: Buffer }): Promise<Buffer> {
  const bytes = await rawOf(samples).webp({ lossless: true }).toBuffer();
  const picture = bytes.subarray(12);
  const chunk = (name: string, content: Buffer) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(content.length);
    return Buffer.concat([Buffer.from(name, 'latin1'), size, content, Buffer.alloc(content.length % 2)]);
  };
  const hasAlpha = samples.channels === 4;
  const header = Buffer.alloc(10);
  header[0] = (profile ? 0x20 : 0) | (hasAlpha ? 0x10 : 0) | (exif ? 0x08 : 0);
  header.writeUIntLE(samples.width - 1, 4, 3);
  header.writeUIntLE(samples.height - 1, 7, 3);
  const body = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', header),
    ...(profile ? [chunk('ICCP', profile)] : []),
    picture,
    ...(exif ? [chunk('EXIF', exif)] : []),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), size, body]);
}

// High dynamic range.

/** cd/m² as a sample of SMPTE ST 2084. */
export function pqSample(nits: number): number {
  const power = (nits / 10_000) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
}

/** cd/m² of a display of 1,000, whose rendering is a power of 1.2 (BT.2100), as a sample of HLG. */
export function hlgSample(nits: number): number {
  const scene = (nits / 1000) ** (1 / 1.2);
  return scene <= 1 / 12 ? Math.sqrt(3 * scene) : 0.17883277 * Math.log(12 * scene - 0.28466892) + 0.55991073;
}

/** cd/m² of a ramp. The third is the grey card of Report ITU-R BT.2408, the fourth 18 % of the white of its graphics. */
export const RAMP = [1, 8, 26, 36.5, 100, 203, 600, 1000] as const;
