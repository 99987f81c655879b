import fc from 'fast-check';
import { rgbaToThumbHash } from 'thumbhash';
import { hashesOf } from '../../src/adapters/media/picture-hashes.js';

type Channels = 1 | 2 | 3 | 4;
interface Pixel {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  /** 0 to 255. */
  readonly alpha: number;
}
interface Picture {
  readonly width: number;
  readonly height: number;
  pixel(x: number, y: number): Pixel;
}

function pictureOf(data: Uint8Array, width: number, channels: Channels): Picture {
  const pixel = (x: number, y: number) => {
    const [first = 0, second = 0, third = 0, fourth = 255] = data
      .subarray((y * width + x) * channels)
      .subarray(0, channels);
    if (channels <= 2) return { r: first, g: first, b: first, alpha: channels === 2 ? second : 255 };
    return { r: first, g: second, b: third, alpha: fourth };
  };
  return { width, height: data.length / width / channels, pixel };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

function pixelsOf({ width, height, pixel }: Picture, left = 0, top = 0, right = width, bottom = height): Pixel[] {
  return range(Math.min(height, bottom) - top).flatMap((y) =>
    range(Math.min(width, right) - left).map((x) => pixel(left + x, top + y)),
  );
}

/** Of blocks with the average of their visible colours. */
function thumbhash(picture: Picture): string {
  const side = Math.ceil(Math.max(picture.width, picture.height) / 100);
  const [columns, rows] = [Math.ceil(picture.width / side), Math.ceil(picture.height / side)];
  const rgba = range(columns * rows).flatMap((block) => {
    const [left, top] = [(block % columns) * side, Math.floor(block / columns) * side];
    const pixels = pixelsOf(picture, left, top, left + side, top + side);
    const seen = sumOf(pixels.map(({ alpha }) => alpha));
    if (seen === 0) return [0, 0, 0, 0];
    const average = (name: 'r' | 'g' | 'b') =>
      Math.round(sumOf(pixels.map((pixel) => pixel[name] * pixel.alpha)) / seen);
    return [average('r'), average('g'), average('b'), Math.round(seen / pixels.length)];
  });
  return Buffer.from(rgbaToThumbHash(columns, rows, Uint8Array.from(rgba))).toString('base64');
}

function dominantColor(picture: Picture): string {
  const steps = pixelsOf(picture).map(({ r, g, b, alpha }) =>
    [r, g, b].map((value) => Math.floor((value * alpha + 255 * (255 - alpha)) / 255) >> 4),
  );
  const counts = new Map<string, number>();
  for (const [r = 0, g = 0, b = 0] of steps) {
    const name = [r, g, b].map((step) => step.toString(16)).join('');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const [[most = ''] = []] = [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return `#${[...most].map((digit) => `${digit}8`).join('')}`;
}

/** The 64 lowest frequencies of 32 × 32 parts, by the definition of the transformation. */
function frequencies({ width, height, pixel }: Picture): number[] {
  const overlap = (place: number, count: number, part: number) => {
    const [from, to] = [(place * 32) / count, ((place + 1) * 32) / count];
    return Math.max(0, Math.min(to, part + 1) - Math.max(from, part));
  };
  const brightness = range(height).map((y) =>
    range(width).map((x) => {
      const { r, g, b, alpha } = pixel(x, y);
      return ((0.299 * r + 0.587 * g + 0.114 * b) * alpha + 255 * (255 - alpha)) / 255;
    }),
  );
  const parts = range(32).map((row) =>
    range(32).map((column) =>
      sumOf(
        brightness.flatMap((line, y) =>
          line.map((value, x) => value * overlap(x, width, column) * overlap(y, height, row)),
        ),
      ),
    ),
  );
  const wave = (x: number, u: number) => Math.cos(((2 * x + 1) * u * Math.PI) / 64);
  return range(64).map((place) =>
    sumOf(
      parts.flatMap((line, y) => line.map((value, x) => value * wave(y, Math.floor(place / 8)) * wave(x, place % 8))),
    ),
  );
}

const sizes = fc.record({ width: fc.integer({ min: 1, max: 110 }), height: fc.integer({ min: 1, max: 8 }) });
const pictures = fc
  .tuple(sizes, fc.constantFrom<Channels>(1, 2, 3, 4), fc.boolean(), fc.boolean())
  .chain(([{ width, height }, channels, isTall, isPlain]) => {
    const [across, down] = isTall ? [height, width] : [width, height];
    const length = across * down * channels;
    const samples = isPlain
      ? fc.array(fc.integer({ min: 0, max: 255 }), { minLength: channels, maxLength: channels })
      : fc.uint8Array({ minLength: length, maxLength: length });
    return samples.map((given) => {
      const data = Buffer.from(range(length).map((at) => given[at % given.length] ?? 0));
      return { data, raw: { width: across, height: down, channels } };
    });
  });

test('the hashes of a picture are those of their definitions, whatever its size, channels and pixels', () => {
  fc.assert(
    fc.property(pictures, (small) => {
      const picture = pictureOf(small.data, small.raw.width, small.raw.channels);
      const hashes = hashesOf(small);
      expect(hashes.thumbhash).toBe(thumbhash(picture));
      expect(hashes.dominantColor).toBe(dominantColor(picture));
      const expected = frequencies(picture);
      const contrast = Math.sqrt(sumOf(expected.slice(1).map((value) => value ** 2)) / 63) / 512;
      // Sums in another order differ by some billionths.
      if (Math.abs(contrast - 1) < 1e-6) return;
      if (contrast < 1) return expect(hashes.phash).toBeNull();
      const [below = 0, above = 0] = expected.toSorted((a, b) => a - b).slice(31, 33);
      const bits = [...BigInt(`0x${hashes.phash}`).toString(2).padStart(64, '0')];
      for (const [place, value] of expected.entries()) {
        if (Math.abs(value - (below + above) / 2) > 1e-6)
          expect(bits[place]).toBe(value > (below + above) / 2 ? '1' : '0');
      }
    }),
    { numRuns: 60 },
  );
});
