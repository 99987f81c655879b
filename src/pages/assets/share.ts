// Pages of a share: arrows and swipes lead to the photos beside one, Escape leads back to all. Without it, links do.

const follow = (rel: string) => document.querySelector<HTMLElement>(`.viewer a[rel="${rel}"]`)?.click();
const keys: Readonly<Record<string, string>> = { ArrowLeft: 'prev', ArrowRight: 'next', Escape: 'up' };

addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const rel = keys[event.key];
  if (rel !== undefined) follow(rel);
});

/** In pixels; what is shorter, or more up or down than sideways, is no swipe. */
const SWIPE = 60;

takeSwipes();

function takeSwipes(): void {
  let began: { readonly x: number; readonly y: number } | null = null;
  addEventListener(
    'touchstart',
    ({ touches }) => {
      const [touch] = touches;
      began = touch && touches.length === 1 ? { x: touch.clientX, y: touch.clientY } : null;
    },
    { passive: true },
  );
  addEventListener(
    'touchend',
    ({ changedTouches: [touch] }) => {
      // A picture that was enlarged is moved, not left.
      if (began === null || touch === undefined || (visualViewport?.scale ?? 1) > 1.01) return;
      const [across, down] = [touch.clientX - began.x, touch.clientY - began.y];
      if (Math.abs(across) < SWIPE || Math.abs(down) > Math.abs(across) / 2) return;
      follow(across > 0 ? 'prev' : 'next');
    },
    { passive: true },
  );
}
