// Keeps what moves by itself up to date: the page is asked for again, and its parts that changed take the place of the old ones.

import { showTimes } from './page.js';
import { fetchPage } from './public-path.js';

const EVERY_MS = 1500;

follow();

async function follow(): Promise<void> {
  for (let live = liveIn(document); live !== null; live = liveIn(document)) {
    // A page may know that nothing changes for a while.
    await new Promise((resolve) => setTimeout(resolve, Math.max(EVERY_MS, Number(live.dataset.live))));
    if (document.hidden) continue;
    const page = await fetchPage(location.href).catch(() => null);
    if (page === null) continue;
    // When it has ended there are other things to do and to see, but where a page says that its parts are all.
    const fresh = liveIn(page);
    if (fresh === null && live.dataset.liveInPlace === undefined) {
      location.reload();
      return;
    }
    if (fresh?.dataset.live === undefined) delete live.dataset.live;
    else live.dataset.live = fresh.dataset.live;
    for (const part of page.querySelectorAll<HTMLElement>('[data-live-part]')) replace(part);
  }
}

function liveIn(page: Document): HTMLElement | null {
  return page.querySelector<HTMLElement>('[data-live]');
}

/** Keeps the focus on a button that has it. */
function replace(part: HTMLElement): void {
  const old = document.querySelector(`[data-live-part="${part.dataset.livePart}"]`);
  showTimes(part);
  if (old === null || old.innerHTML === part.innerHTML) return;
  const focused = old.contains(document.activeElement) ? (document.activeElement?.id ?? '') : '';
  old.replaceChildren(...part.childNodes);
  if (focused !== '') document.getElementById(focused)?.focus();
}
