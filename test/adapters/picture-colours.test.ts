/* @slow @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { type TransformationFormat, within } from '../../src/core/media/transformation.js';
import { nclx, withProperty } from '../support/boxes.js';
import {
  ADOBE_POINTS,
  adobeRgbExif,
  app1,
  app2,
  chrm,
  cicp,
  columns,
  gama,
  hlgSample,
  iccp,
  inkProfile,
  jpeg,
  LEFT,
  patches,
  patchesOf,
  png,
  pqSample,
  profileOf,
  RAMP,
  type Rgb,
  RIGHT,
  type Samples,
  SIZE,
  SRGB_POINTS,
  samplesOf,
  spaces,
  tableProfile,
  tiff,
  webp,
} from '../support/colour-pictures.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';
import { rawFile } from '../support/raw-files.js';

/**
 * Colours as they are displayed. The same two patches in every space, depth and container: PNG, TIFF, and the metadata of JPEG and WebP
 * are written byte by byte; AVIF by libaom and HEIC by x265 (test/fixtures/colours says how).
 */

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

const fixture = (name: string) => readFile(join(__dirname, '../fixtures/colours', name));

/** The thumb, and a rendition with and without loss. */
async function displayed(bytes: Uint8Array) {
  const inspection = await media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels: 210_000_000 });
  if (inspection.outcome === 'refused') throw new Error(inspection.error.message);
  const pictures: [string, Uint8Array][] = [['thumb', inspection.thumb.bytes]];
  for (const format of ['png', 'webp'] satisfies TransformationFormat[]) {
    const order = { ...within(2560, format), quality: 100, rotation: 0, customerId: 1 };
    const rendered = await media.reader.render(bytesOf(bytes), order);
    if (rendered === null) throw new Error(`no ${format}`);
    pictures.push([format, rendered.bytes]);
  }
  return { facts: inspection.facts, pictures };
}

/** The mean around a place of a picture, with its alpha if there is one. */
async function pixel(picture: Uint8Array, x: number): Promise<readonly number[]> {
  const { width, height, channels } = await sharp(picture).metadata();
  const part = { left: Math.round(x * width) - 2, top: Math.round(height / 2) - 4, width: 4, height: 8 };
  const pixels = await sharp(picture).extract(part).raw().toBuffer();
  const sums = Array(channels).fill(0) as number[];
  for (const [at, value] of pixels.entries()) sums[at % channels] = (sums[at % channels] ?? 0) + value;
  return sums.map((sum) => Math.round((10 * sum) / (part.width * part.height)) / 10);
}

function expectNear(found: readonly number[], expected: readonly number[], tolerance: number): void {
  const isNear = expected.every((value, index) => Math.abs(value - (found[index] ?? -1)) <= tolerance);
  if (!isNear) throw new Error(`[${found}] is not within ${tolerance} of [${expected}]`);
}

async function expectPatches(
  bytes: Uint8Array,
  [left, right]: readonly (readonly number[])[] = [LEFT, RIGHT],
  tolerance = 3,
) {
  const { facts, pictures } = await displayed(bytes);
  expect(facts).toMatchObject({ ...SIZE, damaged: false });
  for (const [name, picture] of pictures) {
    // A WebP has a quarter of the chroma, in 220 steps.
    const allowed = name === 'webp' ? tolerance + 1 : tolerance;
    expectNear(await pixel(picture, 0.25), left ?? [], allowed);
    expectNear(await pixel(picture, 0.85), right ?? [], allowed);
  }
  return { facts, pictures };
}

const names = Object.keys(spaces) as (keyof typeof spaces)[];

