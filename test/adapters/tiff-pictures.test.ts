/* @slow @rest */
import sharp from 'sharp';
import { within } from '../../src/core/media/transformation.js';
import {
  bigTiff,
  inkProfile,
  LEFT,
  patches,
  patchesOf,
  profileOf,
  type Rgb,
  RIGHT,
  type Samples,
  SIZE,
  type TiffOptions,
  tiff,
} from '../support/colour-pictures.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';

/** TIFF by what is in it. The files are written byte by byte. */

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

const inspect = (bytes: Uint8Array, maxPixels = 210_000_000) =>
  media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels });

/** The exact picture: its size, and the mean of its left and its right patch. */
async function picture(bytes: Uint8Array) {
  const order = { ...within(2560, 'png'), rotation: 0, customerId: 1 };
  const rendered = await media.reader.render(bytesOf(bytes), order);
  const { width, height, channels } = await sharp(rendered?.bytes).metadata();
  const mean = async (left: number) => {
    const part = await sharp(rendered?.bytes).extract({ left, top: 8, width: 8, height: 8 }).png().toBuffer();
    return (await sharp(part).stats()).channels.map((channel) => channel.mean);
  };
  return { width, height, channels, left: await mean(8), right: await mean(width - 12) };
}

function expectNear(found: readonly number[], expected: readonly number[], tolerance = 3): void {
  const isNear = expected.every((value, index) => Math.abs(value - (found[index] ?? -1)) <= tolerance);
  if (!isNear) throw new Error(`[${found}] is not within ${tolerance} of [${expected}]`);
}

async function expectPicture(
  bytes: Uint8Array,
  alpha: number | null,
  left: readonly number[] = LEFT,
  right: readonly number[] = RIGHT,
) {
  expect(await inspect(bytes)).toMatchObject({
    outcome: 'picture',
    facts: { ...SIZE, contentType: 'image/tiff', damaged: false, alpha: alpha !== null },
  });
  const found = await picture(bytes);
  expect(found.channels).toBe(alpha === null ? 3 : 4);
  expectNear(found.left, alpha === null ? left : [...left, alpha]);
  expectNear(found.right, alpha === null ? right : [...right, alpha]);
}

describe('channels behind the colours', () => {
  const grey = (level: number): Rgb => [level, level, level];
  const unspecified = (count: number) => Array<number>(count).fill(0);
  const behind = [0, 1, 0.5, 0.25];

  test.each([1, 2, 3, 10])('that are not said to be transparency are left out: %i', async (count) => {
    const more = Array.from({ length: count }, (_, index) => behind[index % 4] ?? 0);
    const extraSamples = unspecified(count);
    for (const bits of [8, 16] as const) {
      await expectPicture(tiff([patches('sRGB', bits, ...more), { extraSamples }]), null);
      const shades = patchesOf([100 / 255, ...more], [200 / 255, ...more], bits);
      await expectPicture(tiff([shades, { photometric: 1, extraSamples }]), null, grey(100), grey(200));
    }
  });

  test('of ink are left out, and the profile stays', async () => {
    for (const bits of [8, 16] as const) {
      for (const more of [[0], [0, 1], [1, 0, 0.5]]) {
        const inks = patchesOf([0.1, 0.8, 0.8, 0.05, ...more], [0.75, 0.1, 0.7, 0.1, ...more], bits);
        const file = tiff([inks, { photometric: 5, profile: inkProfile(), extraSamples: unspecified(more.length) }]);
        const found = await picture(file);
        expect(found.channels).toBe(3);
        // By littleCMS (transicc, perceptual) through the same profile.
        expectNear(found.left, [165.9, 95.8, 72.7], 6);
        expectNear(found.right, [111.4, 143.2, 100.5], 6);
      }
    }
  });

  test('without any word about them are left out', async () => {
    await expectPicture(tiff([patches('sRGB', 8, 0)]), null);
  });

  test('that are transparency stay, and others beside it do not', async () => {
    for (const bits of [8, 16] as const) {
      await expectPicture(tiff([patches('sRGB', bits, 0.5), { extraSamples: [2] }]), 128);
      await expectPicture(tiff([patches('sRGB', bits, 0.5, 1), { extraSamples: [2, 0] }]), 128);
      await expectPicture(tiff([patches('sRGB', bits, 1, 0.5), { extraSamples: [0, 2] }]), 128);
    }
  });

  test('of another space than sRGB leave it its profile', async () => {
    for (const bits of [8, 16] as const) {
      const profile = profileOf('Display P3');
      await expectPicture(tiff([patches('Display P3', bits, 0, 1), { profile, extraSamples: [0, 0] }]), null);
      await expectPicture(tiff([patches('Display P3', bits, 0.5, 1), { profile, extraSamples: [2, 0] }]), 128);
    }
  });
});

