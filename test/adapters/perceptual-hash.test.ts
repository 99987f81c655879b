/* @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { hashesOf } from '../../src/adapters/media/picture-hashes.js';
import { DEFAULT_DISTANCE, hashDistance, MAX_DISTANCE } from '../../src/core/photos/similar/similar-photo.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

const read = (file: string) => readFile(join(__dirname, '../fixtures/photos', file));

/** As an import makes it. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  const inspection = await media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels: 1e8 });
  if (inspection.outcome === 'refused') throw new Error(inspection.error.message);
  return inspection.facts.phash ?? 'none';
}

/** Pictures of different things, each with enough in it to be told apart. */
const scenes = [
  'orientation-landscape-1.jpg',
  'orientation-portrait-3.jpg',
  'nokia83-gps-offset.jpg',
  'gps-empty-ifd.jpg',
  'rating-xmp.jpg',
  'webp-exif-size-differs.webp',
  'avif-8bit-srgb.avif',
  'avif-irot.avif',
  'el-torcal-rocks.jpg',
  'notocactus.jpg',
  'cyclamen.jpg',
  'silver-fir.jpg',
  'hopper.gif',
  'iphone7-gps.heic',
];

test('pictures of different things are far apart', async () => {
  const hashes: string[] = [];
  for (const scene of scenes) hashes.push(await hashOf(await read(scene)));
  const near = hashes.flatMap((one, at) =>
    hashes.slice(at + 1).flatMap((other, later) => (hashDistance(one, other) <= MAX_DISTANCE ? [[at, later]] : [])),
  );
  expect(near).toEqual([]);
});

const copies: readonly (readonly [string, (picture: Sharp, width: number, height: number) => Sharp])[] = [
  ['half as large', (picture, width) => picture.resize(Math.round(width / 2))],
  ['compressed at quality 40', (picture) => picture.jpeg({ quality: 40 })],
  ['brighter by a fifth', (picture) => picture.modulate({ brightness: 1.2 })],
  ['without colors', (picture) => picture.grayscale()],
  ['turned by EXIF', (picture) => picture.rotate(90).withMetadata({ orientation: 8 }).jpeg({ quality: 90 })],
  [
    'cropped by 3 %',
    (picture, width, height) => {
      const [left, top] = [Math.round(width * 0.015), Math.round(height * 0.015)];
      return picture.extract({ left, top, width: width - 2 * left, height: height - 2 * top });
    },
  ],
  [
    'with a watermark',
    (picture, width, height) => {
      const text = `<text x="55%" y="93%" font-size="${height * 0.07}" fill="white" fill-opacity="0.7">© Studio</text>`;
      const input = Buffer.from(`<svg width="${width}" height="${height}">${text}</svg>`);
      return picture.composite([{ input }]);
    },
  ],
];

test.each(copies)('a copy that is %s is near', async (_, change) => {
  for (const scene of ['orientation-landscape-1.jpg', 'notocactus.jpg', 'avif-irot.avif', 'rating-xmp.jpg']) {
    const upright = await sharp(await read(scene))
      .autoOrient()
      .png()
      .toBuffer({ resolveWithObject: true });
    const { width, height } = upright.info;
    const copy = await change(sharp(upright.data), width, height).toBuffer();
    const distance = hashDistance(await hashOf(upright.data), await hashOf(copy));
    expect([scene, distance <= DEFAULT_DISTANCE, distance]).toEqual([scene, true, expect.any(Number)]);
  }
});

test('a plain picture has no hash, whatever its size', async () => {
  for (const [width, height] of [
    [1, 1],
    [10, 2],
    [400, 300],
  ] as const) {
    const plain = await sharp({ create: { width, height, channels: 3, background: '#8090a0' } })
      .png()
      .toBuffer();
    expect([width, await hashOf(plain)]).toEqual([width, 'none']);
  }
});

test('transparent pixels count as white in a hash', async () => {
  const draw = (background: { r: number; g: number; b: number; alpha: number }) =>
    sharp({ create: { width: 64, height: 64, channels: 4, background } })
      .composite([
        { input: Buffer.from('<svg width="64" height="64"><circle cx="20" cy="30" r="15" fill="#206"/></svg>') },
      ])
      .png()
      .toBuffer();
  const [clear, white] = [await draw({ r: 9, g: 9, b: 9, alpha: 0 }), await draw({ r: 255, g: 255, b: 255, alpha: 1 })];
  expect(hashDistance(await hashOf(clear), await hashOf(white))).toBeLessThanOrEqual(2);
});

test('the bits of a hash are those of the definition, for 32 × 32 grey pixels', () => {
  // Pixels of a fixed series of pseudorandom numbers, on a slope so that none of the frequencies is near the median by chance.
  let seed = 7;
  const pixels = Array.from({ length: 1024 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % 256;
  });
  const at = (x: number, u: number) => Math.cos(((2 * x + 1) * u * Math.PI) / 64);
  const frequency = (u: number, v: number) =>
    pixels.reduce((sum, value, place) => sum + value * at(Math.floor(place / 32), u) * at(place % 32, v), 0);
  const all = Array.from({ length: 64 }, (_, place) => frequency(Math.floor(place / 8), place % 8));
  const [below = 0, above = 0] = all.toSorted((a, b) => a - b).slice(31, 33);
  const bits = all.map((value) => (value > (below + above) / 2 ? 1 : 0)).join('');
  const { phash } = hashesOf({ data: Buffer.from(pixels), raw: { width: 32, height: 32, channels: 1 } });
  expect(phash).toBe(BigInt(`0b${bits}`).toString(16).padStart(16, '0'));
});