describe('a profile (ICC)', () => {
  const containers: Record<string, (samples: Samples, profile: Buffer) => Buffer | Promise<Buffer>> = {
    PNG: (samples, profile) => png(samples, iccp(profile)),
    TIFF: (samples, profile) => tiff([samples, { profile, ...(samples.channels === 4 ? { extraSamples: [2] } : {}) }]),
    JPEG: (samples, profile) => jpeg(samples, app2(profile)),
    WebP: (samples, profile) => webp(samples, { profile }),
  };
  // 8 bits are too few for the dark parts of a linear space.
  const table = Object.keys(containers).flatMap((container) =>
    names.flatMap((space) => [
      ...(space === 'linear sRGB' ? [] : [[container, space, 8] as const]),
      ...(['PNG', 'TIFF'].includes(container) ? [[container, space, 16] as const] : []),
    ]),
  );
  test.each(table)('in %s names %s of %i bits, which is displayed as sRGB', async (container, space, bits) => {
    const file = await containers[container]?.(patches(space, bits), profileOf(space));
    const { facts } = await expectPatches(file ?? Buffer.alloc(0));
    expect(facts).toMatchObject({ dominantColor: '#c83828', alpha: false });
  });

  test.each([
    ['PNG', 'Display P3', 8],
    ['PNG', 'sRGB', 16],
    ['PNG', 'ProPhoto', 16],
    ['TIFF', 'sRGB', 16],
    ['TIFF', 'AdobeRGB', 8],
    ['WebP', 'Display P3', 8],
  ] as const)('in %s with alpha names %s of %i bits, and the alpha stays', async (container, space, bits) => {
    const file = await containers[container]?.(patches(space, bits, 0.5), profileOf(space));
    const { facts, pictures } = await displayed(file ?? Buffer.alloc(0));
    expect(facts).toMatchObject({ alpha: true, damaged: false });
    const [rendered] = pictures.filter(([name]) => name === 'png');
    expectNear(await pixel(rendered?.[1] ?? Buffer.alloc(0), 0.25), [...LEFT, 128], 3);
    expectNear(await pixel(rendered?.[1] ?? Buffer.alloc(0), 0.85), [...RIGHT, 128], 3);
  });

  test.each([8, 10, 12])('in AVIF and HEIC names spaces of %i bits', async (bits) => {
    for (const space of ['p3', 'adobe', 'prophoto']) {
      await expectPatches(await fixture(`${space}-icc-${bits}.avif`));
      await expectPatches(await fixture(`${space}-icc-${bits}.heic`));
    }
  });

  test.each([
    ['PNG', 8],
    ['PNG', 16],
    ['TIFF', 8],
    ['TIFF', 16],
  ] as const)('in %s names grey of %i bits by a curve of its own', async (container, bits) => {
    for (const [space, curve] of [
      ['sRGB', (v: number) => v],
      ['linear sRGB', (v: number) => samplesOf('linear sRGB', [v, v, v])[0] * 255],
      ['AdobeRGB', (v: number) => samplesOf('AdobeRGB', [v, v, v])[0] * 255],
    ] as const) {
      if (space === 'linear sRGB' && bits === 8) continue;
      const samples = patchesOf([curve(200) / 255], [curve(60) / 255], bits);
      const profile = profileOf(space, 'GRAY');
      await expectPatches(
        container === 'PNG' ? png(samples, iccp(profile)) : tiff([samples, { profile, photometric: 1 }]),
        [
          [200, 200, 200],
          [60, 60, 60],
        ],
      );
    }
  });

  test.each([
    ['bytes that are none', Buffer.alloc(300, 0x41)],
    ['a profile of grey in RGB', profileOf('Display P3', 'GRAY')],
    ['a profile that is cut', profileOf('Display P3').subarray(0, 200)],
  ])('does not count when it is invalid: %s', async (_, profile) => {
    await expectPatches(tiff([patches('sRGB', 8), { profile }]));
    await expectPatches(tiff([patches('sRGB', 16), { profile }]));
  });

  test('that describes RGB of 16 bits by a table is applied', async () => {
    // As littleCMS (transicc, perceptual) converts it, which spares the depths of black for what is perceptual.
    await expectPatches(tiff([patches('sRGB', 16), { profile: tableProfile() }]), [
      [199.8, 57.7, 36.2],
      [36.2, 159.5, 57.7],
    ]);
  });
});

describe('EXIF alone', () => {
  const adobe = patches('AdobeRGB', 8);
  const containers: Record<string, () => Buffer | Promise<Buffer>> = {
    JPEG: () => jpeg(adobe, app1(adobeRgbExif())),
    PNG: () => png(adobe, ['eXIf', adobeRgbExif()]),
    'PNG of 16 bits': () => png(patches('AdobeRGB', 16), ['eXIf', adobeRgbExif()]),
    WebP: () => webp(adobe, { exif: adobeRgbExif() }),
    TIFF: () => tiff([adobe, { isAdobeRgb: true }]),
    'JPEG, by ColorSpace 2': () => jpeg(adobe, app1(adobeRgbExif(2))),
  };
  test.each(Object.entries(containers))('says Adobe RGB, as cameras do: %s', async (_, make) => {
    await expectPatches(await make());
  });

  test.each(['dng', 'cr2', 'cr3', 'nef', 'arw'] as const)('of a raw file is that of its preview: %s', async (kind) => {
    const numbers = samplesOf('AdobeRGB', LEFT).map((value) => Math.round(255 * value));
    const [r = 0, g = 0, b = 0] = numbers;
    const preview = await sharp({ create: { width: 800, height: 600, channels: 3, background: { r, g, b } } })
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer();
    const { pictures } = await displayed(rawFile(kind, { preview, isAdobeRgb: true }));
    for (const [, picture] of pictures) expectNear(await pixel(picture, 0.5), LEFT, 4);
  });

  test('does not count beside a profile, nor where it says sRGB', async () => {
    await expectPatches(await jpeg(patches('Display P3', 8), app1(adobeRgbExif()), app2(profileOf('Display P3'))));
    await expectPatches(await jpeg(patches('sRGB', 8), app1(adobeRgbExif(1))));
  });
});

