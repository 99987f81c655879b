// The viewer: a photo over the whole window, above the grid, under its own address.

import { actOnKey } from '../keys.js';
import { offerLocationMap } from '../map/location-map.js';
import { showTimes } from '../page.js';
import { suggestTagNames } from '../tag-names.js';
import { suggestTimeZones } from '../time-zones.js';
import { showHistogram } from './histogram.js';
import { idOf } from './photo-grid.js';
import { followGestures, ViewerStage } from './viewer-stage.js';

interface ViewedList {
  tile(id: string): HTMLLIElement | null;
  /** The photo beside another in the list, with its content; null at the ends. */
  beside(tile: HTMLLIElement, by: 1 | -1): Promise<HTMLLIElement | null>;
  trashed(id: string): void;
}

export class Viewer {
  private readonly stage: ViewerStage;
  private readonly panel: ViewerPanel;
  private current: HTMLLIElement | null = null;
  private readonly title = document.title;

  constructor(
    private readonly dialog: HTMLDialogElement,
    private readonly list: ViewedList,
    signal: AbortSignal,
  ) {
    const stage = this.part('stage');
    this.stage = new ViewerStage(stage);
    this.panel = new ViewerPanel(this.part('panel'), (tile) => void this.trashed(tile));
    followGestures(
      stage,
      this.stage,
      (by) => void this.step(by),
      () => this.close(),
    );
    const buttons: Readonly<Record<string, () => void>> = {
      close: () => this.close(),
      previous: () => void this.step(-1),
      next: () => void this.step(1),
      information: () => this.togglePanel(),
      enlarge: () => this.stage.toggle(),
      screen: () => void this.toggleFullScreen(),
    };
    for (const [name, act] of Object.entries(buttons)) this.part(name).addEventListener('click', act, { signal });
    dialog.addEventListener('keydown', (event) => this.press(event), { signal });
    dialog.addEventListener(
      'cancel',
      (event) => {
        event.preventDefault();
        this.close();
      },
      { signal },
    );
    addEventListener('popstate', () => this.followHistory(), { signal });
  }

  /** Opens the photo of a tile; its address is that of its page, so that Back closes it and a reload shows the page. */
  open(tile: HTMLLIElement): void {
    const link = tile.querySelector('a');
    if (link === null) return;
    history.pushState({ viewer: idOf(tile.id) }, '', link.href);
    this.display(tile);
  }

  close(): void {
    if (this.current !== null) history.back();
  }

  private part(name: string): HTMLElement {
    const part = this.dialog.querySelector<HTMLElement>(`[data-viewer="${name}"]`);
    if (part === null) throw new Error(`the viewer has no ${name}`);
    return part;
  }

  private display(tile: HTMLLIElement): void {
    this.current = tile;
    if (!this.dialog.open) this.dialog.showModal();
    const name = tile.querySelector('img')?.alt ?? '';
    this.part('name').textContent = name;
    document.title = name;
    this.stage.show(tile);
    if (this.panel.isOpen) void this.panel.open(tile);
    void this.prepareNeighbours(tile);
  }

  private async prepareNeighbours(tile: HTMLLIElement): Promise<void> {
    const [next, previous] = await Promise.all([this.list.beside(tile, 1), this.list.beside(tile, -1)]);
    if (this.current !== tile) return;
    this.part('next').toggleAttribute('disabled', next === null);
    this.part('previous').toggleAttribute('disabled', previous === null);
    this.stage.preload(next);
    this.stage.preload(previous);
  }

  private async step(by: 1 | -1): Promise<void> {
    const from = this.current;
    const to = from && (await this.list.beside(from, by));
    const link = to?.querySelector('a');
    if (!to || !link || this.current !== from) return;
    history.replaceState({ viewer: idOf(to.id) }, '', link.href);
    this.display(to);
  }

  private followHistory(): void {
    const { viewer } = (history.state ?? {}) as { viewer?: string };
    const named = viewer === undefined ? null : this.list.tile(viewer);
    const tile = this.current;
    if (named?.querySelector('a')) this.display(named);
    else if (viewer !== undefined) location.reload();
    else if (tile !== null) {
      this.current = null;
      if (document.fullscreenElement !== null) void document.exitFullscreen();
      if (this.panel.isOpen) this.togglePanel();
      this.dialog.close();
      document.title = this.title;
      // The grid stands where it was, unless its reader has gone on beyond the window.
      tile.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      tile.querySelector('a')?.focus({ preventScroll: true });
    }
  }

  private async trashed(tile: HTMLLIElement): Promise<void> {
    const next = (await this.list.beside(tile, 1)) ?? (await this.list.beside(tile, -1));
    this.list.trashed(idOf(tile.id));
    if (this.current !== tile) return;
    const link = next?.querySelector('a');
    if (!next || !link) return this.close();
    history.replaceState({ viewer: idOf(next.id) }, '', link.href);
    this.display(next);
  }

