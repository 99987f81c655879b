// The files that have arrived, as small pictures, drawn one after another from the files themselves.

import type { Entry } from './import-entry.js';

/** More than a screen of them; of an import of thousands the last ones are seen. */
const MOST = 120;
/** In pixels of the device: twice the size of a tile. */
const SIZE = 192;

export class ImportPreviews {
  private readonly list: HTMLElement;
  private drawing: Promise<void> = Promise.resolve();
  private readonly tiles = new Map<Entry, HTMLElement>();

  constructor(list: HTMLElement) {
    this.list = list;
  }

  add(entry: Entry): void {
    if (this.tiles.has(entry)) return;
    const tile = document.createElement('li');
    this.tiles.set(entry, tile);
    tile.title = entry.path;
    tile.append(Object.assign(document.createElement('span'), { textContent: nameOf(entry.path) }));
    this.list.append(tile);
    this.list.hidden = false;
    if (this.list.children.length > MOST) this.list.firstElementChild?.remove();
    // One at a time: a photo that is decoded takes 100 MB.
    this.drawing = this.drawing.then(() => draw(entry.file, tile));
  }

  /** It turned out not to be a photo. */
  remove(entry: Entry): void {
    this.tiles.get(entry)?.remove();
    this.list.hidden = this.list.children.length === 0;
  }

  clear(): void {
    this.tiles.clear();
    this.list.replaceChildren();
    this.list.hidden = true;
  }
}

/** Formats that this browser does not know keep their name. */
async function draw(file: File, tile: HTMLElement): Promise<void> {
  if (!tile.isConnected) return;
  const whole = await createImageBitmap(file).catch(() => null);
  if (whole === null) return;
  const side = Math.min(whole.width, whole.height);
  const [left, top] = [(whole.width - side) / 2, (whole.height - side) / 2];
  const canvas = Object.assign(document.createElement('canvas'), { width: SIZE, height: SIZE });
  canvas.getContext('2d')?.drawImage(whole, left, top, side, side, 0, 0, SIZE, SIZE);
  whole.close();
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', tile.title);
  tile.replaceChildren(canvas);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
