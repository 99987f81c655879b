// Edits of many photos that are in progress: how far they are. They go on when the page is left.

import { publicPath } from './public-path.js';

/** What the service answers about an edit. */
export interface EditStatus {
  readonly kind: 'done' | 'failed';
  readonly text: string;
  readonly undo?: { readonly action: string; readonly field: string; readonly values: readonly string[] };
  /** While it is in progress. */
  readonly edit?: {
    readonly id: string;
    readonly title: string;
    readonly processed: number;
    readonly total: number;
    readonly progress: string;
  };
}

const EVERY_MS = 700;

export class BulkEdits {
  /** @param root What the page shows of them. */
  constructor(private readonly root: HTMLElement) {}

  /** Those that were in progress when the page was made. */
  get shown(): readonly string[] {
    return [...this.root.querySelectorAll<HTMLElement>('[data-bulk-edit]')].map(
      ({ dataset }) => dataset.bulkEdit ?? '',
    );
  }

  /** Shows the progress of an edit, and what it did once it has ended. */
  async follow(id: string): Promise<EditStatus> {
    for (;;) {
      const status = await statusOf(id);
      if (status !== null && status.edit === undefined) {
        this.row(id)?.remove();
        return status;
      }
      if (status?.edit) this.show(status.edit);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  }

  private show({ id, title, processed, total, progress }: NonNullable<EditStatus['edit']>): void {
    const row = this.row(id) ?? this.add(id);
    const bar = row.querySelector('progress');
    if (bar !== null) Object.assign(bar, { max: Math.max(1, total), value: processed });
    for (const [selector, text] of [
      ['label', title],
      ['.hint', progress],
    ] as const) {
      const part = row.querySelector(selector);
      if (part !== null && part.textContent !== text) part.textContent = text;
    }
  }

  private add(id: string): HTMLElement {
    const row = Object.assign(document.createElement('div'), { className: 'bulk-edit' });
    row.dataset.bulkEdit = id;
    const bar = Object.assign(document.createElement('progress'), { id: `bulk-edit-${id}` });
    const label = Object.assign(document.createElement('label'), { htmlFor: bar.id });
    const link = Object.assign(document.createElement('a'), {
      href: publicPath('/settings/history'),
      textContent: 'History',
    });
    row.append(label, bar, Object.assign(document.createElement('span'), { className: 'hint' }), link);
    this.root.append(row);
    return row;
  }

  private row(id: string): HTMLElement | null {
    return this.root.querySelector(`[data-bulk-edit="${id}"]`);
  }
}

/** Null when the service cannot be reached: it is asked again. */
async function statusOf(id: string): Promise<EditStatus | null> {
  try {
    const answer = await fetch(publicPath(`/settings/history/${id}/state`), {
      headers: { Accept: 'application/json' },
    });
    if (answer.status >= 500) return null;
    if (!answer.ok || answer.redirected)
      return { kind: 'failed', text: 'It is not known how this change ended. Reload the page.' };
    return await answer.json();
  } catch {
    return null;
  }
}
