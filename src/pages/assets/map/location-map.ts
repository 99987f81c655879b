// The place of a photo is chosen on a map: by a click, by moving the pin, or by keys. The form beside it sends the place.

import { actOnKey } from '../keys.js';
import { fetchPage } from '../public-path.js';
import { addressOf, latitudeAt, longitudeAt, MapView, type Point, pointAt, WORLD } from './map-view.js';

/** Time in which nothing moves before pictures of a tile server are fetched. */
const STILL_MS = 150;
/** The distance that a key moves the pin: a share of the map's width, less with Shift. */
const [FAR, NEAR] = [1 / 20, 1 / 200];
/** A pin that keys move stays so far from the edges: a share of the map. */
const EDGE = 0.15;
/** The limit of Mercator's map, which is a square. */
const MAX_LATITUDE = 85;

export function offerLocationMap(page: ParentNode): void {
  const card = page.querySelector<HTMLElement>('[data-location]');
  const svg = card?.querySelector('svg');
  const pin = card?.querySelector<SVGGElement>('[data-map="pin"]');
  const form = card?.querySelector('form');
  const field = form?.elements.namedItem('location');
  if (card && svg && pin && form && field instanceof HTMLInputElement) new LocationMap(card, svg, pin, form, field);
}

class LocationMap {
  private readonly map: MapView;
  private point: Point | null = null;
  private timer = 0;
  private latest = 0;

  constructor(
    private readonly card: HTMLElement,
    svg: SVGSVGElement,
    private readonly pin: SVGGElement,
    private readonly form: HTMLFormElement,
    private readonly field: HTMLInputElement,
  ) {
    for (const name of ['root', 'hint']) this.part(name)?.removeAttribute('hidden');
    card.querySelector('.zoom')?.removeAttribute('hidden');
    svg.id = 'location-map';
    svg.setAttribute('tabindex', '0');
    svg.setAttribute('role', 'application');
    svg.setAttribute('aria-roledescription', 'map');
    svg.setAttribute('aria-label', 'Map. Arrow keys move the pin, plus and minus zoom, Enter saves.');
    // A wheel scrolls past the map, until the person has begun to use it.
    const takesWheel = () => document.activeElement === svg;
    this.map = new MapView(svg, { onShown: () => this.follow(), takesWheel });
    this.point = this.typed();
    /** From where it is held to its tip. */
    let [across, down] = [0, 0];
    pin.addEventListener('pointerdown', (event) => {
      // The map stays where it is.
      event.stopPropagation();
      pin.setPointerCapture(event.pointerId);
      const held = this.map.pointOf(event);
      if (this.point !== null) [across, down] = [this.point.x - held.x, this.point.y - held.y];
    });
    pin.addEventListener('pointermove', (event) => {
      if (!pin.hasPointerCapture(event.pointerId)) return;
      const { x, y } = this.map.pointOf(event);
      this.move({ x: x + across, y: y + down });
    });
    pin.addEventListener('click', (event) => event.stopPropagation());
    svg.addEventListener('click', (event) => {
      if (!this.map.hasMoved) this.move(this.map.pointOf(event));
    });
    svg.addEventListener('keydown', (event) => this.press(event));
    for (const [name, factor] of [
      ['in', 0.5],
      ['out', 2],
    ] as const) {
      this.part(name)?.addEventListener('click', () => this.map.zoom(factor, this.point));
    }
    field.addEventListener('change', () => {
      this.point = this.typed();
      this.keepInView();
      this.follow();
    });
  }

  private part(name: string): Element | null {
    return this.card.querySelector(`[data-map="${name}"]`);
  }

  /** The pin has the same size at every zoom. */
  private follow(): void {
    const { point, map, pin } = this;
    if (point === null) pin.setAttribute('display', 'none');
    else {
      pin.removeAttribute('display');
      // The end of the world is beside its beginning.
      const x = point.x < map.view.x ? point.x + WORLD : point.x;
      pin.setAttribute('transform', `translate(${x} ${point.y}) scale(${map.unit})`);
    }
    clearTimeout(this.timer);
    if (this.part('tiles') !== null) this.timer = setTimeout(() => void this.fetchTiles(), STILL_MS);
  }

  private async fetchTiles(): Promise<void> {
    this.latest += 1;
    const own = this.latest;
    const page = await fetchPage(addressOf(this.map.view)).catch(() => null);
    const fresh = page?.querySelector('[data-map="tiles"]');
    if (fresh && own === this.latest) this.part('tiles')?.replaceChildren(...fresh.childNodes);
  }

  /** Returns what the field says; null if it is empty or says nothing that could be shown. */
  private typed(): Point | null {
    const [, latitude, longitude] = /^\s*([+-]?[\d.]+)°?[\s,;]+([+-]?[\d.]+)°?\s*$/.exec(this.field.value) ?? [];
    const [north, east] = [Number(latitude), Number(longitude)];
    if (!(Math.abs(north) <= 90 && Math.abs(east) <= 180)) return null;
    return pointAt(Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, north)), east);
  }

  private move({ x, y }: Point): void {
    const longitude = longitudeAt(((x % WORLD) + WORLD) % WORLD);
    const latitude = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, latitudeAt(y)));
    this.point = pointAt(latitude, longitude);
    // Five places are about a metre.
    this.field.value = [latitude, longitude].map((degrees) => Number(degrees.toFixed(5))).join(', ');
    const status = this.part('status');
    if (status !== null) status.textContent = `The pin is at ${this.field.value}. Not saved yet.`;
    this.follow();
  }

  private press(event: KeyboardEvent): void {
    const step = event.shiftKey ? NEAR : FAR;
    const isMeant = actOnKey(event, {
      ArrowLeft: () => this.step(-step, 0),
      ArrowRight: () => this.step(step, 0),
      ArrowUp: () => this.step(0, -step),
      ArrowDown: () => this.step(0, step),
      '+': () => this.map.zoom(0.5, this.point),
      '-': () => this.map.zoom(2, this.point),
      Enter: () => this.form.requestSubmit(),
    });
    // Arrows lead to other photos elsewhere on the page.
    if (isMeant) event.stopPropagation();
  }

  /** The first key puts the pin into the middle. */
  private step(across: number, down: number): void {
    const { x, y, width, height } = this.map.view;
    if (this.point === null) this.move({ x: x + width / 2, y: y + height / 2 });
    else this.move({ x: this.point.x + across * width, y: this.point.y + down * width });
    this.keepInView();
  }

  private keepInView(): void {
    if (this.point === null) return;
    const { view } = this.map;
    const x = this.point.x < view.x ? this.point.x + WORLD : this.point.x;
    const beyond = (at: number, from: number, length: number) =>
      Math.min(0, at - from - length * EDGE) + Math.max(0, at - from - length * (1 - EDGE));
    const [across, down] = [beyond(x, view.x, view.width), beyond(this.point.y, view.y, view.height)];
    if (across !== 0 || down !== 0) this.map.show({ ...view, x: view.x + across, y: view.y + down });
  }
}
