// The blurred preview of a photo, until its picture has arrived. Without scripts the photo's colour stands there.

import { thumbHashToRGBA } from './thumbhash.js';

export function drawPlaceholders(tiles: Iterable<HTMLElement>): void {
  for (const tile of tiles) draw(tile);
}

function draw(tile: HTMLElement): void {
  const image = tile.querySelector('img');
  const hash = tile.dataset.thumbhash;
  if (image === null || hash === undefined || (image.complete && image.naturalWidth > 0)) return;
  const canvas = document.createElement('canvas');
  const { w, h, rgba } = thumbHashToRGBA(Uint8Array.from(atob(hash), (sign) => sign.charCodeAt(0)));
  Object.assign(canvas, { width: w, height: h, className: 'tint' });
  canvas.setAttribute('aria-hidden', 'true');
  canvas.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
  image.before(canvas);
  const remove = () => canvas.remove();
  image.addEventListener('load', remove, { once: true });
  image.addEventListener('error', remove, { once: true });
}
