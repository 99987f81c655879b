/* @slow @rest */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { PictureFacts, RenderedPicture } from '../../src/core/media/media-reader.js';
import { within } from '../../src/core/media/transformation.js';
import { bytesOf, type OpenMedia, openMedia } from '../support/media.js';

/** Orientation, tested by the pixels: however a file is oriented, its renditions show the same upright image. */

const folder = join(__dirname, '../fixtures/photos');
let media: OpenMedia;
beforeAll(async () => {
  media = await openMedia();
});
afterAll(() => media.close());

interface Raw {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** A real picture without any symmetry, upright. */
async function upright(width: number, height: number): Promise<Raw> {
  const file = join(folder, width > height ? 'orientation-landscape-1.jpg' : 'orientation-portrait-6.jpg');
  const resized = sharp(file).autoOrient().resize(width, height, { fit: 'fill' }).removeAlpha();
  return { data: await resized.raw().toBuffer(), width, height };
}

/** Which column and row of the file the pixel at x, y of the picture is in (EXIF 2.32, tag 274), W × H being the picture. */
const placeOf: Readonly<Record<number, (x: number, y: number, W: number, H: number) => [column: number, row: number]>> =
  {
    1: (x, y) => [x, y],
    2: (x, y, W) => [W - 1 - x, y],
    3: (x, y, W, H) => [W - 1 - x, H - 1 - y],
    4: (x, y, _, H) => [x, H - 1 - y],
    5: (x, y) => [y, x],
    6: (x, y, W) => [y, W - 1 - x],
    7: (x, y, W, H) => [H - 1 - y, W - 1 - x],
    8: (x, y, _, H) => [H - 1 - y, x],
  };

/** The picture as a camera stores it that was held so, with the orientation that brings it upright. */
async function lying(picture: Raw, orientation: number, format: 'jpeg' | 'png' | 'webp' | 'tiff' | 'avif') {
  const { data, width: W, height: H } = picture;
  const place = placeOf[orientation] ?? (() => [0, 0]);
  const [width, height] = orientation < 5 ? [W, H] : [H, W];
  const stored = Buffer.alloc(data.length);
  for (let y = 0; y < H; y += 1) {
    for (let x = 0; x < W; x += 1) {
      const [column, row] = place(x, y, W, H);
      const [to, from] = [(row * width + column) * 3, (y * W + x) * 3];
      for (let at = 0; at < 3; at += 1) stored[to + at] = data[from + at] ?? 0;
    }
  }
  const file = sharp(stored, { raw: { width, height, channels: 3 } }).withMetadata({ orientation });
  return file.toFormat(format, format === 'avif' ? { effort: 0, quality: 90 } : { quality: 90 }).toBuffer();
}

/** Mean difference of the colours, 0 to 255, of two pictures made small. */
async function difference(picture: Uint8Array, expected: Raw): Promise<number> {
  const { data, width, height } = expected;
  const header = await sharp(picture).metadata();
  expect(header.width / header.height).toBeCloseTo(width / height, 1);
  const small = (image: Sharp) => image.removeAlpha().resize(24, 24, { fit: 'fill' }).raw().toBuffer();
  const [a, b] = [await small(sharp(picture)), await small(sharp(data, { raw: { width, height, channels: 3 } }))];
  return a.reduce((sum, value, index) => sum + Math.abs(value - (b[index] ?? 0)), 0) / a.length;
}

async function looked(bytes: Uint8Array): Promise<{ facts: PictureFacts; thumb: RenderedPicture }> {
  const inspection = await media.reader.inspect(bytesOf(bytes), { customerId: 1, maxPixels: 210_000_000 });
  if (inspection.outcome === 'refused') throw new Error(inspection.error.code);
  return inspection;
}

async function rendered(bytes: Uint8Array): Promise<Uint8Array> {
  const picture = await media.reader.render(bytesOf(bytes), {
    customerId: 1,
    ...within(200, 'jpeg'),
    rotation: 0,
  });
  if (picture === null) throw new Error('not rendered');
  return picture.bytes;
}

const SAME = 6;
const OTHER = 15;
const eight = [1, 2, 3, 4, 5, 6, 7, 8];

test('the pictures have no symmetry that would hide a mistake', async () => {
  for (const picture of [await upright(240, 160), await upright(160, 240)]) {
    for (const orientation of eight.slice(1)) {
      const file = await lying(picture, orientation, 'png');
      const asStored = await sharp(file).resize(picture.width, picture.height, { fit: 'fill' }).png().toBuffer();
      expect(await difference(asStored, picture)).toBeGreaterThan(OTHER);
    }
  }
});

describe.each([
  ['landscape', 240, 160],
  ['portrait', 160, 240],
])('%s', (_, width, height) => {
  let picture: Raw;
  beforeAll(async () => {
    picture = await upright(width, height);
  });

  test.each(
    (['jpeg', 'png', 'webp', 'tiff'] as const).flatMap((format) => eight.map((each) => [format, each] as const)),
  )('%s of EXIF orientation %i comes out upright', async (format, orientation) => {
    const file = await lying(picture, orientation, format);
    const { facts, thumb } = await looked(file);
    expect(facts).toMatchObject({ width, height, orientation });
    expect(await difference(thumb.bytes, picture)).toBeLessThan(SAME);
    expect(await difference(await rendered(file), picture)).toBeLessThan(SAME);
  });

  test.each(eight)('avif comes out upright whose irot and imir stand for orientation %i', async (orientation) => {
    const file = await lying(picture, orientation, 'avif');
    expect([file.includes('irot'), file.includes('imir')]).toEqual([
      [3, 5, 6, 7, 8].includes(orientation),
      [2, 4, 5, 7].includes(orientation),
    ]);
    const { facts, thumb } = await looked(file);
    expect(facts).toMatchObject({ contentType: 'image/avif', width, height, orientation: 1 });
    expect(await difference(thumb.bytes, picture)).toBeLessThan(SAME);
    expect(await difference(await rendered(file), picture)).toBeLessThan(SAME);
  });
});

describe('heic', () => {
  /** The same file, but for its one transform: a turn by so many quarters against the clock, or a mirror (ISO/IEC 23008-12, 6.5.10 and 6.5.12). */
  async function transformed(box: 'irot' | 'imir', value: number): Promise<Buffer> {
    const file = await readFile(join(folder, 'iphone7-gps.heic'));
    const at = file.indexOf('irot');
    expect(file[at + 4]).toBe(0);
    file.write(box, at, 'latin1');
    file[at + 4] = value;
    return file;
  }

  let plain: Raw;
  beforeAll(async () => {
    const { thumb } = await looked(await transformed('irot', 0));
    const { data, info } = await sharp(thumb.bytes).raw().toBuffer({ resolveWithObject: true });
    plain = { data, width: info.width, height: info.height };
  });

  test.each<['irot' | 'imir', number, (image: Sharp) => Sharp]>([
    ['irot', 1, (image) => image.rotate(270)],
    ['irot', 2, (image) => image.rotate(180)],
    ['irot', 3, (image) => image.rotate(90)],
    ['imir', 0, (image) => image.flip()],
    ['imir', 1, (image) => image.flop()],
  ])('with %s %i is shown so', async (box, value, change) => {
    const source = sharp(plain.data, { raw: { width: plain.width, height: plain.height, channels: 3 } });
    const { data, info } = await change(source).raw().toBuffer({ resolveWithObject: true });
    const expected = { data, width: info.width, height: info.height };
    const { facts, thumb } = await looked(await transformed(box, value));
    const turned = box === 'irot' && value !== 2;
    expect(facts).toMatchObject(turned ? { width: 3024, height: 4032 } : { width: 4032, height: 3024 });
    expect(facts.orientation).toBe(1);
    expect(await difference(thumb.bytes, expected)).toBeLessThan(SAME);
    if (!turned) expect(await difference(thumb.bytes, plain)).toBeGreaterThan(OTHER);
  });
});
