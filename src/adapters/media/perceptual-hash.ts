import type { SmallPicture } from './small-picture.js';

/** Pixels of a side of the picture that is transformed, and of the block of low frequencies that are compared. */
const SIDE = 32;
const LOW = 8;
/** Root mean square of the low frequencies, in levels of brightness, below which a picture has nothing to compare: it is plain. */
const MIN_CONTRAST = 1;

/** `cos((2x + 1) · u · π / 2N)`: the waves of a discrete cosine transform (DCT-II), by frequency. */
const WAVES = Array.from({ length: LOW }, (_, u) =>
  Float64Array.from({ length: SIDE }, (_, x) => Math.cos(((2 * x + 1) * u * Math.PI) / (2 * SIDE))),
);

/**
 * The perceptual hash of a picture, 16 hex digits: for each of its 64 lowest frequencies whether it is stronger than their median (pHash, by
 * DCT of 32 × 32 pixels of brightness). Pictures that look alike differ in few bits. Null for a plain picture, which would be like all others.
 */
export function perceptualHash(small: SmallPicture): string | null {
  const low = lowFrequencies(brightness(small));
  const others = low.slice(1).reduce((sum, value) => sum + value ** 2, 0) / (low.length - 1);
  if (Math.sqrt(others) / (SIDE * SIDE * 0.5) < MIN_CONTRAST) return null;
  const sorted = low.toSorted();
  const median = ((sorted[low.length / 2 - 1] ?? 0) + (sorted[low.length / 2] ?? 0)) / 2;
  const bits = Array.from(low, (value) => (value > median ? '1' : '0')).join('');
  return BigInt(`0b${bits}`).toString(16).padStart(16, '0');
}

/** Row by row, from the constant part on. */
function lowFrequencies(pixels: Float64Array): Float64Array {
  const low = new Float64Array(LOW * LOW);
  for (const [v, across] of WAVES.entries()) {
    const rows = Float64Array.from({ length: SIDE }, (_, y) =>
      across.reduce((sum, wave, x) => sum + wave * (pixels[y * SIDE + x] ?? 0), 0),
    );
    for (const [u, down] of WAVES.entries()) {
      low[u * LOW + v] = down.reduce((sum, wave, y) => sum + wave * (rows[y] ?? 0), 0);
    }
  }
  return low;
}

/** The mean brightness (Rec. 601) of each of 32 × 32 parts of the picture, on white; a pixel on a border counts for both sides by its share. */
function brightness({ data, raw: { width, height, channels } }: SmallPicture): Float64Array {
  const [columns, rows] = [shares(width), shares(height)];
  const sums = new Float64Array(SIDE * SIDE);
  const isGrey = channels <= 2;
  const hasAlpha = channels === 2 || channels === 4;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += channels) {
      const [red = 0, green = 0, blue = 0] = isGrey
        ? [data[at], data[at], data[at]]
        : [data[at], data[at + 1], data[at + 2]];
      const seen = hasAlpha ? (data[at + channels - 1] ?? 0) / 255 : 1;
      const value = (0.299 * red + 0.587 * green + 0.114 * blue) * seen + 255 * (1 - seen);
      for (const [row, down] of rows[y] ?? []) {
        for (const [column, across] of columns[x] ?? []) {
          const place = row * SIDE + column;
          sums[place] = (sums[place] ?? 0) + value * down * across;
        }
      }
    }
  }
  return sums;
}

/** To which of 32 parts each pixel of a line belongs, and how much of the part it is. */
function shares(length: number): readonly (readonly (readonly [part: number, share: number])[])[] {
  const scale = SIDE / length;
  return Array.from({ length }, (_, pixel) => {
    const [from, to] = [pixel * scale, (pixel + 1) * scale];
    const [first, last] = [Math.floor(from), Math.min(SIDE, Math.ceil(to))];
    return Array.from({ length: last - first }, (_, at) => {
      const part = first + at;
      return [part, Math.min(to, part + 1) - Math.max(from, part)] as const;
    });
  });
}
