// The library by keyboard. The dialog that `?` opens lists the keys.

import type { PhotoGrid } from './photo-grid.js';
import type { PhotoSelection } from './photo-selection.js';

interface Keys {
  readonly selection: PhotoSelection;
  readonly focus: GridFocus;
  readonly selectAll: () => void;
  readonly clear: () => void;
  /** Takes back what was done last, as long as that is offered. */
  readonly undo: () => void;
}

export function useKeys(
  form: HTMLFormElement,
  grid: PhotoGrid,
  { selection, focus: gridFocus, selectAll, clear, undo }: Keys,
  signal: AbortSignal,
): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog[data-keys]');
  const open = document.querySelector<HTMLButtonElement>('button[data-open-keys]');
  if (open !== null) open.hidden = false;
  open?.addEventListener('click', () => dialog?.showModal(), { signal });

  const focused = () => document.activeElement?.closest<HTMLLIElement>('.grid > li') ?? null;
  const focus = (tile: HTMLLIElement | undefined) => {
    tile?.scrollIntoView({ block: 'nearest' });
    if (tile !== undefined) gridFocus.moveTo(tile);
  };
  const withFocused = (act: (tile: HTMLLIElement) => void) => {
    const tile = focused();
    if (tile !== null) act(tile);
  };
  const move = (find: (tiles: readonly HTMLLIElement[], from: HTMLLIElement) => HTMLLIElement | undefined) => {
    const from = focused();
    const tiles = grid.tiles();
    focus(from === null ? tiles.find((tile) => tile.getBoundingClientRect().top >= 0) : find(tiles, from));
  };
  const actions: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
    ArrowLeft: () => move((tiles, from) => tiles[tiles.indexOf(from) - 1]),
    ArrowRight: () => move((tiles, from) => tiles[tiles.indexOf(from) + 1]),
    ArrowUp: () => move((tiles, from) => inNextRow(tiles.slice(0, tiles.indexOf(from)).reverse(), from)),
    ArrowDown: () => move((tiles, from) => inNextRow(tiles.slice(tiles.indexOf(from) + 1), from)),
    x: () => withFocused((tile) => selection.toggle(tile)),
    X: () => withFocused((tile) => selection.extendTo(tile)),
    t: () => {
      if (selection.all.length === 0) withFocused((tile) => selection.toggle(tile));
      form.querySelector<HTMLInputElement>('#selection-tag')?.focus();
    },
    '/': () => document.querySelector<HTMLInputElement>('#filter-q')?.focus(),
    '?': () => dialog?.showModal(),
    Escape: clear,
    Delete: () => {
      if (selection.all.length === 0) withFocused((tile) => selection.toggle(tile));
      const button = form.querySelector<HTMLButtonElement>('button[data-delete-key]');
      if (selection.all.length > 0 && button !== null) form.requestSubmit(button);
    },
  };

  addEventListener(
    'keydown',
    (event) => {
      const target = event.target as Element;
      const isTyping = target.closest('input:not([type="checkbox"]), textarea, select') !== null;
      if (event.key === 'Escape' && target.closest('.selection') !== null) {
        gridFocus.return();
        return;
      }
      if (isTyping || document.querySelector('dialog[open]') !== null || event.altKey) return;
      if (event.ctrlKey || event.metaKey) {
        const act = { a: selectAll, z: undo }[event.key];
        if (act === undefined) return;
        event.preventDefault();
        act();
        return;
      }
      const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
      const isArrow = event.key.startsWith('Arrow');
      // Arrows scroll until a photo has the focus.
      if (action === undefined || (isArrow && focused() === null)) return;
      if (event.key !== 'Escape') event.preventDefault();
      action(event);
    },
    { signal },
  );
}

/** Returns the nearest tile in the next row, of tiles in the order in which they are passed. */
function inNextRow(tiles: readonly HTMLLIElement[], from: HTMLLIElement): HTMLLIElement | undefined {
  const { left, width, top } = from.getBoundingClientRect();
  const middle = left + width / 2;
  let row: number | null = null;
  let nearest: { tile: HTMLLIElement; distance: number } | undefined;
  for (const tile of tiles) {
    const box = tile.getBoundingClientRect();
    if (Math.abs(box.top - top) < 1) continue;
    row ??= box.top;
    if (Math.abs(box.top - row) >= 1) break;
    const distance = Math.abs(box.left + box.width / 2 - middle);
    if (nearest === undefined || distance < nearest.distance) nearest = { tile, distance };
  }
  return nearest?.tile;
}

// Tab stops at one photo of the grid, the one that had the focus last; arrows lead to the others (library-keys.ts). Otherwise what comes after
// the grid would be thousands of photos away.

export class GridFocus {
  private current: HTMLLIElement | null = null;

  constructor(
    root: HTMLElement,
    private readonly tiles: () => readonly HTMLLIElement[],
    signal: AbortSignal,
  ) {
    const follow = ({ target }: FocusEvent) => {
      const tile = target instanceof Element ? target.closest<HTMLLIElement>('.grid > li') : null;
      if (tile !== null && root.contains(tile)) this.setCurrent(tile);
    };
    root.addEventListener('focusin', follow, { signal });
    this.mark(tiles());
  }

  /** After tiles have got content. */
  mark(tiles: Iterable<HTMLLIElement>): void {
    for (const tile of tiles) {
      if (tile !== this.current) setStop(tile, false);
      else if (tile === document.activeElement) this.moveTo(tile);
    }
    if (this.current === null || this.current.hidden || isLeftEmpty(this.current) || !this.current.isConnected) {
      const filled = this.tiles().filter((tile) => tile.firstChild !== null);
      this.setCurrent(filled.find((tile) => tile.getBoundingClientRect().bottom > 0) ?? filled[0] ?? null);
    }
  }

  /** Also to a photo whose tile has no content yet: its link gets the focus as soon as it is there. Keys come faster than tiles are filled. */
  moveTo(tile: HTMLLIElement): void {
    const link = tile.querySelector('a');
    if (link === null) tile.tabIndex = -1;
    else tile.removeAttribute('tabindex');
    (link ?? tile).focus({ preventScroll: true });
  }

  /** To the photo that had it last. */
  return(): void {
    this.current?.scrollIntoView({ block: 'nearest' });
    this.keep();
  }

  /** The same, but the window stays where it is. */
  keep(): void {
    // It may be gone meanwhile.
    this.mark([]);
    if (this.current !== null) this.moveTo(this.current);
  }

  private setCurrent(tile: HTMLLIElement | null): void {
    if (tile === this.current) return;
    if (this.current !== null) {
      setStop(this.current, false);
      this.current.removeAttribute('tabindex');
    }
    this.current = tile;
    if (tile !== null) setStop(tile, true);
  }
}

function setStop(tile: HTMLLIElement, isStop: boolean): void {
  for (const each of tile.querySelectorAll<HTMLElement>('a, input')) {
    if (isStop) each.removeAttribute('tabindex');
    else each.tabIndex = -1;
  }
}

/** Its content is gone, and the focus with it. In the window it comes back at once. */
function isLeftEmpty(tile: HTMLLIElement): boolean {
  const { top, bottom } = tile.getBoundingClientRect();
  return tile.firstChild === null && tile !== document.activeElement && (bottom < 0 || top > innerHeight);
}
