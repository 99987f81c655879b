/* @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { RenditionOrder } from '../../src/core/media/media-reader.js';
import { type Transformation, within } from '../../src/core/media/transformation.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';

type Color = readonly [number, number, number];
const [RED, GREEN, BLUE]: readonly [Color, Color, Color] = [
  [220, 20, 20],
  [20, 200, 20],
  [20, 20, 220],
];

let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

/** Three fields of one color each, side by side, 100 × 100 pixels each. */
async function fields(): Promise<Buffer> {
  const field = ([r, g, b]: Color) => ({
    create: { width: 100, height: 100, channels: 3 as const, background: { r, g, b } },
  });
  const colors = await Promise.all([RED, GREEN, BLUE].map((color) => sharp(field(color)).png().toBuffer()));
  return sharp({ create: { width: 300, height: 100, channels: 3, background: 'white' } })
    .composite(colors.map((input, at) => ({ input, left: at * 100, top: 0 })))
    .png()
    .toBuffer();
}

async function transformed(
  bytes: Uint8Array,
  order: Partial<Transformation> & Pick<RenditionOrder, 'originalSize'>,
  rotation = 0,
): Promise<Buffer> {
  const all = { ...within(300, 'png'), width: null, height: null, ...order };
  const rendered = await media.reader.render(bytesOf(bytes), { customerId: 1, ...all, rotation });
  if (rendered === null) throw new Error('not rendered');
  return Buffer.from(rendered.bytes);
}

/** Red, green, blue and, where there is one, alpha of a pixel. */
async function pixel(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [...data.subarray(at, at + info.channels)];
}

const near = (color: readonly number[]) => color.map((value) => expect.closeTo(value, -1));

test.each([
  ['left', { x: 0, y: 0.5 }, RED],
  ['middle', { x: 0.5, y: 0.5 }, GREEN],
  ['right', { x: 0.9, y: 0.1 }, BLUE],
])('cover keeps the %s in view', async (_, gravity, color) => {
  const square = await transformed(await fields(), { width: 50, height: 50, fit: 'cover', gravity });
  expect(await pixel(square, 25, 25)).toEqual(color);
});

test('the focus is a point of the upright picture, however it was turned', async () => {
  // Turned clockwise, the left is above.
  const order = { width: 50, height: 50, fit: 'cover', gravity: { x: 0.5, y: 0 } } as const;
  expect(await pixel(await transformed(await fields(), order, 90), 25, 25)).toEqual(RED);
  expect(await pixel(await transformed(await fields(), order, 270), 25, 25)).toEqual(BLUE);
});

test('the focus attention keeps the part in view that is not plain', async () => {
  const detail = await sharp(await readFile(join(__dirname, '../fixtures/photos/el-torcal-rocks.jpg')))
    .resize(100, 100, { fit: 'cover' })
    .toBuffer();
  const wide = await sharp({ create: { width: 400, height: 100, channels: 3, background: '#808080' } })
    .composite([{ input: detail, left: 290, top: 0 }])
    .png()
    .toBuffer();
  const square = await transformed(wide, { width: 100, height: 100, fit: 'cover', gravity: 'attention' });
  const { channels } = await sharp(square).stats();
  expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(20);
});

test.each([
  ['jpeg', null, [255, 255, 255]],
  ['jpeg', '204060', [0x20, 0x40, 0x60]],
  ['png', '204060', [0x20, 0x40, 0x60]],
  ['webp', null, [0, 0, 0, 0]],
] as const)('contain: a %s on the background %s', async (format, background, color) => {
  const tall = await transformed(await fields(), { width: 300, height: 300, fit: 'contain', format, background });
  expect(await pixel(tall, 150, 10)).toEqual(near(color));
  expect((await pixel(tall, 50, 150)).slice(0, 3)).toEqual(near(RED));
});

test('a transparent picture keeps its transparency, except in a JPEG, which shows the background', async () => {
  const clear = await sharp({
    create: { width: 20, height: 20, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0 } },
  })
    .png()
    .toBuffer();
  for (const format of ['png', 'webp', 'avif'] as const) {
    expect((await pixel(await transformed(clear, { format }), 5, 5))[3]).toBe(0);
  }
  expect(await pixel(await transformed(clear, { format: 'jpeg', background: 'ff8000' }), 5, 5)).toEqual(
    near([255, 128, 0]),
  );
});

