// Pages of a share: arrows and swipes lead to the photos beside one, Escape leads back to all. Without it, links do.

const follow = (rel) => document.querySelector(`.viewer a[rel="${rel}"]`)?.click();
const keys = { ArrowLeft: 'prev', ArrowRight: 'next', Escape: 'up' };

addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key in keys) follow(keys[event.key]);
});

/** In pixels; what is shorter, or more up or down than sideways, is no swipe. */
const SWIPE = 60;
let began = null;

addEventListener(
  'touchstart',
  ({ touches }) => {
    began = touches.length === 1 ? { x: touches[0].clientX, y: touches[0].clientY } : null;
  },
  { passive: true },
);

addEventListener(
  'touchend',
  ({ changedTouches: [touch] }) => {
    // A picture that was enlarged is moved, not left.
    if (began === null || touch === undefined || visualViewport.scale > 1.01) return;
    const [across, down] = [touch.clientX - began.x, touch.clientY - began.y];
    if (Math.abs(across) < SWIPE || Math.abs(down) > Math.abs(across) / 2) return;
    follow(across > 0 ? 'prev' : 'next');
  },
  { passive: true },
);
