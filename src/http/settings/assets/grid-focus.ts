// Tab stops at one photo of the grid, the one that had the focus last; arrows lead to the others (library-keys.ts). Otherwise what comes after
// the grid would be thousands of photos away.

export class GridFocus {
  private current: HTMLLIElement | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly tiles: () => readonly HTMLLIElement[],
    signal: AbortSignal,
  ) {
    root.addEventListener('focusin', (event) => this.follow(event.target), { signal });
    this.mark(tiles());
  }

  /** After tiles have got content. */
  mark(tiles: Iterable<HTMLLIElement>): void {
    for (const tile of tiles) if (tile !== this.current) setStop(tile, false);
    if (this.current === null || this.current.hidden || this.current.firstChild === null || !this.current.isConnected) {
      const filled = this.tiles().filter((tile) => tile.firstChild !== null);
      this.setCurrent(filled.find((tile) => tile.getBoundingClientRect().bottom > 0) ?? filled[0] ?? null);
    }
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
    this.current?.querySelector('a')?.focus({ preventScroll: true });
  }

  private follow(target: EventTarget | null): void {
    const tile = target instanceof Element ? target.closest<HTMLLIElement>('.grid > li') : null;
    if (tile !== null && this.root.contains(tile)) this.setCurrent(tile);
  }

  private setCurrent(tile: HTMLLIElement | null): void {
    if (this.current !== null) setStop(this.current, false);
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
