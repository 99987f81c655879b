// The next page of the list, behind the link at its end.

import { fetchPage } from './page-fetch.js';
import type { PhotoGrid } from './photo-grid.js';

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
