import { rgbaToThumbHash } from 'thumbhash';
import type { PictureFacts } from '../../core/media/media-reader.js';
import { channelOffsets, type SmallPicture } from './small-picture.js';

/** Maximum longest side in pixels that ThumbHash accepts; it stores seven waves of them. */
const LONGEST_SIDE = 100;

/** What can be displayed before the picture has loaded. */
export function blurredPreview(small: SmallPicture): Pick<PictureFacts, 'thumbhash' | 'dominantColor'> {
  return { thumbhash: thumbhash(small), dominantColor: dominantColor(small) };
}

/** For square blocks of pixels, each with its average visible colour. */
function thumbhash({ data, raw: { width, height, channels } }: SmallPicture): string {
  const side = Math.ceil(Math.max(width, height) / LONGEST_SIDE);
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)];
  const rgba = new Uint8Array(columns * rows * 4);
  const { green, blue, alpha } = channelOffsets(channels);
  for (let row = 0, place = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, place += 4) {
      let [reds, greens, blues, seen, pixels] = [0, 0, 0, 0, 0];
      for (let y = row * side; y < Math.min(height, (row + 1) * side); y += 1) {
        for (let x = column * side; x < Math.min(width, (column + 1) * side); x += 1) {
          const at = (y * width + x) * channels;
          const weight = alpha === null ? 255 : (data[at + alpha] ?? 0);
          reds += (data[at] ?? 0) * weight;
          greens += (data[at + green] ?? 0) * weight;
          blues += (data[at + blue] ?? 0) * weight;
          seen += weight;
          pixels += 1;
        }
      }
      if (seen === 0) continue;
      rgba[place] = Math.round(reds / seen);
      rgba[place + 1] = Math.round(greens / seen);
      rgba[place + 2] = Math.round(blues / seen);
      rgba[place + 3] = Math.round(seen / pixels);
    }
  }
  return Buffer.from(rgbaToThumbHash(columns, rows, rgba)).toString('base64');
}

/**
 * The colour that most pixels are close to, `#rrggbb`: red, green and blue are quantized to sixteen steps each, and represented by the
 * middle of the step. Transparent parts count as the white background on which they would be displayed.
 */
function dominantColor({ data, raw: { channels } }: SmallPicture): string {
  const { green, blue, alpha } = channelOffsets(channels);
  const counts = new Uint32Array(0x1000);
  for (let at = 0; at < data.length; at += channels) {
    const seen = alpha === null ? 255 : (data[at + alpha] ?? 0);
    const r = onWhite(data[at] ?? 0, seen);
    const g = onWhite(data[at + green] ?? 0, seen);
    const b = onWhite(data[at + blue] ?? 0, seen);
    const colour = ((r & 0xf0) << 4) | (g & 0xf0) | (b >> 4);
    counts[colour] = (counts[colour] ?? 0) + 1;
  }
  const most = counts.reduce((best, count, colour) => (count > (counts[best] ?? 0) ? colour : best), 0);
  const digits = most.toString(16).padStart(3, '0');
  return `#${[...digits].map((digit) => `${digit}8`).join('')}`;
}

function onWhite(value: number, alpha: number): number {
  return alpha === 255 ? value : Math.floor((value * alpha + 255 * (255 - alpha)) / 255);
}
