// Mouse, wheel and fingers on the picture of the viewer.

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Gestures {
  /** @param point From the middle of the stage. */
  zoom(factor: number, point: Point): void;
  pan(by: Point): void;
  /** Whether the picture is larger than the window: then a finger moves it instead of leading to another. */
  isZoomed(): boolean;
  /** Between whole and enlarged. */
  toggle(point: Point): void;
  step(by: 1 | -1): void;
  close(): void;
}

/** How far a finger moves sideways for the next picture, and down to close. */
const SWIPE_PX = 60;
const CLOSE_PX = 120;

export function followGestures(stage: HTMLElement, gestures: Gestures): void {
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
      gestures.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), middle(event));
    },
    { passive: false },
  );
  stage.addEventListener('dblclick', (event) => gestures.toggle(middle(event)));
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
    if (other !== undefined)
      gestures.zoom(distance(now, other) / Math.max(1, distance(before, other)), between(now, other));
    else if (gestures.isZoomed()) gestures.pan({ x: now.x - before.x, y: now.y - before.y });
  });
  const end = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId)) return;
    const from = start;
    start = null;
    if (from === null || gestures.isZoomed() || event.type === 'pointercancel' || event.pointerType === 'mouse') return;
    const { x, y } = middle(event);
    const [across, down] = [x - from.x, y - from.y];
    if (Math.abs(across) > SWIPE_PX && Math.abs(across) > Math.abs(down)) gestures.step(across < 0 ? 1 : -1);
    else if (down > CLOSE_PX) gestures.close();
  };
  stage.addEventListener('pointerup', end);
  stage.addEventListener('pointercancel', end);
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function between(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
