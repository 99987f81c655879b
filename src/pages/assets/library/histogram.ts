// The histogram of a photo, drawn from a picture of it that is here already.
/** Longest side in pixels of what is counted: more would hardly change the curves. */
const SIDE = 200;
const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 24;

/** Fills the place for it, when the picture has arrived and nothing else is to be done. */
export async function showHistogram(root: ParentNode, picture: HTMLImageElement | null): Promise<void> {
  const place = root.querySelector<HTMLElement>('[data-histogram]');
  if (place === null || picture === null) return;
  try {
    await picture.decode();
    await new Promise((resolve) => {
      // Safari has none.
      if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve, { timeout: 1000 });
      else setTimeout(resolve);
    });
    const tones = tonesOf(pixelsOf(picture));
    if (tones !== null) {
      const text = { className: 'soft', textContent: inWords(tones) };
      const summary = Object.assign(document.createElement('span'), text);
      return place.querySelector('dd')?.replaceChildren(curves(tones), summary);
    }
  } catch {
    // No picture, or one of another origin, whose pixels no script may read.
  }
  place.hidden = true;
}

function pixelsOf(picture: HTMLImageElement): Uint8ClampedArray {
  const { naturalWidth, naturalHeight } = picture;
  const scale = Math.min(1, SIDE / Math.max(naturalWidth, naturalHeight));
  const size = { width: Math.ceil(naturalWidth * scale), height: Math.ceil(naturalHeight * scale) };
  const canvas = Object.assign(document.createElement('canvas'), size);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return new Uint8ClampedArray();
  context.drawImage(picture, 0, 0, size.width, size.height);
  return context.getImageData(0, 0, size.width, size.height).data;
}

/** Red, green and blue, each as a curve over the same line. */
function curves(tones: Tones): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const attributes = {
    class: 'histogram',
    viewBox: `0 0 ${STEPS} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': `Histogram. ${inWords(tones)}`,
  };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  for (const heights of heightsOf(tones)) {
    const path = document.createElementNS(SVG, 'path');
    const steps = heights.map((height, at) => `${at} ${(HEIGHT * (1 - height)).toFixed(2)}H${at + 1}`);
    path.setAttribute('d', `M0 ${HEIGHT}L${steps.join('L')}V${HEIGHT}Z`);
    svg.append(path);
  }
  return svg;
}

function inWords({ shadows, midtones, highlights }: Tones): string {
  const percent = new Intl.NumberFormat(undefined, { style: 'percent' });
  const [dark, middle, light] = [shadows, midtones, highlights].map((share) => percent.format(share));
  return `Shadows ${dark}, midtones ${middle}, highlights ${light}`;
}

// How the pixels of a picture are spread from dark to light.

/** Steps from dark to light. */
export const STEPS = 64;
const STEP = 256 / STEPS;

interface Tones {
  /** The number of pixels in each step: of red, green and blue. */
  readonly channels: readonly (readonly number[])[];
  /** Shares of all pixels, 0 to 1: those in the darkest third of the scale, the middle one, and the lightest. */
  readonly shadows: number;
  readonly midtones: number;
  readonly highlights: number;
}

/** Returns the tones of pixels as a canvas has them: red, green, blue and opacity. Null when none can be seen. */
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