describe('samples', () => {
  test.each(['half', 'float'] as const)(
    'of floating point (%s) are light, or what their profile says',
    async (bits) => {
      await expectPicture(tiff([patches('linear sRGB', bits)]), null);
      for (const space of ['linear sRGB', 'sRGB', 'ProPhoto', 'AdobeRGB'] as const) {
        await expectPicture(tiff([patches(space, bits), { profile: profileOf(space) }]), null);
      }
    },
  );

  test('of floating point are light in grey, too', async () => {
    const shades = patchesOf([0.5], [0.1], 'float');
    await expectPicture(tiff([shades, { photometric: 1 }]), null, [188, 188, 188], [89, 89, 89]);
  });

  test('of floating point keep their transparency, and leave out selections', async () => {
    await expectPicture(tiff([patches('linear sRGB', 'float', 0.5), { extraSamples: [2] }]), 128);
    await expectPicture(tiff([patches('linear sRGB', 'float', 0), { extraSamples: [0] }]), null);
    await expectPicture(
      tiff([patches('sRGB', 'float', 0, 1), { profile: profileOf('sRGB'), extraSamples: [0, 0] }]),
      null,
    );
  });

  const double = tiff([patches('sRGB', 'double')]);
  test.each<[string, Buffer, string]>([
    ['of 32 bits', tiff([patches('sRGB', 32)]), 'integer samples of 32 bits'],
    ['of 32 bits of grey', tiff([patchesOf([0.5], [0.1], 32), { photometric: 1 }]), 'integer samples of 32 bits'],
    ['with signs', tiff([patches('sRGB', 16), { sampleFormat: 2 }]), 'signed samples'],
    ['of double precision', double, 'floating-point samples of 64 bits'],
    ['of half precision of grey', tiff([patchesOf([0.5], [0.1], 'half'), { photometric: 1 }]), 'samples of 16 bits'],
    ['of ITU-Lab', tiff([patches('sRGB', 8), { photometric: 10 }]), 'colors of kind 10'],
  ])('%s are unsupported, by their name', async (_, file, name) => {
    expect(await inspect(file)).toMatchObject({
      error: { code: 'unsupported_format', message: expect.stringContaining(name) },
    });
  });
});

describe('CIELab', () => {
  // 50, 40, -60 and 70, -40, 30, in the bytes of each kind; converted by littleCMS (transicc, relative).
  const [violet, green]: readonly Rgb[] = [
    [140.1, 94.5, 223],
    [101.5, 189.8, 113.5],
  ];
  const lab = (offset: number) =>
    [
      [127.5, 40, -60],
      [178.5, -40, 30],
    ].map(([l = 0, ...ab]) => [l, ...ab.map((value) => (value + offset + 256) % 256)].map((value) => value / 255));

  test.each([
    ['signed, as TIFF 6.0 has it', 8, 0],
    ['of ICC, as of Photoshop', 9, 128],
  ])('of 8 bits is shown: %s', async (_, photometric, offset) => {
    const [left = [], right = []] = lab(offset);
    const options: TiffOptions = { photometric };
    const exactly = (samples: Samples): Samples => ({ ...samples, at: (x) => (x < 40 ? left : right) });
    await expectPicture(tiff([exactly(patchesOf(left, right, 8)), options]), null, violet, green);
    const masked = exactly(patchesOf([...left, 0.5], [...right, 0.5], 8));
    const alpha = { ...masked, at: (x: number, y: number) => [...masked.at(x, y), 0.5] };
    await expectPicture(tiff([alpha, { ...options, extraSamples: [2] }]), 128, violet, green);
    await expectPicture(tiff([alpha, { ...options, extraSamples: [0] }]), null, violet, green);
  });
});

