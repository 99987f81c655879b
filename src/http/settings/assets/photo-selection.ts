// Which photos are selected. Those whose tiles are far away have no checkbox, so the checkboxes follow this list, not the other way round.

import { idOf } from './photo-grid.js';

/** How long a touch lasts that selects. */
const LONG_PRESS_MS = 450;
/** A touch that moves farther than this scrolls. */
const STILL_PX = 10;

export class PhotoSelection {
  /** Called after every change. */
  onChange: () => void = () => undefined;
  private readonly ids = new Set<string>();
  /** How many photos match, while all of them are selected, loaded or not. */
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

  /** Whether everything that matches is selected. */
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

  /** Shows on tiles whether they are selected. */
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
