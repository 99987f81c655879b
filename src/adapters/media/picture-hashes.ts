import { rgbaToThumbHash } from 'thumbhash';
import type { PictureFacts } from '../../core/media/media-reader.js';
import { channelOffsets, type ScaledPicture } from './scaled-picture.js';

/**
 * The facts that can be displayed before the picture has loaded, and by which its copies are found, in one pass over its pixels: it runs for
 * every photo. Transparent parts count as the white background on which they would be displayed; for the ThumbHash, which has transparency
 * itself, colours count as far as they are visible.
 */
export function hashesOf({
  data,
  raw: { width, height, channels },
}: ScaledPicture): Pick<PictureFacts, 'thumbhash' | 'dominantColor' | 'phash'> {
  const { green, blue, alpha } = channelOffsets(channels);
  const side = Math.ceil(Math.max(width, height) / LONGEST_SIDE);
  const columns = Math.ceil(width / side);
  const blocks = new Float64Array(columns * Math.ceil(height / side) * 4);
  const colours = new Uint32Array(COLOURS);
  const across = partsOf(width);
  const row = new Float64Array(width);
  const rows = new Float64Array(height * SIDE);
  for (let y = 0, at = 0; y < height; y += 1) {
    let block = Math.floor(y / side) * columns * 4;
    for (let start = 0; start < width; start += side, block += 4) {
      const end = Math.min(width, start + side);
      let [reds, greens, blues, seen] = [0, 0, 0, 0];
      for (let x = start; x < end; x += 1, at += channels) {
        const r = data[at] ?? 0;
        const g = data[at + green] ?? 0;
        const b = data[at + blue] ?? 0;
        const weight = alpha === null ? OPAQUE : (data[at + alpha] ?? 0);
        reds += r * weight;
        greens += g * weight;
        blues += b * weight;
        seen += weight;
        // Rec. 601.
        const value = 0.299 * r + 0.587 * g + 0.114 * b;
        const isOpaque = weight === OPAQUE;
        const colour = isOpaque
          ? ((r & 0xf0) << 4) | (g & 0xf0) | (b >> 4)
          : ((onWhite(r, weight) & 0xf0) << 4) | (onWhite(g, weight) & 0xf0) | (onWhite(b, weight) >> 4);
        colours[colour] = (colours[colour] ?? 0) + 1;
        row[x] = isOpaque ? value : value * (weight / OPAQUE) + OPAQUE * (1 - weight / OPAQUE);
      }
      blocks[block] = (blocks[block] ?? 0) + reds;
      blocks[block + 1] = (blocks[block + 1] ?? 0) + greens;
      blocks[block + 2] = (blocks[block + 2] ?? 0) + blues;
      blocks[block + 3] = (blocks[block + 3] ?? 0) + seen;
    }
    for (let part = 0; part < SIDE; part += 1) rows[y * SIDE + part] = partial(row, across, part);
  }
  return {
    thumbhash: thumbhash(blocks, { width, height, side }),
    dominantColor: dominantColor(colours),
    phash: perceptualHash(brightness(rows, height)),
  };
}

const OPAQUE = 255;

/** Maximum longest side in pixels that ThumbHash accepts; it stores seven waves of them. */
const LONGEST_SIDE = 100;

/** The ThumbHash, in base64, of square blocks of pixels, each with its average visible colour. */
function thumbhash(blocks: Float64Array, size: { width: number; height: number; side: number }): string {
  const { width, height, side } = size;
  const columns = Math.ceil(width / side);
  const rgba = new Uint8Array(blocks.length);
  for (let at = 0, block = 0; at < blocks.length; at += 4, block += 1) {
    const seen = blocks[at + 3] ?? 0;
    if (seen === 0) continue;
    const [left, top] = [(block % columns) * side, Math.floor(block / columns) * side];
    const pixels = Math.min(side, width - left) * Math.min(side, height - top);
    rgba[at] = Math.round((blocks[at] ?? 0) / seen);
    rgba[at + 1] = Math.round((blocks[at + 1] ?? 0) / seen);
    rgba[at + 2] = Math.round((blocks[at + 2] ?? 0) / seen);
    rgba[at + 3] = Math.round(seen / pixels);
  }
  return Buffer.from(rgbaToThumbHash(columns, blocks.length / 4 / columns, rgba)).toString('base64');
}

/** Red, green and blue in sixteen steps each. */
const COLOURS = 0x1000;

/** The colour that most pixels are close to, `#rrggbb`: of those that are counted by their steps, the first, represented by its middle. */
function dominantColor(counts: Uint32Array): string {
  let most = 0;
  for (let colour = 1; colour < COLOURS; colour += 1) {
    if ((counts[colour] ?? 0) > (counts[most] ?? 0)) most = colour;
  }
  const digits = most.toString(16).padStart(3, '0');
  return `#${[...digits].map((digit) => `${digit}8`).join('')}`;
}

