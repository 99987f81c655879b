/* @slow @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { within } from '../../src/core/media/transformation.js';
import { box, gridHeic, longs, nclx, withProperty } from '../support/boxes.js';
import { LEFT, RIGHT } from '../support/colour-pictures.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';

/** HEIC and AVIF by the structure of the file. The tile is 64 × 64 pixels: 40 columns of red, then green. */

let media: OpenMedia;
let tile: Buffer;
beforeAll(async () => {
  media = await openMedia();
  tile = await readFile(join(__dirname, '../fixtures/colours/srgb-8.heic'));
});
afterAll(() => media.close());

const inspect = (bytes: Uint8Array, maxPixels = 210_000_000) =>
  media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels });

/** The picture, exact. */
async function picture(bytes: Uint8Array) {
  const order = { ...within(2560, 'png'), rotation: 0, customerId: 1 };
  const rendered = await media.reader.render(bytesOf(bytes), order);
  const { data, info } = await sharp(rendered?.bytes).raw().toBuffer({ resolveWithObject: true });
  const nameOf = (x: number, y: number) => {
    const [r = 0, g = 0] = data.subarray((y * info.width + x) * info.channels);
    return Math.abs(r - LEFT[0]) < 20 ? 'red' : Math.abs(g - RIGHT[1]) < 20 ? 'green' : `${r},${g}`;
  };
  return { width: info.width, height: info.height, nameOf };
}

describe('a cropped HEIC', () => {
  /** 32 × 16 pixels, 24 from the left and 8 from the top: from the middle, 8 to the right and 16 up. */
  const aperture = box('clap', longs(32, 1, 16, 1, 8, 1, -16 >>> 0, 1));
  const turned = (quarters: number) => box('irot', Buffer.from([quarters]));
  const mirrored = (axis: number) => box('imir', Buffer.from([axis]));

  test.each<[string, Buffer[], [number, number], [first: string, last: string]]>([
    ['shows its part', [aperture], [32, 16], ['red', 'green']],
    ['and then turned to the left shows it turned', [aperture, turned(1)], [16, 32], ['green', 'red']],
    ['and then turned around shows it turned', [aperture, turned(2)], [32, 16], ['green', 'red']],
    ['and then turned to the right shows it turned', [aperture, turned(3)], [16, 32], ['red', 'green']],
    ['and then mirrored shows it mirrored', [aperture, mirrored(1)], [32, 16], ['green', 'red']],
    ['and then put upside down shows the same part', [aperture, mirrored(0)], [32, 16], ['red', 'green']],
    ['after it was turned shows that part of it', [turned(2), aperture], [32, 16], ['red', 'red']],
  ])('%s', async (_, properties, [width, height], ends) => {
    const heic = properties.reduce(withProperty, tile);
    expect(await inspect(heic)).toMatchObject({ outcome: 'picture', facts: { width, height, damaged: false } });
    const found = await picture(heic);
    expect([found.width, found.height]).toEqual([width, height]);
    expect([found.nameOf(2, 2), found.nameOf(width - 3, height - 3)]).toEqual(ends);
    // The border is in the middle of the longer side.
    const along = (at: number) => (width > height ? found.nameOf(at, 8) : found.nameOf(8, at));
    expect([along(13), along(18)]).toEqual(ends);
  });

  test('is limited by all of its pixels', async () => {
    expect(await inspect([aperture].reduce(withProperty, tile), 64 * 64 - 1)).toMatchObject({
      error: { code: 'too_many_pixels' },
    });
  });
});

describe('a HEIC of tiles', () => {
  test('is shown when they are more than its decoder allows by itself', async () => {
    expect(await inspect(gridHeic(tile, 64, { columns: 40, rows: 30 }))).toMatchObject({
      facts: { contentType: 'image/heic', width: 2560, height: 1920, damaged: false },
    });
  });

  test('is limited in pixels even then', async () => {
    expect(await inspect(gridHeic(tile, 64, { columns: 40, rows: 30 }), 2560 * 1920 - 1)).toMatchObject({
      error: { code: 'too_many_pixels' },
    });
  });

  test('is damaged when some of them cannot be decoded', async () => {
    expect(await inspect(gridHeic(tile, 64, { broken: 1 }))).toMatchObject({ facts: { damaged: true } });
  });

  test('names its colours by the grid or by a tile', async () => {
    expect(await inspect(gridHeic(tile, 64))).toMatchObject({ facts: { dominantColor: '#c83828', damaged: false } });
  });
});

test('a contradiction or an unknown number about colours is no damage', async () => {
  for (const points of [nclx(9, 13, 9), nclx(99, 99), nclx(1, 13, 99)]) {
    expect(await inspect(withProperty(tile, points))).toMatchObject({ facts: { damaged: false } });
  }
});

test('a coding without a decoder is unsupported, and is named', async () => {
  const heic = Buffer.from(tile);
  heic.write('avc1', heic.indexOf('hvc1'), 'latin1');
  expect(await inspect(heic)).toMatchObject({
    error: { code: 'unsupported_format', message: expect.stringContaining('avc1') },
  });
});

test('a sequence of HEIF pictures without a single image is unsupported', async () => {
  for (const brand of ['avis', 'hevc']) {
    const file = Buffer.concat([
      box('ftyp', Buffer.from(`${brand}\0\0\0\0msf1${brand}`)),
      box('moov', box('mvhd', Buffer.alloc(100))),
    ]);
    expect(await inspect(file)).toMatchObject({
      error: { code: 'unsupported_format', message: expect.stringContaining('sequences') },
    });
  }
});

test('a sequence of HEIF pictures with a single image is that image', async () => {
  const avif = await readFile(join(__dirname, '../fixtures/colours/p3-8.avif'));
  avif.write('avis', 8, 'latin1');
  expect(await inspect(avif)).toMatchObject({
    facts: { contentType: 'image/avif', dominantColor: '#c83828', damaged: false },
  });
  const heic = Buffer.from(tile);
  heic.write('hevc', 8, 'latin1');
  expect(await inspect(heic)).toMatchObject({ facts: { contentType: 'image/heic', damaged: false } });
});