describe('compression', () => {
  test.each([
    [6, 'old-style JPEG'],
    [34_661, 'JBIG'],
    [34_712, 'JPEG 2000'],
    [34_887, 'LERC'],
    [34_925, 'LZMA'],
    [50_000, 'Zstandard'],
    [50_002, 'JPEG XL'],
    [12_345, 'number 12345'],
  ])('%i that the decoder lacks is unsupported, by its name', async (compression, name) => {
    const file = tiff([patches('sRGB', 8), { compression }]);
    expect(await inspect(file)).toMatchObject({
      error: { code: 'unsupported_format', message: expect.stringContaining(`${name} compression`) },
    });
    const order = { ...within(320, 'jpeg'), rotation: 0, customerId: 1 };
    expect(await media.reader.render(bytesOf(file), order)).toBeNull();
  });

  test.each(['none', 'jpeg', 'deflate', 'packbits', 'lzw', 'webp'] as const)('%s is decoded', async (compression) => {
    const file = await sharp(tiff([patches('sRGB', 8)]))
      .tiff({ compression, quality: 100 })
      .toBuffer();
    expect(await inspect(file)).toMatchObject({ facts: { dominantColor: '#c83828', damaged: false } });
  });

  test('by fax encoding is decoded', async () => {
    const file = await sharp(tiff([patchesOf([1], [0], 8), { photometric: 1 }]))
      .toColourspace('b-w')
      .tiff({ compression: 'ccittfax4', bitdepth: 1 })
      .toBuffer();
    expect(await inspect(file)).toMatchObject({ facts: { dominantColor: '#f8f8f8', damaged: false } });
  });
});

describe('pages', () => {
  const page = (width: number, height: number): Samples => ({ ...patches('sRGB', 8), width, height });

  test('that are reduced copies or masks are not the picture', async () => {
    const thumbnail = [page(32, 20), { subfileType: 1 }] as const;
    const mask = [page(200, 100), { subfileType: 4, photometric: 2 }] as const;
    for (const pages of [
      [thumbnail, [page(80, 50)]],
      [mask, thumbnail, [page(80, 50), { subfileType: 0 }]],
      [[page(80, 50)], thumbnail],
    ] as const) {
      const file = tiff(...pages);
      expect(await inspect(file)).toMatchObject({ facts: { width: 80, height: 50, damaged: false } });
      expect(await picture(file)).toMatchObject({ width: 80, height: 50 });
    }
  });

  test('behind a reduced copy are shown by the largest of them, the first of equal ones', async () => {
    const red: Samples = { ...page(60, 40), at: () => [200 / 255, 60 / 255, 40 / 255] };
    const file = tiff([page(32, 20), { subfileType: 1 }], [page(40, 40)], [red], [page(60, 40)]);
    expect(await inspect(file)).toMatchObject({ facts: { width: 60, height: 40 } });
    expectNear((await picture(file)).right, LEFT);
  });

  test('of a document are shown by the first', async () => {
    const file = tiff([page(40, 40), { subfileType: 2 }], [page(60, 40), { subfileType: 2 }]);
    expect(await inspect(file)).toMatchObject({ facts: { width: 40, height: 40 } });
  });

  test('are limited in pixels by the one that is shown', async () => {
    const file = tiff([page(32, 20), { subfileType: 1 }], [page(80, 50)]);
    expect(await inspect(file, 80 * 50 - 1)).toMatchObject({ error: { code: 'too_many_pixels' } });
  });
});

