// The grid: pages of photos are added at its end, and only tiles near the window have content.

import { fetchPage, publicPath } from '../public-path.js';
import { thumbHashToRGBA } from '../thumbhash.js';

/** Tiles are filled and emptied in groups: watching each of ten thousand would cost more than it saves. */
const GROUP = 20;
/** The distance from the window at which tiles are filled. */
const NEAR = '2500px';
/** Ids in one request for tiles; the server takes no more. */
const MOST_IDS = 60;

export class PhotoGrid {
  onFilled: (tiles: readonly HTMLLIElement[]) => void = () => undefined;
  private readonly groups = new Map<Element, HTMLLIElement[]>();
  private readonly near = new Set<Element>();
  private readonly watcher: IntersectionObserver;
  private isFilling = false;

  constructor(private readonly root: HTMLElement) {
    this.watcher = new IntersectionObserver((entries) => this.move(entries), { rootMargin: `${NEAR} 0px` });
    this.watch(this.tiles());
    drawPlaceholders(this.tiles());
  }

  tiles(): HTMLLIElement[] {
    return [...this.root.querySelectorAll<HTMLLIElement>('.grid > li')].filter((tile) => !tile.hidden);
  }

  tile(id: string): HTMLLIElement | null {
    return this.root.querySelector(`#photo-${id}`);
  }

  /** Adds the photos of the next page. Returns those that are new. */
  append(page: ParentNode): readonly HTMLLIElement[] {
    return this.add(sectionsIn(page));
  }

  /** Adds what was loaded before this page was left, without content. */
  restore(sections: readonly StoredSection[]): void {
    const bare = ([id, shape]: StoredSection['tiles'][number]) => {
      return Object.assign(document.createElement('li'), { id: `photo-${id}`, className: shape });
    };
    this.add(sections.map(({ tiles, ...section }) => ({ ...section, tiles: tiles.map(bare) })));
  }

  stored(): readonly StoredSection[] {
    return sectionsIn(this.root).map(({ tiles, ...section }) => {
      const shown = tiles.filter(({ hidden }) => !hidden);
      return { ...section, tiles: shown.map((tile) => [idOf(tile.id), shapeOf(tile)] as const) };
    });
  }

  /** The first photo that is in the window. */
  top(): StoredPlace['top'] {
    for (const tile of this.tiles()) {
      const { top, bottom } = tile.getBoundingClientRect();
      if (bottom > 0) return { id: idOf(tile.id), offset: top };
    }
    return null;
  }

  scrollTo({ id, offset }: NonNullable<StoredPlace['top']>): void {
    const tile = this.tile(id);
    if (tile !== null) scrollBy({ top: tile.getBoundingClientRect().top - offset, behavior: 'instant' });
  }

  /** The tile itself, with its content; null when the photo is no longer in the list. */
  async filled(tile: HTMLLIElement): Promise<HTMLLIElement | null> {
    if (tile.firstChild === null) await this.fetchTiles([tile]).catch(() => undefined);
    return tile.firstChild === null ? null : tile;
  }

  setHidden(ids: Iterable<string>, isHidden: boolean): void {
    for (const id of ids) {
      const tile = this.tile(id);
      if (tile !== null) tile.hidden = isHidden;
    }
    for (const section of this.root.querySelectorAll<HTMLElement>('section')) {
      section.hidden = section.querySelector('.grid > li:not([hidden])') === null;
    }
    // What is hidden is never near the window, and would take its group along.
    this.watcher.disconnect();
    this.groups.clear();
    this.near.clear();
    this.watch(this.tiles());
  }

  /** Their content is fetched anew: what they show has changed. */
  refresh(ids: Iterable<string>): void {
    for (const id of ids) empty(this.tile(id));
    void this.fill();
  }

  close(): void {
    this.watcher.disconnect();
  }

  /** The list of the last section, if that is of this month; otherwise of a new one. */
  private section(month: string, title: string | null): Element {
    const last = this.root.lastElementChild;
    const list = last?.querySelector('.grid');
    if (list && last instanceof HTMLElement && last.dataset.month === month) return list;
    const section = document.createElement('section');
    section.dataset.month = month;
    const grid = Object.assign(document.createElement('ul'), { className: 'grid' });
    if (title !== null) {
      section.setAttribute('aria-label', title);
      section.append(Object.assign(document.createElement('h2'), { textContent: title }));
    }
    section.append(grid);
    this.root.append(section);
    return grid;
  }

  /** Adds tiles that are not in the grid yet, and returns them. */
  private add(sections: readonly Section[]): readonly HTMLLIElement[] {
    const added = sections.flatMap(({ month, title, tiles }) => {
      const fresh = tiles.filter(({ id }) => this.tile(idOf(id)) === null);
      if (fresh.length > 0) this.section(month, title).append(...fresh);
      return fresh;
    });
    this.watch(added);
    drawPlaceholders(added);
    this.onFilled(added);
    return added;
  }

  private watch(tiles: readonly HTMLLIElement[]): void {
    for (let at = 0; at < tiles.length; at += GROUP) {
      const [first, ...others] = tiles.slice(at, at + GROUP);
      if (first === undefined) continue;
      this.groups.set(first, [first, ...others]);
      this.watcher.observe(first);
    }
  }

