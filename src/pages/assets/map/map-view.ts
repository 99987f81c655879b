// A map that is moved and zoomed by mouse, touch and keys: the part of the world that its SVG shows.

import { publicPath } from '../public-path.js';

/** The map's own coordinates: src/pages/library/world.tsx. */
const STEPS = 25;
export const WORLD = 360 * STEPS;
/** About 100 metres from edge to edge. */
const SMALLEST = 0.025;
/** A press that moves farther than this is no click. */
const STILL_PX = 5;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface View extends Point {
  readonly width: number;
  readonly height: number;
}

export interface MapOptions {
  /** Called after every change of the view. */
  readonly onShown: () => void;
  /** Whether a wheel zooms; otherwise it scrolls the page. */
  readonly takesWheel: () => boolean;
}

export class MapView {
  /** Whether the latest press has moved the map: then it is no click. */
  hasMoved = false;
  private current: View;
  private readonly pointers = new Map<number, PointerEvent>();

  constructor(
    private readonly svg: SVGSVGElement,
    private readonly options: MapOptions,
  ) {
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.current = this.fitted({ x, y, width, height });
    svg.addEventListener('pointerdown', (event) => {
      if (this.pointers.size === 0) this.hasMoved = false;
      this.pointers.set(event.pointerId, event);
    });
    svg.addEventListener('pointermove', (event) => this.drag(event));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      svg.addEventListener(end, ({ pointerId }) => this.pointers.delete(pointerId));
    }
    svg.addEventListener('dragstart', (event) => event.preventDefault());
    const turn = (event: WheelEvent) => {
      if (!options.takesWheel()) return;
      event.preventDefault();
      this.zoom(2 ** (event.deltaY / 300), this.pointOf(event));
    };
    svg.addEventListener('wheel', turn, { passive: false });
    new ResizeObserver(() => {
      if (svg.clientWidth > 0) this.show(this.current);
    }).observe(svg);
  }

  get view(): View {
    return this.current;
  }

  /** Steps of the map in a pixel. */
  get unit(): number {
    return this.current.width / Math.max(1, this.svg.clientWidth);
  }

  /** With the sides of the window that it is shown in, and nothing beyond the ends of the world. */
  show(view: View): void {
    this.current = this.fitted(view);
    const { x, y, width, height } = this.current;
    this.svg.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
    this.options.onShown();
  }

  /** @param at The point that stays where it is; null: the middle. */
  zoom(factor: number, at: Point | null = null): void {
    const { x, y, width, height } = this.current;
    const width2 = Math.max(SMALLEST, width * factor);
    const real = width2 / width;
    const [shareX, shareY] = at === null ? [0.5, 0.5] : [(at.x - x) / width, (at.y - y) / height];
    const next = { width: width2, height: height * real };
    this.show({ ...next, x: x + (width - next.width) * shareX, y: y + (height - next.height) * shareY });
  }

  /** By pixels of the window. */
  pan(x: number, y: number): void {
    const { current, unit } = this;
    this.show({ ...current, x: current.x + x * unit, y: current.y + y * unit });
  }

  pointOf({ clientX, clientY }: { readonly clientX: number; readonly clientY: number }): Point {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    const { current } = this;
    return {
      x: current.x + ((clientX - left) / width) * current.width,
      y: current.y + ((clientY - top) / height) * current.height,
    };
  }

  private fitted({ x, y, width, height }: View): View {
    const aspect = Math.max(1, this.svg.clientWidth) / Math.max(1, this.svg.clientHeight);
    const wanted = Math.max(SMALLEST, width, height * aspect);
    const wide = Math.min(wanted, WORLD, WORLD * aspect);
    const high = wide / aspect;
    const left = x + (width - wide) / 2;
    const top = Math.min(Math.max(0, y + (height - high) / 2), WORLD - high);
    return { x: wide === WORLD ? 0 : ((left % WORLD) + WORLD) % WORLD, y: top, width: wide, height: high };
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
}

/** The page of the map that shows the view: west, south, east, north, in degrees. */
export function addressOf({ x, y, width, height }: View): string {
  const [west, east] = width >= WORLD ? [-180, 180] : [longitudeAt(x), longitudeAt(x + width)];
  const wrapped = east > 180 ? east - 360 : east;
  const box = [west, latitudeAt(y + height), wrapped, latitudeAt(y)].map((degrees) => Number(degrees.toFixed(5)));
  return publicPath(`/settings/map?box=${box.join()}`);
}

export function viewOf(box: string): View {
  const [west = 0, south = 0, east = 0, north = 0] = box.split(',').map(Number);
  const { x, y } = pointAt(north, west);
  return { x, y, width: (east - west + (west > east ? 360 : 0)) * STEPS, height: pointAt(south, west).y - y };
}

export function pointAt(latitude: number, longitude: number): Point {
  const north = (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360));
  return { x: (longitude + 180) * STEPS, y: (180 - north) * STEPS };
}

/** Beyond the end of the world it goes on counting. */
export function longitudeAt(x: number): number {
  return x / STEPS - 180;
}

export function latitudeAt(y: number): number {
  return (360 / Math.PI) * Math.atan(Math.exp(((180 - y / STEPS) * Math.PI) / 180)) - 90;
}