function onWhite(value: number, alpha: number): number {
  return Math.floor((value * alpha + OPAQUE * (OPAQUE - alpha)) / OPAQUE);
}

/** Pixels of a side of the picture that is transformed, and of the block of low frequencies that are compared. */
const SIDE = 32;
const LOW = 8;
/** Root mean square of the low frequencies, in levels of brightness, below which a picture has nothing to compare: it is plain. */
const MIN_CONTRAST = 1;

/** `cos((2x + 1) · u · π / 2N)`: the waves of a discrete cosine transform (DCT-II), one frequency after the other. */
const WAVES = Float64Array.from({ length: LOW * SIDE }, (_, place) => {
  const [u, x] = [Math.floor(place / SIDE), place % SIDE];
  return Math.cos(((2 * x + 1) * u * Math.PI) / (2 * SIDE));
});

/**
 * The perceptual hash of a picture, 16 hex digits: for each of its 64 lowest frequencies whether it is stronger than their median (pHash, by
 * DCT of 32 × 32 pixels of brightness). Pictures that look alike differ in few bits. Null for a plain picture, which would be like all others.
 */
function perceptualHash(brightness: Float64Array): string | null {
  // Row by row, from the constant part on.
  const low = new Float64Array(LOW * LOW);
  const rows = new Float64Array(SIDE);
  for (let v = 0; v < LOW; v += 1) {
    for (let y = 0; y < SIDE; y += 1) rows[y] = along(brightness, y * SIDE, v);
    for (let u = 0; u < LOW; u += 1) low[u * LOW + v] = along(rows, 0, u);
  }
  const others = low.slice(1).reduce((sum, value) => sum + value ** 2, 0) / (low.length - 1);
  if (Math.sqrt(others) / (SIDE * SIDE * 0.5) < MIN_CONTRAST) return null;
  const sorted = low.toSorted();
  const median = ((sorted[low.length / 2 - 1] ?? 0) + (sorted[low.length / 2] ?? 0)) / 2;
  const bits = Array.from(low, (value) => (value > median ? '1' : '0')).join('');
  return BigInt(`0b${bits}`).toString(16).padStart(16, '0');
}

/** The strength of a wave in a line of values. */
function along(values: Float64Array, start: number, frequency: number): number {
  let sum = 0;
  for (let x = 0; x < SIDE; x += 1) sum += (WAVES[frequency * SIDE + x] ?? 0) * (values[start + x] ?? 0);
  return sum;
}

/** The mean brightness of each of 32 × 32 parts of the picture, of which each row is already divided. */
function brightness(rows: Float64Array, height: number): Float64Array {
  const down = partsOf(height);
  const pixels = new Float64Array(SIDE * SIDE);
  const column = new Float64Array(height);
  for (let x = 0; x < SIDE; x += 1) {
    for (let y = 0; y < height; y += 1) column[y] = rows[y * SIDE + x] ?? 0;
    for (let part = 0; part < SIDE; part += 1) pixels[part * SIDE + x] = partial(column, down, part);
  }
  return pixels;
}

/**
 * The 32 parts of a line of pixels. Each begins with the pixel `firsts`, and has those from there on whose shares of it are in `shares`, from
 * `begins` to where the next part's begin; a pixel on a border counts for both sides by its share.
 */
type Parts = ReturnType<typeof partsOf>;

function partsOf(length: number) {
  const scale = SIDE / length;
  const [firsts, begins, shares] = [
    new Int32Array(SIDE),
    new Int32Array(SIDE + 1),
    new Float64Array(length + 2 * SIDE),
  ];
  let [first, count] = [0, 0];
  for (let part = 0; part < SIDE; part += 1) {
    while (Math.ceil((first + 1) * scale) <= part) first += 1;
    firsts[part] = first;
    begins[part] = count;
    for (let pixel = first; pixel < length && Math.floor(pixel * scale) <= part; pixel += 1, count += 1) {
      shares[count] = Math.min((pixel + 1) * scale, part + 1) - Math.max(pixel * scale, part);
    }
  }
  begins[SIDE] = count;
  return { firsts, begins, shares };
}

function partial(line: Float64Array, { firsts, begins, shares }: Parts, part: number): number {
  let [sum, pixel] = [0, firsts[part] ?? 0];
  const end = begins[part + 1] ?? 0;
  for (let place = begins[part] ?? 0; place < end; place += 1, pixel += 1) {
    sum += (line[pixel] ?? 0) * (shares[place] ?? 0);
  }
  return sum;
}