test('a PNG is exact, with a palette if it has few colors', async () => {
  const png = await transformed(await fields(), {});
  expect(await sharp(png).metadata()).toMatchObject({ format: 'png', isPalette: true });
  const exact = (bytes: Buffer) => sharp(bytes).removeAlpha().raw().toBuffer();
  expect(await exact(png)).toEqual(await exact(await fields()));
  const photo = await readFile(join(__dirname, '../fixtures/photos/el-torcal-rocks.jpg'));
  const many = await transformed(photo, { width: 64 });
  expect(await sharp(many).metadata()).toMatchObject({ format: 'png', isPalette: false });
});

test('blur removes detail, but keeps the size', async () => {
  const plain = await transformed(await fields(), { width: 300 });
  const blurred = await transformed(await fields(), { width: 300, blur: 20 });
  expect(await pixel(plain, 101, 50)).toEqual(GREEN);
  expect((await pixel(blurred, 101, 50))[0]).toBeGreaterThan(60);
  expect((await sharp(blurred).metadata()).width).toBe(300);
});

test.each(['jpeg', 'webp', 'avif'] as const)('a lower quality is a smaller %s', async (format) => {
  const photo = await readFile(join(__dirname, '../fixtures/photos/el-torcal-rocks.jpg'));
  const [low, high] = await Promise.all([20, 90].map((quality) => transformed(photo, { width: 400, format, quality })));
  expect(low?.length).toBeLessThan((high?.length ?? 0) / 2);
});

test.each(['jpeg', 'webp', 'avif', 'png'] as const)('a transformed %s has no metadata', async (format) => {
  const photo = await readFile(join(__dirname, '../fixtures/photos/el-torcal-rocks.jpg'));
  const { exif, icc, xmp, iptc } = await sharp(await transformed(photo, { width: 40, format })).metadata();
  expect({ exif, icc, xmp, iptc }).toEqual({});
});

/** The mean squared difference of two opaque pictures of one size. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const pixels = (bytes: Buffer) => sharp(bytes).removeAlpha().raw().toBuffer();
  const [a, b] = [await pixels(one), await pixels(other)];
  expect(a.length).toBe(b.length);
  return a.reduce((sum, value, at) => sum + (value - (b[at] ?? 0)) ** 2, 0) / a.length;
}

test.each(['jpeg', 'webp', 'avif'] as const)(
  'a %s made from a stored JPEG, just large enough, has lost no more than twice what one made from the original has',
  async (format) => {
    const photo = await readFile(join(__dirname, '../fixtures/photos/orientation-landscape-1.jpg'));
    const originalSize = { width: 1800, height: 1200 };
    const stored = await transformed(photo, within(1280, 'jpeg'));
    const order = { ...within(1024, format), quality: format === 'avif' ? 55 : 80 };
    const exact = await transformed(photo, { ...order, format: 'png' });
    const [best, reduced] = [await transformed(photo, order), await transformed(stored, { ...order, originalSize })];
    const loss = await difference(best, exact);
    expect(loss).toBeGreaterThan(1);
    expect(await difference(reduced, exact)).toBeLessThan(2 * loss);
    // Nor does it differ more from that than JPEG makes any picture differ.
    const once = await difference(await transformed(photo, within(1024, 'jpeg')), exact);
    expect(await difference(reduced, best)).toBeLessThan(2 * once);
  },
);

test('a picture made from a reduced copy has the size that it would have from the original', async () => {
  const photo = await readFile(join(__dirname, '../fixtures/photos/orientation-landscape-1.jpg'));
  const stored = await transformed(photo, within(1280, 'jpeg'));
  for (const order of [{ width: 301 }, { height: 311 }, { width: 200, height: 333, fit: 'cover' }] as const) {
    const sizes = [
      await transformed(photo, order),
      await transformed(stored, { ...order, originalSize: { width: 1800, height: 1200 } }),
    ];
    const [one, other] = await Promise.all(sizes.map(async (bytes) => await sharp(bytes).metadata()));
    expect([other?.width, other?.height]).toEqual([one?.width, one?.height]);
  }
});
