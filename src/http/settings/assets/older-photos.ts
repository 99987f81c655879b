// The next page of the list, behind the link at its end.

import { fetchPage } from './page-fetch.js';
import type { PhotoGrid } from './photo-grid.js';
import type { StoredPlace } from './stored-place.js';

export class OlderPhotos {
  private loading: Promise<void> | null = null;

  constructor(
    private readonly form: HTMLFormElement,
    private readonly grid: PhotoGrid,
  ) {}

  /** Adds the next page to the grid, if there is one. */
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
