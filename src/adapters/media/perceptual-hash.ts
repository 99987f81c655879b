import { channelOffsets, type SmallPicture } from './small-picture.js';

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
  const line = new Float64Array(SIDE);
  const { green, blue, alpha } = channelOffsets(channels);
  for (let y = 0, at = 0; y < height; y += 1) {
    line.fill(0);
    for (let x = 0; x < width; x += 1, at += channels) {
      const seen = alpha === null ? 1 : (data[at + alpha] ?? 0) / 255;
      const value = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + green] ?? 0) + 0.114 * (data[at + blue] ?? 0);
      share(columns, x, value * seen + 255 * (1 - seen), line);
    }
    for (let place = rows.begins[y] ?? 0; place < (rows.begins[y + 1] ?? 0); place += 1) {
      const [row, down] = [(rows.parts[place] ?? 0) * SIDE, rows.sizes[place] ?? 0];
      for (let column = 0; column < SIDE; column += 1) {
        sums[row + column] = (sums[row + column] ?? 0) + (line[column] ?? 0) * down;
      }
    }
  }
  return sums;
}

/** To which of 32 parts each pixel of a line belongs, and how much of the part it is: from `begins` of the pixel to that of the next. */
interface Shares {
  readonly begins: Int32Array;
  readonly parts: Uint8Array;
  readonly sizes: Float64Array;
}

function shares(length: number): Shares {
  const scale = SIDE / length;
  const [begins, parts, sizes]: [number[], number[], number[]] = [[], [], []];
  for (let pixel = 0; pixel < length; pixel += 1) {
    begins.push(parts.length);
    const [from, to] = [pixel * scale, (pixel + 1) * scale];
    for (let part = Math.floor(from); part < Math.min(SIDE, Math.ceil(to)); part += 1) {
      parts.push(part);
      sizes.push(Math.min(to, part + 1) - Math.max(from, part));
    }
  }
  begins.push(parts.length);
  return { begins: Int32Array.from(begins), parts: Uint8Array.from(parts), sizes: Float64Array.from(sizes) };
}

function share({ begins, parts, sizes }: Shares, pixel: number, value: number, line: Float64Array): void {
  for (let place = begins[pixel] ?? 0; place < (begins[pixel + 1] ?? 0); place += 1) {
    const part = parts[place] ?? 0;
    line[part] = (line[part] ?? 0) + value * (sizes[place] ?? 0);
  }
}
