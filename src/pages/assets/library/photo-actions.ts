// Actions on selected photos, without leaving the page.

import { publicPath } from '../public-path.js';
import type { PhotoGrid } from './photo-grid.js';
import type { PhotoSelection } from './photo-selection.js';

export class PhotoActions {
  private timer = 0;
  /** The photos of edits, for when they are undone. */
  private readonly edited = new Map<string, { readonly ids: readonly string[]; readonly isLeaving: boolean }>();

  constructor(
    private readonly form: HTMLFormElement,
    private readonly grid: PhotoGrid,
    private readonly selection: PhotoSelection,
    private readonly edits: BulkEdits,
    signal: AbortSignal,
  ) {
    form.addEventListener('submit', (event) => this.submit(event), { signal });
    const details = form.querySelector<HTMLDetailsElement>('details.more-actions');
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !details?.open) return;
      // The further actions close first; the selection stays.
      event.stopPropagation();
      details.open = false;
      details.querySelector('summary')?.focus();
    };
    details?.addEventListener('keydown', close, { signal });
  }

  /** A message that is read out, and goes away by itself. */
  say({ kind, text, undo }: Omit<EditStatus, 'edit'>): void {
    clearTimeout(this.timer);
    this.form.querySelector('.toast')?.remove();
    const toast = Object.assign(document.createElement('div'), { className: `flash toast ${kind}` });
    toast.append(Object.assign(document.createElement('span'), { textContent: text }));
    if (undo !== undefined) {
      const about = { type: 'button', className: 'quiet', textContent: 'Undo' };
      const button = Object.assign(document.createElement('button'), about);
      button.addEventListener('click', () => this.undo(undo));
      toast.append(button);
    }
    this.form.append(toast);
    const status = this.form.querySelector('[role="status"]');
    if (status !== null) status.textContent = text;
    this.timer = setTimeout(() => toast.remove(), 12_000);
  }

  /** Undoes the latest action, as long as its message offers it. */
  undoLatest(): void {
    this.form.querySelector<HTMLButtonElement>('.toast button')?.click();
  }

  /** Another part of the page has moved a photo to the trash. */
  noteTrashed(id: string): void {
    this.leave([id]);
    const action = new URL(this.form.action);
    action.searchParams.set('do', 'restore');
    this.say({
      kind: 'done',
      text: '1 photo moved to the trash.',
      undo: { action: action.href, field: 'ids', values: [id] },
    });
  }

  private submit(event: SubmitEvent): void {
    const button = event.submitter as HTMLButtonElement | null;
    if (button?.dataset.inPlace === undefined) {
      this.addFields();
      // Other listeners expect that the page is left.
      if (button?.dataset.download !== undefined) event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    void this.run(button.value);
  }

  /** A form that leaves the page takes photos along whose checkboxes are not there. */
  private addFields(): void {
    for (const field of this.form.querySelectorAll('input[data-far]')) field.remove();
    const far = this.selection.all.filter((id) => this.grid.tile(id)?.querySelector('input') == null);
    for (const [name, value] of this.selection.isAll ? [['all', '1']] : far.map((id) => ['ids', id])) {
      const field = Object.assign(document.createElement('input'), { type: 'hidden', name, value });
      field.dataset.far = '';
      this.form.append(field);
    }
  }

  private async run(what: string): Promise<void> {
    const { isAll } = this.selection;
    const ids = isAll ? this.grid.tiles().map(({ id }) => id.replace('photo-', '')) : this.selection.all;
    const bar = this.form.querySelector<HTMLFieldSetElement>('.selection');
    const fields = new URLSearchParams({ do: what, ...(isAll && { all: '1' }) });
    for (const field of bar?.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select') ?? []) {
      fields.append(field.name, field.value);
    }
    for (const id of isAll ? [] : ids) fields.append('ids', id);
    const focused = document.activeElement;
    if (bar !== null) bar.disabled = true;
    const begun = await this.send(this.form.action, fields);
    if (bar !== null) bar.disabled = false;
    // What is disabled loses the focus.
    if (bar?.contains(focused) && document.activeElement === document.body) (focused as HTMLElement).focus();
    this.form.querySelector('details')?.removeAttribute('open');
    const isLeaving = what === 'trash' || what === 'restore';
    const status = await this.ended(begun);
    const edit = status.undo?.values[0];
    if (edit !== undefined) this.edited.set(edit, { ids, isLeaving });
    if (status.kind === 'done' && isLeaving) this.leave(ids);
    if (what.startsWith('rotate')) this.grid.refresh(ids);
    this.say(status);
  }

  private async ended(begun: EditStatus): Promise<EditStatus> {
    if (begun.edit === undefined) return begun;
    this.say(begun);
    return this.edits.follow(begun.edit.id);
  }

  private leave(ids: readonly string[]): void {
    const focused = document.activeElement?.closest<HTMLLIElement>('.grid > li') ?? null;
    const tiles = this.grid.tiles();
    const at = focused === null ? -1 : tiles.indexOf(focused);
    this.grid.setHidden(ids, true);
    this.selection.drop(ids);
    if (this.selection.all.length === 0) this.selection.clear();
    if (!focused?.hidden) return;
    // The reader goes on where they were: with the photo that follows, or the one before.
    const next = [...tiles.slice(at + 1), ...tiles.slice(0, at).reverse()].find((tile) => !tile.hidden);
    next?.scrollIntoView({ block: 'nearest' });
    next?.querySelector('a')?.focus({ preventScroll: true });
  }

  private async undo({ action, field, values }: NonNullable<EditStatus['undo']>): Promise<void> {
    const status = await this.ended(await this.send(action, new URLSearchParams(values.map((each) => [field, each]))));
    const edited = field === 'edit' ? this.edited.get(values[0] ?? '') : { ids: values, isLeaving: true };
    if (status.kind === 'done' && edited?.isLeaving) this.grid.setHidden(edited.ids, false);
    else if (edited !== undefined) this.grid.refresh(edited.ids);
    this.say(status);
  }

  private async send(action: string, body: URLSearchParams): Promise<EditStatus> {
    const token = document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? '';
    const headers = { Accept: 'application/json', 'X-CSRF-Token': token };
    try {
      const answer = await fetch(action, { method: 'POST', headers, body });
      const content = await answer.json();
      return answer.ok ? content : { kind: 'failed', text: content.error.message };
    } catch {
      return { kind: 'failed', text: 'The service could not be reached. Try again.' };
    }
  }
}

// Edits of many photos that are in progress: how far they are. They go on when the page is left.
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

  /** The edits that were in progress when the page was made. */
  get shown(): readonly string[] {
    return [...this.root.querySelectorAll<HTMLElement>('[data-bulk-edit]')].map(
      ({ dataset }) => dataset.bulkEdit ?? '',
    );
  }

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
    const history = { href: publicPath('/settings/history'), textContent: 'History' };
    const link = Object.assign(document.createElement('a'), history);
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
