// The library: older photos are added by themselves, and place and selection stay when the page is left and come back.

import { offerTileSizes, previewShift, useFilters } from './library/library-filters.js';
import { GridFocus, useKeys } from './library/library-keys.js';
import { OlderPhotos, useScrubber } from './library/older-photos.js';
import { BulkEdits, type EditStatus, PhotoActions } from './library/photo-actions.js';
import { idOf, listKey, PhotoGrid, readStored, type StoredPlace, store } from './library/photo-grid.js';
import { PhotoSelection, SelectAll } from './library/photo-selection.js';
import { Viewer } from './library/viewer.js';
import { fetchPage } from './public-path.js';
import { suggestTagNames } from './tag-names.js';
import { suggestTimeZones } from './time-zones.js';

start();

function start(): void {
  // The viewer changes it.
  let address = location.href;
  const shown = document.querySelector<HTMLElement>('[data-bulk-edits]');
  const edits = new BulkEdits(shown ?? document.createElement('div'));
  let library = open(edits, true);
  for (const id of edits.shown) void edits.follow(id).then((status) => library?.say(status));
  useFilters((url, page) => {
    library?.close();
    const isSameList = listKey(new URL(url)) === listKey(new URL(address));
    if (isSameList) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    address = url;
    showParts(page);
    library = open(edits, false);
  });
  addEventListener('popstate', () => {
    const isViewer = (history.state as { viewer?: string } | null)?.viewer !== undefined;
    // Another list: it stands again where it was left.
    if (!isViewer && listKey(location) !== listKey(new URL(address))) location.reload();
  });
  document.addEventListener('photos-imported', async () => {
    const page = await fetchPage(address).catch(() => null);
    // A person who has selected photos keeps those instead.
    if (page === null || library?.hasSelected()) return;
    library?.close();
    showImported(page);
    library = open(edits, false);
  });
}

/**
 * The library that is on the page now, if there are photos.
 * @param isFirst Whether the page has just been loaded.
 */
function open(edits: BulkEdits, isFirst: boolean) {
  const key = listKey(location);
  const form = document.querySelector<HTMLFormElement>('form.library');
  const root = form?.querySelector<HTMLElement>('.sections');
  if (!form || !root) return null;
  const ended = new AbortController();
  const grid = new PhotoGrid(root);
  const selection = new PhotoSelection(form, () => grid.tiles());
  const actions = new PhotoActions(form, grid, selection, edits, ended.signal);
  const focus = new GridFocus(root, () => grid.tiles(), ended.signal);
  grid.onFilled = (tiles) => {
    selection.mark(tiles);
    focus.mark(tiles);
  };
  selection.onChange = () => {
    form.classList.toggle('has-selection', selection.count > 0);
    const count = form.querySelector('.selection .count');
    const text = selection.count === 1 ? '1 photo' : `${selection.count.toLocaleString()} photos`;
    if (count !== null) count.textContent = `${text} selected`;
    if (selectAll !== null && selection.count > 0) void everything.nameButton(selectAll);
    store('selected', key, selection.all.length === 0 ? null : [...selection.all]);
    // The actions disappear, and the focus must not disappear with them.
    if (selection.count === 0 && document.activeElement?.closest('.selection')) focus.keep();
  };
  const query = new URLSearchParams(location.search);
  const everything = new SelectAll(selection, query, (text) => actions.say({ kind: 'failed', text }));
  const selectAll = form.querySelector<HTMLButtonElement>('button[data-select-all]');
  previewShift(form, () => form.querySelector('.grid > li.selected:not([hidden])'), ended.signal);
  const place = readStored<StoredPlace>('place', key);
  if (isFirst && place !== null) restorePlace(form, grid, place);
  selection.add(readStored<string[]>('selected', key) ?? []);
  const older = new OlderPhotos(form, grid);
  addOlderPhotos(form, older, ended.signal);
  void useScrubber(form, older, ended.signal);
  const clear = () => {
    everything.cancel();
    selection.clear();
  };
  const keys = { selection, focus, selectAll: () => void everything.run(), clear, undo: () => actions.undoLatest() };
  useKeys(form, grid, keys, ended.signal);
  reveal(selectAll, () => void everything.run());
  reveal(form.querySelector('button[data-clear-selection]'), clear);
  offerViewer(form, grid, { actions, older, signal: ended.signal });
  const begin = () => (selection.isSelecting ? clear() : selection.begin());
  reveal(document.querySelector('button[data-start-selecting]'), begin);
  // Enter in the field of the tag means its own button, and nothing more drastic.
  form.querySelector<HTMLInputElement>('input[name="tag"]')?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    form.requestSubmit(form.querySelector<HTMLButtonElement>('button[value="tag"]'));
  });
  const sizes = document.querySelector<HTMLElement>('[data-tile-sizes]');
  if (sizes !== null) {
    let top = grid.top();
    // Before the click that changes the size.
    sizes.addEventListener('pointerdown', () => (top = grid.top()));
    offerTileSizes(sizes, root, () => top !== null && grid.scrollTo(top));
  }
  addEventListener('pagehide', () => store('place', key, placeOf(form, grid)), { signal: ended.signal });
  // Forms that leave the page delete photos, or send them elsewhere.
  form.addEventListener('submit', (event) => {
    if (!event.defaultPrevented && (event.submitter as HTMLButtonElement | null)?.value === 'delete') {
      store('selected', key, null);
    }
  });
  return {
    say: (status: EditStatus) => actions.say(status),
    hasSelected: () => selection.all.length > 0,
    close: () => {
      store('place', key, placeOf(form, grid));
      ended.abort();
      grid.close();
    },
  };
}

