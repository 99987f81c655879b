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

  private follow(target: EventTarget | null): void {
    const tile = target instanceof Element ? target.closest<HTMLLIElement>('.grid > li') : null;
    if (tile !== null && this.root.contains(tile)) this.setCurrent(tile);
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

/** Its content has gone, and nobody is there. In the window it comes back at once. */
function isLeftEmpty(tile: HTMLLIElement): boolean {
  const { top, bottom } = tile.getBoundingClientRect();
  return tile.firstChild === null && tile !== document.activeElement && (bottom < 0 || top > innerHeight);
}