describe('a BigTIFF', () => {
  const page = (width: number, height: number): Samples => ({ ...patches('sRGB', 8), width, height });

  test('is shown by the page that is the picture, as any TIFF', async () => {
    const thumbnail = [page(32, 20), { subfileType: 1 }] as const;
    const red: Samples = { ...page(60, 40), at: () => [200 / 255, 60 / 255, 40 / 255] };
    for (const pages of [
      [thumbnail, [page(40, 40)], [red], [page(60, 40)]],
      [[page(200, 100), { subfileType: 4 }], thumbnail, [red, { subfileType: 0 }]],
      [[red], [page(80, 50)]],
    ] as const) {
      const file = bigTiff(...pages);
      expect(await inspect(file)).toMatchObject({ facts: { width: 60, height: 40, damaged: false } });
      const { width, height, right } = await picture(file);
      expect([width, height]).toEqual([60, 40]);
      expectNear(right, LEFT);
    }
    expect(await inspect(bigTiff(thumbnail, [red]), 60 * 40 - 1)).toMatchObject({ error: { code: 'too_many_pixels' } });
  });

  test('keeps its colours, and leaves out selections', async () => {
    for (const bits of [8, 16] as const) {
      await expectPicture(bigTiff([patches('ProPhoto', bits), { profile: profileOf('ProPhoto') }]), null);
      await expectPicture(bigTiff([patches('sRGB', bits, 0), { extraSamples: [0], rowsPerStrip: 8 }]), null);
      await expectPicture(bigTiff([patches('sRGB', bits, 0.5), { extraSamples: [2] }]), 128);
    }
    await expectPicture(bigTiff([patches('linear sRGB', 'float')]), null);
  });

  test('is unsupported, by the name of what the decoder lacks', async () => {
    expect(await inspect(bigTiff([patches('sRGB', 8), { compression: 34_925 }]))).toMatchObject({
      error: { code: 'unsupported_format', message: expect.stringContaining('LZMA compression') },
    });
  });

  test.each<[string, number, bigint]>([
    ['its first directory', 8, 2n ** 63n],
    ['its first directory', 8, 2n ** 53n - 1n],
    ['the number of tags', 16, 2n ** 64n - 1n],
  ])('is refused when no file is so large as %s says (%i: %i)', async (_, at, value) => {
    const file = bigTiff([patches('sRGB', 8)]);
    file.writeBigUInt64LE(value, at);
    expect(await inspect(file)).toMatchObject({ error: { code: 'decode_failed' } });
  });
});

describe('damage', () => {
  test('that leaves nothing of a picture refuses it', async () => {
    const cut = tiff([patches('sRGB', 8)]);
    // All strips are behind the end of the file.
    const at = cut.indexOf(Buffer.from([0x11, 0x01, 4, 0]));
    cut.writeUInt32LE(0x7fff_0000, at + 8);
    expect(await inspect(cut)).toMatchObject({ error: { code: 'decode_failed' } });
  });

  test('of a picture with selections is seen', async () => {
    const file = tiff([patches('sRGB', 8, 0.5, 1), { extraSamples: [0, 0], rowsPerStrip: 8 }]);
    // The last of eight strips is behind the end of the file.
    const places = file.readUInt32LE(file.indexOf(Buffer.from([0x11, 0x01, 4, 0, 8, 0, 0, 0])) + 8);
    file.writeUInt32LE(0x7fff_0000, places + 4 * 7);
    expect(await inspect(file)).toMatchObject({ facts: { damaged: true } });
  });

  test('is not reported for a plain picture', async () => {
    for (const level of [0, 0.5, 1]) {
      const file = tiff([patchesOf([level, level, level], [level, level, level], 8)]);
      expect(await inspect(file)).toMatchObject({ facts: { damaged: false } });
    }
  });
});
