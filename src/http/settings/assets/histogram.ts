// The histogram of a photo, drawn from a picture of it that is here already.

import { heightsOf, STEPS, type Tones, tonesOf } from './tones.js';

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
    await idle();
    const tones = tonesOf(pixelsOf(picture));
    if (tones !== null) return place.querySelector('dd')?.replaceChildren(curves(tones), summary(tones));
  } catch {
    // No picture, or one of another origin, whose pixels no script may read.
  }
  place.hidden = true;
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has none.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 1000 });
    else setTimeout(resolve);
  });
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

function summary(tones: Tones): HTMLElement {
  return Object.assign(document.createElement('span'), { className: 'soft', textContent: inWords(tones) });
}

function inWords({ shadows, midtones, highlights }: Tones): string {
  const percent = new Intl.NumberFormat(undefined, { style: 'percent' });
  const [dark, middle, light] = [shadows, midtones, highlights].map((share) => percent.format(share));
  return `Shadows ${dark}, midtones ${middle}, highlights ${light}`;
}
