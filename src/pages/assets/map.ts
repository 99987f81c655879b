// The page of the map: its clusters come from the page of the same address.

import { actOnKey } from './keys.js';
import { addressOf, MapView, viewOf } from './map/map-view.js';
import { fetchPage, publicPath } from './public-path.js';

/** Time in which nothing moves before clusters are fetched. */
const STILL_MS = 150;

class PhotoMap {
  private readonly map: MapView;
  private latest = 0;
  private timer = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly svg: SVGSVGElement,
  ) {
    this.map = new MapView(svg, { onShown: () => this.follow(), takesWheel: () => true });
    svg.addEventListener('keydown', (event) => this.press(event));
    root.addEventListener('click', (event) => this.click(event));
  }

  private follow(): void {
    this.sizeClusters();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), STILL_MS);
  }

  /** They have the same size on the screen, however much of the earth it shows. */
  private sizeClusters(): void {
    for (const element of this.svg.querySelectorAll<SVGElement>('[data-size]')) {
      element.setAttribute(
        element.localName === 'circle' ? 'r' : 'font-size',
        String(Number(element.dataset.size) * this.map.unit),
      );
    }
  }

  private async refresh(): Promise<void> {
    this.latest += 1;
    const own = this.latest;
    const address = addressOf(this.map.view);
    history.replaceState(null, '', address);
    const page = await fetchPage(address).catch(() => null);
    if (own !== this.latest) return;
    const status = document.querySelector('[data-map="status"]');
    if (page === null) {
      if (status !== null) status.textContent = 'The map could not be loaded. Move it to try again.';
      return;
    }
    const hadFocus = this.svg.querySelector('[data-map="clusters"] :focus') !== null;
    for (const name of ['tiles', 'clusters', 'list']) {
      const fresh = page.querySelector(`[data-map="${name}"]`);
      const [isOpen, old] = [document.querySelector('[data-map="list"] details[open]') !== null, part(name)];
      // Nodes of a document that was parsed as HTML: SVG among them.
      old?.replaceChildren(...(fresh?.childNodes ?? []));
      if (name === 'list') old?.querySelector('details')?.toggleAttribute('open', isOpen);
    }
    for (const name of ['library', 'in', 'out']) {
      part(name)?.setAttribute('href', page.querySelector(`[data-map="${name}"]`)?.getAttribute('href') ?? '');
    }
    this.sizeClusters();
    if (hadFocus) this.svg.focus({ preventScroll: true });
    if (status !== null) status.textContent = page.querySelector('[data-map="status"]')?.textContent ?? '';
    this.root.dataset.shown = address;
  }

  private press(event: KeyboardEvent): void {
    const [across, down] = [this.svg.clientWidth / 5, this.svg.clientHeight / 5];
    actOnKey(event, {
      ArrowLeft: () => this.map.pan(-across, 0),
      ArrowRight: () => this.map.pan(across, 0),
      ArrowUp: () => this.map.pan(0, -down),
      ArrowDown: () => this.map.pan(0, down),
      '+': () => this.map.zoom(0.5),
      '-': () => this.map.zoom(2),
    });
  }

  private click(event: MouseEvent): void {
    const link = (event.target as Element).closest('a');
    if (link === null) return;
    if (this.map.hasMoved && this.svg.contains(link)) {
      event.preventDefault();
      return;
    }
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const name = (link as Element as HTMLElement).dataset.map;
    const to = new URL(link.getAttribute('href') ?? '', location.href);
    if (to.pathname !== publicPath('/settings/map')) return;
    event.preventDefault();
    if (name === 'in') this.map.zoom(0.5);
    else if (name === 'out') this.map.zoom(2);
    else this.map.show(viewOf(to.searchParams.get('box') ?? ''));
  }
}

function part(name: string): Element | null {
  return document.querySelector(`[data-map="${name}"]`);
}

const root = document.querySelector<HTMLElement>('[data-map="root"]');
const svg = root?.querySelector<SVGSVGElement>('[data-map="view"]');
if (root && svg) new PhotoMap(root, svg);
