// The picture of the viewer: first as it stands in the grid, then as sharp as it is displayed, up to the pixels of the original.

import type { Point } from './viewer-gestures.js';
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

  /** Gets the picture of a tile before it is asked for. */
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
    this.sharpen(fitted.width * scale * devicePixelRatio);
  }

  private sharpen(pixels: number): void {
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
