// The picture of the viewer: first as it stands in the grid, then as sharp as it is displayed, up to the pixels of the original.

import { bounded, fittedSize, maxScale, type Size, whole, type Zoom, zoomAt } from './zoom.js';
export class ViewerStage {
  private zoom: Zoom = whole;
  private picture: Size = { width: 1, height: 1 };
  /** The address of the original, where browsers can display it. */
  private original: string | null = null;
  private readonly frame: HTMLElement;

  constructor(private readonly stage: HTMLElement) {
    this.frame = stage.querySelector<HTMLElement>('.frame') ?? stage;
    new ResizeObserver(() => this.place(whole)).observe(stage);
  }

  show(tile: HTMLElement): void {
    const link = tile.querySelector('a');
    const image = tile.querySelector('img');
    if (link === null || image === null) return;
    this.picture = { width: Number(link.dataset.width), height: Number(link.dataset.height) };
    this.original = link.dataset.original ?? null;
    const preview = Object.assign(new Image(), { src: image.currentSrc || image.src, alt: '' });
    const sharp = Object.assign(new Image(), { alt: image.alt, className: 'sharp' });
    sharp.sizes = this.displayedWidth(whole);
    sharp.srcset = image.srcset;
    this.frame.replaceChildren(preview, sharp);
    this.place(whole);
  }

  get isZoomed(): boolean {
    return this.zoom.scale > 1;
  }

  /** @param point From the middle of the stage. */
  zoomBy(factor: number, point: Point = { x: 0, y: 0 }): void {
    this.place(zoomAt(this.zoom, factor, point, maxScale(this.picture, this.fitted())));
  }

  pan(by: Point): void {
    this.place({ ...this.zoom, x: this.zoom.x + by.x, y: this.zoom.y + by.y });
  }

  toggle(point: Point = { x: 0, y: 0 }): void {
    if (this.isZoomed) this.place(whole);
    else this.zoomBy(maxScale(this.picture, this.fitted()), point);
  }

  preload(tile: HTMLElement | null): void {
    const image = tile?.querySelector('img');
    const link = tile?.querySelector('a');
    if (!image || !link) return;
    const size = { width: Number(link.dataset.width), height: Number(link.dataset.height) };
    const early = new Image();
    early.sizes = `${Math.ceil(fittedSize(size, this.area()).width)}px`;
    early.srcset = image.srcset;
  }

  private place(zoom: Zoom): void {
    const fitted = this.fitted();
    this.zoom = bounded(zoom, fitted, this.area());
    const { scale, x, y } = this.zoom;
    Object.assign(this.frame.style, {
      width: `${fitted.width}px`,
      height: `${fitted.height}px`,
      transform: `translate(${x}px, ${y}px) scale(${scale})`,
    });
    this.stage.classList.toggle('zoomed', this.isZoomed);
    const pixels = fitted.width * scale * devicePixelRatio;
    const sharp = this.frame.querySelector<HTMLImageElement>('img.sharp');
    if (sharp === null) return;
    sharp.sizes = this.displayedWidth(this.zoom);
    const widths = [...sharp.srcset.matchAll(/ (\d+)w/g)].map(([, width]) => Number(width));
    const hasOriginal = this.frame.querySelector('img.original') !== null;
    if (this.original === null || hasOriginal || !this.isZoomed || pixels <= Math.max(...widths)) return;
    this.frame.append(Object.assign(new Image(), { src: this.original, alt: '', className: 'original' }));
  }

  private displayedWidth({ scale }: Zoom): string {
    return `${Math.ceil(this.fitted().width * scale)}px`;
  }

  private fitted(): Size {
    return fittedSize(this.picture, this.area());
  }

  private area(): Size {
    return { width: Math.max(1, this.stage.clientWidth), height: Math.max(1, this.stage.clientHeight) };
  }
}

// Mouse, wheel and fingers on the picture of the viewer.

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The distance that a finger moves sideways for the next picture, and down to close. */
const SWIPE_PX = 60;
const CLOSE_PX = 120;

/** A finger moves a picture that is larger than the window; otherwise it leads to another, or closes. */
export function followGestures(
  stage: HTMLElement,
  picture: ViewerStage,
  step: (by: 1 | -1) => void,
  close: () => void,
): void {
  const fingers = new Map<number, Point>();
  let start: Point | null = null;
  const middle = (event: MouseEvent): Point => {
    const { left, top, width, height } = stage.getBoundingClientRect();
    return { x: event.clientX - left - width / 2, y: event.clientY - top - height / 2 };
  };

  stage.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      // Two fingers on a touchpad are a wheel with Ctrl, in smaller steps.
      picture.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), middle(event));
    },
    { passive: false },
  );
  stage.addEventListener('dblclick', (event) => picture.toggle(middle(event)));
  stage.addEventListener('pointerdown', (event) => {
    if ((event.target as Element).closest('button') !== null) return;
    stage.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, middle(event));
    start = fingers.size === 1 ? middle(event) : null;
  });
  stage.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const now = middle(event);
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, now);
    if (other !== undefined) {
      const between = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      picture.zoomBy(distance(now, other) / Math.max(1, distance(before, other)), between);
    } else if (picture.isZoomed) picture.pan({ x: now.x - before.x, y: now.y - before.y });
  });
  const end = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId)) return;
    const from = start;
    start = null;
    if (from === null || picture.isZoomed || event.type === 'pointercancel' || event.pointerType === 'mouse') return;
    const { x, y } = middle(event);
    const [across, down] = [x - from.x, y - from.y];
    if (Math.abs(across) > SWIPE_PX && Math.abs(across) > Math.abs(down)) step(across < 0 ? 1 : -1);
    else if (down > CLOSE_PX) close();
  };
  stage.addEventListener('pointerup', end);
  stage.addEventListener('pointercancel', end);
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
