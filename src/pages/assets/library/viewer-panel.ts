// What is known of the photo in the viewer, with its forms: those of the photo's own page, sent without leaving the viewer.

import { offerLocationMap } from '../map/location-map.js';
import { showTimes } from '../page.js';
import { suggestTagNames } from '../tag-names.js';
import { suggestTimeZones } from '../time-zones.js';
import { showHistogram } from './histogram.js';
export class ViewerPanel {
  private shown = '';
  private picture: HTMLImageElement | null = null;

  /** @param trashed Called when the photo has gone to the trash. */
  constructor(
    private readonly root: HTMLElement,
    private readonly trashed: () => void,
  ) {
    root.addEventListener('submit', (event) => this.submit(event));
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  /**
   * @param address Of the photo's page.
   * @param picture Of the photo, of any size.
   */
  async open(address: string, picture: HTMLImageElement | null): Promise<void> {
    this.root.hidden = false;
    this.shown = address;
    this.picture = picture;
    this.root.setAttribute('aria-busy', 'true');
    await this.show(address, fetch(address, { headers: { Accept: 'text/html' } }));
  }

  close(): void {
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  private submit(event: SubmitEvent): void {
    event.preventDefault();
    // Other listeners expect that the page is left.
    event.stopPropagation();
    const form = event.target as HTMLFormElement;
    const submitter = event.submitter as HTMLButtonElement | null;
    const body = new URLSearchParams([...new FormData(form, submitter)].map(([name, value]) => [name, String(value)]));
    const action = submitter?.hasAttribute('formaction') ? submitter.formAction : form.action;
    void this.send(action, body);
  }

  private async send(action: string, body: URLSearchParams): Promise<void> {
    const address = this.shown;
    const isTrash = new URL(action).pathname.endsWith('/trash');
    const answer = await this.show(address, fetch(action, { method: 'POST', headers: { Accept: 'text/html' }, body }));
    if (isTrash && answer?.ok) this.trashed();
  }

  /** The page that answers, which may say what is wrong with a form. */
  private async show(address: string, request: Promise<Response>): Promise<Response | null> {
    const answer = await request.catch(() => null);
    const text = await answer?.text().catch(() => null);
    // Meanwhile another photo may be in the viewer.
    if (this.shown !== address || !this.isOpen) return null;
    this.root.removeAttribute('aria-busy');
    const page = new DOMParser().parseFromString(text ?? '', 'text/html');
    const about = page.querySelector('.photo .about');
    if (about === null) {
      const text = { className: 'flash failed', textContent: 'The details could not be loaded. Try again.' };
      const message = Object.assign(document.createElement('p'), text);
      message.setAttribute('role', 'alert');
      this.root.replaceChildren(message);
      return null;
    }
    const flash = page.querySelector('main > .flash');
    const focused = focusedIn(this.root);
    this.root.replaceChildren(...(flash === null ? [] : [flash]), about);
    offerLocationMap(this.root);
    focused?.(this.root);
    showTimes(this.root);
    void showHistogram(about, this.picture);
    suggestTagNames(this.root);
    suggestTimeZones(this.root);
    return answer;
  }
}

/** Where the focus is in a form, as a function that puts it there again once the form has been replaced; null if it is elsewhere. */
function focusedIn(root: Element): ((fresh: Element) => void) | null {
  const focused = document.activeElement;
  if (focused === null || !root.contains(focused)) return null;
  const form = focused.closest('form')?.getAttribute('aria-label');
  return (fresh) => {
    const same = focused.id === '' ? null : fresh.querySelector<HTMLElement>(`#${focused.id}`);
    const sameForm = [...fresh.querySelectorAll('form')].find((each) => each.getAttribute('aria-label') === form);
    (same ?? sameForm?.querySelector<HTMLElement>('button[type="submit"]'))?.focus({ preventScroll: true });
  };
}
