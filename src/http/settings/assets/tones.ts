// How the pixels of a picture are spread from dark to light.

/** Steps from dark to light. */
export const STEPS = 64;
const STEP = 256 / STEPS;

export interface Tones {
  /** The number of pixels in each step: of red, green and blue. */
  readonly channels: readonly (readonly number[])[];
  /** Shares of all pixels, 0 to 1: those in the darkest third of the scale, the middle one, and the lightest. */
  readonly shadows: number;
  readonly midtones: number;
  readonly highlights: number;
}

/** Of pixels as a canvas has them: red, green, blue and opacity. Null when none can be seen. */
export function tonesOf(pixels: ArrayLike<number>): Tones | null {
  const channels = [0, 1, 2].map(() => new Array<number>(STEPS).fill(0));
  const thirds = [0, 0, 0];
  for (let at = 0; at < pixels.length; at += 4) {
    if (pixels[at + 3] === 0) continue;
    for (const [channel, counts] of channels.entries()) count(counts, Math.floor((pixels[at + channel] ?? 0) / STEP));
    // As ITU-R BT.709 weighs them.
    const luma = 0.2126 * (pixels[at] ?? 0) + 0.7152 * (pixels[at + 1] ?? 0) + 0.0722 * (pixels[at + 2] ?? 0);
    count(thirds, Math.min(2, Math.floor(luma / (256 / 3))));
  }
  const all = thirds.reduce((sum, each) => sum + each, 0);
  if (all === 0) return null;
  const [shadows = 0, midtones = 0, highlights = 0] = thirds.map((each) => each / all);
  return { channels, shadows, midtones, highlights };
}

/**
 * The height of each step, 0 to 1. Black and white often have so many pixels that nothing else could be seen: they do not set the scale unless
 * there is nothing else.
 */
export function heightsOf({ channels }: Tones): readonly (readonly number[])[] {
  const between = Math.max(...channels.flatMap((counts) => counts.slice(1, -1)));
  const top = between > 0 ? between : Math.max(...channels.flat());
  return channels.map((counts) => counts.map((pixels) => Math.min(1, pixels / top)));
}

function count(counts: number[], at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}