describe('numbers (ITU-T H.273)', () => {
  test.each([
    ['Display P3', 12, 13, 8],
    ['Display P3', 12, 13, 16],
    ['BT.2020', 9, 14, 8],
    ['BT.2020', 9, 14, 16],
    ['sRGB', 1, 13, 8],
    ['sRGB', 2, 2, 16],
    ['linear sRGB', 1, 8, 16],
  ] as const)('name %s as %i/%i in the cICP of a PNG of %i bits', async (space, primaries, transfer, bits) => {
    await expectPatches(png(patches(space, bits), cicp(primaries, transfer)));
  });

  test('in a PNG count before its profile and its EXIF', async () => {
    const own = cicp(12, 13);
    await expectPatches(png(patches('Display P3', 8), own, iccp(profileOf('ProPhoto')), ['eXIf', adobeRgbExif()]));
    await expectPatches(png(patches('sRGB', 16), cicp(1, 13), iccp(profileOf('ProPhoto'))));
  });

  test('in a PNG may name the narrow range of television', async () => {
    const narrow = (color: readonly number[]) => color.map((level) => (16 + level * (219 / 255)) / 255);
    await expectPatches(png(patchesOf(narrow(LEFT), narrow(RIGHT), 8), cicp(1, 13, 0)));
  });

  test('in a PNG with alpha leave the alpha', async () => {
    const { facts, pictures } = await displayed(png(patches('Display P3', 16, 0.5), cicp(12, 13)));
    expect(facts.alpha).toBe(true);
    const [rendered] = pictures.filter(([name]) => name === 'png');
    expectNear(await pixel(rendered?.[1] ?? Buffer.alloc(0), 0.25), [...LEFT, 128], 3);
  });

  test.each([8, 10, 12])('name spaces in the nclx of AVIF and HEIC of %i bits', async (bits) => {
    for (const [space, primaries, transfer] of [
      ['srgb', 1, 13],
      ['p3', 12, 13],
      ['bt2020', 9, 14],
    ] as const) {
      await expectPatches(await fixture(`${space}-${bits}.avif`));
      await expectPatches(withProperty(await fixture(`${space}-${bits}.heic`), nclx(primaries, transfer)));
    }
  });

  test('in AVIF with alpha leave the alpha', async () => {
    for (const name of ['p3-alpha-8.avif', 'p3-alpha-10.avif']) {
      const { facts, pictures } = await displayed(await fixture(name));
      expect(facts.alpha).toBe(true);
      const [rendered] = pictures.filter(([format]) => format === 'png');
      expectNear(await pixel(rendered?.[1] ?? Buffer.alloc(0), 0.25), [...LEFT, 128], 3);
    }
  });

  test('that are unknown leave a HEIC as it is', async () => {
    await expectPatches(withProperty(await fixture('srgb-8.heic'), nclx(99, 99)));
  });
});

