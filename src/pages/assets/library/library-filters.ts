// Filters of the library without leaving the page. Forms and links are those that work without scripts.

import { fetchPage } from '../public-path.js';
/** @param show Puts the page of another list into this one. */
export function useFilters(show: (url: string, page: Document) => void): void {
  let latest = 0;

  const open = async (url: string) => {
    latest += 1;
    const own = latest;
    const focused = document.activeElement?.id ?? '';
    const page = await fetchPage(url).catch(() => null);
    if (own !== latest) return;
    if (page?.querySelector('[data-library-part]') == null) {
      location.assign(url);
      return;
    }
    show(url, page);
    const again = focused === '' ? null : document.getElementById(focused);
    (again ?? document.querySelector<HTMLElement>('#filter-q'))?.focus({ preventScroll: true });
    const status = document.querySelector('form.library [role="status"]');
    if (status !== null)
      status.textContent = document.querySelector('.list-head .soft')?.textContent || 'Photos changed';
  };

  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    if (!form.matches('form[data-narrows]')) return;
    event.preventDefault();
    void open(addressOf(form));
  });
  document.addEventListener('change', (event) => {
    const field = event.target as HTMLElement;
    if (field.matches('form[data-narrows] :is([data-submit-on-change], [name="sort"])')) {
      (field as HTMLSelectElement).form?.requestSubmit();
    }
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-narrows]');
    if (link === null || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey) return;
    if (event.shiftKey) return;
    event.preventDefault();
    void open(link.href);
  });
}

/** Without fields that are empty, and with the order only if it is not the first. */
function addressOf(form: HTMLFormElement): string {
  const order = form.elements.namedItem('sort') as HTMLSelectElement | null;
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)] as const);
  const given = fields.filter(([name, value]) => value !== '' && !(name === 'sort' && order?.selectedIndex === 0));
  const query = new URLSearchParams(given.map(([name, value]) => [name, value])).toString();
  return query === '' ? form.action : `${form.action}?${query}`;
}

// How large photos are in the grid, changed without leaving the page.

/** @param resized Called when the grid has another size. */
export function offerTileSizes(links: HTMLElement, grid: HTMLElement, resized: () => void): void {
  links.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a');
    const size = link?.dataset.size;
    if (link === null || size === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    grid.dataset.size = size;
    for (const each of links.querySelectorAll('a')) {
      if (each === link) each.setAttribute('aria-current', 'true');
      else each.removeAttribute('aria-current');
    }
    for (const image of grid.querySelectorAll('img')) image.sizes = `${displayedWidth(image)}px`;
    resized();
    // Remembered, for the next page. Should that fail, this page has the size nevertheless.
    fetch(link.href, { method: 'HEAD' }).catch(() => undefined);
  });
}

/** Rows grow until they fill the width, and may stretch their pictures by as much (photo-grid.view.tsx). The squares of a phone do not grow. */
const STRETCH = matchMedia('(max-width: 42rem)').matches ? 1 : 1.25;

/** Returns the width of the whole picture: in a square tile, sides of a wide photo are cut off. */
function displayedWidth(image: HTMLImageElement): number {
  const { clientWidth, clientHeight } = image.closest('li') ?? image;
  return Math.ceil(Math.max(clientWidth, (clientHeight * image.width) / image.height) / STRETCH);
}

// What the capture time of the first selected photo becomes.

const unitSeconds = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 } as const;

/** @param first The tile of the first selected photo. */
export function previewShift(form: HTMLFormElement, first: () => HTMLElement | null, signal: AbortSignal): void {
  const fields = form.querySelector<HTMLFieldSetElement>('[data-shift]');
  const preview = fields?.querySelector<HTMLElement>('[data-shift-preview]');
  if (!fields || !preview) return;
  const show = () => {
    const taken = first()?.querySelector<HTMLElement>('a')?.dataset.taken;
    const textIn = (name: string) => fields.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value ?? '';
    const sum = Object.entries(unitSeconds).reduce((all, [name, length]) => all + Number(textIn(name)) * length, 0);
    const seconds = textIn('direction') === 'back' ? -sum : sum;
    preview.textContent = taken === undefined || seconds === 0 ? '' : textOf(taken, seconds);
  };
  fields.addEventListener('input', show, { signal });
  form.querySelector('details.more-actions')?.addEventListener('toggle', show, { signal });
}

/** Describes a shift of local times: the zone plays no part. */
function textOf(taken: string, seconds: number): string {
  const before = new Date(`${taken}Z`);
  const after = new Date(before.getTime() + seconds * 1000);
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });
  if (Number.isNaN(after.getTime())) return '';
  return `First photo: ${format.format(before)} becomes ${format.format(after)}.`;
}
