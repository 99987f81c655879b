/* @slow @rest */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import sharp from 'sharp';
import { within } from '../../src/core/media/transformation.js';
import { box, longs } from '../support/boxes.js';
import { LEFT, RAMP, type Rgb, RIGHT } from '../support/colour-pictures.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';

/** JPEG XL by the structure of the file (ISO/IEC 18181). test/fixtures/jxl/README.md says how the files were made. */

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

const folder = join(__dirname, '../fixtures/jxl');
const fixture = (name: string) => readFile(join(folder, `${name}.jxl`));

const inspect = (bytes: Uint8Array, maxPixels = 210_000_000) =>
  media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels });

async function factsOf(bytes: Uint8Array) {
  const inspection = await inspect(bytes);
  if (inspection.outcome === 'refused') throw new Error(`${inspection.error.code}: ${inspection.error.message}`);
  return inspection.facts;
}

/** The pixels as they are displayed. */
async function pixelsOf(bytes: Uint8Array) {
  const rendered = await media.reader.render(bytesOf(bytes), { ...within(2560, 'png'), rotation: 0, customerId: 1 });
  const { data, info } = await sharp(rendered?.bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [
    ...data.subarray((y * info.width + x) * info.channels).subarray(0, info.channels),
  ];
  /** The mean of eight rows around the middle, at a share of the width. */
  const mean = (share: number) => {
    const [x, y] = [Math.round(share * info.width) - 2, info.height / 2 - 4];
    const all = Array.from({ length: 32 }, (_, index) => at(x + (index % 4), y + (index >> 2)));
    return Array.from({ length: info.channels }, (_, channel) =>
      all.reduce((sum, pixel) => sum + (pixel[channel] ?? 0) / all.length, 0),
    );
  };
  return { ...info, data, at, mean };
}

function expectNear(found: readonly number[], expected: readonly number[], tolerance: number): void {
  const isNear = expected.every((value, index) => Math.abs(value - (found[index] ?? -1)) <= tolerance);
  if (!isNear) throw new Error(`[${found}] is not within ${tolerance} of [${expected}]`);
}

/** A codestream with the boxes of a container, before it or behind it. */
const signature = Buffer.concat([
  box('JXL ', Buffer.from('\r\n\x87\n', 'latin1')),
  box('ftyp', Buffer.from('jxl \0\0\0\0jxl ')),
]);
const container = (codestream: Buffer, ...boxes: Buffer[]) =>
  Buffer.concat([signature, box('jxlc', codestream), ...boxes]);

/** The codestream in a container, whose parts are numbered. */
function codestreamIn(file: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < file.length; ) {
    const length = file.readUInt32BE(at) || file.length - at;
    const [type, content] = [file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, at + length)];
    if (type === 'jxlc') parts.push(content);
    if (type === 'jxlp') parts.push(content.subarray(4));
    at += length;
  }
  return Buffer.concat(parts);
}

describe('the colours of JPEG XL', () => {
  test.each<[string, string, readonly (readonly number[])[]]>([
    ['sRGB of 8 bits', 'srgb-8', [LEFT, RIGHT]],
    ['sRGB of 16 bits', 'srgb-16', [LEFT, RIGHT]],
    ['linear light of 32 bits', 'linear-32', [LEFT, RIGHT]],
    ['grey', 'grey-8', [Array(3).fill(200), Array(3).fill(60)]],
    ['Display P3 by numbers', 'p3-16', [LEFT, RIGHT]],
    ['Display P3 by numbers, with loss', 'p3-lossy', [LEFT, RIGHT]],
    ['Display P3 by a profile', 'p3-icc-8', [LEFT, RIGHT]],
    ['Adobe RGB by a profile', 'adobe-icc-8', [LEFT, RIGHT]],
    ['ProPhoto by a profile', 'prophoto-icc-8', [LEFT, RIGHT]],
    ['ProPhoto by a profile, with loss', 'prophoto-icc-lossy', [LEFT, RIGHT]],
    [
      'transparent sRGB',
      'alpha-8',
      [
        [...LEFT, 128],
        [...RIGHT, 128],
      ],
    ],
  ])('%s are displayed as sRGB', async (_, name, [left = [], right = []]) => {
    const bytes = await fixture(name);
    const facts = await factsOf(bytes);
    expect(facts).toMatchObject({ contentType: 'image/jxl', width: 64, height: 64, damaged: false });
    expect(facts.alpha).toBe(left.length === 4);
    const { mean } = await pixelsOf(bytes);
    expectNear(mean(0.3), left, name.includes('lossy') ? 5 : 3);
    expectNear(mean(0.8), right, name.includes('lossy') ? 5 : 3);
  });

  test.each(['pq-16', 'hlg-16'])('%s keep mid grey and the order of all levels', async (name) => {
    const { mean } = await pixelsOf(await fixture(name));
    const ramp = RAMP.map((_, index) => mean((index + 0.5) / RAMP.length));
    const grey: Rgb = [118, 118, 118];
    expectNear(ramp[2] ?? [], grey, 5);
    expectNear(ramp[3] ?? [], grey, 5);
    const levels = ramp.map(([level = 0]) => level);
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    expect(new Set(levels).size).toBe(levels.length);
    expect(levels.at(-1)).toBeLessThan(255);
  });
});

