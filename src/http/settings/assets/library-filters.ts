// Filters of the library without leaving the page. Forms and links are those that work without scripts.

import { fetchPage } from './page-fetch.js';

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