function placeOf(form: HTMLFormElement, grid: PhotoGrid): StoredPlace {
  const older = form.querySelector<HTMLAnchorElement>('.more a')?.href ?? null;
  return { sections: grid.stored(), older, top: grid.top() };
}

/** After Back, a reload, or a link that names a photo: what was loaded is there again, and the window where it was. */
function restorePlace(form: HTMLFormElement, grid: PhotoGrid, place: StoredPlace): void {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const named = location.hash.startsWith('#photo-') ? idOf(location.hash.slice(1)) : null;
  if (navigation?.type === 'navigate' && named === null) return;
  history.scrollRestoration = 'manual';
  grid.restore(place.sections);
  const more = form.querySelector('.more');
  if (place.older === null) more?.replaceChildren();
  else more?.querySelector('a')?.setAttribute('href', place.older);
  const isElsewhere = named !== null && navigation?.type === 'navigate' && named !== place.top?.id;
  if (isElsewhere) grid.tile(named)?.scrollIntoView({ block: 'center' });
  else if (place.top !== null) grid.scrollTo(place.top);
}

/** Adds the next page shortly before the end of this one is in the window. The link that leads there stays for when that fails. */
function addOlderPhotos(form: HTMLFormElement, older: OlderPhotos, signal: AbortSignal): void {
  const more = form.querySelector('.more');
  if (more === null) return;
  const watcher = new IntersectionObserver(
    async (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      await older.load();
      if (more.firstElementChild !== null && !signal.aborted) watcher.observe(more);
    },
    { rootMargin: '1500px' },
  );
  watcher.observe(more);
}

/** A photo that is clicked opens in the viewer, unless clicks select. */
function offerViewer(
  form: HTMLFormElement,
  grid: PhotoGrid,
  { actions, older, signal }: { actions: PhotoActions; older: OlderPhotos; signal: AbortSignal },
): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog[data-photo-viewer]');
  if (dialog === null) return;
  const viewer = new Viewer(
    dialog,
    {
      tile: (id) => grid.tile(id),
      beside: async (tile, by) => {
        const at = grid.tiles().indexOf(tile);
        if (by === 1 && at === grid.tiles().length - 1) await older.load();
        const found = grid.tiles()[at + by];
        return found === undefined ? null : grid.filled(found);
      },
      trashed: (id) => actions.noteTrashed(id),
    },
    signal,
  );
  form.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('.grid a');
    const tile = link?.closest<HTMLLIElement>('li');
    if (!tile || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey)
      return;
    event.preventDefault();
    viewer.open(tile);
  });
}

/** A button that needs scripts. */
function reveal(button: HTMLButtonElement | null, act: () => void): void {
  if (button === null) return;
  button.hidden = false;
  button.addEventListener('click', act);
}

/** Puts the parts of another state of this page into it. */
function showParts(page: Document): void {
  for (const part of page.querySelectorAll<HTMLElement>('[data-library-part]')) {
    const old = document.querySelector(`[data-library-part="${part.dataset.libraryPart}"]`);
    old?.replaceChildren(...part.childNodes);
    if (old === null) continue;
    suggestTagNames(old);
    suggestTimeZones(old);
  }
}

/** Shows what an import has brought, around the importer, which keeps its report. */
function showImported(page: Document): void {
  showParts(page);
  const importer = document.querySelector<HTMLElement>('[data-importer]');
  const fresh = page.querySelector<HTMLElement>('[data-importer]');
  if (importer !== null && fresh?.dataset.waits !== undefined) {
    importer.dataset.waits = '';
    const form = importer.querySelector('form');
    if (form !== null) form.hidden = true;
    const title = importer.querySelector('.drop .title');
    if (title !== null) title.textContent = fresh.querySelector('.drop .title')?.textContent ?? null;
  }
}
