// The next page of the list, behind the link at its end.

import { fetchPage, publicPath } from '../public-path.js';
import type { PhotoGrid, StoredPlace } from './photo-grid.js';
export class OlderPhotos {
  private loading: Promise<void> | null = null;

  constructor(
    private readonly form: HTMLFormElement,
    private readonly grid: PhotoGrid,
  ) {}

  load(): Promise<void> {
    this.loading ??= this.add().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  /** Adds the next thousand without their pictures. Returns whether there were some. */
  async skip(): Promise<boolean> {
    await this.loading;
    const link = this.form.querySelector<HTMLAnchorElement>('.more a');
    if (link === null) return false;
    const answer = await fetch(link.href.replace('/settings/library?', '/settings/library/sections?'), {
      headers: { Accept: 'application/json' },
    }).catch(() => null);
    if (!answer?.ok) return false;
    const { sections, older } = (await answer.json()) as Pick<StoredPlace, 'sections' | 'older'>;
    this.grid.restore(sections);
    if (older === null) link.remove();
    else link.href = older;
    return sections.length > 0;
  }

  private async add(): Promise<void> {
    const more = this.form.querySelector('.more');
    const link = more?.querySelector('a');
    if (!more || !link) return;
    let message = 'More photos could not be loaded. Follow the link to try again.';
    try {
      const next = await fetchPage(link.href);
      const added = this.grid.append(next);
      more.replaceChildren(...(next.querySelector('.library .more')?.childNodes ?? []));
      message = `${added.length} more photos`;
    } catch {
      // The link stays.
    }
    const status = this.form.querySelector('[role="status"]');
    if (status !== null) status.textContent = message;
  }
}

// The years and months beside the photos: they lead to a place in the list, and say where its reader is.
/** Beyond so many photos a new list that begins there is faster than this one continued. */
const MOST_SKIPPED = 20_000;

export async function useScrubber(form: HTMLFormElement, older: OlderPhotos, signal: AbortSignal): Promise<void> {
  const nav = document.querySelector<HTMLElement>('nav[data-years]');
  if (nav === null) return;
  nav.addEventListener('click', (event) => void follow(event, nav, form, older), { signal });
  try {
    const page = await fetchPage(publicPath(`/settings/library/months${location.search}`));
    const fresh = page.querySelector<HTMLElement>('nav[data-years]');
    if (fresh === null || signal.aborted) return;
    nav.replaceChildren(...fresh.childNodes);
    nav.setAttribute('aria-label', fresh.getAttribute('aria-label') ?? '');
  } catch {
    // The years are enough.
  }
  let isDue = false;
  const mark = () => {
    isDue = false;
    markCurrent(nav, form);
  };
  const soon = () => {
    if (!isDue) requestAnimationFrame(mark);
    isDue = true;
  };
  addEventListener('scroll', soon, { passive: true, signal });
  mark();
}

async function follow(event: MouseEvent, nav: HTMLElement, form: HTMLFormElement, older: OlderPhotos): Promise<void> {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-time]');
  if (link === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const time = link.dataset.time ?? '';
  nav.setAttribute('aria-busy', 'true');
  const months = [...nav.querySelectorAll<HTMLElement>('a[data-photos]')];
  const at = months.findIndex(({ dataset }) => dataset.time?.startsWith(time));
  const section =
    months.slice(0, Math.max(0, at)).reduce((sum, { dataset }) => sum + Number(dataset.photos), 0) > MOST_SKIPPED
      ? null
      : await reach(form, time, older);
  nav.removeAttribute('aria-busy');
  if (section === null) {
    location.assign(link.href);
    return;
  }
  section.scrollIntoView({ block: 'start', behavior: 'instant' });
  const status = form.querySelector('[role="status"]');
  if (status !== null) status.textContent = section.getAttribute('aria-label');
}

/** The first section of this time, continuing the list until it is there. Null when it is not a part of this list. */
async function reach(form: HTMLFormElement, time: string, older: OlderPhotos): Promise<HTMLElement | null> {
  for (;;) {
    const sections = [...form.querySelectorAll<HTMLElement>('.sections > section:not([hidden])')];
    const found = sections.find(({ dataset }) => dataset.month?.startsWith(time));
    if (found !== undefined) return found;
    const [first, last] = [sections[0]?.dataset.month ?? '', sections.at(-1)?.dataset.month ?? ''];
    const isAscending = new URLSearchParams(location.search).get('sort') === 'takenAt';
    const isBefore = isAscending ? time < first : time > first;
    const isPassed = last === '' || (isAscending ? last > time : last < time);
    if (isBefore || isPassed || !(await older.skip())) return null;
  }
}

/** Marks the month and the year of the first photos in the window. */
function markCurrent(nav: HTMLElement, form: HTMLFormElement): void {
  const sections = [...form.querySelectorAll<HTMLElement>('.sections > section:not([hidden])')];
  const shown = sections.find((section) => section.getBoundingClientRect().bottom > 0)?.dataset.month ?? '';
  for (const link of nav.querySelectorAll<HTMLAnchorElement>('a[data-time]')) {
    const isCurrent = shown !== '' && shown.startsWith(link.dataset.time ?? '');
    if (isCurrent === link.hasAttribute('aria-current')) continue;
    if (isCurrent) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
    link.closest('.year')?.classList.toggle('current', isCurrent);
    if (!isCurrent || link.offsetParent === null) continue;
    // The column scrolls by itself, never the page.
    const [box, frame] = [link.getBoundingClientRect(), nav.getBoundingClientRect()];
    if (box.top < frame.top || box.bottom > frame.bottom) nav.scrollTop += box.top - frame.top - frame.height / 2;
    if (box.left < frame.left || box.right > frame.right) nav.scrollLeft += box.left - frame.left - frame.width / 2;
  }
}
