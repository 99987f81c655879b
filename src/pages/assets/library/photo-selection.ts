// Which photos are selected. Those whose tiles are far away have no checkbox, so the checkboxes follow this list, not the other way round.

import { publicPath } from '../public-path.js';
import { idOf } from './photo-grid.js';

const LONG_PRESS_MS = 450;
/** A touch that moves farther than this scrolls. */
const STILL_PX = 10;

export class PhotoSelection {
  /** Called after every change. */
  onChange: () => void = () => undefined;
  private readonly ids = new Set<string>();
  /** Number of photos that match, while all of them are selected, loaded or not. */
  private total: number | null = null;
  /** Where a range begins. */
  private last: string | null = null;

  constructor(
    private readonly form: HTMLElement,
    private readonly tiles: () => readonly HTMLLIElement[],
  ) {
    form.addEventListener('click', (event) => this.click(event));
    selectByLongPress(form, (tile) => this.toggle(tile));
  }

  /** Whether a click selects instead of opening the photo. */
  get isSelecting(): boolean {
    return this.form.classList.contains('selecting');
  }

  get all(): readonly string[] {
    return [...this.ids];
  }

  get isAll(): boolean {
    return this.total !== null;
  }

  get count(): number {
    return this.total ?? this.ids.size;
  }

  /** All that match are selected, however many of their ids are known. */
  markAll(total: number): void {
    this.total = total;
    this.changed();
  }

  toggle(tile: HTMLLIElement): void {
    this.set([tile], !this.ids.has(idOf(tile.id)));
    this.last = tile.id;
  }

  /** All between the last choice and this photo, as the last one is. */
  extendTo(tile: HTMLLIElement): void {
    const tiles = this.tiles();
    const from = tiles.findIndex(({ id }) => id === this.last);
    if (from < 0) {
      this.toggle(tile);
      return;
    }
    const to = tiles.indexOf(tile);
    this.set(tiles.slice(Math.min(from, to), Math.max(from, to) + 1), this.ids.has(idOf(this.last ?? '')));
    this.last = tile.id;
  }

  add(ids: readonly string[]): void {
    for (const id of ids) this.ids.add(id);
    this.mark(this.tiles());
    this.changed();
  }

  selectAll(): void {
    this.set(this.tiles(), true);
  }

  clear(): void {
    this.ids.clear();
    this.total = null;
    this.last = null;
    this.mark(this.tiles());
    this.form.classList.remove('selecting');
    this.changed();
  }

  /** Photos that are gone cannot be selected. */
  drop(ids: Iterable<string>): void {
    this.total = null;
    for (const id of ids) this.ids.delete(id);
    this.changed();
  }

  /** From now on a click selects, although nothing is selected yet. */
  begin(): void {
    this.form.classList.add('selecting');
  }

  mark(tiles: readonly HTMLLIElement[]): void {
    for (const tile of tiles) {
      const isSelected = this.ids.has(idOf(tile.id));
      tile.classList.toggle('selected', isSelected);
      const box = tile.querySelector('input');
      if (box !== null) box.checked = isSelected;
    }
  }

  private set(tiles: readonly HTMLLIElement[], isSelected: boolean): void {
    this.total = null;
    for (const { id } of tiles) {
      if (isSelected) this.ids.add(idOf(id));
      else this.ids.delete(idOf(id));
    }
    this.mark(tiles);
    this.changed();
  }

  private changed(): void {
    if (this.ids.size > 0) this.form.classList.add('selecting');
    this.onChange();
  }

  private click(event: MouseEvent): void {
    const target = event.target as Element;
    const tile = target.closest<HTMLLIElement>('.grid > li');
    if (tile === null || event.ctrlKey || event.metaKey) return;
    const isBox = target instanceof HTMLInputElement;
    // Enter on a link is a click without a button pressed: it opens the photo.
    const isPointer = event.detail > 0;
    if (!isBox && !(isPointer && (this.isSelecting || event.shiftKey))) return;
    if (!isBox) event.preventDefault();
    if (event.shiftKey) this.extendTo(tile);
    else this.toggle(tile);
  }
}

function selectByLongPress(form: HTMLElement, select: (tile: HTMLLIElement) => void): void {
  let timer = 0;
  let start: PointerEvent | null = null;
  let hasSelected = false;
  const cancel = () => {
    clearTimeout(timer);
    start = null;
  };
  form.addEventListener('pointerdown', (event) => {
    cancel();
    hasSelected = false;
    const tile = (event.target as Element).closest<HTMLLIElement>('.grid > li');
    if (event.pointerType !== 'touch' || !event.isPrimary || tile === null) return;
    start = event;
    timer = setTimeout(() => {
      hasSelected = true;
      start = null;
      select(tile);
    }, LONG_PRESS_MS);
  });
  form.addEventListener('pointermove', ({ clientX, clientY }) => {
    if (start !== null && Math.hypot(clientX - start.clientX, clientY - start.clientY) > STILL_PX) cancel();
  });
  for (const end of ['pointerup', 'pointercancel'] as const) form.addEventListener(end, cancel);
  // The browser's own menu for links, and the click when the finger is lifted.
  form.addEventListener('contextmenu', (event) => {
    if (start !== null || hasSelected) event.preventDefault();
  });
  form.addEventListener(
    'click',
    (event) => {
      if (!hasSelected) return;
      hasSelected = false;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
}

// Selects every photo that matches, also those that are not loaded.
/** The number of photos up to which the ids are fetched, so that one of them can be left out again. More are only known by their number. */
const MOST = 10_000;

export class SelectAll {
  private running: AbortController | null = null;
  private total: number | null = null;

  /** @param say Shows how far it is. */
  constructor(
    private readonly selection: PhotoSelection,
    private readonly query: URLSearchParams,
    private readonly say: (text: string) => void,
  ) {}

  cancel(): void {
    this.running?.abort();
    this.running = null;
  }

  async nameButton(button: HTMLButtonElement): Promise<void> {
    if (this.total !== null) return;
    // While the number is being counted, no one else asks for it.
    this.total = -1;
    const total = await this.count().catch(() => null);
    this.total = total;
    if (total !== null) button.textContent = `Select all ${total.toLocaleString()}`;
  }

  async run(): Promise<void> {
    this.cancel();
    this.selection.selectAll();
    const running = new AbortController();
    this.running = running;
    try {
      const total = await this.count(running.signal);
      const query = new URLSearchParams(this.query);
      for (let cursor: string | null = total <= MOST ? '' : null; cursor !== null; ) {
        query.set('cursor', cursor);
        const part: { ids: readonly string[]; nextCursor: string | null } = await this.fetch(
          'ids',
          query,
          running.signal,
        );
        this.selection.add(part.ids);
        cursor = part.nextCursor;
      }
      if (!running.signal.aborted) this.selection.markAll(total);
    } catch {
      if (!running.signal.aborted) this.say('Not all photos could be selected. Try again.');
    }
  }

  private async count(signal?: AbortSignal): Promise<number> {
    return (await this.fetch<{ count: number }>('count', this.query, signal)).count;
  }

  private async fetch<T>(what: string, query: URLSearchParams, signal?: AbortSignal): Promise<T> {
    const options = { headers: { Accept: 'application/json' }, ...(signal && { signal }) };
    const answer = await fetch(publicPath(`/settings/library/${what}?${query}`), options);
    if (!answer.ok || answer.redirected) throw new Error(`the list of photos answered ${answer.status}`);
    return answer.json();
  }
}
