// The map: it is moved and zoomed by mouse, touch and keys; its clusters come from the page of the same address.

import { fetchPage } from './page-fetch.js';

/** The map's own coordinates: src/http/settings/map/projection.ts. */
const STEPS = 25;
const WORLD = 360 * STEPS;
/** About 100 metres from edge to edge. */
const SMALLEST = 0.025;
/** How long nothing moves before clusters are fetched. */
const STILL_MS = 150;
/** A press that moves farther than this is no click. */
const STILL_PX = 5;

interface View {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

class PhotoMap {
  private view: View;
  private readonly pointers = new Map<number, PointerEvent>();
  private hasMoved = false;
  private latest = 0;
  private timer = 0;

  constructor(
    private readonly root: HTMLElement,
    private readonly svg: SVGSVGElement,
  ) {
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.view = this.fitted({ x, y, width, height });
    this.followPointers();
    svg.addEventListener('wheel', (event) => this.turn(event), { passive: false });
    svg.addEventListener('keydown', (event) => this.press(event));
    root.addEventListener('click', (event) => this.click(event));
    addEventListener('resize', () => this.show(this.fitted(this.view)));
    this.show(this.view);
  }

  private show(view: View): void {
    this.view = view;
    this.svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.width} ${view.height}`);
    this.sizeClusters();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), STILL_MS);
  }

  /** They have the same size on the screen, however much of the earth it shows. */
  private sizeClusters(): void {
    const unit = this.view.width / this.svg.clientWidth;
    for (const element of this.svg.querySelectorAll<SVGElement>('[data-size]')) {
      element.setAttribute(
        element.localName === 'circle' ? 'r' : 'font-size',
        String(Number(element.dataset.size) * unit),
      );
    }
  }

  private async refresh(): Promise<void> {
    this.latest += 1;
    const own = this.latest;
    const address = `/settings/map?box=${boxOf(this.view)}`;
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

  /** With the sides of the window that it is shown in, and nothing beyond the ends of the world. */
  private fitted({ x, y, width, height }: View): View {
    const aspect = this.svg.clientWidth / Math.max(1, this.svg.clientHeight);
    const wanted = Math.max(SMALLEST, width, height * aspect);
    const wide = Math.min(wanted, WORLD, WORLD * aspect);
    const high = wide / aspect;
    const left = x + (width - wide) / 2;
    const top = Math.min(Math.max(0, y + (height - high) / 2), WORLD - high);
    return { x: wide === WORLD ? 0 : ((left % WORLD) + WORLD) % WORLD, y: top, width: wide, height: high };
  }

  private zoom(factor: number, at: { x: number; y: number } | null = null): void {
    const { x, y, width, height } = this.view;
    const width2 = Math.max(SMALLEST, width * factor);
    const real = width2 / width;
    const [shareX, shareY] = at === null ? [0.5, 0.5] : [(at.x - x) / width, (at.y - y) / height];
    const next = { width: width2, height: height * real };
    this.show(this.fitted({ ...next, x: x + (width - next.width) * shareX, y: y + (height - next.height) * shareY }));
  }

  /** By pixels of the window. */
  private pan(x: number, y: number): void {
    const unit = this.view.width / this.svg.clientWidth;
    this.show(this.fitted({ ...this.view, x: this.view.x + x * unit, y: this.view.y + y * unit }));
  }

  private pointOf({ clientX, clientY }: { clientX: number; clientY: number }): { x: number; y: number } {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    const { view } = this;
    return {
      x: view.x + ((clientX - left) / width) * view.width,
      y: view.y + ((clientY - top) / height) * view.height,
    };
  }

  private turn(event: WheelEvent): void {
    event.preventDefault();
    this.zoom(2 ** (event.deltaY / 300), this.pointOf(event));
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [across, down] = [this.svg.clientWidth / 5, this.svg.clientHeight / 5];
    const actions: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => this.pan(-across, 0),
      ArrowRight: () => this.pan(across, 0),
      ArrowUp: () => this.pan(0, -down),
      ArrowDown: () => this.pan(0, down),
      '+': () => this.zoom(0.5),
      '-': () => this.zoom(2),
    };
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  private followPointers(): void {
    const { svg, pointers } = this;
    svg.addEventListener('pointerdown', (event) => {
      if (pointers.size === 0) this.hasMoved = false;
      pointers.set(event.pointerId, event);
    });
    svg.addEventListener('pointermove', (event) => this.drag(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      svg.addEventListener(end, ({ pointerId }) => pointers.delete(pointerId));
    }
    svg.addEventListener('dragstart', (event) => event.preventDefault());
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) return;
    const [x, y] = [event.clientX - before.clientX, event.clientY - before.clientY];
    if (!this.hasMoved && Math.hypot(x, y) < STILL_PX) return;
    // From now on no click, wherever the pointer is released.
    this.hasMoved = true;
    this.svg.setPointerCapture(event.pointerId);
    const [other] = [...this.pointers.values()].filter(({ pointerId }) => pointerId !== event.pointerId);
    this.pointers.set(event.pointerId, event);
    if (other === undefined) {
      this.pan(-x, -y);
      return;
    }
    const distance = (from: PointerEvent) => Math.hypot(from.clientX - other.clientX, from.clientY - other.clientY);
    const middle = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
    this.pan(-x / 2, -y / 2);
    this.zoom(distance(before) / Math.max(1, distance(event)), this.pointOf(middle));
  }

  private click(event: MouseEvent): void {
    const link = (event.target as Element).closest('a');
    if (link === null) return;
    if (this.hasMoved && this.svg.contains(link)) {
      event.preventDefault();
      return;
    }
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const name = (link as Element as HTMLElement).dataset.map;
    const to = new URL(link.getAttribute('href') ?? '', location.href);
    if (to.pathname !== '/settings/map') return;
    event.preventDefault();
    if (name === 'in') this.zoom(0.5);
    else if (name === 'out') this.zoom(2);
    else this.show(this.fitted(viewOf(to.searchParams.get('box') ?? '')));
  }
}

function part(name: string): Element | null {
  return document.querySelector(`[data-map="${name}"]`);
}

/** West, south, east, north of a view, in degrees. */
function boxOf({ x, y, width, height }: View): string {
  const [west, east] = width >= WORLD ? [-180, 180] : [x / STEPS - 180, (x + width) / STEPS - 180];
  const wrapped = east > 180 ? east - 360 : east;
  return [west, latitudeAt(y + height), wrapped, latitudeAt(y)].map((degrees) => Number(degrees.toFixed(5))).join();
}

function viewOf(box: string): View {
  const [west = 0, south = 0, east = 0, north = 0] = box.split(',').map(Number);
  const [x, y] = [(west + 180) * STEPS, yAt(north)];
  return { x, y, width: (east - west + (west > east ? 360 : 0)) * STEPS, height: yAt(south) - y };
}

function yAt(latitude: number): number {
  return (180 - (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360))) * STEPS;
}

function latitudeAt(y: number): number {
  return (360 / Math.PI) * Math.atan(Math.exp(((180 - y / STEPS) * Math.PI) / 180)) - 90;
}

const root = document.querySelector<HTMLElement>('[data-map="root"]');
const svg = root?.querySelector<SVGSVGElement>('[data-map="view"]');
if (root && svg) new PhotoMap(root, svg);
