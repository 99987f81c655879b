import { rgbaToThumbHash } from 'thumbhash';
import type { PictureFacts } from '../../core/media/media-reader.js';
import { channelOffsets, type SmallPicture } from './small-picture.js';

/** What can be displayed before the picture has loaded, and what copies of it are found by. */
type Hashes = Pick<PictureFacts, 'thumbhash' | 'dominantColor' | 'phash'>;

/**
 * The facts that summarize the pixels of a picture, in one pass over them: it runs for every photo, in a loop without calls. Transparent parts
 * count as the white background on which they would be displayed; for the ThumbHash, which has transparency itself, colours count as far as they
 * are visible.
 */
export function hashesOf({ data, raw: { width, height, channels } }: SmallPicture): Hashes {
  const { green, blue, alpha } = channelOffsets(channels);
  const side = Math.ceil(Math.max(width, height) / LONGEST_SIDE);
  const columns = Math.ceil(width / side);
  const blocks = new Float64Array(columns * Math.ceil(height / side) * 4);
  const colours = new Uint32Array(COLOURS);
  const [across, down] = [shares(width), shares(height)];
  const brightness = new Float64Array(SIDE * SIDE);
  const line = new Float64Array(SIDE);
  for (let y = 0, at = 0; y < height; y += 1) {
    line.fill(0);
    let block = Math.floor(y / side) * columns * 4;
    for (let start = 0; start < width; start += side, block += 4) {
      const end = Math.min(width, start + side);
      let [reds, greens, blues, seen] = [0, 0, 0, 0];
      for (let x = start; x < end; x += 1, at += channels) {
        const [r, g, b] = [data[at] ?? 0, data[at + green] ?? 0, data[at + blue] ?? 0];
        const weight = alpha === null ? OPAQUE : (data[at + alpha] ?? 0);
        reds += r * weight;
        greens += g * weight;
        blues += b * weight;
        seen += weight;
        const colour =
          weight === OPAQUE
            ? ((r & 0xf0) << 4) | (g & 0xf0) | (b >> 4)
            : ((onWhite(r, weight) & 0xf0) << 4) | (onWhite(g, weight) & 0xf0) | (onWhite(b, weight) >> 4);
        colours[colour] = (colours[colour] ?? 0) + 1;
        // Rec. 601.
        const value = 0.299 * r + 0.587 * g + 0.114 * b;
        const shown = weight === OPAQUE ? value : value * (weight / OPAQUE) + OPAQUE * (1 - weight / OPAQUE);
        for (let place = across.begins[x] ?? 0; place < (across.begins[x + 1] ?? 0); place += 1) {
          const part = across.parts[place] ?? 0;
          line[part] = (line[part] ?? 0) + shown * (across.sizes[place] ?? 0);
        }
      }
      blocks[block] = (blocks[block] ?? 0) + reds;
      blocks[block + 1] = (blocks[block + 1] ?? 0) + greens;
      blocks[block + 2] = (blocks[block + 2] ?? 0) + blues;
      blocks[block + 3] = (blocks[block + 3] ?? 0) + seen;
    }
    for (let place = down.begins[y] ?? 0; place < (down.begins[y + 1] ?? 0); place += 1) {
      const [row, share] = [(down.parts[place] ?? 0) * SIDE, down.sizes[place] ?? 0];
      for (let column = 0; column < SIDE; column += 1) {
        brightness[row + column] = (brightness[row + column] ?? 0) + (line[column] ?? 0) * share;
      }
    }
  }
  return {
    thumbhash: thumbhash(blocks, { width, height, side }),
    dominantColor: dominantColor(colours),
    phash: perceptualHash(brightness),
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
    for (const channel of [0, 1, 2]) rgba[at + channel] = Math.round((blocks[at + channel] ?? 0) / seen);
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
  const low = lowFrequencies(brightness);
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
  const rows = new Float64Array(SIDE);
  for (let v = 0; v < LOW; v += 1) {
    for (let y = 0; y < SIDE; y += 1) rows[y] = along(pixels, y * SIDE, v);
    for (let u = 0; u < LOW; u += 1) low[u * LOW + v] = along(rows, 0, u);
  }
  return low;
}

/** The strength of a wave in a line of values. */
function along(values: Float64Array, start: number, frequency: number): number {
  let sum = 0;
  for (let x = 0; x < SIDE; x += 1) sum += (WAVES[frequency * SIDE + x] ?? 0) * (values[start + x] ?? 0);
  return sum;
}

/**
 * Each of the 32 × 32 pixels that are transformed has the mean brightness of its part of the picture; a pixel on a border counts for both sides
 * by its share. To which of 32 parts each pixel of a line belongs, and how much of the part it is: from `begins` of the pixel to that of the next.
 */
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