describe('an exponent and chromaticities of a PNG (gAMA, cHRM)', () => {
  /** The two patches with the primaries of sRGB, encoded by an exponent. */
  const encoded = (exponent: number, bits: 8 | 16, ...more: number[]) => {
    const own = (color: Rgb) => samplesOf('linear sRGB', color).map((light) => light ** exponent);
    return patchesOf([...own(LEFT), ...more], [...own(RIGHT), ...more], bits);
  };

  test.each([8, 16] as const)('of %i bits count', async (bits) => {
    await expectPatches(png(encoded(1 / 2.2, bits), gama(1 / 2.2), chrm(SRGB_POINTS)));
    await expectPatches(png(patches('AdobeRGB', bits), gama(1 / 2.19921875), chrm(ADOBE_POINTS)));
    await expectPatches(png(encoded(1 / 1.8, bits), chrm(SRGB_POINTS), gama(1 / 1.8)));
  });

  test('count when only one of them is present, too', async () => {
    await expectPatches(png(encoded(1, 16), gama(1)));
    await expectPatches(png(patches('Display P3', 16), chrm([0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06])));
  });

  test('count in grey, and leave the alpha', async () => {
    const light = (level: number) => samplesOf('linear sRGB', [level, level, level])[0];
    const linear = patchesOf([light(200)], [light(60)], 16);
    await expectPatches(png(linear, gama(1), chrm(ADOBE_POINTS)), [
      [200, 200, 200],
      [60, 60, 60],
    ]);
    const { facts, pictures } = await displayed(png(encoded(1, 16, 0.5), gama(1)));
    expect(facts.alpha).toBe(true);
    const [rendered] = pictures.filter(([name]) => name === 'png');
    expectNear(await pixel(rendered?.[1] ?? Buffer.alloc(0), 0.25), [...LEFT, 128], 3);
  });

  test('count before EXIF, and after all else that names colours', async () => {
    const other = [gama(1), chrm(ADOBE_POINTS)] as const;
    await expectPatches(png(encoded(1 / 2.2, 8), gama(1 / 2.2), chrm(SRGB_POINTS), ['eXIf', adobeRgbExif()]));
    await expectPatches(png(patches('Display P3', 8), ...other, iccp(profileOf('Display P3'))));
    await expectPatches(png(patches('Display P3', 8), ...other, cicp(12, 13)));
    await expectPatches(png(patches('sRGB', 8), ...other, ['sRGB', Buffer.from([0])], ['eXIf', adobeRgbExif()]));
  });

  test.each<[string, readonly number[]]>([
    ['all are zero', Array(8).fill(0)],
    ['the primaries are one colour', [0.3127, 0.329, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]],
    ['the white is none of their mixtures', [0.7, 0.2, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06]],
  ])('do not count when they are invalid: %s', async (_, points) => {
    await expectPatches(png(patches('sRGB', 8), gama(0), chrm(points)));
    await expectPatches(png(patches('AdobeRGB', 8), gama(1), chrm(points), ['eXIf', adobeRgbExif()]));
    await expectPatches(png(patches('sRGB', 8), ['gAMA', Buffer.alloc(2)], ['cHRM', Buffer.alloc(4)]));
  });
});

describe('the bitstream alone', () => {
  /** Without what the container says of colours: another box of the same length stands there. */
  const withoutColours = (file: Buffer) => {
    const bytes = Buffer.from(file);
    bytes.write('skip', bytes.indexOf('colr'), 'latin1');
    return bytes;
  };
  /** A HEIC of heif-enc whose bitstream says primaries and transfer, which it leaves open: 2, 2 and 6, two bits into a byte. */
  const withBitstream = (file: Buffer, primaries: number, transfer: number) => {
    const bytes = Buffer.from(file);
    const at = bytes.indexOf(Buffer.from('dc080818', 'hex'));
    expect(at).toBeGreaterThan(0);
    bytes.set([primaries << 2, transfer << 2], at + 1);
    return bytes;
  };

  test('does not name a space: a picture without colours in its container is sRGB', async () => {
    await expectPatches(withoutColours(await fixture('srgb-10.avif')));
    await expectPatches(withBitstream(await fixture('srgb-10.heic'), 1, 13));
    const samples = [LEFT, RIGHT].map((color) => samplesOf('Display P3', color).map((sample) => sample * 255));
    await expectPatches(withoutColours(await fixture('p3-10.avif')), samples);
    await expectPatches(withBitstream(await fixture('p3-10.heic'), 12, 13), samples);
  });
});

describe('grey', () => {
  const grey = [
    [200, 200, 200],
    [60, 60, 60],
  ];
  const samples = (bits: 8 | 16) => patchesOf([200 / 255], [60 / 255], bits);
  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['PNG of 8 bits', () => png(samples(8))],
    ['PNG of 16 bits', () => png(samples(16))],
    ['TIFF of 8 bits', () => tiff([samples(8), { photometric: 1 }])],
    ['TIFF of 16 bits', () => tiff([samples(16), { photometric: 1 }])],
    ['TIFF of 16 bits whose zero is white', () => tiff([patchesOf([55 / 255], [195 / 255], 16), { photometric: 0 }])],
    ['JPEG', () => jpeg(samples(8))],
    ['AVIF of 8 bits', () => fixture('grey-8.avif')],
    ['AVIF of 10 bits', () => fixture('grey-10.avif')],
    ['HEIC', () => fixture('grey-8.heic')],
    [
      'GIF',
      () =>
        sharp(png(samples(8)))
          .gif()
          .toBuffer(),
    ],
  ])('of %s keeps its levels', async (_, make) => {
    await expectPatches(await make(), grey);
  });
});