  private move(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.near.add(target);
      else {
        this.near.delete(target);
        for (const tile of this.groups.get(target) ?? []) empty(tile);
      }
    }
    void this.fill();
  }

  private async fill(): Promise<void> {
    if (this.isFilling) return;
    this.isFilling = true;
    try {
      for (let bare = this.bare(); bare.length > 0; bare = this.bare()) await this.fetchTiles(bare);
    } catch {
      // Not reachable: also the next movement tries again.
      setTimeout(() => void this.fill(), 5000);
    } finally {
      this.isFilling = false;
    }
  }

  private bare(): readonly HTMLLIElement[] {
    const tiles = [...this.near].flatMap((first) => this.groups.get(first) ?? []);
    return tiles.filter((tile) => tile.isConnected && tile.firstChild === null).slice(0, MOST_IDS);
  }

  private async fetchTiles(bare: readonly HTMLLIElement[]): Promise<void> {
    const query = new URLSearchParams(location.search);
    query.delete('cursor');
    query.set('ids', bare.map(({ id }) => idOf(id)).join());
    const page = await fetchPage(publicPath(`/settings/library/tiles?${query}`));
    const fresh = new Map([...page.querySelectorAll<HTMLLIElement>('li')].map((tile) => [tile.id, tile]));
    const filled: HTMLLIElement[] = [];
    for (const tile of bare) {
      const content = fresh.get(tile.id);
      if (content === undefined) continue;
      tile.classList.replace(shapeOf(tile), shapeOf(content));
      if (content.dataset.thumbhash !== undefined) tile.dataset.thumbhash = content.dataset.thumbhash;
      tile.replaceChildren(...content.childNodes);
      filled.push(tile);
    }
    drawPlaceholders(filled);
    this.onFilled(filled);
    // They are no longer in the list.
    const gone = bare.filter((tile) => !fresh.has(tile.id)).map(({ id }) => idOf(id));
    if (gone.length > 0) this.setHidden(gone, true);
  }
}

type Section = Omit<StoredSection, 'tiles'> & { readonly tiles: readonly HTMLLIElement[] };

function sectionsIn(root: ParentNode): readonly Section[] {
  return [...root.querySelectorAll<HTMLElement>('section[data-month]')].map((section) => ({
    month: section.dataset.month ?? '',
    title: section.querySelector('h2')?.textContent ?? null,
    tiles: [...section.querySelectorAll<HTMLLIElement>('.grid > li')],
  }));
}

export function idOf(elementId: string): string {
  return elementId.replace('photo-', '');
}

/** Its size stays: that follows from its class. */
function empty(tile: HTMLLIElement | null): void {
  if (!tile?.contains(document.activeElement)) tile?.replaceChildren();
}

function shapeOf(tile: HTMLLIElement): string {
  return [...tile.classList].find((name) => name.startsWith('shape-')) ?? '';
}

// The blurred preview of a photo, until its picture has arrived. Without scripts the photo's colour stands there.
function drawPlaceholders(tiles: Iterable<HTMLElement>): void {
  for (const tile of tiles) {
    const image = tile.querySelector('img');
    const hash = tile.dataset.thumbhash;
    if (image === null || hash === undefined || (image.complete && image.naturalWidth > 0)) continue;
    const canvas = document.createElement('canvas');
    const { w, h, rgba } = thumbHashToRGBA(Uint8Array.from(atob(hash), (sign) => sign.charCodeAt(0)));
    Object.assign(canvas, { width: w, height: h, className: 'tint' });
    canvas.setAttribute('aria-hidden', 'true');
    canvas.getContext('2d')?.putImageData(new ImageData(new Uint8ClampedArray(rgba), w, h), 0, 0);
    image.before(canvas);
    for (const end of ['load', 'error']) image.addEventListener(end, () => canvas.remove(), { once: true });
  }
}

// What a tab remembers of a list of photos: how far it was loaded, where its reader was, and what is selected.

/** Photos that were loaded, by id with the class of their shape, under their months. */
interface StoredSection {
  readonly month: string;
  readonly title: string | null;
  readonly tiles: readonly (readonly [id: string, shape: string])[];
}

export interface StoredPlace {
  readonly sections: readonly StoredSection[];
  /** The address of the next page; null when all are loaded. */
  readonly older: string | null;
  /** The photo at the top of the window, and how far below the edge it was. */
  readonly top: { readonly id: string; readonly offset: number } | null;
}

/** The same for all pages of a list. */
export function listKey({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const query = new URLSearchParams(search);
  query.delete('size');
  query.delete('panel');
  return `${pathname}?${query}`;
}

/** Null when there is none, or when the browser stores nothing. */
export function readStored<Value>(kind: string, key: string): Value | null {
  try {
    const text = sessionStorage.getItem(`${kind} ${key}`);
    return text === null ? null : (JSON.parse(text) as Value);
  } catch {
    return null;
  }
}

export function store(kind: string, key: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(`${kind} ${key}`);
    else sessionStorage.setItem(`${kind} ${key}`, JSON.stringify(value));
  } catch {
    // Full, or refused: the page works, and begins at its top.
  }
}