  private togglePanel(): void {
    if (this.panel.isOpen || this.current === null) this.panel.close();
    else void this.panel.open(this.current);
    this.part('information').setAttribute('aria-pressed', String(this.panel.isOpen));
  }

  private async toggleFullScreen(): Promise<void> {
    try {
      if (document.fullscreenElement !== null) await document.exitFullscreen();
      else await this.part('content').requestFullscreen();
    } catch {
      // Not allowed here: the viewer fills the window.
    }
  }

  private press(event: KeyboardEvent): void {
    if ((event.target as Element).closest('input, textarea, select') !== null) return;
    actOnKey(event, {
      ArrowLeft: () => void this.step(-1),
      ArrowRight: () => void this.step(1),
      '+': () => this.stage.zoomBy(1.5),
      '-': () => this.stage.zoomBy(1 / 1.5),
      '0': () => this.stage.zoomBy(0),
      i: () => this.togglePanel(),
      f: () => void this.toggleFullScreen(),
    });
  }
}

// What is known of the photo in the viewer, with its forms: those of the photo's own page, sent without leaving the viewer.

class ViewerPanel {
  private shown: HTMLLIElement | null = null;

  /** @param trashed Called when the photo of a tile has gone to the trash. */
  constructor(
    private readonly root: HTMLElement,
    private readonly trashed: (tile: HTMLLIElement) => void,
  ) {
    root.addEventListener('submit', (event) => this.submit(event));
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  async open(tile: HTMLLIElement): Promise<void> {
    const link = tile.querySelector('a');
    if (link === null) return;
    this.root.hidden = false;
    this.shown = tile;
    this.root.setAttribute('aria-busy', 'true');
    await this.show(tile, fetch(link.href, { headers: { Accept: 'text/html' } }));
  }

  close(): void {
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    // Other listeners expect that the page is left.
    event.stopPropagation();
    const form = event.target as HTMLFormElement;
    const submitter = event.submitter as HTMLButtonElement | null;
    const body = new URLSearchParams([...new FormData(form, submitter)].map(([name, value]) => [name, String(value)]));
    void this.send(submitter?.hasAttribute('formaction') ? submitter.formAction : form.action, body);
  }

  private async send(action: string, body: URLSearchParams): Promise<void> {
    const tile = this.shown;
    if (tile === null) return;
    const isTrash = new URL(action).pathname.endsWith('/trash');
    const isDone = await this.show(tile, fetch(action, { method: 'POST', headers: { Accept: 'text/html' }, body }));
    if (isTrash && isDone) this.trashed(tile);
  }

  /** Shows the page that answers, which may say what is wrong with a form. Returns whether it is that of a photo, and no refusal. */
  private async show(tile: HTMLLIElement, request: Promise<Response>): Promise<boolean> {
    const answer = await request.catch(() => null);
    const text = await answer?.text().catch(() => null);
    const page = new DOMParser().parseFromString(text ?? '', 'text/html');
    const about = page.querySelector('.photo .about');
    const isDone = answer?.ok === true && about !== null;
    // Meanwhile another photo may be in the viewer.
    if (this.shown !== tile || !this.isOpen) return isDone;
    this.root.removeAttribute('aria-busy');
    if (about === null) {
      const text = { className: 'flash failed', textContent: 'The details could not be loaded. Try again.' };
      const message = Object.assign(document.createElement('p'), text);
      message.setAttribute('role', 'alert');
      this.root.replaceChildren(message);
      return false;
    }
    const flash = page.querySelector('main > .flash');
    const focused = focusedIn(this.root);
    this.root.replaceChildren(...(flash === null ? [] : [flash]), about);
    offerLocationMap(this.root);
    focused?.(this.root);
    showTimes(this.root);
    void showHistogram(about, tile.querySelector('img'));
    suggestTagNames(this.root);
    suggestTimeZones(this.root);
    return isDone;
  }
}

/** Where the focus is in a form, as a function that puts it there again once the form has been replaced; null if it is elsewhere. */
function focusedIn(root: Element): ((fresh: Element) => void) | null {
  const focused = document.activeElement;
  if (focused === null || !root.contains(focused)) return null;
  const form = focused.closest('form')?.getAttribute('aria-label');
  return (fresh) => {
    const same = focused.id === '' ? null : fresh.querySelector<HTMLElement>(`#${focused.id}`);
    const sameForm = [...fresh.querySelectorAll('form')].find((each) => each.getAttribute('aria-label') === form);
    (same ?? sameForm?.querySelector<HTMLElement>('button[type="submit"]'))?.focus({ preventScroll: true });
  };
}