describe('a palette', () => {
  test('of a GIF is sRGB', async () => {
    await expectPatches(
      await sharp(png(patches('sRGB', 8)))
        .gif()
        .toBuffer(),
    );
  });
});

describe('CMYK', () => {
  /** Printed red and green, as littleCMS (transicc, perceptual) converts them to sRGB through the same profile. */
  const printed = [
    [165.9, 95.8, 72.7],
    [111.4, 143.2, 100.5],
  ];
  const inks = (bits: 8 | 16) => patchesOf([0.1, 0.8, 0.8, 0.05], [0.75, 0.1, 0.7, 0.1], bits);
  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['a TIFF of 8 bits', () => tiff([inks(8), { photometric: 5, profile: inkProfile() }])],
    ['a TIFF of 16 bits', () => tiff([inks(16), { photometric: 5, profile: inkProfile() }])],
    ['a JPEG', () => fixture('cmyk.jpg')],
  ])('of %s is converted by its profile', async (_, make) => {
    await expectPatches(await make(), printed, 6);
  });
});

describe('high dynamic range', () => {
  const GREY = 118;
  const pq = columns(RAMP.map(pqSample), 16);
  const hlg = columns(RAMP.map(hlgSample), 16);
  const heic = async (name: string, transfer: number) => withProperty(await fixture(name), nclx(9, transfer, 9));
  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ['PQ in a PNG of 16 bits', () => png(pq, cicp(9, 16))],
    ['PQ in a PNG of 8 bits', () => png({ ...pq, bits: 8 }, cicp(9, 16))],
    ['PQ of Display P3 in a PNG', () => png(pq, cicp(12, 16))],
    ['HLG in a PNG of 16 bits', () => png(hlg, cicp(9, 18))],
    ['PQ in an AVIF of 10 bits', () => fixture('pq-10.avif')],
    ['PQ in an AVIF of 12 bits', () => fixture('pq-12.avif')],
    ['HLG in an AVIF of 10 bits', () => fixture('hlg-10.avif')],
    ['PQ in a HEIC of 8 bits', () => heic('pq-8.heic', 16)],
    ['PQ in a HEIC of 10 bits', () => heic('pq-10.heic', 16)],
    ['PQ in a HEIC of 12 bits', () => heic('pq-12.heic', 16)],
    ['HLG in a HEIC of 10 bits', () => heic('hlg-10.heic', 18)],
  ])('of %s keeps mid grey and the order of all levels', async (_, make) => {
    const { facts, pictures } = await displayed(await make());
    expect(facts.damaged).toBe(false);
    for (const [name, picture] of pictures) {
      const ramp = [];
      for (const index of RAMP.keys()) ramp.push(await pixel(picture, (index + 0.5) / RAMP.length));
      expectNear(ramp[2] ?? [], [GREY, GREY, GREY], 5);
      expectNear(ramp[3] ?? [], [GREY, GREY, GREY], 5);
      const levels = ramp.map(([, green = 0]) => green);
      expect([name, levels.every((level, index) => index === 0 || level > (levels[index - 1] ?? 0))]).toEqual([
        name,
        true,
      ]);
      expect(levels.at(-1)).toBeLessThan(255);
      for (const color of ramp) expectNear(color, Array(3).fill(color[1]), 4);
    }
  });

  test('has levels beyond the peak of the reference display', async () => {
    const bright = [0, 100, 203, 600, 1000, 2000, 4000, 10_000];
    const { pictures } = await displayed(png(columns(bright.map(pqSample), 16), cicp(9, 16)));
    const [rendered] = pictures.filter(([format]) => format === 'png');
    const levels = [];
    for (const index of bright.keys())
      levels.push((await pixel(rendered?.[1] ?? Buffer.alloc(0), (index + 0.5) / 8))[0]);
    expect(levels).toEqual(levels.toSorted((a = 0, b = 0) => a - b));
    expect([levels[0], levels[7]]).toEqual([0, 255]);
    expect(levels[6]).toBeLessThan(255);
  });
});