describe('the orientation of JPEG XL', () => {
  const corners = [
    'left top',
    'right top',
    'right bottom',
    'left bottom',
    'left top',
    'right top',
    'right bottom',
    'left bottom',
  ];
  async function blueCorner(bytes: Buffer) {
    const { at, width, height } = await pixelsOf(bytes);
    const places = {
      'left top': at(4, 4),
      'right top': at(width - 5, 4),
      'right bottom': at(width - 5, height - 5),
      'left bottom': at(4, height - 5),
    };
    return Object.entries(places).flatMap(([name, [, , blue = 0]]) => (blue > 128 ? [name] : []));
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('%i is applied once', async (orientation) => {
    const bytes = await fixture(`orientation-${orientation}`);
    const [width, height] = orientation < 5 ? [80, 60] : [60, 80];
    expect(await factsOf(bytes)).toMatchObject({ width, height, orientation: 1, damaged: false });
    expect(await blueCorner(bytes)).toEqual([corners[orientation - 1]]);
  });

  test('is that of the codestream where EXIF says another', async () => {
    const exif = Buffer.concat([
      Buffer.from('MM\0*\0\0\0\u0008\0\u0001', 'latin1'),
      Buffer.from([1, 18, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0]),
      longs(0),
    ]);
    const bytes = container(codestreamIn(await fixture('orientation-6')), box('Exif', longs(0), exif));
    expect(await factsOf(bytes)).toMatchObject({ width: 60, height: 80, orientation: 1, exif: { Orientation: 3 } });
    expect(await blueCorner(bytes)).toEqual(['right top']);
  });
});

test('a JPEG XL that was made of a JPEG looks like the JPEG', async () => {
  const bytes = await fixture('cyclamen');
  const jpeg = await readFile(join(__dirname, '../fixtures/photos/cyclamen.jpg'));
  expect(await factsOf(bytes)).toMatchObject({ width: 512, height: 848, camera: { make: 'FUJIFILM' } });
  const [one, other] = [await pixelsOf(bytes), await pixelsOf(jpeg)];
  const error = one.data.reduce((sum, value, at) => sum + (value - (other.data[at] ?? 0)) ** 2, 0) / one.data.length;
  // Decoders of JPEG differ by a level here and there; a row of blocks that is missing, or elsewhere, would be far below.
  expect(10 * Math.log10(255 ** 2 / error)).toBeGreaterThan(35);
});

test('a JPEG XL that moves is its first frame', async () => {
  expect(await factsOf(await fixture('animation'))).toMatchObject({ dominantColor: '#c83828', damaged: false });
});

describe('the metadata of a JPEG XL', () => {
  const packet = (title: string) =>
    Buffer.from(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
       xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">${title}</rdf:li></rdf:Alt></dc:title>
       </rdf:Description></rdf:RDF></x:xmpmeta>`,
    );
  const maker = Buffer.concat([
    Buffer.from('MM\0*\0\0\0\u0008\0\u0001', 'latin1'),
    Buffer.from([1, 15, 0, 2]),
    longs(4),
    Buffer.from('Abc\0'),
    longs(0),
  ]);
  const bomb = brotliCompressSync(Buffer.alloc(64_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

  test('is read where it is compressed', async () => {
    expect(await factsOf(await fixture('jpeg-with-metadata'))).toMatchObject({
      title: 'A title',
      rating: 4,
      camera: { make: 'Maker', model: 'Camera' },
      location: { latitude: 48.8584, longitude: 2.2945 },
      times: { original: '2024:05:06 07:08:09', originalOffset: '+02:00' },
    });
  });

  test.each<[string, (codestream: Buffer) => Buffer]>([
    [
      'behind the codestream',
      (codestream) => container(codestream, box('Exif', longs(0), maker), box('xml ', packet('One'))),
    ],
    [
      'before the codestream',
      (codestream) =>
        Buffer.concat([signature, box('Exif', longs(0), maker), box('xml ', packet('One')), box('jxlc', codestream)]),
    ],
    [
      'at a distance from the beginning of its box',
      (codestream) =>
        container(codestream, box('Exif', longs(6), Buffer.from('Exif\0\0'), maker), box('xml ', packet('One'))),
    ],
    [
      'in a box that goes to the end of the file',
      (codestream) => container(codestream, box('Exif', longs(0), maker), longs(0), Buffer.from('xml '), packet('One')),
    ],
    [
      'in a box whose length has 64 bits',
      (codestream) =>
        container(
          codestream,
          box('Exif', longs(0), maker),
          longs(1),
          Buffer.from('xml '),
          longs(0, packet('One').length + 16),
          packet('One'),
        ),
    ],
    [
      'in the first of two boxes',
      (codestream) =>
        container(codestream, box('Exif', longs(0), maker), box('xml ', packet('One')), box('xml ', packet('Two'))),
    ],
    [
      'among boxes that are not known',
      (codestream) =>
        container(codestream, box('jumb', Buffer.alloc(99)), box('Exif', longs(0), maker), box('xml ', packet('One'))),
    ],
  ])('is read %s', async (_, make) => {
    const codestream = codestreamIn(await fixture('orientation-1'));
    expect(await factsOf(make(codestream))).toMatchObject({ title: 'One', camera: { make: 'Abc' }, damaged: false });
  });

  test.each<[string, (codestream: Buffer) => Buffer]>([
    [
      'unpacks to 64 MB',
      (codestream) =>
        container(codestream, box('brob', Buffer.from('Exif'), bomb), box('brob', Buffer.from('xml '), bomb)),
    ],
    [
      'unpacks to 64 MB many times',
      (codestream) => container(codestream, ...Array(900).fill(box('brob', Buffer.from('xml '), bomb))),
    ],
    ['is no Brotli', (codestream) => container(codestream, box('brob', Buffer.from('xml '), Buffer.alloc(50, 0xff)))],
    ['is compressed twice', (codestream) => container(codestream, box('brob', Buffer.from('brob'), bomb))],
    ['is longer than the file', (codestream) => container(codestream, longs(9999), Buffer.from('xml '), packet('One'))],
    [
      'is longer than any file',
      (codestream) =>
        container(codestream, longs(1), Buffer.from('xml '), longs(0xffffffff, 0xfffffff0), packet('One')),
    ],
    ['is longer than it may be', (codestream) => container(codestream, box('xml ', packet('x'.repeat(1_100_000))))],
    ['begins behind its own end', (codestream) => container(codestream, box('Exif', longs(0xfffffff0), maker))],
    ['is empty', (codestream) => container(codestream, box('Exif'), box('xml '), box('brob'))],
    [
      'is named by a codestream without a container',
      (codestream) => Buffer.concat([codestream, box('xml ', packet('One'))]),
    ],
  ])('is absent where it %s', async (_, make) => {
    const facts = await factsOf(make(codestreamIn(await fixture('orientation-1'))));
    expect(facts).toMatchObject({ width: 80, height: 60, title: null, camera: null, exif: {} });
  });
});

/** Bits as a codestream has them, the lowest first. */
function bits(...fields: readonly (readonly [value: number, width: number])[]): Buffer {
  const all = fields.flatMap(([value, width]) =>
    Array.from({ length: width }, (_, index) => Math.floor(value / 2 ** index) % 2),
  );
  const bytes = Buffer.alloc(Math.ceil(all.length / 8));
  for (const [index, bit] of all.entries()) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (index & 7));
  return bytes;
}

/** A codestream whose header says that it is so large, with all else as usual, and little behind it. */
const declaring = (width: number, height: number) =>
  Buffer.concat([
    Buffer.from([0xff, 0x0a]),
    bits([0, 1], [3, 2], [height - 1, 30], [0, 3], [3, 2], [width - 1, 30], [1, 1], [1, 1]),
    Buffer.alloc(64),
  ]);

describe('a hostile or damaged JPEG XL', () => {
  test.each([
    [60_000, 60_000],
    [2 ** 30, 2 ** 30],
    [2 ** 30, 1],
    [14_500, 14_500],
    // Within the limit for all pictures, and beyond that for the time of this decoder.
    [12_000, 12_000],
  ])('of %i × %i pixels is refused before they are decoded', async (width, height) => {
    for (const bytes of [declaring(width, height), container(declaring(width, height))]) {
      const begun = Date.now();
      expect(await inspect(bytes)).toMatchObject({
        error: { code: 'too_many_pixels', message: expect.stringContaining(`${width} × ${height} pixels`) },
      });
      expect(Date.now() - begun).toBeLessThan(20_000);
    }
    const [child] = media.reader.processes;
    // Only Linux tells what the peak was.
    if (process.platform !== 'linux') return;
    const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${child?.pid}/status`, 'utf8'))?.[1];
    expect(Number(peak) / 1024).toBeLessThan(512);
  });

  test('is limited by the pixels of an installation', async () => {
    expect(await inspect(await fixture('photo'), 700 * 520 - 1)).toMatchObject({ error: { code: 'too_many_pixels' } });
  });

  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['the signature of a codestream', () => Buffer.from([0xff, 0x0a])],
    ['the signature of a container', () => Buffer.from(signature.subarray(0, 12))],
    ['a container without a codestream', () => signature],
    ['a container of other boxes', () => Buffer.concat([signature, box('free', Buffer.alloc(5000))])],
    ['a container in a container', async () => container(await fixture('jpeg-with-metadata'))],
    ['zeros behind the signature', () => Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.alloc(300)])],
    ['ones behind the signature', () => Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.alloc(300, 0xff)])],
    ['a header that is cut', async () => (await fixture('srgb-8')).subarray(0, 6)],
    ['a header without pixels', () => declaring(640, 480)],
    ['a codestream that is cut before its first rows', async () => (await fixture('photo')).subarray(0, 200)],
    [
      'a box that is shorter than its own head',
      () => Buffer.concat([signature, longs(4), Buffer.from('jxlc'), Buffer.alloc(50)]),
    ],
    [
      'a part of a codestream without its number',
      () => Buffer.concat([signature, box('jxlp', Buffer.from([0xff])), box('jxlp')]),
    ],
  ])('that is %s is refused as damaged', async (_, make) => {
    const begun = Date.now();
    expect(await inspect(await make())).toMatchObject({ error: { code: 'decode_failed' } });
    expect(Date.now() - begun).toBeLessThan(20_000);
  });

  test('that ends early is accepted as damaged, and shows what is there', async () => {
    const whole = await fixture('photo');
    for (const cut of [whole.subarray(0, whole.length - 4000), container(whole).subarray(0, whole.length - 4000)]) {
      expect(await inspect(cut)).toMatchObject({ facts: { width: 700, height: 520, damaged: true } });
    }
  });

  test('whose codestream is behind many boxes, or in parts within its header, is the picture', async () => {
    const codestream = await fixture('srgb-8');
    const parts = [codestream.subarray(0, 5), codestream.subarray(5)];
    const last = 2 ** 31 + 1;
    for (const bytes of [
      Buffer.concat([signature, ...Array(900).fill(box('free')), box('jxlc', codestream)]),
      Buffer.concat([signature, ...parts.map((part, index) => box('jxlp', longs(index === 0 ? 0 : last), part))]),
    ]) {
      expect(await inspect(bytes)).toMatchObject({ facts: { width: 64, height: 64, damaged: false } });
    }
  });

  test('that has bytes too many behind it is sound', async () => {
    for (const extra of [Buffer.alloc(1), Buffer.alloc(3_000_000, 7)]) {
      const bytes = Buffer.concat([await fixture('photo'), extra]);
      expect(await inspect(bytes)).toMatchObject({ facts: { width: 700, height: 520, damaged: false } });
    }
  });

  test('with any byte wrong is a picture or is refused, and the reader lives on', async () => {
    const [{ pid } = { pid: 0 }] = media.reader.processes;
    const names = readdirSync(folder).filter((name) => name.endsWith('.jxl') && !name.startsWith('photo'));
    const outcomes = new Set<string>();
    let state = 1;
    const random = (below: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    for (let round = 0; round < 60; round += 1) {
      const bytes = await readFile(join(folder, names[round % names.length] ?? ''));
      const from = bytes[0] === 0xff ? 2 : 12;
      const changed = from + random(Math.min(bytes.length, 400) - from);
      bytes[changed] = random(256);
      const inspection = await inspect(bytes, 4_000_000);
      outcomes.add(inspection.outcome === 'refused' ? inspection.error.code : inspection.outcome);
    }
    const possible = ['picture', 'decode_failed', 'unsupported_format', 'too_many_pixels'];
    expect([...outcomes].filter((outcome) => !possible.includes(outcome))).toEqual([]);
    expect(outcomes.has('decode_failed')).toBe(true);
    expect(media.reader.processes.some((each) => each.pid === pid)).toBe(true);
  });
});
